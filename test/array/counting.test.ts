// Results whose size depends on values, segments, partial results, and trees as vectors.
import { describe, expect, it } from "vitest";
import { grad, jit, lax, nn, np, ops, ravelPytree, vmap, type Array } from "vibe-rl/array";

describe("sizes", () => {
  const mask = np.int32([
    [0, 5],
    [7, 0],
  ]);

  it("are found from values where those are known", () => {
    expect(np.nonzero(mask).map((index) => index.toArray())).toEqual([
      [0, 1],
      [1, 0],
    ]);
    expect(np.argwhere(mask).toArray()).toEqual([
      [0, 1],
      [1, 0],
    ]);
    expect(np.flatnonzero(mask).toArray()).toEqual([1, 2]);
    expect(np.unique(np.array([3, NaN, 1, 3, NaN])).toArray()).toEqual([1, 3, NaN]);
    expect(np.bincount(np.int32([1, 1]), { minlength: 4 }).toArray()).toEqual([0, 2, 0, 0]);
    expect(ops.segmentSum(np.array([1, 2, 3]), np.int32([0, 2, 2])).toArray()).toEqual([1, 0, 5]);
    expect(np.flatnonzero(np.zeros([3])).shape).toEqual([0]);
    expect(np.unique(np.zeros([0])).shape).toEqual([0]);
  });

  it("must be given while tracing, and the error says so", () => {
    expect(() => jit((x: Array) => np.nonzero(x))(mask)).toThrow(/np.nonzero: the size .* give \{ size \}/);
    expect(() => jit((x: Array) => np.unique(x))(mask)).toThrow(/np.unique: the size .* give \{ size \}/);
    expect(() => jit((x: Array) => np.bincount(x))(np.int32([1]))).toThrow(
      /np.bincount: .* give \{ length \}/,
    );
    expect(() => jit((x: Array) => ops.segmentSum(x, x))(np.int32([1]))).toThrow(
      /ops.segmentSum: .* give \{ numSegments \}/,
    );
    const found = jit(vmap((row: Array) => np.flatnonzero(row, { size: 2, fillValue: -1 })))(mask);
    expect(found.toArray()).toEqual([
      [1, -1],
      [0, -1],
    ]);
  });

  it("and what does not fit is refused", () => {
    expect(() => np.nonzero(mask, { size: 3, fillValue: [1] })).toThrow(/one for each of 2 axes, got 1/);
    expect(() => np.nonzero(np.float32(1))).toThrow(/a scalar has no axes/);
    expect(() => np.bincount(np.array([0.5]))).toThrow(/needs a vector of integers, got float32\[1\]/);
    expect(() => ops.segmentMax(np.ones([3]), np.int32([0, 1]))).toThrow(/leading extents of the data/);
  });
});

describe("segments", () => {
  it("have integers, rows and gradients", () => {
    const data = np.array([
      [1, 2],
      [3, 1],
      [5, 0],
    ]);
    const ids = np.int32([1, 0, 1]);
    expect(ops.segmentMax(data, ids, { numSegments: 2 }).toArray()).toEqual([
      [3, 1],
      [5, 2],
    ]);
    expect(ops.segmentMin(np.int32([4, 5]), np.int32([0, 0]), { numSegments: 1 }).toArray()).toEqual([4]);
    const others = grad((x: Array) => ops.segmentProd(x, np.int32([0, 0, 1]), { numSegments: 2 }).sum());
    expect(others(np.array([2, 3, 5])).toArray()).toEqual([3, 2, 1]);
    const shared = grad((x: Array) => ops.segmentMax(x, np.int32([0, 0]), { numSegments: 1 }).sum());
    expect(jit(shared)(np.array([2, 2])).toArray()).toEqual([0.5, 0.5]);
  });
});

describe("associativeScan", () => {
  it("equals the loop, for every length", () => {
    for (const n of [0, 1, 2, 3, 4, 5, 8, 13]) {
      const x = np.arange(n).add(1);
      expect(lax.associativeScan(np.add, x).toArray()).toEqual(np.cumsum(x).toArray());
    }
    // Products of matrices, which do not commute.
    const turns = np.array([
      [
        [0, 1],
        [-1, 0],
      ],
      [
        [1, 2],
        [0, 1],
      ],
      [
        [2, 0],
        [0, 3],
      ],
    ]);
    const products = jit((m: Array) => lax.associativeScan((a: Array, b: Array) => a.matmul(b), m))(turns);
    const last = turns.slice(0).matmul(turns.slice(1)).matmul(turns.slice(2));
    expect(products.slice(2).toArray()).toEqual(last.toArray());
  });

  it("refuses elements of several lengths", () => {
    expect(() =>
      lax.associativeScan(([a, b]: [Array, Array]) => [a, b] as [Array, Array], [np.ones([2]), np.ones([3])]),
    ).toThrow(/one extent along axis 0, got float32\[2\] and float32\[3\]/);
  });
});

describe("ravelPytree", () => {
  it("makes a tree a vector and a vector the tree again, dtypes included", () => {
    const params = {
      w: np.array([
        [1, 2],
        [3, 4],
      ]),
      n: np.int32(7),
      rest: [np.ones([1])],
    };
    const [vector, unravel] = ravelPytree(params);
    expect(vector.toArray()).toEqual([7, 1, 1, 2, 3, 4]);
    const back = unravel(vector.mul(2));
    expect([back.w.toArray(), back.n.dtype, back.n.item()]).toEqual([
      [
        [2, 4],
        [6, 8],
      ],
      "int32",
      14,
    ]);
    const loss = (flat: Array): Array => unravel(flat).w.sum();
    expect(jit(grad(loss))(vector).toArray()).toEqual([0, 0, 1, 1, 1, 1]);
    expect(() => unravel(np.ones([3]))).toThrow(/needs a vector like float32\[6\], got float32\[3\]/);
    expect(ravelPytree({})[0].shape).toEqual([0]);
  });
});

describe("empty axes, scalars and bounds that are left out", () => {
  it("are what NumPy makes of them", () => {
    expect(nn.softmax(np.zeros([2, 0])).shape).toEqual([2, 0]);
    expect(np.hstack([1, 2]).toArray()).toEqual([1, 2]);
    expect(np.cumsum(5, 0).toArray()).toEqual([5]);
    const x = np.array([1, 5]);
    expect(np.clip(x, undefined, 3).toArray()).toEqual([1, 3]);
    expect(x.clip(2, undefined).toArray()).toEqual([2, 5]);
    expect(np.clip(x).toArray()).toEqual([1, 5]);
  });

  it("and a bound that is no number is named", () => {
    expect(() => np.clip(np.array([1]), "a" as never)).toThrow(
      /^np.clip: min must be an array, a number or null, got "a"/,
    );
    expect(() => np.clip(np.array([1]), null, [1] as never)).toThrow(
      /^np.clip: max must be .* got a list of 1/,
    );
  });
});
