// Partial results, segments, sizes, empty axes, and derivatives of one's own; tools/golden/linalg.py has the same cases
// in JAX, by the same names.
import { checkpoint, customJvp, customVjp, grad, lax, nn, np, ops, vmap, type Array } from "vibe-rl/array";
import { grid, weigh, type Cases } from "./grid.js";

export const countingCases: Cases = new Map();
const add = (name: string, f: () => unknown): void => {
  countingCases.set(name, f);
};

const x = grid([7, 2], 11);
const ids = np.int32([0, 2, 2, 5, 1, 2, -1]);
const sortedIds = np.int32([0, 0, 1, 1, 1, 3, 3]);
add("associativeScan", () => [
  lax.associativeScan(np.add, x),
  lax.associativeScan(np.multiply, x, { axis: 1 }),
  lax.associativeScan(np.maximum, x, { reverse: true }),
  lax.associativeScan(np.add, x.slice(":1")),
  lax.associativeScan(np.add, x.slice(":6")),
]);
const affine = ([a, b]: [Array, Array], [c, d]: [Array, Array]): [Array, Array] => [
  c.mul(a),
  c.mul(b).add(d),
];
const composed = (y: Array): [Array, Array] =>
  lax.associativeScan(affine, [y.slice(":", 0), y.slice(":", 1)]);
add("associativeScan of a tree", () => composed(x));
add("associativeScan'", () => grad((y: Array) => weigh(composed(y)[1]))(x));

const four = { numSegments: 4 };
add("segmentSum", () => [
  ops.segmentSum(x, ids, four),
  ops.segmentSum(x, sortedIds, four),
  ops.segmentSum(ids, ids, { numSegments: 3 }),
]);
for (const [name, f] of Object.entries(ops)) {
  if (name !== "segmentSum") add(name, () => [f(x, ids, four), f(ids, ids, four)]);
  add(`${name}'`, () =>
    grad((y: Array) => {
      const result = f(y, ids, four);
      return weigh(np.where(np.isfinite(result), result, 0));
    })(x),
  );
}

add("bincount", () => [
  np.bincount(np.int32([0, 1, 1, 3, 9]), { length: 5 }),
  np.bincount(np.int32([0, 1, 1, 3]), { weights: np.array([0.5, 1, 2, 3]), length: 6 }),
  np.bincount(np.int32([-1, 1]), { length: 3 }),
  np.bincount(np.int32([2, 2, 4])),
]);
const mask = np.int32([
  [3, 0, 0],
  [0, 4, 0],
  [5, 6, 0],
]);
add("nonzero", () => [
  np.nonzero(mask, { size: 4 }),
  np.nonzero(mask, { size: 6 }),
  np.nonzero(mask, { size: 2 }),
  np.nonzero(mask, { size: 6, fillValue: -1 }),
  np.nonzero(mask, { size: 6, fillValue: [-1, 7] }),
  np.nonzero(np.array([true, false, true]), { size: 2 }),
]);
add("argwhere", () => [
  np.argwhere(mask, { size: 4 }),
  np.argwhere(mask, { size: 5 }),
  np.argwhere(mask, { size: 5, fillValue: -1 }),
]);
add("flatnonzero", () => [
  np.flatnonzero(mask, { size: 4 }),
  np.flatnonzero(mask, { size: 5 }),
  np.flatnonzero(mask, { size: 5, fillValue: -1 }),
]);
const repeated = np.array([3, 1, 2, 1, 3]);
add("unique", () => [
  np.unique(repeated, { size: 3 }),
  np.unique(repeated, { size: 5 }),
  np.unique(repeated, { size: 2 }),
  np.unique(repeated, { size: 5, fillValue: -7 }),
  np.unique(mask, { size: 5 }),
]);
add("unique with all", () =>
  [3, 5, 2].map((size) =>
    np.unique(repeated, { size, returnIndex: true, returnInverse: true, returnCounts: true }),
  ),
);
add("unique inverse of a matrix", () => np.unique(mask, { size: 5, returnInverse: true }));

add("softmax of nothing", () => [nn.softmax(np.zeros([2, 0])), nn.logSoftmax(np.zeros([0, 2]), 0)]);
add("hstack of scalars", () => [np.hstack([np.float32(1), 2]), np.vstack([np.float32(1), 2])]);

const log1pexp: (v: Array) => Array = customJvp((v: Array) => np.log(np.exp(v).add(1))).defjvp(([v], [t]) => [
  log1pexp(v),
  np.subtract(1, np.divide(1, np.exp(v).add(1))).mul(t),
]);
const points = np.array([-3, 0, 2, 100]);
add("customJvp", () => [
  vmap(log1pexp)(points.slice(":3")),
  vmap(grad(log1pexp))(points),
  vmap(grad(grad(log1pexp)))(points.slice(":3")),
]);
const clipped: (v: Array, y: Array) => Array = customVjp((v: Array, y: Array) => np.sin(v).mul(y)).defvjp(
  (v, y) => [clipped(v, y), { cos: np.cos(v), sin: np.sin(v), y }],
  ({ cos, sin, y }, g) => [np.clip(cos.mul(g).mul(y), -0.5, 0.5), sin.mul(g)],
);
const looped = (v: Array, y: Array): Array =>
  lax.scan((c: Array, e: Array) => [c.add(clipped(c.mul(e), y)), c], v, points.div(10))[0];
const both = { argnums: [0, 1] } as const;
add("customVjp", () => [
  grad(clipped, both)(np.float32(0.3), np.float32(2)),
  grad(looped, both)(np.float32(0.3), np.float32(2)),
  vmap(grad(looped, both), [0, null])(points, np.float32(0.7)),
  grad((y: Array) => vmap(clipped, [0, null])(points, y).sum())(np.float32(0.7)),
]);
const block = checkpoint((c: Array) => np.sin(np.exp(np.cos(c))));
add("checkpoint", () => [
  grad((c: Array) => block(block(c)))(np.float32(0.4)),
  grad(grad(block))(np.float32(0.4)),
]);
