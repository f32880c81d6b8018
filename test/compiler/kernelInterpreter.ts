// Runs steps as kernel.ts says what they mean, one point after the other. Points come in a random order wherever a
// kernel leaves the order free, and what it promises about its accesses is checked.
import type { NamedAxis } from "../../src/array/index.js";
import { groupOf } from "../../src/compiler/collectives.js";
import type {
  DotKernel,
  DotOperand,
  ExchangeKernel,
  Kernel,
  LoopKernel,
  Place,
  Pull,
  SortKernel,
  Step,
} from "../../src/compiler/kernel.js";
import { reductionRoots, rootsOf } from "../../src/compiler/walk.js";
import { startReduction } from "./kernelReductions.js";
import { Writer } from "./kernelStores.js";
import { combined, PointValues, rounded, type Memory } from "./kernelValues.js";

type Point = readonly number[];

/** All points of an index space, in order. */
const pointsOf = (extents: readonly number[]): Point[] =>
  extents.reduce<Point[]>(
    (points, extent) => points.flatMap((point) => Array.from({ length: extent }, (_, at) => [...point, at])),
    [[]],
  );

const dotted = (strides: readonly number[], point: Point): number =>
  strides.reduce((sum, stride, axis) => sum + stride * point[axis], 0);

/** Random numbers from 0 to 1, the same in every run (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), 61 | bits);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Where the devices are, and what is done about messages. */
export interface World {
  readonly axes: readonly NamedAxis[];
  readonly print: (message: number, memory: Memory) => void;
}

/** Runs steps on devices with a memory each. */
export function runSteps(steps: readonly Step[], memories: readonly Memory[], world: World): void {
  const devices = memories.map((memory, device) => new Device(memory, device, world));
  const running = devices.map((device) => device.run(steps));
  const waiting = running.map((one) => one.next());
  while (waiting.some(({ done }) => done !== true)) {
    const kernels = waiting.map(({ value }) => value ?? null);
    const ready = devices.filter((one, at) =>
      one.membersAlong(kernels[at]?.axes ?? null).every((member) => kernels[member] === kernels[at]),
    );
    const members = ready.filter(({ device }) => kernels[device] !== null);
    if (members.length === 0) throw new Error("all devices wait for each other at different exchanges");
    const received = members.map((one) => one.receive(kernels[one.device] as ExchangeKernel, memories));
    received.forEach((write) => write());
    for (const { device } of members) waiting[device] = running[device].next();
  }
}

class Device {
  private readonly random: () => number;

  constructor(
    private readonly memory: Memory,
    readonly device: number,
    private readonly world: World,
  ) {
    this.random = randomNumbers(device + 1);
  }

  /** Those that differ from it along some axes only. */
  membersAlong(axes: readonly string[] | null): readonly number[] {
    return axes === null ? [] : groupOf(this.device, this.world.axes, axes).members;
  }

  /** Runs steps up to the exchanges, which are handed out. */
  *run(steps: readonly Step[]): Generator<ExchangeKernel, undefined> {
    const { memory } = this;
    const read = (place: Place): number => memory.read(place.buffer, memory.startOf(place));
    for (const step of steps) {
      switch (step.kind) {
        case "kernel":
          if (step.kernel.kind === "exchange") yield step.kernel;
          else this.runKernel(step.kernel);
          break;
        case "loop": {
          const { counter, reverse, body } = step;
          for (let turn = 0; turn < counter.length; turn++) {
            memory.counters.set(counter, reverse ? counter.length - 1 - turn : turn);
            yield* this.run(body);
          }
          memory.counters.delete(counter);
          break;
        }
        case "while":
          for (;;) {
            yield* this.run(step.test);
            if (read(step.predicate) === 0) break;
            yield* this.run(step.body);
          }
          break;
        case "branch": {
          const last = step.cases.length - 1;
          yield* this.run(step.cases[Math.min(Math.max(read(step.index), 0), last)]);
          break;
        }
      }
    }
    return undefined;
  }

  private runKernel(kernel: Exclude<Kernel, ExchangeKernel>): void {
    switch (kernel.kind) {
      case "loop":
        this.runLoop(kernel);
        break;
      case "dot":
        this.runDot(kernel);
        break;
      case "sort":
        this.runSort(kernel);
        break;
      case "copy": {
        const { from, to, size } = kernel;
        const [elements, start] = [this.memory.slice(from, size), this.memory.startOf(to)];
        elements.forEach((value, at) => this.memory.write(to.buffer, start + at, value));
        break;
      }
      case "print":
        this.world.print(kernel.message, this.memory);
        break;
      case "axisIndex": {
        const { rank } = groupOf(this.device, this.world.axes, kernel.axes);
        this.memory.write(kernel.to.buffer, this.memory.startOf(kernel.to), rank);
        break;
      }
    }
  }

  private shuffled<T>(list: readonly T[]): T[] {
    const keys = new Map(list.map((one) => [one, this.random()]));
    return [...list].sort((a, b) => (keys.get(a) ?? 0) - (keys.get(b) ?? 0));
  }

  private runLoop(kernel: LoopKernel): void {
    const { extents, outer, body, reductions, after, order } = kernel;
    const writer = new Writer(this.memory, kernel, [...body, ...after]);
    const inside = new PointValues(this.memory, [...rootsOf(body), ...reductionRoots(kernel)]);
    const behind = new PointValues(this.memory, rootsOf(after));
    const outerPoints = pointsOf(extents.slice(0, outer));
    const innerPoints = pointsOf(extents.slice(outer));
    for (const point of order === "lastWins" ? outerPoints : this.shuffled(outerPoints)) {
      const running = reductions.map(startReduction);
      for (const inner of order === "lastWins" ? innerPoints : this.shuffled(innerPoints)) {
        inside.visit([...point, ...inner]);
        running.forEach((reduction) => reduction.take(inside));
        writer.store(body, inside);
      }
      behind.visit(
        point,
        running.map((reduction) => reduction.result()),
      );
      writer.store(after, behind);
    }
  }

  private runDot(kernel: DotKernel): void {
    const { batch, rows, columns, depth, left, right, stores } = kernel;
    const writer = new Writer(this.memory, kernel, stores);
    const values = new PointValues(this.memory, rootsOf(stores));
    const columnsAt = batch.length + rows.length;
    const start = (operand: DotOperand, point: Point, free: Point): number =>
      this.memory.startOf(operand) + dotted(operand.batch, point) + dotted(operand.free, free);
    for (const point of this.shuffled(pointsOf([...batch, ...rows, ...columns]))) {
      const lefts = start(left, point, point.slice(batch.length));
      const rights = start(right, point, point.slice(columnsAt));
      const sum = pointsOf(depth).reduce(
        (total, deep) =>
          total +
          this.memory.read(left.buffer, lefts + dotted(left.depth, deep)) *
            this.memory.read(right.buffer, rights + dotted(right.depth, deep)),
        0,
      );
      values.visit(point, [rounded(sum, "float32")]);
      writer.store(stores, values);
    }
  }

  private runSort({ lanes, length, stride, outer, keys, values }: SortKernel): void {
    for (let lane = 0; lane < lanes; lane++) {
      const first = Math.floor(lane / stride) * outer + (lane % stride);
      const position = (place: Place, at: number) => this.memory.startOf(place) + first + at * stride;
      const read = (place: Place, at: number) => this.memory.read(place.buffer, position(place, at));
      const order = Array.from({ length }, (_, at) => at).sort((a, b) => {
        for (const key of keys) {
          const difference = compareKeys(read(key, a), read(key, b));
          if (difference !== 0) return difference;
        }
        return a - b;
      });
      const sorted = values.map(({ from }) => order.map((at) => (from === null ? at : read(from, at))));
      values.forEach(({ to }, which) =>
        sorted[which].forEach((value, at) => this.memory.write(to.buffer, position(to, at), value)),
      );
    }
  }

  /** Takes what others have for this device; the result writes it down, when all have taken theirs. */
  receive({ axes, combine, pairs, pulls }: ExchangeKernel, memories: readonly Memory[]): () => void {
    const { members, rank } = groupOf(this.device, this.world.axes, axes);
    const writesOf = (sent: readonly number[], { to }: Pull, at: number, perSender: number): (() => void) => {
      if (combine !== null) {
        const all = sent.reduce((a, b) => combined(combine, to.buffer.dtype, a, b));
        return () => this.memory.write(to.buffer, at, all);
      }
      if (pairs !== null) {
        const sender = pairs.find(([, receiver]) => receiver === rank)?.[0];
        return () => this.memory.write(to.buffer, at, sender === undefined ? 0 : sent[sender]);
      }
      return () =>
        sent.forEach((value, sender) => this.memory.write(to.buffer, at + sender * perSender, value));
    };
    const writes = pulls.flatMap((pull) => {
      const { from, to, perReceiver, perSender } = pull;
      const start = this.memory.startOf(to);
      return pointsOf(pull.extents).map((point) => {
        const sent = members.map((member) =>
          memories[member].read(
            from.buffer,
            memories[member].startOf(from) + rank * perReceiver + dotted(pull.fromStrides, point),
          ),
        );
        return writesOf(sent, pull, start + dotted(pull.toStrides, point), perSender);
      });
    });
    return () => writes.forEach((write) => write());
  }
}

/** Ascending, NaN last. */
function compareKeys(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return a < b ? -1 : a > b ? 1 : 0;
}
