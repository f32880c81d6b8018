// Running totals of reductions, one or several at a time, and how they come together in the end.
import type { DType } from "../../array/index.js";
import type { Reduction } from "../kernel.js";
import { operationText } from "./operations.js";
import { startOf } from "../schedule/reductions.js";
import type { CText } from "./text.js";
import { letterOf, literal, splat, typeOf, type Width } from "./types.js";

const ofMasks = { max: "or", min: "and" } as const;

export class Accumulator {
  private readonly total: string;
  /** Positions, for reductions that ask where. */
  private readonly position: string | null;
  /** Where a NaN has been seen: cheaper than an operation that keeps it. */
  private readonly isNaN: string | null;
  private readonly dtype: DType;
  /** The totals of blocks of a long sum, and by how much they are too large. */
  private readonly blocks: { readonly total: string; readonly excess: string | null } | null;

  constructor(
    private readonly out: CText,
    private readonly reduction: Reduction,
    readonly width: Width,
    /** Whether a long sum is taken in blocks; and whether what is lost between them is carried along. */
    cut: { readonly isCompensated: boolean } | null,
  ) {
    const { operation, value, position } = reduction;
    this.dtype = value.dtype;
    this.total = out.name("a");
    this.position = position === null ? null : out.name("p");
    const isFloat = this.dtype === "float32";
    this.isNaN = isFloat && (operation === "max" || operation === "min") ? out.name("n") : null;
    this.blocks =
      cut !== null && operation === "sum" && isFloat
        ? { total: out.name("s"), excess: cut.isCompensated ? out.name("e") : null }
        : null;
  }

  private get type(): string {
    return typeOf(this.dtype, this.width);
  }

  private constant(value: number, dtype: DType = this.dtype): string {
    return splat(literal(value, dtype), dtype, this.width);
  }

  declare(): void {
    const { out, type, reduction, blocks } = this;
    const masks = typeOf("int32", this.width);
    out.line(`${type} ${this.total} = ${this.constant(startOf(reduction.operation, this.dtype))};`);
    if (this.position !== null) out.line(`${masks} ${this.position} = ${this.constant(-1, "int32")};`);
    if (this.isNaN !== null) out.line(`${masks} ${this.isNaN} = ${this.constant(0, "int32")};`);
    if (blocks === null) return;
    out.line(`${type} ${blocks.total} = ${this.constant(0)};`);
    if (blocks.excess !== null) out.line(`${type} ${blocks.excess} = ${this.constant(0)};`);
  }

  private combine(a: string, b: string, width: Width, keepsNaN: boolean): string {
    const { operation } = this.reduction;
    const operand = (text: string) => ({ text, dtype: this.dtype, constant: null });
    const call = { dtype: this.dtype, inputs: [operand(a), operand(b)], width };
    if (operation === "sum") return operationText("add", call) ?? "";
    const extremum = operation === "max" || operation === "argMax" ? "max" : "min";
    if (this.dtype === "bool") return operationText(ofMasks[extremum], call) ?? "";
    const isCheap = this.dtype === "float32" && !keepsNaN;
    return operationText(isCheap ? `${extremum}Number` : extremum, call) ?? "";
  }

  /** Takes in values, and where they were. */
  add(value: string, position: string | null): void {
    const { out, total } = this;
    if (position !== null && this.position !== null) {
      const wins = out.name("w");
      const masks = typeOf("int32", this.width);
      out.line(`const ${masks} ${wins} = ${this.wins(value, position, total, this.position)};`);
      const select = (letter: string, x: string, y: string) =>
        `SELECT${letter.toUpperCase()}${this.width}(${wins}, ${x}, ${y})`;
      out.line(`${total} = ${select(letterOf(this.dtype), value, total)};`);
      out.line(`${this.position} = ${select("i", position, this.position)};`);
      return;
    }
    out.line(`${total} = ${this.combine(total, value, this.width, false)};`);
    if (this.isNaN !== null)
      out.line(
        `${this.isNaN} |= ${this.width === 1 ? `-(${value} != ${value})` : `(${value} != ${value})`};`,
      );
  }

  /** Where the first value comes before the second: better, or as good and earlier, or the first NaN. */
  private wins(value: string, at: string, best: string, position: string): string {
    const mask = (text: string) => (this.width === 1 ? `-(${text})` : `(vi${this.width})(${text})`);
    const [low, high] = this.reduction.operation === "argMax" ? [best, value] : [value, best];
    // Of masks, true is the larger.
    const isBetter = mask(this.dtype === "bool" ? `${low} > ${high}` : `${low} < ${high}`);
    const isEarlier = mask(`${at} < ${position}`);
    const asGood = `(${mask(`${value} == ${best}`)} & ${isEarlier})`;
    const firstNaN =
      this.dtype === "float32"
        ? ` | (${mask(`${value} != ${value}`)} & (${mask(`${best} == ${best}`)} | ${isEarlier}))`
        : "";
    const isFirst = mask(`${position} < 0`);
    return `((${isBetter} | ${asGood}${firstNaN} | ${isFirst}) & ${mask(`${at} >= 0`)})`;
  }

  /** Ends a block of a long sum. */
  endBlock(): void {
    const { out, total, blocks, type } = this;
    if (blocks === null) return;
    const { total: all, excess } = blocks;
    if (excess === null) out.line(`${all} = ${all} + ${total};`);
    else {
      const next = out.name("x");
      out.line(`${total} = ${total} - ${excess};`);
      out.line(`const ${type} ${next} = ${all} + ${total};`);
      out.line(`${excess} = (${next} - ${all}) - ${total};`);
      // Infinity minus itself is no excess.
      out.line(
        `${excess} = SELECTF${this.width}(${this.width === 1 ? "-" : ""}(${excess} == ${excess}), ${excess}, ${this.constant(0)});`,
      );
      out.line(`${all} = ${next};`);
    }
    out.line(`${total} = ${this.constant(0)};`);
  }

  /** The name of the result, once it is finished. */
  get result(): string {
    return this.position ?? this.total;
  }

  /** Brings everything together that belongs to the result. */
  finish(): void {
    const { out } = this;
    if (this.blocks !== null) {
      this.endBlock();
      out.line(`${this.total} = ${this.blocks.total};`);
    }
    if (this.isNaN !== null)
      out.line(`${this.total} = SELECTF${this.width}(${this.isNaN}, ${this.constant(NaN)}, ${this.total});`);
  }

  /** Takes in another finished total of the same reduction, lane by lane if it has several. */
  merge(other: Accumulator): void {
    const { out } = this;
    if (this.position === null || other.position === null) {
      const letter = letterOf(this.dtype);
      const { operation } = this.reduction;
      const ofBool = operation === "max" ? "anyOf" : "allOf";
      const fold = this.dtype === "bool" ? ofBool : operation === "sum" ? "sumOf" : `${operation}Of`;
      const theirs =
        other.width > this.width && this.width === 1
          ? `${fold}${other.width}${letter}(${other.total})`
          : other.total;
      out.line(`${this.total} = ${this.combine(this.total, theirs, this.width, true)};`);
      return;
    }
    const lanes = other.width === this.width ? 1 : other.width;
    for (let lane = 0; lane < lanes; lane++) {
      const of = (name: string) => (lanes === 1 ? name : `${name}[${lane}]`);
      out.block("", () => this.add(of(other.total), of(other.position as string)));
    }
  }
}
