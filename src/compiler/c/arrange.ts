// The order of steps: what threads can do without waiting for each other comes together, and what crosses their rows, such as
// sums over a batch, comes behind it. This is before memory is planned, so that no array lies where another is in the way.
import { itemSize } from "../../array/index.js";
import type { Buffer, Kernel, Step } from "../kernel.js";
import { accessesOf } from "../plan/accesses.js";
import type { MemoryPlan } from "../plan/arena.js";
import { Meetings, type Touch } from "../schedule/meetings.js";
import { lowerBound } from "../search.js";
import { kernelsIn, mapInside } from "../walk.js";
import { firstThread, type Sharing } from "./surroundings.js";

/** Steps in an order that lets threads meet less often, given how they would share each kernel. */
export function arrange(steps: readonly Step[], sharingOf: (kernel: Kernel) => Sharing): readonly Step[] {
  const kernels = kernelsIn(steps);
  if (kernels.every((kernel) => sharingOf(kernel) === "alone")) return steps;
  return new Arranger(kernels, sharingOf).list(steps);
}

/** Something to be done, and what it has to wait for. */
interface Task {
  readonly step: Step;
  /** Where it was. */
  readonly place: number;
  readonly touches: readonly Touch[];
  readonly reads: ReadonlySet<Buffer>;
  readonly writes: ReadonlySet<Buffer>;
  /** Tasks before it that must come first. */
  waitsFor: number;
  readonly waiting: Task[];
}

class Arranger {
  private readonly names = new Map<Buffer, Buffer>();
  private readonly start: Meetings;
  /** What prints: in order, as if it wrote something. */
  private readonly printer: Buffer = { id: -1, dtype: "bool", size: 0, name: "printer" };

  constructor(
    kernels: readonly Kernel[],
    private readonly sharingOf: (kernel: Kernel) => Sharing,
  ) {
    for (const kernel of kernels)
      if (kernel.kind === "copy") this.unite(kernel.from.buffer, kernel.to.buffer);
    this.start = new Meetings(apart(kernels, (buffer) => this.nameOf(buffer)));
  }

  /** The array that stands for all that will share its memory: copies take the place of their originals. */
  private nameOf(buffer: Buffer): Buffer {
    let name = buffer;
    for (let next = this.names.get(name); next !== undefined; next = this.names.get(name)) name = next;
    return name;
  }

  private unite(one: Buffer, other: Buffer): void {
    const [a, b] = [this.nameOf(one), this.nameOf(other)];
    if (a !== b && a.size === b.size && a.dtype === b.dtype) this.names.set(a, b);
  }

  list(steps: readonly Step[]): Step[] {
    const tasks = steps.map((step, place) =>
      this.taskOf(
        mapInside(step, (steps) => this.list(steps)),
        place,
      ),
    );
    order(tasks);
    const meetings = this.start.fork();
    const done: Step[] = [];
    let ready = tasks.filter(({ waitsFor }) => waitsFor === 0);
    while (ready.length > 0) {
      // One time between two meetings: all that can be done, in the order in which it was. What becomes ready joins in.
      const later: Task[] = [];
      for (const task of ready) {
        if (meetings.forbids(task.touches)) {
          later.push(task);
          continue;
        }
        meetings.next(task.touches);
        done.push(task.step);
        for (const other of task.waiting) {
          if (--other.waitsFor > 0) continue;
          ready.splice(
            lowerBound(ready.length, (index) => ready[index].place > other.place),
            0,
            other,
          );
        }
      }
      ready = later;
      meetings.clear();
    }
    return done;
  }

  private taskOf(step: Step, place: number): Task {
    const looked = looksAt(step);
    const kernels = kernelsIn([step]);
    const accesses = kernels.flatMap((kernel) => accessesOf(kernel));
    const named = (kind: "read" | "write") =>
      accesses.filter((access) => access.kind === kind).map(({ buffer }) => this.nameOf(buffer));
    const prints = kernels.some(({ kind }) => kind === "print") ? [this.printer] : [];
    return {
      step,
      place,
      touches: [
        ...kernels.flatMap((kernel) => this.touchesOf(kernel)),
        ...looked.map((buffer) => this.start.touch(buffer, false, "all")),
      ],
      reads: new Set([...named("read"), ...looked.map((buffer) => this.nameOf(buffer))]),
      writes: new Set([...named("write"), ...prints]),
      waitsFor: 0,
      waiting: [],
    };
  }

  private touchesOf(kernel: Kernel): Touch[] {
    // Most copies will not be made.
    if (kernel.kind === "copy") return [];
    const sharing = this.sharingOf(kernel);
    return this.start.accesses(
      kernel,
      sharing === "alone" ? firstThread : sharing === "units" ? "all" : sharing,
    );
  }
}

/** The arrays that decide which way is taken. */
const looksAt = (step: Step): Buffer[] => {
  switch (step.kind) {
    case "kernel":
      return [];
    case "loop":
      return step.body.flatMap(looksAt);
    case "while":
      return [step.predicate.buffer, ...[...step.test, ...step.body].flatMap(looksAt)];
    case "branch":
      return [step.index.buffer, ...step.cases.flat().flatMap(looksAt)];
  }
};

/** Lets each task wait for those before it that write what it touches, or touch what it writes. */
function order(tasks: readonly Task[]): void {
  const writers = new Map<Buffer, Task>();
  const readers = new Map<Buffer, Set<Task>>();
  for (const task of tasks) {
    const first = new Set<Task>();
    const wait = (other: Task | undefined) => {
      if (other !== undefined && other !== task) first.add(other);
    };
    for (const buffer of [...task.reads, ...task.writes]) wait(writers.get(buffer));
    for (const buffer of task.writes) {
      readers.get(buffer)?.forEach(wait);
      writers.set(buffer, task);
      readers.set(buffer, new Set());
    }
    for (const buffer of task.reads) {
      const known = readers.get(buffer) ?? new Set<Task>();
      readers.set(buffer, known.add(task));
    }
    task.waitsFor = first.size;
    for (const other of first) other.waiting.push(task);
  }
}

/** A plan in which every array has memory of its own. */
function apart(kernels: readonly Kernel[], nameOf: (buffer: Buffer) => Buffer): MemoryPlan {
  const starts = new Map<Buffer, number>();
  const addresses = new Map<Buffer, number>();
  let bytes = 0;
  for (const kernel of kernels) {
    for (const { buffer } of accessesOf(kernel)) {
      const name = nameOf(buffer);
      const start = starts.get(name) ?? bytes;
      if (start === bytes) bytes += Math.max(1, name.size) * itemSize(name.dtype);
      starts.set(name, start);
      addresses.set(buffer, start);
    }
  }
  return {
    addresses,
    scratch: new Map(),
    staged: new Map(),
    bytes,
    fast: new Set(),
    fastBytes: 0,
    division: {
      axes: [],
      parts: 1,
      common: new Set(),
      sorts: new Set(),
      exchange: 0,
      start: 0,
      stride: bytes,
    },
    isIdle: () => false,
  };
}
