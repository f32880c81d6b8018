// Steps as C: a function for each kernel, and one that walks through them.
import type { Counter, Kernel, Place, Step } from "../kernel.js";
import { itemSize } from "../../array/index.js";
import type { MemoryPlan } from "../plan/arena.js";
import { countersOf } from "../walk.js";
import { renderDot } from "./dot/index.js";
import { FormulaFunctions } from "./formulas.js";
import { renderLoop } from "./loop.js";
import { prelude } from "./prelude.js";
import { renderSort, sortPrelude } from "./sort.js";
import { counterName, KernelText, type CTarget } from "./surroundings.js";
import { CText, sumText } from "./text.js";

/** A kernel's function: what it is called like, and all of it. */
interface CFunction {
  readonly head: string;
  readonly body: string;
}

/** How much C a translation unit should have at least, so that several are worth it. */
const unitLength = 60_000;
const mostUnits = 4;

/** The C of steps, as translation units. */
export function renderProgram(steps: readonly Step[], plan: MemoryPlan, target: CTarget): string[] {
  return new ProgramRenderer(plan, target).render(steps);
}

class ProgramRenderer {
  private readonly functions: CFunction[] = [];
  private readonly formulas = new FormulaFunctions();
  private readonly out = new CText();

  constructor(
    private readonly plan: MemoryPlan,
    private readonly target: CTarget,
  ) {}

  render(steps: readonly Step[]): string[] {
    this.out.block(
      `__attribute__((visibility("default"))) void vibe_rl_run(char *memory, void (*print)(int message), const struct vibe_rl_pool *pool)`,
      () => {
        this.out.line("(void)print; (void)pool;");
        this.out.line(`const unsigned mode = enterFlushing();`);
        this.emit(steps);
        this.out.line("leaveFlushing(mode);");
      },
    );
    const beginning = [prelude(this.target.lanes), sortPrelude, this.formulas.text].join("\n");
    const length = this.functions.reduce((sum, { body }) => sum + body.length, 0);
    const units = Math.min(mostUnits, Math.max(1, Math.ceil(length / unitLength)));
    const parts = shares(this.functions, units);
    const heads = this.functions.map(({ head }) => `${head};`).join("\n");
    return parts.map((part, at) => {
      const bodies = part.map(({ body }) => body);
      return at === 0
        ? [beginning, flushing, heads, ...bodies, this.out.toString(), ""].join("\n")
        : [beginning, ...bodies, ""].join("\n");
    });
  }

  private emit(steps: readonly Step[]): void {
    for (const step of steps) this.emitStep(step);
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
        const header = step.reverse
          ? `for (long ${name} = ${length - 1}; ${name} >= 0; --${name})`
          : `for (long ${name} = 0; ${name} < ${length}; ++${name})`;
        out.block(header, () => this.emit(step.body));
        break;
      }
      case "while":
        out.block("for (;;)", () => {
          this.emit(step.test);
          out.line(`if (!*(const unsigned char *)${this.place(step.predicate)}) break;`);
          this.emit(step.body);
        });
        break;
      case "branch": {
        const last = step.cases.length - 1;
        out.block(`switch (inRange(*(const int *)${this.place(step.index)}, ${last}))`, () =>
          step.cases.forEach((steps, index) => {
            out.block(index === last ? "default:" : `case ${index}:`, () => {
              this.emit(steps);
              out.line("break;");
            });
          }),
        );
        break;
      }
    }
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
        out.line(`print(${kernel.message});`);
        break;
      case "loop":
        this.call(kernel, (text) => renderLoop(text, kernel));
        break;
      case "dot":
        this.call(kernel, (text) => renderDot(text, kernel));
        break;
      case "sort":
        this.call(kernel, (text) => renderSort(text, kernel));
        break;
      case "exchange":
      case "axisIndex":
        throw new Error("programs for several devices are not rendered to C");
    }
  }

  /** Adds the function of a kernel, and calls it. */
  private call(kernel: Kernel, render: (text: KernelText) => void): void {
    const counters = countersOf(kernel);
    const text = new KernelText(this.target, this.formulas, this.plan);
    render(text);
    const name = `k${this.functions.length}_${kernel.name.replaceAll(/\W/g, "_")}`;
    const params = ["char *memory", ...counters.map((counter: Counter) => `long ${counterName(counter)}`)];
    const head = `KERNEL void ${name}(${params.join(", ")})`;
    this.functions.push({
      head,
      body: [`${head} {`, ...text.declarations, text.out.toString(), "}"].join("\n"),
    });
    this.out.line(`${name}(${["memory", ...counters.map(counterName)].join(", ")});`);
  }
}

/** Numbers too small for a normal float are zero, as in most libraries: they would be slow. */
const flushing = `struct vibe_rl_pool;
INLINE int inRange(int index, int last) { return index < 0 ? 0 : index > last ? last : index; }
INLINE unsigned enterFlushing(void) {
#if defined(__SSE2__)
  const unsigned mode = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(mode | 0x8040);
  return mode;
#else
  return 0;
#endif
}
INLINE void leaveFlushing(unsigned mode) {
#if defined(__SSE2__)
  __builtin_ia32_ldmxcsr(mode);
#else
  (void)mode;
#endif
}`;

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
