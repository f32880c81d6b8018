// Diagonals of matrices; `k` and `offset` count them upwards from the main one.
import { checked } from "../core/checked.js";
import type { Array, ArrayLike } from "../core/array.js";
import { asArray } from "../core/coerce.js";
import type { DType } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import { constant } from "../core/interpret.js";
import { checkWhole } from "../core/rules.js";
import { normalizeAxis } from "../core/shape.js";
import { showType } from "../core/type.js";
import { arange, eye } from "./creation.js";
import { where } from "./elementwise.js";
import { sum } from "./reductions.js";
import { pad } from "./padding.js";
import { expandDims, moveaxis } from "./shaping.js";

interface TraceOptions {
  /** The dtype of the sum. */
  readonly dtype?: DType;
}

/** The sum of a diagonal of matrices, which lie along two axes, the first two unless told otherwise. */
export const trace = checked(
  "np.trace",
  5,
  ["dtype"],
  (x: ArrayLike, offset = 0, axis1 = 0, axis2 = 1, options: TraceOptions = {}): Array =>
    sum(diagonal(x, offset, axis1, axis2), -1, options),
);

/** A diagonal of matrices along two axes, as the last axis of the result. */
export const diagonal = checked(
  "np.diagonal",
  4,
  (given: ArrayLike, offset = 0, axis1 = 0, axis2 = 1): Array => {
    const x = asArray("np.diagonal", given);
    checkWhole("np.diagonal", "offset", offset);
    if (x.ndim < 2) fail("np.diagonal", `needs a matrix, got ${showType(x.type)}`);
    const [first, second] = [axis1, axis2].map((axis) => normalizeAxis("np.diagonal", axis, x.ndim)) as [
      number,
      number,
    ];
    if (first === second) fail("np.diagonal", `axis1 and axis2 must differ, both are ${first}`);
    const matrices = moveaxis(x, [first, second], [-2, -1]);
    const [rows, columns] = matrices.shape.slice(-2) as [number, number];
    const [down, right] = [Math.max(0, -offset), Math.max(0, offset)];
    const at = arange(Math.max(0, Math.min(rows - down, columns - right)));
    return matrices.slice("...", at.add(down), at.add(right));
  },
);

/** A matrix with the given vector on a diagonal, or a diagonal of a given matrix. */
export const diag = checked("np.diag", 2, (given: ArrayLike, k = 0): Array => {
  const x = asArray("np.diag", given);
  checkWhole("np.diag", "k", k);
  if (x.ndim === 2) return diagonal(x, k);
  if (x.ndim !== 1) fail("np.diag", `needs a vector or a matrix, got ${showType(x.type)}`);
  const padded = pad(x, [Math.max(0, -k), Math.max(0, k)]);
  const mask = eye(padded.size, null, { k, dtype: "bool" });
  return where(mask, expandDims(padded, 1), constant(0, x.dtype));
});
