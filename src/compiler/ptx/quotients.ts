// Quotients and square roots. The machine's exact instructions for them have jumps in them, so that nothing else goes on
// meanwhile; these do for several points at once what those do, with one jump for all.
import type { Operation } from "../kernel.js";
import { floatOf, literal, type PtxText } from "./text.js";

const float = (value: number): string => literal(value, "float32");

/** Numbers for which nothing on the way to a result is too large, or so small that bits are lost. */
const [smallest, largest] = [2 ** -96, 2 ** 96];
const [least, most] = [float(smallest), float(largest)];

/** A quotient inside of formulas, which may be a unit off. */
export function quickQuotient(out: PtxText, x: string, y: string): string {
  const quick = out.pure("div.full.f32", "f32", x, y);
  const better = improved(out, quick, y, x, out.pure("rcp.approx.f32", "f32", y));
  // Beyond all numbers there is nothing left to add.
  const isNumber = out.pure("setp.lt.f32", "pred", out.pure("abs.f32", "f32", better), float(Infinity));
  return out.pure("selp.f32", "f32", better, quick, isNumber);
}

/** Something and what it leaves of x when it is multiplied by y, times a factor. */
function improved(out: PtxText, value: string, y: string, x: string, factor: string): string {
  const rest = out.pure("fma.rn.f32", "f32", out.pure("neg.f32", "f32", value), y, x);
  return out.pure("fma.rn.f32", "f32", rest, factor, value);
}

/** A result, and whether it is exact. */
interface Attempt {
  readonly result: string;
  readonly isExact: string;
}

function quotient(out: PtxText, given: string, y: string): Attempt {
  const x = out.pure("mov.f32", "f32", given);
  const known = inverseOf(y);
  const quick = known ?? out.pure("rcp.approx.f32", "f32", y);
  const inverse = known ?? improved(out, quick, y, float(1), quick);
  const first = out.pure("mul.f32", "f32", x, inverse);
  const second = improved(out, first, y, x, inverse);
  const third = improved(out, second, y, x, inverse);
  // Nothing added to -0 is 0.
  const result = out.effect("copysign.f32", "f32", first, third);
  const isZero = out.pure("setp.eq.f32", "pred", x, float(0));
  const areFine = out.pure("and.pred", "pred", isFine(out, x), isFine(out, first));
  const isSimple = out.pure("or.pred", "pred", isZero, areFine);
  return {
    result,
    isExact: known === null ? out.effect("and.pred", "pred", isFine(out, y), isSimple) : isSimple,
  };
}

/** The inverse of a number that is known, if it is one of those; null for others. */
function inverseOf(y: string): string | null {
  const value = floatOf(y);
  if (value === null || !(Math.abs(value) >= smallest && Math.abs(value) <= largest)) return null;
  return float(1 / value);
}

function root(out: PtxText, given: string): Attempt {
  const x = out.pure("mov.f32", "f32", given);
  const inverse = out.pure("rsqrt.approx.f32", "f32", x);
  const first = out.pure("mul.f32", "f32", x, inverse);
  const half = out.pure("mul.f32", "f32", inverse, float(0.5));
  const better = improved(out, first, first, x, half);
  const isZero = out.pure("setp.eq.f32", "pred", x, float(0));
  const result = out.effect("selp.f32", "f32", x, better, isZero);
  const isPositive = out.pure("setp.gt.f32", "pred", x, float(0));
  const isSimple = out.pure("and.pred", "pred", isPositive, isFine(out, x));
  return { result, isExact: out.effect("or.pred", "pred", isZero, isSimple) };
}

function isFine(out: PtxText, value: string): string {
  const size = out.pure("abs.f32", "f32", value);
  const isLarge = out.pure("setp.ge.f32", "pred", size, least);
  return out.pure("and.pred", "pred", isLarge, out.pure("setp.le.f32", "pred", size, most));
}

export type Inexact = Operation & { readonly name: "div" | "sqrt" };

/** Whether an operation is one that `exactTogether` is for. */
export const isInexact = (operation: Operation): operation is Inexact =>
  (operation.name === "div" || operation.name === "sqrt") && operation.dtype === "float32";

/** Quotients, or square roots, of several points. */
export function exactTogether(
  out: PtxText,
  name: Inexact["name"],
  points: readonly (readonly string[])[],
): string[] {
  const attempts = points.map(([x, y]) => (name === "div" ? quotient(out, x, y) : root(out, x)));
  const areAll = attempts
    .map(({ isExact }) => isExact)
    .reduce((all, one) => out.effect("and.pred", "pred", all, one));
  out.when(
    areAll,
    () =>
      attempts.forEach(({ result, isExact }, at) =>
        out.line(`@!${isExact} ${name}.rn.f32 ${[result, ...points[at]].join(", ")};`),
      ),
    false,
  );
  return attempts.map(({ result }) => result);
}
