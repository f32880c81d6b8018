// Indexing reads and writes what NumPy's would.
import { describe, expect, it } from "vitest";
import { jit, np, vmap, type Array, type Index, type Nested } from "vibe-rl/array";

const x = np.arange(24).reshape([2, 3, 4]);
const i = np.int32([1, 0]);
const j = np.int32([
  [0, 2],
  [1, 1],
]);

/** NumPy's expression, ours, and NumPy's result. */
const reads: readonly (readonly [string, readonly Index[], Nested])[] = [
  [
    "x[0]",
    [0],
    [
      [0, 1, 2, 3],
      [4, 5, 6, 7],
      [8, 9, 10, 11],
    ],
  ],
  ["x[-1,1]", [-1, 1], [16, 17, 18, 19]],
  [
    "x[:,1:]",
    [":", "1:"],
    [
      [
        [4, 5, 6, 7],
        [8, 9, 10, 11],
      ],
      [
        [16, 17, 18, 19],
        [20, 21, 22, 23],
      ],
    ],
  ],
  [
    "x[...,::-2]",
    ["...", "::-2"],
    [
      [
        [3, 1],
        [7, 5],
        [11, 9],
      ],
      [
        [15, 13],
        [19, 17],
        [23, 21],
      ],
    ],
  ],
  ["x[1,None,:,2]", [1, null, ":", 2], [[14, 18, 22]]],
  ["x[:,1:1]", [":", { start: 1, stop: 1 }], [[], []]],
  [
    "x[1:,::-1,-3:-1]",
    ["1:", "::-1", { start: -3, stop: -1 }],
    [
      [
        [21, 22],
        [17, 18],
        [13, 14],
      ],
    ],
  ],
  [
    "x[:,[2,0]]",
    [":", [2, 0]],
    [
      [
        [8, 9, 10, 11],
        [0, 1, 2, 3],
      ],
      [
        [20, 21, 22, 23],
        [12, 13, 14, 15],
      ],
    ],
  ],
  [
    "x[i,:,i]",
    [i, ":", i],
    [
      [13, 17, 21],
      [0, 4, 8],
    ],
  ],
  [
    "x[:,i,1]",
    [":", i, 1],
    [
      [5, 1],
      [17, 13],
    ],
  ],
  [
    "x[0,:,i]",
    [0, ":", i],
    [
      [1, 5, 9],
      [0, 4, 8],
    ],
  ],
  [
    "x[0,i]",
    [0, i],
    [
      [4, 5, 6, 7],
      [0, 1, 2, 3],
    ],
  ],
  [
    "x[...,j]",
    ["...", j],
    [
      [
        [
          [0, 2],
          [1, 1],
        ],
        [
          [4, 6],
          [5, 5],
        ],
        [
          [8, 10],
          [9, 9],
        ],
      ],
      [
        [
          [12, 14],
          [13, 13],
        ],
        [
          [16, 18],
          [17, 17],
        ],
        [
          [20, 22],
          [21, 21],
        ],
      ],
    ],
  ],
  ["x[i,None,i]", [i, null, i], [[[16, 17, 18, 19]], [[0, 1, 2, 3]]]],
  [
    "x[i-2]",
    [i.sub(2)],
    [
      [
        [12, 13, 14, 15],
        [16, 17, 18, 19],
        [20, 21, 22, 23],
      ],
      [
        [0, 1, 2, 3],
        [4, 5, 6, 7],
        [8, 9, 10, 11],
      ],
    ],
  ],
];

describe("reading", () => {
  for (const [name, index, expected] of reads) {
    it(name, () => {
      expect(x.slice(...index).toArray()).toEqual(expected);
    });
    it(`${name}, traced`, () => {
      expect(jit((array: Array) => array.slice(...index))(x).toArray()).toEqual(expected);
    });
    it(`${name}, of a batch`, () => {
      const batch = np.stack([x, x.add(100)]);
      const shifted = x.add(100).slice(...index);
      const result = vmap((array: Array) => array.slice(...index))(batch);
      expect(result.toArray()).toEqual([expected, shifted.toArray()]);
    });
  }

  it("at a computed position, moved inside where it is outside", () => {
    const read = jit((array: Array, at: Array) => array.slice(at, ":", 1));
    expect(read(x, np.int32(1)).toArray()).toEqual([13, 17, 21]);
    expect(read(x, np.int32(-2)).toArray()).toEqual([1, 5, 9]);
    expect(read(x, np.int32(9)).toArray()).toEqual([13, 17, 21]);
  });

  it("takes typed arrays as positions", () => {
    expect(np.array([10, 20, 30]).slice(Int32Array.of(2, -3)).toArray()).toEqual([30, 10]);
  });

  it("destructures along the first axis", () => {
    const [first, second] = np.array([
      [1, 2],
      [3, 4],
    ]);
    expect([first.toArray(), second.toArray()]).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });
});

describe("writing: what was written is what is read, the rest is as it was", () => {
  for (const [name, index] of reads) {
    it(name, () => {
      const places = x.slice(...index);
      const written = x.at(...index).set(places.add(100));
      const touched = new Set(places.data());
      expect([...written.data()]).toEqual(
        [...x.data()].map((value) => (touched.has(value) ? value + 100 : value)),
      );
      const added = x.at(...index).add(100);
      // A place named twice is added to twice.
      if (touched.size === places.size) expect(added.toArray()).toEqual(written.toArray());
      expect(jit((array: Array) => array.at(...index).add(100))(x).toArray()).toEqual(added.toArray());
    });
  }

  it("broadcasts what is written", () => {
    expect(np.zeros([2, 3]).at(":", 1).set(5).toArray()).toEqual([
      [0, 5, 0],
      [0, 5, 0],
    ]);
    expect(
      np
        .zeros([2, 2])
        .at(1)
        .set(np.array([1, 2]))
        .toArray(),
    ).toEqual([
      [0, 0],
      [1, 2],
    ]);
  });

  it("leaves out what is outside, and lets the last of several writes win", () => {
    const at = np.int32([0, 5, 0]);
    expect(
      np
        .zeros([2])
        .at(at)
        .set(np.array([1, 2, 3]))
        .toArray(),
    ).toEqual([3, 0]);
    expect(
      np
        .zeros([2])
        .at(at)
        .add(np.array([1, 2, 3]))
        .toArray(),
    ).toEqual([4, 0]);
    expect(
      np
        .ones([2])
        .at(at)
        .mul(np.array([2, 9, 3]))
        .toArray(),
    ).toEqual([6, 1]);
    expect(
      np
        .ones([2])
        .at(at)
        .max(np.array([0, 9, 3]))
        .toArray(),
    ).toEqual([3, 1]);
    expect(
      np
        .ones([2])
        .at(at)
        .min(np.array([0, 9, 3]))
        .toArray(),
    ).toEqual([0, 1]);
    expect(np.ones([2]).at(0).sub(0.5).toArray()).toEqual([0.5, 1]);
    expect(np.int32([1, 2]).at(0).sub(1).toArray()).toEqual([0, 2]);
    expect(np.bool([false, false]).at(at).add(true).astype("int32").toArray()).toEqual([1, 0]);
    expect(np.ones([2]).at(np.int32(7)).set(9).toArray()).toEqual([1, 1]);
  });

  it("the place itself can be read", () => {
    expect(x.at(0, 1).get().toArray()).toEqual([4, 5, 6, 7]);
  });

  it("in a batch, every example at its own place", () => {
    const put = vmap((row: Array, at: Array, value: Array) => row.at(at).set(value));
    expect(put(np.zeros([2, 3]), np.int32([2, 0]), np.array([7, 8])).toArray()).toEqual([
      [0, 0, 7],
      [8, 0, 0],
    ]);
  });
});

describe("take, takeAlongAxis, searchsorted", () => {
  it("take follows an axis, or the flattened array", () => {
    expect(np.take(x, i, 2).shape).toEqual([2, 3, 2]);
    expect(np.take(x, np.int32([23, 0])).toArray()).toEqual([23, 0]);
    expect(np.take(np.array([1, 2, 3]), np.int32([5, -1])).toArray()).toEqual([3, 3]);
    expect(np.take(np.array([1, 2, 3]), np.int32([4, -1]), 0, { mode: "wrap" }).toArray()).toEqual([2, 3]);
    expect(np.take(np.array([1, 2, 3]), np.int32([4, -1]), 0, { mode: "fill" }).toArray()).toEqual([NaN, 3]);
  });

  it("takeAlongAxis broadcasts", () => {
    const rows = np.array([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    expect(np.takeAlongAxis(rows, np.int32([[2], [0]]), 1).toArray()).toEqual([[3], [4]]);
    expect(np.takeAlongAxis(rows, np.int32([[1, 0, 1]]), 0).toArray()).toEqual([[4, 2, 6]]);
  });

  it("searchsorted", () => {
    const sorted = np.array([1, 2, 2, 3]);
    expect(np.searchsorted(sorted, np.array([0, 2, 9])).toArray()).toEqual([0, 1, 4]);
    expect(np.searchsorted(sorted, np.array([0, 2, 9]), { side: "right" }).toArray()).toEqual([0, 3, 4]);
  });
});
