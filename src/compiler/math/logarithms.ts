// Functions made of logarithms.
import { exp, ln2High, ln2Low } from "./exponentials.js";
import type { Term } from "./formula.js";
import {
  abs,
  add,
  bitsOf,
  constant,
  convert,
  div,
  equal,
  floatOf,
  less,
  madd,
  max,
  mul,
  neg,
  polynomial,
} from "./terms.js";
import { select, shiftLeft, shiftRightArithmetic, sub } from "./terms.js";

const smallestNormal = 1.1754943508222875e-38;
const rootOfHalf = 0x3f3504f3;

/** A positive number as mantissa · 2^exponent, with a mantissa from √½ to √2, both floats. */
export function split(x: Term): { readonly exponent: Term; readonly mantissa: Term } {
  // Subnormals are scaled up first.
  const isTiny = less(x, smallestNormal);
  const bits = bitsOf(select(isTiny, mul(x, 2 ** 23), x));
  const exponent = shiftRightArithmetic(sub(bits, rootOfHalf), 23);
  return {
    exponent: sub(convert(exponent, "float32"), select(isTiny, constant(23, "float32"), 0)),
    mantissa: floatOf(sub(bits, shiftLeft(exponent, 23))),
  };
}

export function log(x: Term): Term {
  const { exponent, mantissa } = split(x);
  const f = sub(mantissa, 1);
  const square = mul(f, f);
  const series = polynomial(
    f,
    [
      0.06914544105529785, -0.11788276582956314, 0.11872497200965881, -0.12384596467018127,
      0.1421876847743988, -0.16669239103794098, 0.20002219080924988, -0.24999986588954926, 0.3333331048488617,
    ],
  );
  const rest = madd(exponent, ln2Low, madd(square, -0.5, mul(mul(series, f), square)));
  const finite = madd(exponent, ln2High, add(rest, f));
  // Infinity and NaN are their own logarithms.
  const positive = select(less(x, Infinity), finite, x);
  return select(less(x, 0), NaN, select(equal(x, 0), -Infinity, positive));
}

/** log(u) · (x / (u - 1)) with u = 1 + x makes up for what the sum lost. */
export function log1p(x: Term): Term {
  const u = add(x, 1);
  const logarithm = log(u);
  const mended = mul(div(x, sub(u, 1)), logarithm);
  // Where the sum is 1 the logarithm is x itself; where it is infinite there is nothing to mend.
  return select(equal(u, 1), x, select(equal(u, Infinity), logarithm, mended));
}

/** max(x, y) + log1p(exp(-|x - y|)); equal infinities have no difference. */
export function logaddexp(x: Term, y: Term): Term {
  const gap = select(equal(x, y), 0, neg(abs(sub(x, y))));
  return add(max(x, y), log1p(exp(gap)));
}
