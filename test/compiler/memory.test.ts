// Compiled programs touch no memory but their own. A fresh device has no more memory than the program asks for, so
// that whatever reads before the first byte or behind the last fails.
import { describe, expect, it } from "vitest";
import { jit, lax, np, registerBackend, type Array } from "vibe-rl/array";
import { wasmBackend } from "../../src/device/wasm/backend.js";
import { differences } from "../closeness.js";
import { expectSame, wholeNumbers, type Computation } from "./compare.js";

let devices = 0;

/** A function compiled for a device that nothing has run on. */
function onFreshMemory(f: Computation): Computation {
  const device = `fresh memory ${devices++}`;
  registerBackend({ ...wasmBackend(), name: device }, { isDefault: false });
  return jit(f, { device });
}

const scalar = (value: number): Array => np.int32(value);

/** Sizes such that the arrays nearly fill the pages of 64 KiB. */
const programs: Record<string, [f: Computation, args: Array[]]> = {
  "a flipped operand behind a product": [
    (x, w, r) => x.matmul(w).add(np.flip(r)),
    [wholeNumbers([11, 1]), wholeNumbers([1, 5]), wholeNumbers([11, 5])],
  ],
  "a stepped operand behind a product with a vector": [
    (x, w, r) => x.matmul(w).add(r.slice("::8000")),
    [wholeNumbers([5, 16]), wholeNumbers([16]), wholeNumbers([40000])],
  ],
  "a stepped operand behind a product": [
    (x, w, r) => x.matmul(w).add(r.slice("::8000")),
    [wholeNumbers([3, 4]), wholeNumbers([4, 5]), wholeNumbers([40000])],
  ],
  "a padded array at a computed place": [
    (x, i) => lax.dynamicSlice(np.pad(x, [[0, 4000]]), [i], [10]),
    [wholeNumbers([16000]), scalar(19990)],
  ],
  "rows of a padded array at computed places": [
    (x, i) =>
      np
        .pad(x, [
          [3, 3],
          [0, 0],
        ])
        .slice(i),
    [wholeNumbers([4, 4000]), np.array([0, 9, 100, -1, 5], { dtype: "int32" })],
  ],
  "a padded array of nothing": [
    (x, i) => [lax.dynamicSlice(np.pad(x, [[3, 3]]), [i], [2]), np.pad(x, [[3, 3]]).slice(i)],
    [np.zeros([0]), scalar(1)],
  ],
  "a padded and flipped array": [(x) => np.flip(np.pad(x, [[4000, 4000]])).add(1), [wholeNumbers([8000])]],
  "a padded column": [
    (x) =>
      np
        .pad(x.T, [
          [0, 0],
          [2, 2],
        ])
        .sum(0),
    [wholeNumbers([9, 3000])],
  ],
  "a shifted image": [
    (x) => np.pad(x, 1).slice("2:", "2:").add(np.pad(x, 1).slice(":-2", ":-2")),
    [wholeNumbers([127, 128])],
  ],
  "windows of an image": [
    (x, w) => lax.convGeneralDilated(x, w, [1, 1], "SAME"),
    [wholeNumbers([1, 63, 64, 4]), wholeNumbers([3, 3, 4, 1])],
  ],
  "places far outside": [
    (x, i) => [
      x.slice(i),
      lax.dynamicSlice(x, [i.slice(0)], [7]),
      x.at(i).set(1),
      lax.dynamicUpdateSlice(x, x.slice(":7"), [i.slice(1)]),
    ],
    [wholeNumbers([16383]), np.array([2 ** 31 - 1, -(2 ** 31), 123456789, -99999999], { dtype: "int32" })],
  ],
  "an odd number of bytes": [
    (x) => [x.not(), np.flip(x), x.astype("float32").sum(), x.slice("1:").astype("uint8")],
    [wholeNumbers([65533], "bool")],
  ],
  "tails of every kind": [
    (x, y) => [x.add(1), y.add(x.slice(":5461")), x.sum(), y.slice("::-1"), x.slice("1::3")],
    [wholeNumbers([16381]), wholeNumbers([5461])],
  ],
  "transposed tails": [(x) => x.reshape([5461, 3]).T.add(1), [wholeNumbers([16383])]],
  "products in tails": [
    (x, y) => [x.matmul(y), y.T.matmul(x.T), x.matmul(y.slice(":", 0)), x.T.matmul(x)],
    [wholeNumbers([127, 43]), wholeNumbers([43, 127])],
  ],
  "sorted lanes": [(x) => [np.sort(x, 0), np.argsort(x, 1)], [wholeNumbers([131, 125])]],
};

describe("memory", () => {
  it.each(Object.entries(programs))("%s", (_, [f, args]) => {
    const expected = jit(f, { device: "interpreter" })(...args);
    expect(differences(onFreshMemory(f)(...args), expected)).toEqual([]);
  });

  it("a carry that only the world outside reads survives the test of its loop", () => {
    // Sorting makes the test store whole arrays while the carry waits.
    const goesOn = (a: Array, n: Array) => {
      const largest = np.sort(a.add(n).mul(2)).slice(-1);
      const smallest = np.sort(np.sin(a).add(n)).slice(0);
      return largest.less(40).and(smallest.less(1e9));
    };
    const f = (a: Array) =>
      lax.whileLoop(
        ({ n }) => goesOn(a, n.astype("float32")),
        ({ n }) => ({ n: n.add(1), x: np.broadcastTo(n.astype("float32"), [64]).add(np.arange(64)) }),
        { n: np.int32(0), x: np.zeros([64]) },
      ).x;
    expectSame(f, [np.arange(64).astype("float32").mul(0.1)]);
  });

  it("what one program leaves there is nothing to another", () => {
    const table = wholeNumbers([1000]);
    const lookUp = onFreshMemory((i) => table.slice(i).add(table));
    const large = onFreshMemory((x) => np.broadcastTo(x, [100_000]).add(np.arange(100_000)));
    const state = onFreshMemory((x) =>
      lax.scan((c: Array, i: Array) => [c.at(i).add(1), c.sum()], x, np.arange(9)),
    );
    for (const turn of [1, 2, 3]) {
      const [i, x] = [np.int32(turn), wholeNumbers([1000], "float32", turn)];
      expect(differences(lookUp(i), table.slice(i).add(table))).toEqual([]);
      expect((large(np.float32(turn)) as Array).slice(-1).item()).toBe(99_999 + turn);
      const expected = lax.scan((c: Array, at: Array) => [c.at(at).add(1), c.sum()], x, np.arange(9));
      expect(differences(state(x), expected)).toEqual([]);
    }
  });
});
