// Which threads of a block do each kernel of a program, and where those of a warp, of a block or of all blocks wait for each
// other, because one would touch what another has not done with.
import type { ExchangeKernel, Kernel, LoopKernel, Place, SortKernel, Step, StepOf } from "../kernel.js";
import { writesTo } from "../plan/accesses.js";
import type { MemoryPlan } from "../plan/arena.js";
import { splitByCopies } from "../plan/once.js";
import { Meetings, type Touch, type Who } from "../schedule/meetings.js";
import { formOf } from "../schedule/forms.js";
import { willAllWait } from "./lookahead.js";
import { kernelsIn } from "../walk.js";
import type { Action } from "./actions.js";
import { CommonUse } from "./commonUse.js";
import { exchangePhases, exchangesFrom, isInCommon, startsOnSide } from "./exchange/index.js";
import { movesFreely } from "./copy.js";
import { asLoop, sharedSortWorks, sortsFrom, type SharedSortWorks } from "./sharedSort/index.js";
import { State } from "./state.js";
import { lanesOfWarp } from "./types.js";
import { areAlike } from "./variants.js";
import { workOf, type OwnKernel, type Work } from "./work.js";

/** Loops of so few kernels stay in the nearest cache for instructions, and it is worth having them there for so many turns. */
const [tightKernels, tightTurns] = [24, 16];

function isTight({ counter, body }: StepOf<"loop">, { isIdle }: Pick<MemoryPlan, "isIdle">): boolean {
  const others = body.filter((step) => step.kind !== "kernel" || !isIdle(step.kernel));
  return (
    counter.length >= tightTurns &&
    others.length <= tightKernels &&
    others.every(({ kind }) => kind === "kernel")
  );
}

/** So many steps are looked at before it is decided who does one. */
const stepsAhead = 64;

/** A way through a program. */
class Way {
  readonly actions: Action[] = [];
  constructor(readonly state: State) {}
}

export class Course {
  private readonly start: Meetings;
  private readonly split = new Map<LoopKernel, readonly LoopKernel[]>();
  /** By the first kernel that is done in them. */
  private readonly works = new Map<Kernel, Work>();
  private readonly touches = new Map<object, Map<string, readonly Touch[]>>();

  /** The steps behind the one that is taken. */
  private ahead: readonly Step[] = [];

  /** Whether code should be short: it is not in a loop whose code stays near while it runs. */
  private isShort = true;

  constructor(
    private readonly plan: MemoryPlan,
    private readonly threads: number,
    /** Whether tensor cores may do products, in TF32. */
    private readonly isTf32: boolean,
    /** Whether warps may do kernels by themselves; all of them are in every kernel otherwise. */
    private readonly areWarpsApart: boolean,
  ) {
    this.start = new Meetings(plan, true);
  }

  actionsOf(steps: readonly Step[]): readonly Action[] {
    const way = new Way(new State(this.start.fork(), new Map(), new CommonUse(this.plan)));
    this.take(steps, way);
    return way.actions;
  }

  private take(steps: readonly Step[], way: Way): void {
    for (let at = 0; at < steps.length;) {
      const exchanges = exchangesFrom(steps, at);
      const sorts = sortsFrom(steps, at, this.plan);
      const { alike, end } = this.alikeFrom(steps, at);
      this.ahead = steps.slice(end, end + stepsAhead);
      if (exchanges.length > 0)
        this.exchange(
          exchanges.filter((kernel) => !this.plan.isIdle(kernel)),
          way,
        );
      else if (sorts.length > 0) this.sortTogether(sorts, way);
      else if (alike.length > 1) this.work(alike, this.ownWork(alike), way);
      else this.takeStep(steps[at], way);
      at = Math.max(at + exchanges.length, at + sorts.length, end);
    }
  }

  /** Kernels from a step on that follow each other, do not wait for each other, and can be done as one; and what is behind them. */
  private alikeFrom(
    steps: readonly Step[],
    first: number,
  ): { readonly alike: readonly OwnKernel[]; readonly end: number } {
    const alike: OwnKernel[] = [];
    const touched = this.start.fork();
    let end = first + 1;
    for (let at = first; at < steps.length; at++) {
      const step = steps[at];
      if (step.kind !== "kernel" || step.kernel.kind === "print" || step.kernel.kind === "exchange") break;
      const { kernel } = step;
      if (this.plan.isIdle(kernel)) {
        if (alike.length === 0) break;
        continue;
      }
      if (alike.length > 0 && (this.isShared(kernel) || !areAlike(alike[0], kernel, this.plan))) break;
      if (touched.next(this.touchesOf(kernel, "all"))) break;
      // Idle copies behind the last of them are left where they are.
      alike.push(kernel);
      end = at + 1;
      if (this.isShared(kernel) || (formOf(kernel) === null && !movesFreely(kernel, this.plan))) break;
    }
    return { alike, end };
  }

  private takeStep(step: Step, way: Way): void {
    switch (step.kind) {
      case "kernel":
        this.takeKernel(step.kernel, way);
        break;
      case "loop":
        if (step.counter.length > 0) this.takeLoop(step, way);
        break;
      case "while":
        this.takeWhile(step, way);
        break;
      case "branch":
        this.takeBranch(step, way);
        break;
    }
  }

  private takeLoop(step: StepOf<"loop">, way: Way): void {
    this.meetOutside(step, way);
    const isShort = this.isShort;
    this.isShort = !isTight(step, this.plan);
    const { actions, end } = this.iterate(way.state, (inside) => this.take(step.body, inside));
    this.isShort = isShort;
    way.actions.push({ kind: "loop", step, warp: this.onlyWarp(actions), body: actions });
    way.state.join([end]);
  }

  /** Once before a loop, rather than in every iteration for what was before the first. */
  private meetOutside(step: Step, { state, actions }: Way): void {
    const touches = this.once(step, "all", () => [
      ...new Set(
        kernelsIn([step])
          .filter((kernel) => !this.plan.isIdle(kernel))
          .flatMap((kernel) => this.touchesOf(kernel, "all")),
      ),
    ]);
    const { common } = state;
    const isForbidden = kernelsIn([step]).some(
      (kernel) =>
        common.forbidsReading(common.of(kernel, "read")) ||
        (this.isShared(kernel) && common.forbidsWriting(common.of(kernel, "write"))),
    );
    if (isForbidden) this.wait("grid", { state, actions });
    else if (state.block.waitedFor(touches).size > 0) this.wait("block", { state, actions });
  }

  /**
   * One of many iterations, which begins where threads come in or where the iteration before has ended, whatever they have
   * touched there.
   */
  private iterate(
    before: State,
    body: (way: Way) => void,
  ): { readonly actions: readonly Action[]; readonly end: State } {
    const entry = before.fork();
    for (;;) {
      const way = new Way(entry.fork());
      body(way);
      if (entry.covers(way.state)) return { actions: way.actions, end: way.state };
      const { busy } = entry;
      entry.join([entry.fork(), way.state]);
      // What is placed is placed as before.
      entry.busy = busy;
    }
  }

  /** The warp that does all of some actions, if one does. */
  private onlyWarp(actions: readonly Action[]): number | null {
    if (!this.areWarpsApart) return null;
    const found = new Set(
      actions.map((action): number | null => {
        if (action.kind === "loop" || action.kind === "align") return action.warp;
        return action.kind === "work" && action.work.threads <= lanesOfWarp
          ? action.first / lanesOfWarp
          : null;
      }),
    );
    const [warp = null] = found;
    return found.size === 1 ? warp : null;
  }

  private takeWhile(step: StepOf<"while">, way: Way): void {
    this.meetOutside(step, way);
    let test: readonly Action[] = [];
    let behindTest = way.state;
    const { actions } = this.iterate(way.state, (inside) => {
      this.take(step.test, inside);
      this.look(step, step.predicate, inside);
      test = inside.actions.splice(0);
      behindTest = inside.state.fork();
      this.take(step.body, inside);
    });
    way.actions.push({ kind: "while", step, test, body: actions });
    // It is left behind the test.
    way.state.join([behindTest]);
  }

  private takeBranch(step: StepOf<"branch">, way: Way): void {
    this.look(step, step.index, way);
    const ways = step.cases.map((steps) => {
      const one = new Way(way.state.fork());
      this.take(steps, one);
      return one;
    });
    way.actions.push({ kind: "branch", step, cases: ways.map(({ actions }) => actions) });
    way.state.join(ways.map(({ state }) => state));
  }

  /** All threads look at an element to decide where a step goes on. */
  private look(step: Step, { buffer }: Place, way: Way): void {
    const touches = this.once(step, "look", () => [this.start.touch(buffer, false, "all")]);
    if (way.state.common.forbidsReading([buffer])) this.wait("grid", way);
    else if (way.state.block.waitedFor(touches).size > 0) this.wait("block", way);
    way.state.block.add(touches);
  }

  private takeKernel(kernel: Kernel, way: Way): void {
    if (this.plan.isIdle(kernel)) return;
    switch (kernel.kind) {
      case "exchange":
        this.exchange([kernel], way);
        break;
      case "print":
        this.wait(
          way.state.common.forbidsReading(way.state.common.of(kernel, "read")) ? "grid" : "block",
          way,
        );
        way.actions.push({ kind: "print", kernel });
        break;
      case "loop":
        for (const one of this.apart(kernel)) this.work([one], this.ownWork([one]), way);
        break;
      case "copy":
      case "dot":
      case "sort":
      case "axisIndex":
        this.work([kernel], this.ownWork([kernel]), way);
        break;
    }
  }

  /** A kernel, or two of which one writes only what there is one copy of. */
  private apart(kernel: LoopKernel): readonly LoopKernel[] {
    const found = this.split.get(kernel) ?? splitByCopies(kernel, this.plan.division.common);
    this.split.set(kernel, found);
    return found;
  }

  private ownWork(kernels: readonly OwnKernel[]): Work {
    const { threads, isShort, isTf32, plan } = this;
    const known = this.works.get(kernels[0]);
    if (known !== undefined) return known;
    const isFast = ({ buffer }: Place) => plan.fast.has(buffer);
    const blocks = kernels[0].kind === "loop" && this.isShared(kernels[0]) ? plan.division.parts : 1;
    const made = workOf(kernels, plan, { threads: blocks * threads, isShort, isFast, isTf32 });
    const work = { ...made, threads: Math.min(made.threads, threads) };
    this.works.set(kernels[0], work);
    return work;
  }

  /** Threads do something, when those have waited for each other that must. */
  private work(kernels: readonly Kernel[], work: Work, way: Way, note: string | null = null): void {
    if (work.threads === 0) return;
    const { state, actions } = way;
    const isShared = kernels.some((kernel) => this.isShared(kernel));
    const common = (kind: "read" | "write") => kernels.flatMap((kernel) => state.common.of(kernel, kind));
    if (
      state.common.forbidsReading(common("read")) ||
      (isShared && state.common.forbidsWriting(common("write")))
    )
      this.wait("grid", way);
    const isOfOneWarp = this.areWarpsApart && work.threads <= lanesOfWarp;
    const touches = (who: Who) => kernels.flatMap((kernel) => this.touchesOf(kernel, who));
    const before = state.block.waitedFor(touches("all"));
    const [only] = before;
    const isBehindOne =
      isOfOneWarp && before.size === 1 && only !== "all" && !this.willAllWaitFor(only, kernels, state);
    if (before.size > 0 && !isBehindOne) this.wait("block", way);
    const first = isBehindOne ? only * lanesOfWarp : state.busy % this.threads;
    if (isOfOneWarp) {
      const warp = first / lanesOfWarp;
      const own = state.warps.get(warp) ?? this.start.fork();
      state.warps.set(warp, own);
      if (own.next(touches("all"))) actions.push({ kind: "align", warp });
      state.block.add(touches(warp));
      if (!isBehindOne) state.busy += work.threads;
    } else {
      state.block.add(touches("all"));
      state.busy += work.threads;
    }
    const isOverBlocks = isShared && kernels[0].kind === "loop";
    actions.push({ kind: "work", kernels, work, first, isOverBlocks, note });
    for (const kernel of kernels) state.common.note(kernel, isShared);
  }

  private willAllWaitFor(warp: number, kernels: readonly Kernel[], { block }: State): boolean {
    const waits = (kernel: Kernel) => block.waitedFor(this.touchesOf(kernel, "all")).has(warp);
    return willAllWait(this.ahead, kernels, { waits, isIdle: this.plan.isIdle });
  }

  /** Whether all blocks write some of the same array, of which there is one. */
  private isShared(kernel: Kernel): boolean {
    return (kernel.kind === "loop" || kernel.kind === "copy") && writesTo(kernel, this.plan.division.common);
  }

  private wait(circle: "block" | "grid", { state, actions }: Pick<Way, "state" | "actions">): void {
    actions.push({ kind: "wait", circle });
    state.blockHasMet();
    if (circle === "grid") state.common.haveMet();
  }

  /** Exchanges that do not wait for each other go through the same meetings. */
  private exchange(kernels: readonly ExchangeKernel[], way: Way): void {
    const { division } = this.plan;
    if (kernels.length === 0) return;
    if (division.parts === 1) throw new Error("a program for several devices is rendered for one block");
    const gathers = kernels.filter((kernel) => isInCommon(kernel, division));
    const gathered = gathers.flatMap(({ pulls }) => pulls.map(({ to }) => to.buffer));
    if (way.state.common.forbidsWriting(gathered)) this.wait("grid", way);
    const { starts } = startsOnSide(kernels, division.axes);
    const all = kernels.map((kernel, at) => exchangePhases(kernel, this.plan, starts[at], this.threads));
    const meetings = Math.max(...all.map((phases) => phases.length)) - 1;
    for (let turn = 0; turn <= meetings; turn++) {
      if (turn > 0) this.wait("grid", way);
      all.forEach((phases, at) => {
        const phase = phases[turn] ?? null;
        const isFirst = phases.findIndex((one) => one !== null) === turn;
        if (phase !== null) this.work([kernels[at]], phase, way, isFirst ? null : "goes on");
      });
    }
    way.actions.push({ kind: "turn" });
  }

  /** Sorts by all blocks: several as turns of one loop, where each waits for what the first one does. */
  private sortTogether(sorts: readonly SortKernel[], way: Way): void {
    const { plan, threads } = this;
    const begun = way.actions.length;
    const each = sorts.map((kernel) => {
      const from = way.actions.length;
      const works = sharedSortWorks([kernel], plan.division, threads);
      this.sortOne(kernel, works, way);
      return { works, actions: way.actions.slice(from) };
    });
    const loop = asLoop(sorts, each, sharedSortWorks(sorts, plan.division, threads));
    if (loop !== null) way.actions.splice(begun, Infinity, ...loop);
  }

  /** One of them, which the first block does where keys are spread too unevenly. */
  private sortOne(kernel: SortKernel, works: SharedSortWorks, way: Way): void {
    this.work([kernel], works.deal, way);
    this.wait("grid", way);
    this.work([kernel], works.take, way, works.take.describe());
    way.actions.push({ kind: "turn" });
    this.wait("grid", way);
    const alone = new Way(way.state.fork());
    this.work([kernel], works.alone, alone, works.alone.describe());
    this.wait("grid", alone);
    way.actions.push({ kind: "tooMuch", body: alone.actions });
    way.state.join([way.state.fork(), alone.state]);
  }

  /** Touches are compared by identity, so that those of a kernel are made once. */
  private touchesOf(kernel: Kernel, who: Who): readonly Touch[] {
    return this.once(kernel, String(who), () => this.start.touchesOf(kernel, who));
  }

  private once(what: object, how: string, make: () => readonly Touch[]): readonly Touch[] {
    const known = this.touches.get(what) ?? new Map<string, readonly Touch[]>();
    this.touches.set(what, known);
    const found = known.get(how) ?? make();
    known.set(how, found);
    return found;
  }
}
