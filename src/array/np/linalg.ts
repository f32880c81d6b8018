// Linear algebra: QR decomposition and norms.
import type { Array, ArrayLike } from "../core/array.js";
import { asArray, asFloat } from "../core/coerce.js";
import { checkChoice, fail } from "../core/errors.js";
import { type Axes } from "../core/shape.js";
import { showType } from "../core/type.js";
import { foriLoop } from "../lax/loops.js";
import { arange, eye, zeros } from "./creation.js";
import { abs, sqrt, where } from "./elementwise.js";
import { matmul, outer } from "./products.js";
import { max, sum } from "./reductions.js";
import { broadcastTo } from "./shaping.js";

/**
 * Q with orthonormal columns and upper triangular R with Q·R = x, by Householder reflections with LAPACK's
 * signs. "reduced" gives the first min(m, n) columns of Q and rows of R, "complete" all of them.
 */
export function qr(
  given: ArrayLike,
  { mode = "reduced" }: { readonly mode?: "reduced" | "complete" } = {},
): [Array, Array] {
  checkChoice("np.linalg.qr", "mode", mode, ["reduced", "complete"]);
  const x = asFloat("np.linalg.qr", given);
  if (x.ndim !== 2)
    fail("np.linalg.qr", `needs a matrix, got ${showType(x.type)}; use vmap for a batch of them`);
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

/** The length of vectors along an axis: ord 2, 1 or "inf". Without an axis, that of all elements as one vector. */
export function norm(
  given: ArrayLike,
  ord: 1 | 2 | "inf" = 2,
  axis: Axes = null,
  { keepdims = false }: { readonly keepdims?: boolean } = {},
): Array {
  checkChoice("np.linalg.norm", "ord", String(ord), ["1", "2", "inf"]);
  const x = asFloat("np.linalg.norm", given);
  if (ord !== 2 && axis === null && x.ndim > 1) {
    fail(
      "np.linalg.norm",
      `the ${ord}-norm of ${showType(x.type)} needs an axis along which the vectors lie`,
    );
  }
  if (ord === 2) return sqrt(sum(x.mul(x), axis, { keepdims }));
  return ord === 1 ? sum(abs(x), axis, { keepdims }) : max(abs(x), axis, { keepdims });
}

/** The sum of the diagonal of a matrix. */
export function trace(x: ArrayLike): Array {
  return sum(diagonal(x));
}

/** The diagonal of a matrix. */
export function diagonal(given: ArrayLike): Array {
  const x = asArray("np.diagonal", given);
  if (x.ndim !== 2) fail("np.diagonal", `needs a matrix, got ${showType(x.type)}`);
  const [rows, columns] = x.shape as [number, number];
  const at = arange(Math.min(rows, columns));
  return x.slice(at, at);
}

/** A matrix with the given vector on its diagonal, or the diagonal of a given matrix. */
export function diag(given: ArrayLike): Array {
  const x = asArray("np.diag", given);
  if (x.ndim === 2) return diagonal(x);
  if (x.ndim !== 1) fail("np.diag", `needs a vector or a matrix, got ${showType(x.type)}`);
  const [n] = x.shape as [number];
  return where(eye(n, null, { dtype: "bool" }), broadcastTo(x, [n, n]), zeros([], { dtype: x.dtype }));
}
