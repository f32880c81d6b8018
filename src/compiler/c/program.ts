// Steps as C: a function for each kernel, and one that walks through them.
import type { DotKernel, Kernel, Place, Step } from "../kernel.js";
import { itemSize } from "../../array/index.js";
import type { MemoryPlan } from "../plan/arena.js";
import { kernelsIn } from "../walk.js";
import { renderDot, renderPacking, worksInOwn } from "./dot/index.js";
import { entry, support } from "./entry.js";
import { KernelFunctions } from "./functions.js";
import { renderLoop } from "./loop.js";
import { areaAddresses } from "./packing.js";
import { poolInterface } from "./pool.js";
import { shareOut } from "./sharing.js";
import { renderSort } from "./sort.js";
import { counterName, type CTarget, type KernelText, type Sharing } from "./surroundings.js";
import { CText, sumText } from "./text.js";
import { Threads, type Action } from "./threads.js";
import { parallelWorkOf, type ParallelWork, type ThreadCosts } from "./work.js";

/** The C of steps, as translation units; and whether threads can share its work. */
export function renderProgram(
  steps: readonly Step[],
  plan: MemoryPlan,
  target: CTarget,
  costs: ThreadCosts,
): { readonly sources: string[]; readonly parallelWork: ParallelWork } {
  return new ProgramRenderer(plan, target, costs).render(steps);
}

class ProgramRenderer {
  private readonly functions: KernelFunctions;
  private readonly out = new CText();
  /** Where products are packed ahead. */
  private areas: ReadonlyMap<Kernel, number> = new Map();
  /** Calls that pack for products, without what says where to. */
  private readonly packings = new Map<Kernel, (to: string) => string>();

  constructor(
    private readonly plan: MemoryPlan,
    private readonly target: CTarget,
    private readonly costs: ThreadCosts,
  ) {
    this.functions = new KernelFunctions(plan, target);
  }

  render(steps: readonly Step[]): { readonly sources: string[]; readonly parallelWork: ParallelWork } {
    const { plan, target } = this;
    if (Number.isFinite(this.costs.meeting)) this.areas = areaAddresses(steps, plan, target);
    const sharing = shareOut(steps, plan, target, this.areas, this.costs);
    const sharingOf = (kernel: Kernel) => sharing.get(kernel) ?? "alone";
    this.emit(new Threads(plan, target, this.areas, sharingOf).actionsOf(steps));
    const body = new CText();
    body.block("static void body(void *context, int part)", () => {
      body.line("const struct run *const given = context;");
      body.line("char *const memory = given->memory;");
      body.line("struct vibe_rl_pool *const pool = given->pool;");
      body.line("const int parts = pool == NULL ? 1 : pool->threads;");
      body.line("(void)part; (void)parts;");
      for (const bounds of this.functions.rowBounds) body.line(bounds);
      body.line("const unsigned long mode = enterFlushing();");
      body.insert(this.out);
      body.line("leaveFlushing(mode);");
    });
    const shared = kernelsIn(steps).filter((kernel) => sharingOf(kernel) !== "alone");
    const parallelWork = parallelWorkOf(shared, target);
    const caller = [body.toString(), entry(parallelWork !== "none")];
    return { sources: this.functions.units([poolInterface, support], caller), parallelWork };
  }

  private emit(actions: readonly Action[]): void {
    for (const action of actions) this.emitAction(action);
  }

  private emitAction(action: Action): void {
    switch (action.kind) {
      case "meet":
        this.out.line("meet(pool);");
        break;
      case "alone":
        this.out.block("if (part == 0)", () => this.emitSteps(action.steps));
        break;
      case "kernel":
        this.emitShared(action.kernel, action.sharing);
        break;
      case "pack":
        this.emitPacking(action.kernel, action.sharing);
        break;
      case "loop":
        this.emitLoop(action.step, () => this.emit(action.body));
        break;
      case "while":
        this.emitWhile(
          action.step,
          () => this.emit(action.test),
          () => this.emit(action.body),
        );
        break;
      case "branch":
        this.emitBranch(
          action.step,
          action.cases.map((actions) => () => this.emit(actions)),
        );
        break;
    }
  }

  /** What one thread does, without looking at others. */
  private emitSteps(steps: readonly Step[]): void {
    for (const step of steps) {
      switch (step.kind) {
        case "kernel":
          this.emitKernel(step.kernel);
          break;
        case "loop":
          this.emitLoop(step, () => this.emitSteps(step.body));
          break;
        case "while":
          this.emitWhile(
            step,
            () => this.emitSteps(step.test),
            () => this.emitSteps(step.body),
          );
          break;
        case "branch":
          this.emitBranch(
            step,
            step.cases.map((one) => () => this.emitSteps(one)),
          );
          break;
      }
    }
  }

  private emitLoop({ counter, reverse }: Extract<Step, { kind: "loop" }>, body: () => void): void {
    const name = counterName(counter);
    const { length } = counter;
    if (length === 0) return;
    const header = reverse
      ? `for (long ${name} = ${length - 1}; ${name} >= 0; --${name})`
      : `for (long ${name} = 0; ${name} < ${length}; ++${name})`;
    this.out.block(header, body);
  }

  private emitWhile(
    { predicate }: Extract<Step, { kind: "while" }>,
    test: () => void,
    body: () => void,
  ): void {
    this.out.block("for (;;)", () => {
      test();
      this.out.line(`if (!*(const unsigned char *)${this.place(predicate)}) break;`);
      body();
    });
  }

  private emitBranch({ index }: Extract<Step, { kind: "branch" }>, cases: readonly (() => void)[]): void {
    const { out } = this;
    const last = cases.length - 1;
    out.block(`switch (inRange(*(const int *)${this.place(index)}, ${last}))`, () =>
      cases.forEach((emit, at) =>
        out.block(at === last ? "default:" : `case ${at}:`, () => {
          emit();
          out.line("break;");
        }),
      ),
    );
  }

  /** The address of a place. */
  private place({ buffer, offset, counters }: Place): string {
    const bytes = itemSize(buffer.dtype);
    const start = (this.plan.addresses.get(buffer) ?? 0) + offset * bytes;
    const terms = counters.map(({ counter, stride }) => ({
      text: counterName(counter),
      factor: stride * bytes,
    }));
    return `(memory + ${sumText(start, terms)})`;
  }

  private emitKernel(kernel: Kernel): void {
    if (this.plan.isIdle(kernel)) return;
    const { out } = this;
    switch (kernel.kind) {
      case "copy": {
        const bytes = kernel.size * itemSize(kernel.to.buffer.dtype);
        out.line(`memmove(${this.place(kernel.to)}, ${this.place(kernel.from)}, ${bytes});`);
        break;
      }
      case "print":
        // JavaScript expects the processor as it left it.
        out.line(`leaveFlushing(mode); given->print(${kernel.message}); enterFlushing();`);
        break;
      case "loop":
        this.call(kernel, "alone", (text) => renderLoop(text, kernel));
        break;
      case "dot":
        this.call(kernel, "alone", (text) => renderDot(text, kernel));
        break;
      case "sort":
        this.call(kernel, "alone", (text) => renderSort(text, kernel));
        break;
      case "exchange":
      case "axisIndex":
        throw new Error("programs for several devices are not rendered to C");
    }
  }

  private emitShared(kernel: Kernel, sharing: Sharing): void {
    if (kernel.kind === "loop") this.call(kernel, sharing, (text) => renderLoop(text, kernel));
    else if (kernel.kind === "dot") this.emitProduct(kernel, sharing);
    else throw new Error(`threads cannot share ${kernel.name}`);
  }

  private emitProduct(kernel: DotKernel, sharing: Sharing): void {
    const packing = this.packings.get(kernel);
    if (packing === undefined) {
      const isOwn = typeof sharing !== "string" && worksInOwn(kernel, this.target);
      this.call(kernel, sharing, (text) => renderDot(text, kernel), isOwn ? "own" : "planned");
      return;
    }
    const call = this.functions.define(kernel, sharing, "given", (text) => renderDot(text, kernel, "packed"));
    const area = this.areas.get(kernel);
    const planned = this.scratch(kernel);
    // One thread packs when it is needed, and where it has packed before: that is still in its cache.
    if (area !== undefined) this.out.line(`if (pool == NULL) ${packing(planned)};`);
    this.out.line(
      `${call(area === undefined ? planned : `pool == NULL ? ${planned} : ${scratchAt(area)}`)};`,
    );
  }

  private emitPacking(kernel: DotKernel, sharing: Sharing): void {
    const call = this.functions.define(kernel, sharing, "given", (text) => renderPacking(text, kernel));
    this.packings.set(kernel, call);
    const area = this.areas.get(kernel);
    this.out.line(
      area === undefined ? `${call(this.scratch(kernel))};` : `if (pool != NULL) ${call(scratchAt(area))};`,
    );
  }

  /** The working memory that the plan has for a kernel. */
  private scratch(kernel: Kernel): string {
    const buffer = this.plan.scratch.get(kernel);
    return scratchAt((buffer === undefined ? undefined : this.plan.addresses.get(buffer)) ?? 0);
  }

  /** Adds the function of a kernel, and calls it. */
  private call(
    kernel: Kernel,
    sharing: Sharing,
    render: (text: KernelText) => void,
    workplace: "planned" | "own" = "planned",
  ): void {
    this.out.line(`${this.functions.define(kernel, sharing, workplace, render)("")};`);
  }
}

/** A pointer to working memory at an address. */
const scratchAt = (address: number): string => `(float *)(memory + ${address})`;
