// Running totals of reductions: one in each thread, and how those of several threads come together.
import type { DType } from "../../array/index.js";
import type { Reduction } from "../kernel.js";
import { startOf } from "../schedule/reductions.js";
import { operate, selectText } from "./operations.js";
import type { KernelText } from "./surroundings.js";
import { kindOf, literal } from "./text.js";

export class Accumulator {
  /** Conditions are totalled as numbers. */
  private readonly dtype: DType;
  private readonly total: string;
  /** By how much the total of a long sum is too large. */
  private readonly excess: string | null;
  /** Where the best element is, for reductions that ask. */
  private readonly position: string | null;

  constructor(
    private readonly kernel: KernelText,
    private readonly reduction: Reduction,
    isCompensated: boolean,
  ) {
    const { operation, value, position } = reduction;
    this.dtype = value.dtype === "bool" ? "uint32" : value.dtype;
    this.total = kernel.variable(this.dtype, literal(startOf(operation, value.dtype), this.dtype));
    this.position = position === null ? null : kernel.variable("int32", "-1");
    const isLong = isCompensated && operation === "sum" && this.dtype === "float32";
    this.excess = isLong ? kernel.variable("float32", literal(0, "float32")) : null;
  }

  private get out() {
    return this.kernel.out;
  }

  /** Takes in a value, and where it was. */
  add(value: string, position: string | null): void {
    const own =
      this.reduction.value.dtype === "bool" ? this.out.effect("selp.u32", "b32", "1", "0", value) : value;
    if (this.excess === null) this.take(own, position);
    else this.addCarefully(own, this.excess);
  }

  /** Kahan's method: what an addition loses is carried along. */
  private addCarefully(value: string, excess: string): void {
    const { out, total } = this;
    const rest = out.effect("sub.rn.f32", "f32", value, excess);
    const next = out.effect("add.rn.f32", "f32", total, rest);
    const gained = out.effect("sub.rn.f32", "f32", next, total);
    const lost = out.effect("sub.rn.f32", "f32", gained, rest);
    // Infinity minus itself is no excess.
    const isNumber = out.effect("setp.num.f32", "pred", lost, lost);
    out.line(`selp.f32 ${excess}, ${lost}, 0f00000000, ${isNumber};`);
    out.line(`mov.f32 ${total}, ${next};`);
  }

  private take(value: string, position: string | null): void {
    const { kernel, out, dtype, total } = this;
    if (position !== null && this.position !== null) {
      const wins = this.wins(value, position, total, this.position);
      const isFound = out.effect("setp.ge.s32", "pred", position, "0");
      const takes = out.effect("and.pred", "pred", wins, isFound);
      kernel.assign(dtype, total, selectText(out, takes, value, total, dtype));
      kernel.assign("int32", this.position, selectText(out, takes, position, this.position, "int32"));
      return;
    }
    const { operation } = this.reduction;
    const name = operation === "sum" ? "add" : operation;
    const operand = (text: string) => ({ text, dtype });
    // Totals change, so that nothing may be remembered of them.
    out.scope(() => kernel.assign(dtype, total, operate(out, name, dtype, [operand(total), operand(value)])));
  }

  /** Where the first value comes before the second: better, or as good and earlier, or the first NaN. */
  private wins(value: string, at: string, best: string, position: string): string {
    const { out, dtype } = this;
    const type = dtype === "float32" ? "f32" : dtype === "int32" ? "s32" : "u32";
    const [low, high] = this.reduction.operation === "argMax" ? [best, value] : [value, best];
    const test = (name: string, x: string, y: string, of = type) =>
      out.effect(`setp.${name}.${of}`, "pred", x, y);
    const both = (x: string, y: string) => out.effect("and.pred", "pred", x, y);
    const either = (x: string, y: string) => out.effect("or.pred", "pred", x, y);
    const isEarlier = test("lt", at, position, "s32");
    const isAhead = either(test("lt", low, high), both(test("eq", value, best), isEarlier));
    const isFirst = test("lt", position, "0", "s32");
    if (dtype !== "float32") return either(isAhead, isFirst);
    const overNumbers = either(test("num", best, best), isEarlier);
    return either(either(isAhead, isFirst), both(test("nan", value, value), overNumbers));
  }

  /** Takes in the total of another one of the same thread. */
  join(other: Accumulator): void {
    this.take(other.total, other.position);
  }

  /** Takes in the totals of threads of the warp whose numbers differ in some bits, so that all of them have the same. */
  joinLanes(bits: readonly number[]): void {
    const { out, dtype } = this;
    for (const bit of bits) {
      const from = (register: string, kind: DType): string =>
        out.effect("shfl.sync.bfly.b32", kindOf(kind), register, String(bit), "31", "-1");
      const theirs = from(this.total, dtype);
      this.take(theirs, this.position === null ? null : from(this.position, "int32"));
    }
  }

  /** What other threads must be told. */
  get words(): readonly { readonly dtype: DType; readonly text: string }[] {
    const total = { dtype: this.dtype, text: this.total };
    return this.position === null ? [total] : [total, { dtype: "int32", text: this.position }];
  }

  /** Takes the words of other threads instead of its own, in their order. */
  replace(others: readonly (readonly string[])[]): void {
    const { kernel, dtype } = this;
    others.forEach(([total, position], at) => {
      if (at > 0) this.take(total, this.position === null ? null : position);
      else {
        kernel.assign(dtype, this.total, total);
        if (this.position !== null) kernel.assign("int32", this.position, position);
      }
    });
  }

  /** The result, as a value of the reduction's dtype. */
  result(): string {
    const { out } = this;
    if (this.position !== null) return this.position;
    if (this.reduction.value.dtype === "bool") return out.effect("setp.ne.u32", "pred", this.total, "0");
    return this.total;
  }
}
