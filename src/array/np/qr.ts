// The QR decomposition.
import { checked } from "../core/checked.js";
import type { Array, ArrayLike } from "../core/array.js";
import { checkChoice } from "../core/rules.js";
import { foriLoop } from "../lax/loops.js";
import { arange, eye } from "./creation.js";
import { where } from "./elementwise.js";
import { asMatrices, overStacks } from "./linalg/matrices.js";
import { matmul, outer } from "./products.js";
import { sqrt } from "./realFunctions.js";
import { sum } from "./reductions.js";

/**
 * Q with orthonormal columns and upper triangular R with Q·R = x, the matrices in the last two axes, by Householder reflections with LAPACK's
 * signs. "reduced" gives the first min(m, n) columns of Q and rows of R, "complete" all of them.
 */
export const qr = checked(
  "np.linalg.qr",
  2,
  ["mode"],
  (
    given: ArrayLike,
    { mode = "reduced" }: { readonly mode?: "reduced" | "complete" } = {},
  ): [Array, Array] => {
    checkChoice("np.linalg.qr", "mode", mode, ["reduced", "complete"]);
    const [x] = asMatrices("np.linalg.qr", given) as [Array];
    return overStacks("np.linalg.qr", [x], (matrix) => reflectColumns(matrix, mode));
  },
);

function reflectColumns(x: Array, mode: "reduced" | "complete"): [Array, Array] {
  const [rows, columns] = x.shape as [number, number];
  const count = Math.min(rows, columns);
  const row = arange(rows);
  const reflect = (k: Array, { q, r }: { readonly q: Array; readonly r: Array }) => {
    const column = where(row.greaterEqual(k), r.slice(":", k), 0);
    const head = r.slice(k, k);
    const rest = where(row.greater(k), column, 0);
    // A column that is zero below the diagonal is left alone: the reflection is the identity.
    const isDone = sum(rest.mul(rest)).equal(0);
    const norm = sqrt(sum(column.mul(column)));
    const target = where(head.less(0), norm, norm.neg());
    const scale = where(isDone, 1, head.sub(target));
    const v = where(row.equal(k), 1, rest.div(scale));
    const tau = where(isDone, 0, target.sub(head).div(where(isDone, 1, target)));
    return {
      q: q.sub(outer(matmul(q, v), v).mul(tau)),
      r: r.sub(outer(v, matmul(v, r)).mul(tau)),
    };
  };
  const start = { q: eye(rows, null, { dtype: x.dtype }), r: x };
  const { q, r } = count === 0 ? start : foriLoop(0, count, reflect, start);
  const upper = where(row.reshape([rows, 1]).lessEqual(arange(columns)), r, 0);
  return mode === "complete" ? [q, upper] : [q.slice(":", `:${count}`), upper.slice(`:${count}`)];
}
