// Arithmetic of floats that goes through double precision, where it is exact or rounded once. Operands are in locals,
// the result is left on the stack.
import { f64, i64, type Assembler } from "./assembler.js";

/** Runs code on both halves of vectors of floats as doubles, and joins the float results. */
export function inHalves(asm: Assembler, locals: readonly number[], half: (...wide: number[]) => void): void {
  const run = (push: (local: number) => void): void => {
    asm.withLocals(locals.length, (...wide) => {
      locals.forEach((local, index) => {
        push(local);
        asm.run`f64x2.promote_low_f32x4 =${wide[index]}`;
      });
      half(...wide);
    }).run`f32x4.demote_f64x2_zero`;
  };
  run((local) => asm.get(local));
  run((local) => asm.get(local).get(local).shuffle([2, 3, 2, 3]));
  asm.shuffle([0, 1, 4, 5]);
}

/** x · y + z rounded once: the sum rounded to odd in double precision, then to float. */
export function fma(asm: Assembler, x: number, y: number, z: number): void {
  const [zero, one, minusOne] = [i64(0, 0), i64(1, 0), i64(-1, -1)];
  inHalves(asm, [x, y, z], (a, b, c) => {
    asm.withLocals(4, (product, sum, part, lost) => {
      asm.run`${a} ${b} f64x2.mul =${product} ${product} ${c} f64x2.add =${sum} ${sum} ${product} f64x2.sub =${part}
        ${product} ${sum} ${part} f64x2.sub f64x2.sub ${c} ${part} f64x2.sub f64x2.add =${lost}`;
      // One step of the last bit towards what was lost, where the sum is finite, inexact and even.
      asm.run`${sum} ${one} ${minusOne} ${lost} ${sum} v128.xor 63 i64x2.shr_u ${zero} i64x2.eq v128.bitselect
        ${sum} ${one} v128.and ${zero} i64x2.eq v128.and ${lost} ${f64(0)} f64x2.ne v128.and
        ${sum} ${sum} f64x2.sub ${f64(0)} f64x2.eq v128.and i64x2.add`;
    });
  });
}

/** The rest of x / y with the sign of x, exactly: multiples of y are taken off until less than y is left. */
export function remainder(asm: Assembler, x: number, y: number): void {
  // Quotients of up to 28 bits multiply exactly; of longer ones, so many leading bits are taken.
  const leadingBits = i64(-33554432, -1);
  inHalves(asm, [x, y], (dividend, divisor) => {
    asm.withLocals(3, (rest, step, quotient) => {
      asm.run`${dividend} f64x2.abs =${rest} ${divisor} f64x2.abs =${step}`;
      asm.loop((again) => {
        asm.run`${rest} ${step} f64x2.div f64x2.trunc ${leadingBits} v128.and =${quotient}
          ${rest} ${quotient} ${step} f64x2.mul f64x2.sub =${rest}
          ${quotient} ${f64(1)} f64x2.ge ${rest} ${step} f64x2.ge v128.and v128.any_true`;
        again();
      });
      // A quotient that was rounded up took one multiple too many; an infinite divisor leaves the dividend.
      asm.run`${rest} ${step} ${rest} ${f64(0)} f64x2.lt v128.and f64x2.add =${rest}
        ${dividend} f64x2.abs ${rest} ${step} ${f64(Infinity)} f64x2.eq
        ${dividend} ${dividend} f64x2.sub ${f64(0)} f64x2.eq v128.and v128.bitselect
        ${dividend} ${i64(0, 0x80000000)} v128.and v128.or`;
    });
  });
}
