// What the C of one kernel is written into, and what it can refer to: memory, loops around, functions of numbers.
import type { Address, Buffer, Counter, Kernel } from "../kernel.js";
import type { MemoryPlan } from "../plan/arena.js";
import type { Rows } from "../schedule/rows.js";
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

/** Rows are dealt out by so many, which tiles and vectors divide. */
export const grainOf = ({ lanes }: CTarget): number => Math.max(8, lanes);

/**
 * How threads share a kernel: the first does all of it, each does its part of the units of work, or its own rows.
 */
export type Sharing = "alone" | "units" | Rows;

/** The thread that does alone what is not shared. */
export const firstThread = 0;

/** Where a kernel works: in memory that the plan has for it, that each thread has for itself, or that it is told of. */
export type Workplace = "planned" | "own" | "given";

export const counterName = ({ id }: Counter): string => `t${id}`;

export class KernelText {
  readonly out = new CText();
  private readonly buffers = new Map<Buffer, string>();
  private ownWords = 0;

  constructor(
    readonly target: CTarget,
    readonly functions: FormulaFunctions,
    private readonly plan: MemoryPlan,
    readonly sharing: Sharing,
    private readonly workplace: Workplace = "planned",
  ) {}

  /** Whether several threads share its units of work. */
  get sharesUnits(): boolean {
    return this.sharing === "units";
  }

  /** The rows that each thread has its own of; null for none. */
  get rows(): Rows | null {
    return typeof this.sharing === "string" ? null : this.sharing;
  }

  /** The part of a number of things that a thread does: from one to before another. */
  share(count: number): { readonly from: string; readonly to: string } {
    return this.sharesUnits
      ? { from: `(${count}L * part / parts)`, to: `(${count}L * (part + 1) / parts)` }
      : { from: "0", to: String(count) };
  }

  /** Where a thread's rows, each of so many elements, begin and end. */
  shareRows(each: number): { readonly from: string; readonly to: string } {
    const scaled = (name: string) => (each === 1 ? name : `${name} * ${each}`);
    return { from: scaled("rowFrom"), to: scaled("rowTo") };
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
    if (this.workplace === "given") return "scratch";
    if (this.workplace === "own" && buffer !== undefined) {
      this.ownWords = buffer.size;
      return "own";
    }
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
    const pointers = [...this.buffers].map(([buffer, name]) => {
      const type = memoryType(buffer.dtype);
      return `  ${type} *const ${name} = (${type} *)(memory + ${this.addressOf(buffer)});`;
    });
    const own = this.ownWords === 0 ? [] : [`  float own[${this.ownWords}] __attribute__((aligned(64)));`];
    return [...pointers, ...own];
  }

  private addressOf(buffer: Buffer): number {
    return this.plan.addresses.get(buffer) ?? 0;
  }
}
