// Reductions with masks, initial values and dtypes.
import { np } from "vibe-rl/array";
import type { MoreCases } from "./cases.js";

const keepdims = true;
const [float32, int32] = [{ dtype: "float32" }, { dtype: "int32" }] as const;

export const reductionCases: MoreCases = {
  "sum options": (x, where) => [np.sum(x, 1, { where, initial: 2 }), np.sum(x, 0, { keepdims, where })],
  "prod options": (x, where) => [np.prod(x, 1, { where, initial: 2 }), np.prod(x, null, { where })],
  "max options": (x, where) => [
    np.max(x, 1, { where, initial: -1 }),
    np.min(x, 0, { where, initial: 0.5, keepdims }),
  ],
  "mean options": (x, where) => [
    np.mean(x, 1, { where }),
    np.var(x, 0, { where: where.or(x.greater(0)), ddof: 1 }),
    np.std(x, null, { where }),
  ],
  "any all where": (f, where) => [np.any(f, 1, { where }), np.all(f, 1, { where, keepdims })],
  "dtype of sums": (i, f, b, x) => [
    np.sum(i, 0, float32),
    np.sum(f, null, float32),
    np.sum(b, 1, { dtype: "uint8" }),
    np.sum(x, null, int32),
    np.prod(i, 1, float32),
    np.prod(f, null, int32),
    f.cumsum(1, float32),
    np.cumsum(x, null, int32),
    np.cumprod(i, 0, float32),
  ],
  "dtype of means": (i, x) => [
    np.mean(i, 0, int32),
    np.mean(x.mul(9), 1, int32),
    np.mean(i, null, float32),
    np.var(i, 0, float32),
    np.std(i, 1, float32),
  ],
};
