// Integer operations that SIMD has no instruction for: division through doubles, which hold every quotient
// exactly, powers, and shifts by a count per lane.
import type { Assembler } from "./assembler.js";

export class IntegerMath {
  constructor(private readonly asm: Assembler) {}

  private with(use: (local: number) => void): void {
    const local = this.asm.local("v128");
    this.asm.set(local);
    use(local);
    this.asm.release("v128", local);
  }

  /** x / y cut towards zero, as the saturating conversion gives it: wrong only for y = 0 and y = -1. */
  private rawQuotient(x: number, y: number, signed: boolean): void {
    const { asm } = this;
    const half = (high: boolean): void => {
      for (const local of [x, y]) {
        asm.get(local);
        if (high) asm.get(local).shuffle([2, 3, 2, 3]);
        asm.op(signed ? "f64x2.convert_low_i32x4_s" : "f64x2.convert_low_i32x4_u");
      }
      asm.op("f64x2.div").op(signed ? "i32x4.trunc_sat_f64x2_s_zero" : "i32x4.trunc_sat_f64x2_u_zero");
    };
    half(false);
    half(true);
    asm.shuffle([0, 1, 4, 5]);
  }

  /** What is on the stack, with another value where y has the given one. */
  private replaceWhere(y: number, is: number, value: () => void): void {
    const { asm } = this;
    this.with((rest) => {
      value();
      asm.get(rest).get(y).i32x4(is).op("i32x4.eq").op("v128.bitselect");
    });
  }

  /** Division by zero gives -1, all bits set, as XLA has it. */
  quotient(x: number, y: number, signed: boolean): void {
    const { asm } = this;
    this.rawQuotient(x, y, signed);
    this.replaceWhere(y, 0, () => asm.i32x4(-1));
    if (signed) this.replaceWhere(y, -1, () => asm.get(x).op("i32x4.neg"));
  }

  /** The remainder of a division by zero is the dividend. */
  remainder(x: number, y: number, signed: boolean): void {
    const { asm } = this;
    asm.get(x);
    this.rawQuotient(x, y, signed);
    asm.get(y).op("i32x4.mul").op("i32x4.sub");
    if (signed) this.replaceWhere(y, -1, () => asm.i32x4(0));
  }

  /** x^y by squaring; a negative power leaves only 1 and -1. */
  power(x: number, y: number, signed: boolean): void {
    const { asm } = this;
    const [result, base, left] = [asm.local("v128"), asm.local("v128"), asm.local("v128")];
    asm.i32x4(1).set(result).get(x).set(base).get(y).set(left);
    asm.loop((again) => {
      asm.get(result).get(base).op("i32x4.mul").get(result);
      asm.get(left).i32x4(1).op("v128.and").i32x4(1).op("i32x4.eq").op("v128.bitselect").set(result);
      asm.get(base).get(base).op("i32x4.mul").set(base);
      asm.get(left).i32(1).op("i32x4.shr_u").tee(left).op("v128.any_true");
      again();
    });
    asm.get(result);
    if (signed) {
      this.with((whole) => {
        // 1 for x = 1, ±1 by the parity for x = -1, else 0.
        asm.i32x4(1).get(x).i32x4(1).op("i32x4.eq").op("v128.and");
        asm.i32x4(1).get(y).i32x4(1).op("v128.and").i32(1).op("i32x4.shl").op("i32x4.sub");
        asm.get(x).i32x4(-1).op("i32x4.eq").op("v128.and").op("v128.or");
        asm.get(whole).get(y).i32x4(0).op("i32x4.lt_s").op("v128.bitselect");
      });
    }
    [result, base, left].forEach((local) => asm.release("v128", local));
  }

  /** A shift by a count per lane; counts beyond the width empty the value. */
  shift(opcode: "i32x4.shl" | "i32x4.shr_u" | "i32x4.shr_s", x: number, count: number, width: number): void {
    const { asm } = this;
    const scalar = (
      { "i32x4.shl": "i32.shl", "i32x4.shr_u": "i32.shr_u", "i32x4.shr_s": "i32.shr_s" } as const
    )[opcode];
    const bounded = asm.local("v128");
    // An arithmetic shift by 31 leaves nothing but the sign.
    asm
      .get(count)
      .i32x4(opcode === "i32x4.shr_s" ? 31 : width)
      .op("i32x4.min_u")
      .set(bounded);
    asm.i32x4(0);
    for (let lane = 0; lane < 4; lane++) {
      asm.get(x).op("i32x4.extract_lane", lane).get(bounded).op("i32x4.extract_lane", lane).op(scalar);
      asm.op("i32x4.replace_lane", lane);
    }
    if (opcode !== "i32x4.shr_s") {
      // The machine takes a count of the width for none.
      this.with((shifted) => {
        asm.get(shifted).get(bounded).i32x4(width).op("i32x4.lt_u").op("v128.and");
      });
    }
    asm.release("v128", bounded);
  }
}
