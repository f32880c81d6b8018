// Steps as C: a function for each kernel, and one that walks through them.
import type { Buffer, DotKernel, Kernel, Place, Step } from "../kernel.js";
import { itemSize } from "../../array/index.js";
import type { MemoryPlan } from "../plan/arena.js";
import { countersOf, kernelsIn } from "../walk.js";
import { packedOperand, packs, renderDot, renderPacking } from "./dot/index.js";
import { entry, support } from "./entry.js";
import { FormulaFunctions } from "./formulas.js";
import { renderLoop } from "./loop.js";
import { Meetings, type Touch } from "../schedule/meetings.js";
import { poolInterface } from "./pool.js";
import { prelude } from "./prelude.js";
import { renderSort, sortPrelude } from "./sort.js";
import { counterName, KernelText, type CTarget } from "./surroundings.js";
import { CText, sumText } from "./text.js";
import { isShared, parallelWorkOf, type ParallelWork } from "./work.js";

/** A kernel's function: what it is called like, and all of it. */
interface CFunction {
  readonly head: string;
  readonly body: string;
}

/** How much C a translation unit should have at least, so that several are worth it. */
const unitLength = 60_000;
const mostUnits = 4;

/** The C of steps, as translation units; and whether threads can share its work. */
export function renderProgram(
  steps: readonly Step[],
  plan: MemoryPlan,
  target: CTarget,
): { readonly sources: string[]; readonly parallelWork: ParallelWork } {
  return new ProgramRenderer(plan, target).render(steps);
}

class ProgramRenderer {
  private readonly functions: CFunction[] = [];
  private readonly formulas = new FormulaFunctions();
  private readonly out = new CText();
  private meetings: Meetings;
  /** Whether only the first thread runs what is written now. */
  private isAlone = false;

  constructor(
    private readonly plan: MemoryPlan,
    private readonly target: CTarget,
  ) {
    this.meetings = new Meetings(plan);
  }

  render(steps: readonly Step[]): { readonly sources: string[]; readonly parallelWork: ParallelWork } {
    this.out.block("static void body(void *context, int part)", () => {
      this.out.line("const struct run *const given = context;");
      this.out.line("char *const memory = given->memory;");
      this.out.line("struct vibe_rl_pool *const pool = given->pool;");
      this.out.line("const int parts = pool == NULL ? 1 : pool->threads;");
      this.out.line("(void)part; (void)parts;");
      this.out.line("const unsigned long mode = enterFlushing();");
      this.emit(steps);
      this.out.line("leaveFlushing(mode);");
    });
    const parallelWork = parallelWorkOf(kernelsIn(steps), this.target);
    const beginning = [prelude(this.target.lanes), sortPrelude, this.formulas.text].join("\n");
    const length = this.functions.reduce((sum, { body }) => sum + body.length, 0);
    const units = Math.min(mostUnits, Math.max(1, Math.ceil(length / unitLength)));
    const parts = shares(this.functions, units);
    const heads = this.functions.map(({ head }) => `${head};`).join("\n");
    const sources = parts.map((part, at) => {
      const bodies = part.map(({ body }) => body);
      return at === 0
        ? [
            beginning,
            poolInterface,
            support,
            heads,
            ...bodies,
            this.out.toString(),
            entry(parallelWork !== "none"),
            "",
          ].join("\n")
        : [beginning, ...bodies, ""].join("\n");
    });
    return { sources, parallelWork };
  }

  /** Whether threads share any of the work of steps. */
  private isShared(steps: readonly Step[]): boolean {
    return kernelsIn(steps).some((kernel) => isShared(kernel, this.target));
  }

  private emit(steps: readonly Step[]): void {
    if (this.isAlone) {
      for (const step of steps) this.emitStep(step);
      return;
    }
    // What lies between shared work is the first thread's.
    for (let at = 0; at < steps.length;) {
      let end = at;
      while (end < steps.length && !this.isShared([steps[end]])) end++;
      if (end > at) this.emitAlone(steps.slice(at, end));
      if (end < steps.length) this.emitStep(steps[end]);
      at = end + 1;
    }
  }

  private emitAlone(steps: readonly Step[]): void {
    const touches = this.touchesIn(steps);
    if (touches.length === 0) return;
    this.meetBefore(touches);
    this.isAlone = true;
    this.out.block("if (part == 0)", () => this.emit(steps));
    this.isAlone = false;
  }

  /** All that the first thread touches in steps. */
  private touchesIn(steps: readonly Step[]): Touch[] {
    const { meetings } = this;
    return steps.flatMap((step): Touch[] => {
      switch (step.kind) {
        case "kernel":
          return this.plan.isIdle(step.kernel) ? [] : meetings.touchesOf(step.kernel, "first");
        case "loop":
          return this.touchesIn(step.body);
        case "while":
          return [
            ...this.touchesIn([...step.test, ...step.body]),
            meetings.touch(step.predicate.buffer, false, "first"),
          ];
        case "branch":
          return [...this.touchesIn(step.cases.flat()), meetings.touch(step.index.buffer, false, "first")];
      }
    });
  }

  private meetBefore(touches: readonly Touch[]): void {
    if (this.meetings.next(touches)) this.out.line("meet(pool);");
  }

  /** The end of an iteration: what it touched would meet what the next one does. */
  private endIteration(): void {
    if (this.isAlone || !this.meetings.isPending) return;
    this.out.line("meet(pool);");
    this.meetings.clear();
  }

  private emitStep(step: Step): void {
    const { out } = this;
    switch (step.kind) {
      case "kernel":
        this.emitKernel(step.kernel);
        break;
      case "loop": {
        const name = counterName(step.counter);
        const { length } = step.counter;
        if (length === 0) break;
        const header = step.reverse
          ? `for (long ${name} = ${length - 1}; ${name} >= 0; --${name})`
          : `for (long ${name} = 0; ${name} < ${length}; ++${name})`;
        out.block(header, () => {
          this.emit(step.body);
          this.endIteration();
        });
        break;
      }
      case "while":
        this.emitWhile(step);
        break;
      case "branch":
        this.emitBranch(step);
        break;
    }
  }

  private emitWhile({ test, predicate, body }: Extract<Step, { kind: "while" }>): void {
    const { out } = this;
    let behindTest = this.meetings;
    out.block("for (;;)", () => {
      this.emit(test);
      if (!this.isAlone) this.meetBefore([this.meetings.touch(predicate.buffer, false, "all")]);
      behindTest = this.meetings.fork();
      out.line(`if (!*(const unsigned char *)${this.place(predicate)}) break;`);
      this.emit(body);
      this.endIteration();
    });
    // It is left behind the test.
    this.meetings = behindTest;
  }

  private emitBranch({ index, cases }: Extract<Step, { kind: "branch" }>): void {
    const { out } = this;
    if (!this.isAlone) this.meetBefore([this.meetings.touch(index.buffer, false, "all")]);
    const before = this.meetings;
    const last = cases.length - 1;
    const ways: Meetings[] = [];
    out.block(`switch (inRange(*(const int *)${this.place(index)}, ${last}))`, () =>
      cases.forEach((steps, at) => {
        this.meetings = before.fork();
        out.block(at === last ? "default:" : `case ${at}:`, () => {
          this.emit(steps);
          out.line("break;");
        });
        ways.push(this.meetings);
      }),
    );
    before.join(ways);
    this.meetings = before;
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
        this.call(kernel, (text) => renderLoop(text, kernel));
        break;
      case "dot":
        if (isShared(kernel, this.target) && packs(kernel, this.target)) this.callPacked(kernel);
        else this.call(kernel, (text) => renderDot(text, kernel));
        break;
      case "sort":
        this.call(kernel, (text) => renderSort(text, kernel));
        break;
      case "exchange":
      case "axisIndex":
        throw new Error("programs for several devices are not rendered to C");
    }
  }

  /** A product whose packing threads share as well: all of it must be there before the first tile. */
  private callPacked(kernel: DotKernel): void {
    const { buffer } = packedOperand(kernel);
    const scratch = this.plan.scratch.get(kernel) as Buffer;
    this.call(kernel, (text) => renderPacking(text, kernel), [
      this.meetings.touch(buffer, false, "all"),
      this.meetings.touch(scratch, true, "all"),
    ]);
    this.call(kernel, (text) => renderDot(text, kernel, "packed"));
  }

  /** Adds the function of a kernel, and calls it. */
  private call(
    kernel: Kernel,
    render: (text: KernelText) => void,
    touches: readonly Touch[] | null = null,
  ): void {
    const isSharedOut = isShared(kernel, this.target);
    if (isSharedOut) this.meetBefore(touches ?? this.meetings.touchesOf(kernel, "all"));
    const counters = countersOf(kernel);
    const text = new KernelText(this.target, this.formulas, this.plan, isSharedOut);
    render(text);
    const name = `k${this.functions.length}_${kernel.name.replaceAll(/\W/g, "_")}`;
    const values = ["memory", ...counters.map(counterName), ...(isSharedOut ? ["part", "parts"] : [])];
    const params = values.map((value) => (value === "memory" ? "char *memory" : `long ${value}`));
    const head = `KERNEL void ${name}(${params.join(", ")})`;
    this.functions.push({
      head,
      body: [`${head} {`, ...text.declarations, text.out.toString(), "}"].join("\n"),
    });
    this.out.line(`${name}(${values.join(", ")});`);
  }
}

/** Functions in so many shares of about the same length. */
function shares(functions: readonly CFunction[], count: number): CFunction[][] {
  const found = Array.from({ length: count }, () => ({ length: 0, functions: [] as CFunction[] }));
  for (const one of [...functions].sort((a, b) => b.body.length - a.body.length)) {
    const least = found.reduce((best, share) => (share.length < best.length ? share : best));
    least.functions.push(one);
    least.length += one.body.length;
  }
  return found.map((share) => share.functions);
}
