// Distributions that are one formula of a uniform number.
import { checked } from "../core/checked.js";
import type { Array } from "../core/array.js";
import { checkDType, type DType } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import type { Shape } from "../core/shape.js";
import { sign } from "../np/elementwise.js";
import { log, log1p, tan } from "../np/realFunctions.js";
import { bernoulli, uniform } from "./basic.js";
import { epsilon, justAboveMinusOne, tiny } from "./parameters.js";

/** The Laplace distribution of location 0 and scale 1. */
export const laplace = checked("random.laplace", 2, (ofKey: Array, shape: Shape = []): Array => {
  const u = uniform(ofKey, shape, { minval: justAboveMinusOne, maxval: 1 });
  return sign(u).mul(log1p(u.abs().neg()));
});

/** The standard logistic distribution. */
export const logistic = checked("random.logistic", 2, (ofKey: Array, shape: Shape = []): Array => {
  const u = uniform(ofKey, shape, { minval: tiny, maxval: 1 });
  return log(u).sub(log1p(u.neg()));
});

/** The standard Cauchy distribution. */
export const cauchy = checked("random.cauchy", 2, (ofKey: Array, shape: Shape = []): Array => {
  const u = uniform(ofKey, shape, { minval: epsilon, maxval: 1 });
  return tan(u.sub(0.5).mul(Math.PI));
});

/** −1 or 1, both as likely. */
export const rademacher = checked(
  "random.rademacher",
  3,
  (ofKey: Array, shape: Shape = [], dtype: DType = "int32"): Array => {
    checkDType("random.rademacher", dtype);
    if (dtype !== "int32" && !dtype.startsWith("float")) {
      fail("random.rademacher", `the dtype must hold -1: int32 or a float, got ${dtype}`);
    }
    return bernoulli(ofKey, 0.5, shape).astype(dtype).mul(2).sub(1);
  },
);
