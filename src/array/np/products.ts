// Sums of products: matrix products and their generalisations.
import { checked } from "../core/checked.js";
import type { Array } from "../core/array.js";
import { type ArrayLike } from "../core/array.js";
import { asArray, broadcastTo, promote } from "../core/coerce.js";
import { fail } from "../core/errors.js";
import { broadcastShapes, normalizeAxis, range } from "../core/shape.js";
import { bindOne } from "../core/trace.js";
import { showType } from "../core/type.js";
import { dot as dotPrimitive } from "../primitives/dot.js";
import { permute } from "../primitives/reshape.js";
import { multiply } from "./elementwise.js";
import { expandDims } from "./shaping.js";

const pair = (operation: string, x: ArrayLike, y: ArrayLike): [Array, Array] =>
  promote(operation, [x, y]) as [Array, Array];

const contract = (x: Array, y: Array, left: readonly number[], right: readonly number[]): Array =>
  bindOne(dotPrimitive, [x, y], { contract: [left, right], batch: [[], []] });

/** The matrix product; leading axes beyond two are batches and broadcast, vectors count as row or column. */
export const matmul = checked("np.matmul", 2, (x: ArrayLike, y: ArrayLike): Array => {
  const [a, b] = pair("matmul", x, y);
  if (a.ndim === 0 || b.ndim === 0)
    fail("matmul", "operands must have at least one dimension; use mul for scalars");
  const inner = a.shape[a.ndim - 1];
  const outer = b.shape[Math.max(0, b.ndim - 2)];
  if (inner !== outer) {
    fail(
      "matmul",
      `cannot multiply ${showType(a.type)} with ${showType(b.type)}: ` +
        `the last axis of the first has extent ${inner}, axis ${Math.max(0, b.ndim - 2)} of the second ${outer}`,
    );
  }
  if (a.ndim <= 2 || b.ndim <= 2) return matmulUnbatched(a, b);
  const batch = broadcastShapes("matmul", a.shape.slice(0, -2), b.shape.slice(0, -2));
  const [left, right] = [a, b].map((operand) =>
    broadcastTo("matmul", operand, [...batch, ...operand.shape.slice(-2)]),
  ) as [Array, Array];
  const axes = range(batch.length);
  return bindOne(dotPrimitive, [left, right], {
    contract: [[batch.length + 1], [batch.length]],
    batch: [axes, axes],
  });
});

/** At most one operand has batches: its batch axes are rows like any other. */
function matmulUnbatched(a: Array, b: Array): Array {
  const product = contract(a, b, [a.ndim - 1], [Math.max(0, b.ndim - 2)]);
  if (a.ndim === 1 || b.ndim <= 2) {
    // The batches of b come first already; otherwise there are none.
    return product;
  }
  // The row axis of a stands before the batches of b; it belongs between them and b's columns.
  const batches = range(b.ndim - 2, 1);
  return permute(product, [...batches, 0, b.ndim - 1]);
}

/** NumPy's dot: the last axis of x with the second to last of y. */
export const dot = checked("np.dot", 2, (x: ArrayLike, y: ArrayLike): Array => {
  const [a, b] = pair("dot", x, y);
  if (a.ndim === 0 || b.ndim === 0) return multiply(a, b);
  const axis = Math.max(0, b.ndim - 2);
  if (a.shape[a.ndim - 1] !== b.shape[axis]) {
    fail(
      "dot",
      `cannot multiply ${showType(a.type)} with ${showType(b.type)}: the summed axes differ in extent`,
    );
  }
  return contract(a, b, [a.ndim - 1], [axis]);
});

/** The sum of products of the last axes. */
export const inner = checked("np.inner", 2, (x: ArrayLike, y: ArrayLike): Array => {
  const [a, b] = pair("inner", x, y);
  return a.ndim === 0 || b.ndim === 0 ? multiply(a, b) : contract(a, b, [a.ndim - 1], [b.ndim - 1]);
});

/** The sum of products of all elements. */
export const vdot = checked("np.vdot", 2, (x: ArrayLike, y: ArrayLike): Array => {
  const [a, b] = pair("vdot", x, y);
  return contract(a.reshape(-1), b.reshape(-1), [0], [0]);
});

/** All products of an element of x with one of y. */
export const outer = checked("np.outer", 2, (x: ArrayLike, y: ArrayLike): Array =>
  multiply(expandDims(asArray("outer", x).reshape(-1), 1), asArray("outer", y).reshape(-1)),
);

/** Sums over the last `axes` axes of x with the first of y, or over the given pairs of axes. */
export const tensordot = checked(
  "np.tensordot",
  3,
  (
    x: ArrayLike,
    y: ArrayLike,
    axes: number | readonly [number | readonly number[], number | readonly number[]] = 2,
  ): Array => {
    const [a, b] = pair("tensordot", x, y);
    const [left, right] =
      typeof axes === "number"
        ? [range(axes, a.ndim - axes), range(axes)]
        : [
            [axes[0]].flat().map((axis) => normalizeAxis("tensordot", axis, a.ndim)),
            [axes[1]].flat().map((axis) => normalizeAxis("tensordot", axis, b.ndim)),
          ];
    const isTooMany =
      typeof axes === "number" && !(Number.isInteger(axes) && axes >= 0 && axes <= Math.min(a.ndim, b.ndim));
    if (isTooMany || new Set(left).size !== left.length || new Set(right).size !== right.length) {
      fail(
        "tensordot",
        `cannot sum over ${JSON.stringify(axes)} axes of ${showType(a.type)} and ${showType(b.type)}`,
      );
    }
    return contract(a, b, left, right);
  },
);
