// Positions outside, sorting NaN, joining scalars, diagonals beside the main one.
import { grad, lax, np, type Array } from "vibe-rl/array";
import type { Cases } from "./cases.js";

export const positionCases: Cases = new Map();

const vector = np.array([1, 2, 3]);
const matrix = np.arange(12).astype("float32").reshape([3, 4]);
const outside = np.int32([-5, -3, -1, 0, 2, 3, 7]);
for (const mode of ["clip", "wrap", "fill"] as const) {
  positionCases.set(`take ${mode}`, () => np.take(vector, outside, null, { mode }));
}
const fill = { mode: "fill" } as const;
for (const side of ["left", "right"] as const) {
  const search = (sorted: Array, values: Array) => np.searchsorted(sorted, values, { side });
  positionCases.set(`searchsorted ${side}`, () =>
    search(vector, np.array([NaN, -Infinity, Infinity, 1, 2.5, 3, -0])),
  );
  positionCases.set(`searchsorted ${side} with nan`, () =>
    search(np.array([0, 1, NaN, NaN]), np.array([NaN, 1, Infinity, -0])),
  );
  positionCases.set(`searchsorted ${side} of nothing`, () => search(np.zeros([0]), np.array([NaN, 1])));
  positionCases.set(`searchsorted ${side} of integers`, () =>
    search(np.int32([1, 3, 3, 5]), np.int32([0, 3, 4, 9])),
  );
}
const mixed = np.array([2, NaN, -0, 0, -Infinity, Infinity, 2, NaN]);
const descending = { descending: true };
const single: Record<string, () => unknown> = {
  "x[outside]": () => vector.slice(outside),
  "take fill of int32": () => np.take(np.int32([1, 2, 3]), outside, null, fill),
  "take fill of uint8": () => np.take(np.uint8([1, 2, 3]), outside, null, fill),
  "take fill of bool": () => np.take(np.bool([true, false, true]), outside, null, fill),
  "take fill along 1": () =>
    np.take(
      matrix,
      np.int32([
        [0, 9],
        [-4, -5],
      ]),
      1,
      fill,
    ),
  "x.at[outside].set": () =>
    np
      .zeros([3])
      .at(np.int32([-4, -1, 5]))
      .set(1),
  "dynamicSlice outside": () => lax.dynamicSlice(vector, [np.int32(7)], [2]),
  "dynamicSlice negative": () => lax.dynamicSlice(vector, [np.int32(-1)], [2]),
  "sort mixed": () => np.sort(mixed),
  "sort mixed descending": () => np.sort(mixed, -1, descending),
  "argsort mixed": () => np.argsort(mixed),
  "argsort mixed descending": () => np.argsort(mixed, -1, descending),
  "topK mixed": () => lax.topK(mixed, 5),
  "topK ties": () => lax.topK(np.int32([1, 3, 3, 2]), 3),
  "argmax mixed": () => np.argmax(mixed),
  "hstack of numbers": () => np.hstack([np.float32(1), np.float32(2)]),
  "hstack of scalars and a vector": () => np.hstack([1, vector]),
  "hstack of matrices": () => np.hstack([matrix, matrix]),
  "vstack of numbers": () => np.vstack([np.float32(1), np.float32(2)]),
  "vstack of vectors": () => np.vstack([vector, vector]),
  "concatenate of numbers": () => np.concatenate([1, 2]),
  "diag k": () => [
    np.diag(vector, 1),
    np.diag(vector, -2),
    np.diag(matrix, 1),
    np.diag(matrix, -1),
    np.diag(matrix, 9),
  ],
  "diagonal offset": () => [np.diagonal(matrix, 2), np.diagonal(matrix, -2)],
  "trace offset": () => [np.trace(matrix), np.trace(matrix, 1), np.trace(matrix, -2)],
  "tril triu": () => [np.tril(matrix, 1), np.triu(matrix, -1)],
  "clip of an integer": () => np.clip(np.int32([1, 5, 9]), 2, 6),
  "isclose equalNan": () =>
    np.isclose(np.array([NaN, 1, Infinity]), np.array([NaN, 1 + 1e-6, -Infinity]), { equalNan: true }),
  "arange fractions": () => np.arange(0, 1, 0.1, { dtype: "float32" }),
  "arange down": () => np.arange(5, -2, -2),
  linspace: () => [np.linspace(0, 1, 7), np.linspace(2, -2, 5, { endpoint: false }), np.linspace(0, 1, 1)],
  "linspace of integers": () => np.linspace(-1, 10, 5, { dtype: "int32" }),
  "prod' with zeros": () =>
    [np.array([2, 0, 3]), np.array([0, 0, 3])].map((x) => grad((v: Array) => np.prod(v))(x)),
  "max' of ties": () => grad((v: Array) => np.max(v))(np.array([2, 5, 5, 1])),
  "matmul of nothing": () => np.matmul(np.zeros([2, 0]), np.zeros([0, 3])),
  "matmul with inf": () => np.matmul(np.array([[0, 1]]), np.array([[Infinity], [1]])),
  "arrayEqual with nan": () => np.arrayEqual(np.array([NaN]), np.array([NaN])),
  "where with nan": () => np.where(np.array([NaN, 0]), np.float32(1), np.float32(2)),
};
for (const [name, f] of Object.entries(single)) positionCases.set(name, f);
