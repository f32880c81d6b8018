// Diagonals of matrices; `k` and `offset` count them upwards from the main one.
import { checked } from "../core/checked.js";
import type { Array, ArrayLike } from "../core/array.js";
import { asArray } from "../core/coerce.js";
import { checkWhole, fail } from "../core/errors.js";
import { constant } from "../core/interpret.js";
import { showType } from "../core/type.js";
import { arange, eye } from "./creation.js";
import { where } from "./elementwise.js";
import { sum } from "./reductions.js";
import { expandDims, pad } from "./shaping.js";

/** The sum of a diagonal of a matrix. */
export const trace = checked("np.trace", 2, (x: ArrayLike, offset = 0): Array => sum(diagonal(x, offset)));

/** A diagonal of a matrix. */
export const diagonal = checked("np.diagonal", 2, (given: ArrayLike, offset = 0): Array => {
  const x = asArray("np.diagonal", given);
  checkWhole("np.diagonal", "offset", offset);
  if (x.ndim !== 2) fail("np.diagonal", `needs a matrix, got ${showType(x.type)}`);
  const [rows, columns] = x.shape as [number, number];
  const [down, right] = [Math.max(0, -offset), Math.max(0, offset)];
  const at = arange(Math.max(0, Math.min(rows - down, columns - right)));
  return x.slice(at.add(down), at.add(right));
});

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
