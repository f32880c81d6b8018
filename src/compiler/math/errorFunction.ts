// The error function and its inverse.
import { exp } from "./exponentials.js";
import type { Term } from "./formula.js";
import { log } from "./logarithms.js";
import { withSignOf } from "./signs.js";
import {
  abs,
  add,
  div,
  equal,
  less,
  madd,
  minNumber,
  mul,
  neg,
  polynomial,
  select,
  sqrt,
  sub,
} from "./terms.js";

/** Beyond this the error function is 1 in float32. */
export const largestErf = 4.2;

export function erf(x: Term): Term {
  const size = minNumber(abs(x), largestErf);
  return erfFromExp(x, exp(neg(mul(size, size))));
}

/** The same, given exp(-x²), of x no larger than `largestErf`. */
export function erfFromExp(x: Term, exponential: Term): Term {
  const size = minNumber(abs(x), largestErf);
  const square = mul(size, size);
  const nearSeries = polynomial(
    square,
    [
      7.854025170672685e-5, -0.0008010247256606817, 0.00518833426758647, -0.026853816583752632,
      0.1128358542919159, -0.3761262595653534, 1.1283791065216064,
    ],
  );
  // From about 1 on, 1 - exp(-x²) · a polynomial in 1 / (1 + x/2).
  const farSeries = polynomial(
    div(1, madd(size, 0.5, 1)),
    [
      -0.22857195138931274, 0.6301604509353638, -0.05686081200838089, 0.39238786697387695,
      0.26097798347473145, 0.0016751728253439069,
    ],
  );
  const far = sub(1, mul(exponential, farSeries));
  return withSignOf(x, select(less(size, 0.95), mul(nearSeries, size), far));
}

/** Giles' form: erfInv(x) / x is smooth in w = -log(1 - x²), and in √w for large w. */
export function erfInv(x: Term): Term {
  return erfInvFromLog(x, log(mul(sub(1, x), add(x, 1))));
}

/** The same, given log(1 - x²). */
export function erfInvFromLog(x: Term, logarithm: Term): Term {
  const w = neg(logarithm);
  const near = polynomial(
    sub(w, 2.5),
    [
      2.8534747897879242e-8, 3.4372709478702745e-7, -3.5288589970150497e-6, -4.396781605464639e-6,
      0.00021860218839719892, -0.001253707567229867, -0.004177707713097334, 0.24664072692394257,
      1.5014094114303589,
    ],
  );
  const far = polynomial(
    sub(sqrt(w), 3),
    [
      -0.0001275135000469163, 5.679887908627279e-5, 0.0012474082177504897, -0.003629363374784589,
      0.0057868617586791515, -0.007633944507688284, 0.00943154376000166, 1.0016746520996094,
      2.832977056503296,
    ],
  );
  const inside = mul(select(less(w, 5), near, far), x);
  return select(equal(abs(x), 1), mul(x, Infinity), inside);
}
