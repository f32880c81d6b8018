// Who does which kernel of a program: all threads where that is worth their meetings, the first alone otherwise.
import type { Kernel, Step } from "../kernel.js";
import type { MemoryPlan } from "../plan/arena.js";
import { rowsOf } from "./rows.js";
import type { CTarget, Sharing } from "./surroundings.js";
import { Threads, type Action } from "./threads.js";
import { canShareUnits, leastWork, workOf, workOfSteps, type ThreadCosts } from "./work.js";

/** How threads share each kernel of some steps. */
export function shareOut(
  steps: readonly Step[],
  plan: MemoryPlan,
  target: CTarget,
  areas: ReadonlyMap<Kernel, number>,
  costs: ThreadCosts,
): ReadonlyMap<Kernel, Sharing> {
  if (!Number.isFinite(costs.meeting)) return new Map();
  const dealer = new Dealer(plan, target, areas, costs);
  dealer.deal(steps);
  return dealer.sharing;
}

const isSmall = (kernel: Kernel, target: CTarget, costs: ThreadCosts): boolean =>
  workOf(kernel, target) < leastWork(costs);

/** How threads would share a kernel, whatever is around it: by rows where it has them. */
export function byItself(kernel: Kernel, target: CTarget, costs: ThreadCosts): Sharing {
  const rows = rowsOf(kernel, target);
  if (rows !== null) return rows;
  return canShareUnits(kernel, target) && !isSmall(kernel, target, costs) ? "units" : "alone";
}

/** How many threads are reckoned with. */
const threads = 2;

/** So many steps are gone through to find what is worth it, so that long programs are not long to compile. */
const mostSteps = 20_000;

class Dealer {
  readonly sharing = new Map<Kernel, Sharing>();
  private readonly threads: Threads;

  constructor(
    private readonly plan: MemoryPlan,
    private readonly target: CTarget,
    areas: ReadonlyMap<Kernel, number>,
    private readonly costs: ThreadCosts,
  ) {
    this.threads = new Threads(plan, target, areas, (kernel) => this.sharing.get(kernel) ?? "alone");
  }

  /** Decides on the kernels of steps, and before on those of loops and branches in them. */
  deal(steps: readonly Step[]): void {
    for (const step of steps) {
      if (step.kind === "loop") this.deal(step.body);
      if (step.kind === "branch") step.cases.forEach((one) => this.deal(one));
      if (step.kind === "while") [step.test, step.body].forEach((one) => this.deal(one));
      if (step.kind === "kernel")
        this.sharing.set(
          step.kernel,
          this.plan.isIdle(step.kernel) ? "alone" : byItself(step.kernel, this.target, this.costs),
        );
    }
    // All rows are shared to begin with; what does not pay for its meetings goes back to the first thread.
    const small = this.smallRuns(steps);
    if (small.length === 0) return;
    let cost = this.costOf(steps);
    const attempts = [...small, ...small.flatMap((run) => this.piecesOf(run))];
    for (const run of attempts.slice(0, Math.ceil(mostSteps / steps.length))) {
      const before = run.map((kernel) => this.sharing.get(kernel) ?? "alone");
      if (before.every((sharing) => sharing === "alone")) continue;
      run.forEach((kernel) => this.sharing.set(kernel, "alone"));
      const alone = this.costOf(steps);
      if (alone < cost) cost = alone;
      else run.forEach((kernel, at) => this.sharing.set(kernel, before[at]));
    }
  }

  private isSmall(kernel: Kernel): boolean {
    return isSmall(kernel, this.target, this.costs);
  }

  /** Kernels, each too small to be shared for its own sake, that follow each other. */
  private smallRuns(steps: readonly Step[]): Kernel[][] {
    const runs: Kernel[][] = [[]];
    for (const step of steps) {
      if (step.kind === "kernel" && this.isSmall(step.kernel)) runs[runs.length - 1].push(step.kernel);
      else runs.push([]);
    }
    return runs.filter((run) => run.some((kernel) => this.sharing.get(kernel) !== "alone"));
  }

  /** What of a run is shared without a break, and each kernel of it. */
  private piecesOf(run: readonly Kernel[]): Kernel[][] {
    const pieces: Kernel[][] = [[]];
    for (const kernel of run) {
      if (this.sharing.get(kernel) === "alone") pieces.push([]);
      else pieces[pieces.length - 1].push(kernel);
    }
    return [...pieces.filter(({ length }) => length > 1), ...pieces.flat().map((kernel) => [kernel])];
  }

  /** What an iteration of steps costs, apart from loops and branches of which threads share something. */
  private costOf(steps: readonly Step[]): number {
    return this.threads.outlineOf(steps).reduce((sum, action) => sum + this.costOfAction(action), 0);
  }

  private costOfAction(action: Action): number {
    switch (action.kind) {
      case "meet":
        return this.costs.meeting;
      case "alone":
        return workOfSteps(action.steps, this.target);
      case "kernel":
        return workOf(action.kernel, this.target) / threads;
      case "pack":
      case "loop":
      case "while":
      case "branch":
        return 0;
    }
  }
}
