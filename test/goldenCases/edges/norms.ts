// Norms of matrices and vectors, and their derivatives.
import { grad, np, type Array } from "vibe-rl/array";
import type { Cases } from "./cases.js";

export const normCases: Cases = new Map();

const matrices: Record<string, Array> = {
  square: np.array([
    [1, 2],
    [3, 4],
  ]),
  wide: np.array([
    [1, -2, 0.5, 3],
    [2, 0, -1, 1],
  ]),
  tall: np.array([
    [1, -2],
    [0.5, 3],
    [2, 0],
    [-1, 1],
    [4, 4],
  ]),
  five: np.array(Float64Array.from({ length: 25 }, (_, at) => Math.cos(at ** 1.5))).reshape([5, 5]),
  singular: np.array([
    [1, 2, 3],
    [2, 4, 6],
    [1, 0, 1],
  ]),
  zero: np.zeros([2, 3]),
  eye: np.eye(3),
  graded: np.array([
    [1, 1e-3, 0],
    [0, 1e-3, 1e-6],
    [0, 0, 1e-6],
  ]),
  large: np.array([
    [1e30, 2e30],
    [3e30, -1e30],
  ]),
  empty: np.zeros([0, 3]),
};
for (const [label, m] of Object.entries(matrices)) {
  for (const order of ["fro", "nuc", "inf", "-inf", 1, -1, 2, -2] as const) {
    normCases.set(`norm ${order} of ${label}`, () => np.linalg.norm(m, order));
    normCases.set(`norm ${order}' of ${label}`, () => grad((x: Array) => np.linalg.norm(x, order))(m));
  }
}
const cube = np.arange(8).astype("float32").reshape([2, 2, 2]);
const single: Record<string, () => unknown> = {
  "norm of a matrix": () => np.linalg.norm(matrices.wide),
  "norm of three axes": () => np.linalg.norm(cube),
  "norm 2 of three axes": () => np.linalg.norm(cube, 2),
  "norm 2 over axes 0 and 2": () => np.linalg.norm(cube, 2, [0, 2]),
  "norm 1 over axes 2 and 0, kept": () => np.linalg.norm(cube, 1, [2, 0], { keepdims: true }),
  "norm nuc over axes 0 and 2, kept": () => np.linalg.norm(cube, "nuc", [0, 2], { keepdims: true }),
  "norm of a scalar": () => np.linalg.norm(np.float32(-3)),
  "norm 3 of a matrix": () => np.linalg.norm(matrices.wide, 3),
  "norm of an empty vector, inf": () => np.linalg.norm(np.zeros([0]), Infinity),
  "norm of integers": () => np.linalg.norm(np.int32([3, 4])),
  "norm' at zero": () => grad((x: Array) => np.linalg.norm(x))(np.zeros([2])),
};
for (const [name, f] of Object.entries(single)) normCases.set(name, f);
