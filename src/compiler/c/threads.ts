// What the threads of a program do, one thing after the other: which kernels they share, what the first does alone, and
// where all of them meet, because one would touch what another has not done with.
import type { DotKernel, Kernel, Step, StepOf } from "../kernel.js";
import type { MemoryPlan } from "../plan/arena.js";
import type { BranchAction, WhileAction } from "../schedule/actions.js";
import { Meetings, type Touch } from "../schedule/meetings.js";
import { kernelsIn } from "../walk.js";
import { packedAhead, type PackedAhead } from "./packing.js";
import { isPackedForAll, packingShares, Touches } from "./touches.js";
import type { CTarget, Sharing } from "./surroundings.js";

type Shared = Exclude<Sharing, "alone">;

export type Action =
  | { readonly kind: "meet" }
  /** What the first thread does alone. */
  | { readonly kind: "alone"; readonly steps: readonly Step[] }
  | { readonly kind: "kernel"; readonly kernel: Kernel; readonly sharing: Shared }
  /** The right operand of a product is packed, for all threads by all of them. */
  | { readonly kind: "pack"; readonly kernel: DotKernel; readonly sharing: Shared }
  | { readonly kind: "loop"; readonly step: StepOf<"loop">; readonly body: readonly Action[] }
  | WhileAction<Action>
  | BranchAction<Action>;

/** A way through a program: what has been done, and what has been touched since threads met last. */
class Way {
  readonly actions: Action[] = [];
  /** Adds what should be done before threads meet. */
  beforeMeeting: () => void = () => undefined;
  constructor(readonly meetings: Meetings) {}

  /** Threads meet here if it is not safe to touch something otherwise. */
  meetBefore(touches: readonly Touch[]): void {
    if (this.meetings.forbids(touches)) {
      this.beforeMeeting();
      this.actions.push({ kind: "meet" });
      this.meetings.clear();
    }
    this.meetings.next(touches);
  }

  add(action: Action, touches: readonly Touch[]): void {
    this.meetBefore(touches);
    this.actions.push(action);
  }
}

/** Finds what threads do, given how they share each kernel. */
export class Threads {
  private readonly start: Meetings;
  private readonly touches: Touches;

  private readonly inside = new Map<Step, readonly Kernel[]>();
  private isOutline = false;
  private readonly ahead = new Map<readonly Step[], readonly PackedAhead[]>();

  constructor(
    private readonly plan: MemoryPlan,
    private readonly target: CTarget,
    /** Where products are packed ahead. */
    private readonly areas: ReadonlyMap<Kernel, number>,
    private readonly sharingOf: (kernel: Kernel) => Sharing,
  ) {
    this.start = new Meetings(plan);
    this.touches = new Touches(this.start, plan, target, areas);
  }

  /** What they do in the steps of a program. */
  actionsOf(steps: readonly Step[]): readonly Action[] {
    const way = new Way(this.start.fork());
    this.take(steps, way);
    return way.actions;
  }

  /** What they do in one of many iterations of steps, roughly: loops and branches inside count as one step. */
  outlineOf(steps: readonly Step[]): readonly Action[] {
    this.isOutline = true;
    const { actions } = this.iterate(this.start.fork(), (way) => this.take(steps, way));
    this.isOutline = false;
    return actions;
  }

  private take(steps: readonly Step[], way: Way): void {
    const packed = new Set<Kernel>();
    for (let at = 0; at < steps.length;) {
      const next = at;
      way.beforeMeeting = () => this.packAhead(steps, next, packed, way);
      let end = at;
      while (end < steps.length && this.isAlone(steps[end])) end++;
      const alone = steps.slice(at, end);
      const touches = this.touches.ofAlone(alone);
      if (touches.length > 0) way.add({ kind: "alone", steps: alone }, touches);
      way.beforeMeeting = () => this.packAhead(steps, end, packed, way);
      if (end < steps.length) this.share(steps[end], packed, way);
      at = end + 1;
    }
    way.beforeMeeting = () => undefined;
  }

  /** Packs what later products of a list need and what is there already, as far as no meeting is needed for that. */
  private packAhead(steps: readonly Step[], next: number, packed: Set<Kernel>, way: Way): void {
    const found = this.ahead.get(steps) ?? packedAhead(steps, this.areas, this.plan, this.start);
    this.ahead.set(steps, found);
    for (const { kernel, at, from } of found) {
      if (at <= next || from > next || packed.has(kernel) || this.sharingOf(kernel) === "alone") continue;
      if (way.meetings.forbids(this.touches.ofPacking(kernel))) continue;
      this.pack(kernel, way);
      packed.add(kernel);
    }
  }

  private isAlone(step: Step): boolean {
    if (step.kind === "kernel") return this.sharingOf(step.kernel) === "alone";
    const kernels = this.inside.get(step) ?? kernelsIn([step]);
    this.inside.set(step, kernels);
    return kernels.every((kernel) => this.sharingOf(kernel) === "alone");
  }

  /** A step of which threads share something. */
  private share(step: Step, packed: ReadonlySet<Kernel>, way: Way): void {
    if (this.isOutline && step.kind !== "kernel") {
      way.meetBefore(this.touches.ofAll([step], this.sharingOf));
      return;
    }
    switch (step.kind) {
      case "kernel":
        this.shareKernel(step.kernel, packed, way);
        break;
      case "loop": {
        if (step.counter.length === 0) break;
        const { actions, end } = this.iterate(way.meetings, (inside) => this.take(step.body, inside));
        way.actions.push({ kind: "loop", step, body: actions });
        way.meetings.join([end]);
        break;
      }
      case "while":
        this.shareWhile(step, way);
        break;
      case "branch": {
        way.meetBefore(this.touches.ofLook(step, step.index));
        const ways = step.cases.map((steps) => {
          const one = new Way(way.meetings.fork());
          this.take(steps, one);
          return one;
        });
        way.actions.push({ kind: "branch", step, cases: ways.map(({ actions }) => actions) });
        way.meetings.join(ways.map(({ meetings }) => meetings));
        break;
      }
    }
  }

  /**
   * One of many iterations, which begins where threads come in or where the iteration before has ended, whatever they have
   * touched there.
   */
  private iterate(
    before: Meetings,
    body: (way: Way) => void,
  ): { readonly actions: Action[]; readonly end: Meetings } {
    const entry = before.fork();
    for (;;) {
      const way = new Way(entry.fork());
      body(way);
      if (entry.covers(way.meetings)) return { actions: way.actions, end: way.meetings };
      entry.join([entry.fork(), way.meetings]);
    }
  }

  private shareWhile(step: StepOf<"while">, way: Way): void {
    let test: readonly Action[] = [];
    let behindTest = way.meetings;
    const { actions } = this.iterate(way.meetings, (inside) => {
      this.take(step.test, inside);
      inside.meetBefore(this.touches.ofLook(step, step.predicate));
      test = inside.actions.splice(0);
      behindTest = inside.meetings.fork();
      this.take(step.body, inside);
    });
    way.actions.push({ kind: "while", step, test, body: actions });
    // It is left behind the test.
    way.meetings.join([behindTest]);
  }

  private shareKernel(kernel: Kernel, packed: ReadonlySet<Kernel>, way: Way): void {
    const sharing = this.sharingOf(kernel) as Shared;
    if (isPackedForAll(kernel, sharing, this.target) && !packed.has(kernel)) this.pack(kernel, way);
    way.add({ kind: "kernel", kernel, sharing }, this.touches.of(kernel, sharing));
  }

  private pack(kernel: DotKernel, way: Way): void {
    way.add(
      { kind: "pack", kernel, sharing: packingShares(kernel, this.target) },
      this.touches.ofPacking(kernel),
    );
  }
}
