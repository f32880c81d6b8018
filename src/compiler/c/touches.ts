// What threads touch in what they do.
import type { DotKernel, Kernel, Place, Step } from "../kernel.js";
import type { MemoryPlan } from "../plan/arena.js";
import type { Meetings, Touch } from "../schedule/meetings.js";
import type { Rows } from "../schedule/rows.js";
import { kernelsIn } from "../walk.js";
import { dotScratch, packedOperand, packedRows, packs, worksInOwn } from "./dot/index.js";
import { firstThread, grainOf, type CTarget, type Sharing } from "./surroundings.js";

/** Whether a kernel is a product for which all threads pack together, before the first of its tiles. */
export const isPackedForAll = (kernel: Kernel, sharing: Sharing, target: CTarget): kernel is DotKernel =>
  kernel.kind === "dot" &&
  sharing !== "alone" &&
  packs(kernel, target) &&
  !(sharing !== "units" && worksInOwn(kernel, target));

/** How threads share packing: each does what lies in rows of its own, or some of the panels. */
export function packingShares(kernel: DotKernel, target: CTarget): "units" | Rows {
  const rows = packedRows(kernel, target);
  return rows !== null && rows.count >= 2 * grainOf(target) ? rows : "units";
}

/** Touches are compared by identity, so that equal ones must be one. */
export class Touches {
  private readonly known = new Map<object, Map<string, readonly Touch[]>>();
  private readonly touches = new Map<string, Touch>();

  constructor(
    private readonly meetings: Meetings,
    private readonly plan: MemoryPlan,
    private readonly target: CTarget,
    /** Where products are packed ahead. */
    private readonly areas: ReadonlyMap<Kernel, number>,
  ) {}

  private once(what: object, how: string, make: () => readonly Touch[]): readonly Touch[] {
    const known = this.known.get(what) ?? new Map<string, readonly Touch[]>();
    this.known.set(what, known);
    const found = known.get(how) ?? [...new Set(make().map((touch) => this.only(touch)))];
    known.set(how, found);
    return found;
  }

  /** The one that is equal to a touch. */
  private only(touch: Touch): Touch {
    const { start, end, isWrite, who, rows } = touch;
    const key = `${start} ${end} ${isWrite} ${who} ${rows?.start} ${rows?.pitch} ${rows?.count}`;
    const known = this.touches.get(key) ?? touch;
    this.touches.set(key, known);
    return known;
  }

  /** What is touched in a kernel. */
  of(kernel: Kernel, sharing: Sharing): readonly Touch[] {
    const { meetings } = this;
    return this.once(kernel, typeof sharing === "string" ? sharing : "rows", () => {
      if (sharing === "alone") return meetings.touchesOf(kernel, firstThread);
      const touches = meetings.accesses(kernel, sharing === "units" ? "all" : sharing);
      return isPackedForAll(kernel, sharing, this.target)
        ? [...touches, this.packed(kernel, false)]
        : touches;
    });
  }

  /** All that is touched in steps, as threads share each of their kernels. */
  ofAll(steps: readonly Step[], sharingOf: (kernel: Kernel) => Sharing): readonly Touch[] {
    const found = new Set(
      kernelsIn(steps)
        .filter((kernel) => !this.plan.isIdle(kernel))
        .flatMap((kernel) => this.of(kernel, sharingOf(kernel))),
    );
    return [...found];
  }

  /** What is touched when threads pack for a product. */
  ofPacking(kernel: DotKernel): readonly Touch[] {
    const { meetings } = this;
    return this.once(kernel, "packing", () => {
      const rows = packingShares(kernel, this.target) === "units" ? null : packedRows(kernel, this.target);
      const source =
        rows === null
          ? meetings.touch(packedOperand(kernel).buffer, false, "all")
          : meetings.touchByRows(rows.access);
      return [source, this.packed(kernel, true)];
    });
  }

  /** The memory that all threads pack into. */
  private packed(kernel: DotKernel, isWrite: boolean): Touch {
    const start = this.areas.get(kernel);
    if (start !== undefined) {
      const end = start + 4 * dotScratch(kernel, this.target);
      return { start, end, isWrite, who: "all", rows: null };
    }
    const scratch = this.plan.scratch.get(kernel);
    if (scratch === undefined) throw new Error(`${kernel.name} has no memory to be packed in`);
    return this.meetings.touch(scratch, isWrite, "all");
  }

  /** All threads look at an element to decide where a step goes on. */
  ofLook(step: Step, { buffer }: Place): readonly Touch[] {
    return this.once(step, "look", () => [this.meetings.touch(buffer, false, "all")]);
  }

  /** All that the first thread touches in steps. */
  ofAlone(steps: readonly Step[]): readonly Touch[] {
    const look = ({ buffer }: Place) => this.meetings.touch(buffer, false, firstThread);
    const found = steps.flatMap((step): readonly Touch[] =>
      this.once(step, "alone", () => {
        switch (step.kind) {
          case "kernel":
            return this.plan.isIdle(step.kernel) ? [] : this.of(step.kernel, "alone");
          case "loop":
            return this.ofAlone(step.body);
          case "while":
            return [...this.ofAlone([...step.test, ...step.body]), look(step.predicate)];
          case "branch":
            return [...this.ofAlone(step.cases.flat()), look(step.index)];
        }
      }),
    );
    return [...new Set(found)];
  }
}
