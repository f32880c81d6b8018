// Running totals of reductions, four at a time, and how the lanes come together in the end.
import type { DType } from "../../array/index.js";
import type { Reduction } from "../kernel.js";
import { floatBits, laneMask, type Assembler, type Words } from "./assembler.js";
import type { Opcode } from "./opcodes.js";

const all = (word: number): Words => [word, word, word, word];

/** What a reduction starts from, as the bits of one lane. */
function startOf(operation: Reduction["operation"], dtype: DType): number {
  if (operation === "sum") return 0;
  const isLargest = operation === "max" || operation === "argMax";
  switch (dtype) {
    case "float32":
      return floatBits(isLargest ? -Infinity : Infinity);
    case "int32":
      return isLargest ? -0x80000000 : 0x7fffffff;
    default:
      return isLargest ? 0 : -1;
  }
}

/** The instruction that combines two values. */
function combineOf(operation: Reduction["operation"], dtype: DType, keepsNaN = false): Opcode {
  if (operation === "sum") return dtype === "float32" ? "f32x4.add" : "i32x4.add";
  const isLargest = operation === "max";
  if (dtype === "bool") return isLargest ? "v128.or" : "v128.and";
  if (dtype === "float32" && keepsNaN) return isLargest ? "f32x4.max" : "f32x4.min";
  if (dtype === "float32") return isLargest ? "f32x4.pmax" : "f32x4.pmin";
  if (dtype === "int32") return isLargest ? "i32x4.max_s" : "i32x4.min_s";
  return isLargest ? "i32x4.max_u" : "i32x4.min_u";
}

export class Accumulator {
  private readonly total: number;
  /** Positions, for reductions that ask where. */
  private readonly position: number | null;
  private readonly dtype: DType;
  private readonly start_: Words;
  /** Where a NaN has been seen; the instructions that keep NaN by themselves are expensive. */
  private readonly isNaN: number | null;

  constructor(
    private readonly asm: Assembler,
    private readonly reduction: Reduction,
  ) {
    this.total = asm.local("v128");
    this.position = reduction.position === null ? null : asm.local("v128");
    this.dtype = reduction.value.dtype;
    this.start_ = all(startOf(reduction.operation, this.dtype));
    const isExtremum = reduction.operation === "max" || reduction.operation === "min";
    this.isNaN = isExtremum && this.dtype === "float32" ? asm.local("v128") : null;
  }

  /** The local with the running total, if it is one of floats. */
  get floatSum(): number | null {
    return this.reduction.operation === "sum" && this.dtype === "float32" ? this.total : null;
  }

  start(): void {
    this.asm.constant(this.start_).set(this.total);
    if (this.position !== null) this.asm.i32x4(-1).set(this.position);
    if (this.isNaN !== null) this.asm.i32x4(0).set(this.isNaN);
  }

  /** Takes in the values in a local; lanes from `lanes` on do not count. */
  add(value: number, position: number | null, lanes: number): void {
    const { asm, reduction, total } = this;
    if (position !== null && this.position !== null) {
      this.addPosition(value, position, this.position, lanes);
      return;
    }
    const counted = lanes === 4 ? value : asm.local("v128");
    if (lanes < 4) {
      this.masked(value, lanes);
      asm.set(counted);
    }
    asm.get(total).get(counted).op(combineOf(reduction.operation, this.dtype)).set(total);
    if (this.isNaN !== null)
      asm.get(this.isNaN).get(counted).get(counted).op("f32x4.ne").op("v128.or").set(this.isNaN);
    if (lanes < 4) asm.release("v128", counted);
    this.wrap();
  }

  /** Takes in another total of the same reduction, which is given up. */
  merge(other: Accumulator): void {
    if (other.position !== null && this.position !== null) {
      this.addPosition(other.total, other.position, this.position, 4);
      this.asm.release("v128", other.position);
    } else this.add(other.finishLanes(), null, 4);
    this.asm.release("v128", other.total);
  }

  /** The total in its local, NaN included. */
  private finishLanes(): number {
    const { asm, isNaN, total } = this;
    if (isNaN !== null) asm.get(total).get(isNaN).op("v128.or").set(total).release("v128", isNaN);
    return total;
  }

  /** A value with the start in the lanes that do not count. */
  private masked(value: number, lanes: number): void {
    this.asm.get(value).constant(this.start_).constant(laneMask(lanes)).op("v128.bitselect");
  }

  private wrap(): void {
    if (this.dtype === "uint8") this.asm.get(this.total).i32x4(0xff).op("v128.and").set(this.total);
  }

  private addPosition(value: number, at: number, position: number, lanes: number): void {
    const { asm } = this;
    const wins = asm.local("v128");
    this.pushWins(value, at, this.total, position);
    if (lanes < 4) asm.constant(laneMask(lanes)).op("v128.and");
    asm.set(wins);
    asm.get(value).get(this.total).get(wins).op("v128.bitselect").set(this.total);
    asm.get(at).get(position).get(wins).op("v128.bitselect").set(position);
    asm.release("v128", wins);
  }

  /**
   * Pushes where the first value comes before the second: it is better, or as good and earlier, or the first
   * NaN. A second position of -1 is no value at all.
   */
  private pushWins(value: number, at: number, best: number, position: number): void {
    const { asm, dtype } = this;
    const isLargest = this.reduction.operation === "argMax";
    const less: Opcode = dtype === "float32" ? "f32x4.lt" : dtype === "int32" ? "i32x4.lt_s" : "i32x4.lt_u";
    const equal: Opcode = dtype === "float32" ? "f32x4.eq" : "i32x4.eq";
    const [low, high] = isLargest ? [best, value] : [value, best];
    const isEarlier = () => asm.get(at).get(position).op("i32x4.lt_s");
    if (dtype === "bool") {
      // Of masks, true is the larger.
      asm.get(high).get(low).op("v128.andnot");
    } else asm.get(low).get(high).op(less);
    asm
      .get(value)
      .get(best)
      .op(dtype === "bool" ? "i32x4.eq" : equal);
    isEarlier();
    asm.op("v128.and").op("v128.or");
    if (dtype === "float32") {
      // NaN comes before every number, and the earlier before the later.
      asm.get(value).get(value).op("f32x4.ne").get(best).get(best).op("f32x4.eq");
      isEarlier();
      asm.op("v128.or").op("v128.and").op("v128.or");
    }
    asm.get(position).i32x4(0).op("i32x4.lt_s").op("v128.or");
    // Nothing wins against a value by not being one.
    asm.get(at).i32x4(0).op("i32x4.ge_s").op("v128.and");
  }

  /** A local with the result; across lanes it is the same in all of them. */
  finish(acrossLanes: boolean): number {
    const { asm } = this;
    const result = this.position ?? this.finishLanes();
    if (acrossLanes) {
      for (const order of [
        [2, 3, 0, 1],
        [1, 0, 3, 2],
      ] as const) {
        this.fold(order);
      }
    }
    if (this.position !== null) asm.release("v128", this.total);
    return result;
  }

  /** Combines every lane with another one. */
  private fold(order: Words): void {
    const { asm, total, position } = this;
    const other = asm.local("v128");
    asm.get(total).get(total).shuffle(order).set(other);
    if (position === null) {
      // Few, so that the instructions that keep NaN will do.
      asm
        .get(total)
        .get(other)
        .op(combineOf(this.reduction.operation, this.dtype, true))
        .set(total);
      this.wrap();
    } else {
      const otherPosition = asm.local("v128");
      asm.get(position).get(position).shuffle(order).set(otherPosition);
      this.addPosition(other, otherPosition, position, 4);
      asm.release("v128", otherPosition);
    }
    asm.release("v128", other);
  }
}
