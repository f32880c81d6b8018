// What the C of one kernel is written into, and what it can refer to: memory, loops around, functions of numbers.
import type { Address, Buffer, Counter, Kernel } from "../kernel.js";
import type { MemoryPlan } from "../plan/arena.js";
import type { FormulaFunctions } from "./formulas.js";
import { CText, sumText } from "./text.js";
import { memoryType, type Width } from "./types.js";

/** What the C compiler's machine can do. */
export interface CTarget {
  /** Elements of 32 bits in one vector. */
  readonly lanes: 4 | 8 | 16;
  /** Vectors that fit into registers. */
  readonly registers: 16 | 32;
}

export const counterName = ({ id }: Counter): string => `t${id}`;

export class KernelText {
  readonly out = new CText();
  private readonly buffers = new Map<Buffer, string>();

  constructor(
    readonly target: CTarget,
    readonly functions: FormulaFunctions,
    private readonly plan: MemoryPlan,
    /** Whether it is run by several threads at once, of which each does its part. */
    readonly isShared: boolean,
  ) {}

  /** The part of a number of things that a thread does: from one to before another. */
  share(count: number): { readonly from: string; readonly to: string } {
    return this.isShared
      ? { from: `(${count}L * part / parts)`, to: `(${count}L * (part + 1) / parts)` }
      : { from: "0", to: String(count) };
  }

  /** Vectors for something of so many elements. */
  widthFor(extent: number): Width {
    const { lanes } = this.target;
    return lanes >= 16 && extent >= 16 ? 16 : lanes >= 8 && extent >= 8 ? 8 : extent >= 4 ? 4 : 1;
  }

  /** The pointer to a buffer's first element. */
  pointer(buffer: Buffer): string {
    const name = `m${buffer.id}`;
    this.buffers.set(buffer, name);
    return name;
  }

  /** The pointer to a kernel's working memory. */
  scratch(kernel: Kernel): string {
    const buffer = this.plan.scratch.get(kernel);
    return `((float *)(memory + ${buffer === undefined ? 0 : this.addressOf(buffer)}))`;
  }

  /** Where a place in a buffer is, as a number of elements: its own terms and others. */
  offset(
    { offset, counters }: Pick<Address, "offset" | "counters">,
    terms: readonly { readonly text: string; readonly factor: number }[] = [],
  ): string {
    return sumText(offset, [
      ...terms,
      ...counters.map(({ counter, stride }) => ({ text: counterName(counter), factor: stride })),
    ]);
  }

  /** Declarations of all pointers that were asked for. */
  get declarations(): string[] {
    return [...this.buffers].map(([buffer, name]) => {
      const type = memoryType(buffer.dtype);
      return `  ${type} *const ${name} = (${type} *)(memory + ${this.addressOf(buffer)});`;
    });
  }

  private addressOf(buffer: Buffer): number {
    return this.plan.addresses.get(buffer) ?? 0;
  }
}
