// Compiled reads and writes at computed places equal interpreted ones.
import { describe, it } from "vitest";
import { grad, lax, np, vmap, type Array } from "vibe-rl/array";
import { expectAllSame, expectSame, wholeNumbers, type Computation } from "./compare.js";
import { dtypes } from "./samples.js";
import { combinations, int32, places, writes } from "./writePrograms.js";

const x = wholeNumbers([9, 12]);
const short = wholeNumbers([9, 4]);

describe("reading", () => {
  const programs: Record<string, [f: Computation, args: Array[]]> = {
    "rows of a matrix": [(a, i) => a.slice(i), [x, places([7], 9)]],
    "columns of a matrix": [(a, i) => a.slice(":", i), [x, places([5], 12)]],
    "from short axes": [(a, i) => [a.slice(":", i), a.T.slice(i)], [short, places([6], 4)]],
    "single elements": [(a, i, j) => a.slice(i, j), [x, places([10], 9), places([10], 12, 2)]],
    "at two-dimensional indices": [(a, i) => a.slice(i), [x, places([3, 4], 9)]],
    "at indices that broadcast": [
      (a, i, j) => a.slice(i.slice(":", null), j),
      [x, places([4], 9), places([3], 12, 2)],
    ],
    "behind and before": [(a, i) => a.slice(int32(-100, 100, 0).add(i)), [x, int32(0)]],
    "with take, in every mode": [
      (a, i) => [
        np.take(a, i),
        np.take(a, i, 0),
        np.take(a, i, 1, { mode: "wrap" }),
        np.take(a, i, 0, { mode: "fill" }),
      ],
      [x, places([2, 3], 9)],
    ],
    "along an axis": [
      (a, i) => [np.takeAlongAxis(a, i, 0), np.takeAlongAxis(a.T, i.T, 1)],
      [x, places([5, 12], 9)],
    ],
    "one of each row": [(a, i) => np.takeAlongAxis(a, i.slice(":", null), 1), [x, places([9], 12)]],
    "one of each short row": [
      (a, i) => np.takeAlongAxis(a.mul(2), i.slice(":", null), 1).squeeze(1),
      [short, places([9], 4)],
    ],
    "of each example": [vmap((a: Array, i: Array) => a.slice(i)), [x, places([9, 3], 12)]],
    "of each example, one table": [vmap((i: Array) => x.slice(i)), [places([4, 3], 9)]],
    "of each example, one place": [vmap((a: Array) => a.slice(int32(3, -1, 40))), [x]],
    "from what is computed": [
      (a, i) =>
        np
          .abs(a)
          .add(1)
          .slice(i)
          .mul(a.mul(2).T.slice(i.slice(0)).sum()),
      [x, places([7], 9)],
    ],
    "from views": [
      (a, i) => [
        a.T.slice(i),
        np.flip(a).slice(i),
        a.slice("::2").slice(i),
        np.broadcastTo(a.slice(0), [5, 12]).slice(i),
        np.pad(a, 1).slice(i),
      ],
      [x, places([7], 9)],
    ],
    "from a table of constants": [(i) => [np.arange(10).slice(i), np.eye(4).slice(i)], [places([7], 9)]],
    "at places that were read": [(a, i) => a.slice(i.slice(i.slice(i))), [x, places([9], 9)]],
    "from a short axis again and again": [
      (a, i) => {
        let s = a;
        for (let turn = 0; turn < 12; turn++) s = np.takeAlongAxis(s, i.add(turn).mod(4), 1).add(s);
        return s;
      },
      [short, places([9, 4], 4)],
    ],
    "from one element": [(a, i) => a.slice(":1", ":1").slice(i), [x, places([5], 2)]],
    nothing: [(a, i) => [a.slice(i.slice(":0")), a.slice(":0").sum()], [x, places([5], 9)]],
    "from nothing": [(i) => np.zeros([0, 3]).slice(i), [np.zeros([0], { dtype: "int32" })]],
    "and differentiating": [
      grad((a: Array, i: Array) =>
        a
          .slice(i)
          .mul(a.slice(i.add(1)))
          .sum(),
      ),
      [x, places([12], 9)],
    ],
  };
  it.each(Object.entries(programs))("%s", (_, [f, args]) => expectSame(f, args));
  it("every dtype", () => {
    expectAllSame(
      dtypes.map((dtype) => ({
        name: dtype,
        f: (a: Array, i: Array) => [a.slice(i), a.slice(":", i), a.slice(i, i)],
        args: [wholeNumbers([9, 12], dtype), places([11], 9)],
      })),
    );
  });
});

describe("writing", () => {
  describe.each(Object.entries(writes))("%s", (_, write) => {
    it.each(combinations)("%s", (combine) => expectAllSame(dtypes.map((dtype) => write(combine, dtype))));
  });

  const programs: Record<string, [f: Computation, args: Array[]]> = {
    "what was there is still read": [
      (a, i) => [a.at(i).set(a.slice(0)), a.at(i).add(a.slice(i)), a, a.at(i).mul(2).sub(a)],
      [x, places([7], 9)],
    ],
    "one update after the other": [
      (a, i) =>
        a.at(i).set(1).at(i.add(1)).add(2).at(0).set(9).at(i.slice(0), i.slice(1)).mul(3).at("2:4").add(1),
      [x, places([7], 9)],
    ],
    "the same array in two ways": [
      (a, i) => {
        const [b, c] = [a.at(i).set(1), a.at(i).set(2)];
        return [b, c, b.add(c), a.at(i).get()];
      },
      [x, places([7], 9)],
    ],
    "into zeros": [
      (i, u) => [np.zeros([9]).at(i).add(u), np.zeros([20, 3]).at(i).set(1), np.ones([9]).at(i).mul(u)],
      [places([12], 9), wholeNumbers([12])],
    ],
    "into what is computed": [
      (a, i) => [a.mul(2).at(i).add(1), a.T.at(i).set(0), np.flip(a).at(i).set(5)],
      [x, places([7], 9)],
    ],
    "updates that are views": [
      (a, i, u) => [a.at(i).set(u.T), a.at(i).add(np.flip(u.T, 1)), a.at(i).set(u.slice(":", 0))],
      [x, places([12], 9), wholeNumbers([12, 12], "float32", 3)],
    ],
    "read again at other places": [(a, i) => a.at(i).set(7).slice(i.add(1)).sum(1), [x, places([7], 9)]],
    "to nothing": [
      (a, i) => [a.at(i.slice(":0")).set(1), a.slice(":0").at(i.slice(":0")).set(1)],
      [x, places([7], 9)],
    ],
    counts: [(i) => np.zeros([10], { dtype: "int32" }).at(i).add(1), [places([100], 7)]],
    "and differentiating": [
      grad((a: Array, u: Array, i: Array) => a.at(i).set(u).mul(a.at(i).add(u)).sum(), {
        argnums: [0, 1],
      }),
      [x, wholeNumbers([7, 12], "float32", 3), places([7], 9)],
    ],
    "to each example its own place": [
      vmap((a: Array, i: Array) => a.at(i).set(99), [null, 0]),
      [wholeNumbers([12]), places([5], 12)],
    ],
  };
  it.each(Object.entries(programs))("%s", (_, [f, args]) => expectSame(f, args));

  it("the last of several updates of one place wins, whatever the layout", () => {
    const rows = int32(0, 1, 0, 2, 1, 0, 3, 3, 2, 0, 1, 2, 3, 1, 0, 2);
    const table = int32(0, 1, 0, 2, 1, 0, 3, 3, 1, 0, 0, 2, 1, 3, 3, 0, 0, 1, 2, 0, 1, 2, 0, 1).reshape([
      3, 8,
    ]);
    const updates = ([m, n]: readonly [number, number]) =>
      np
        .arange(m * n)
        .astype("float32")
        .reshape([m, n]);
    expectSame((a, u, at) => a.at(at).set(u), [np.zeros([12, 5]), updates([16, 5]), rows]);
    expectSame((a, u, at) => a.at(":", at).set(u), [np.zeros([5, 12]), updates([5, 16]), rows]);
    expectSame((a, u, at) => a.at(at).set(u.T), [np.zeros([12, 5]), updates([5, 16]), rows]);
    expectSame((a, u, at) => a.at(at).set(u), [np.zeros([12]), updates([3, 8]), table]);
    expectSame((a, u, at) => a.at(at).set(u.T), [np.zeros([12]), updates([8, 3]), table]);
    expectSame((a, u, at) => a.at(at.T).set(u), [np.zeros([12]), updates([8, 3]), table]);
  });
});

describe("blocks at computed places", () => {
  const starts = [-100, -7, -1, 0, 3, 8, 100];
  it("are moved inside where they stick out", () => {
    for (const [row, column] of starts.flatMap((a, at) => [
      [a, starts[at]],
      [a, starts[(at * 3 + 1) % 7]],
    ])) {
      expectSame(
        (a, i, j, u) => [
          lax.dynamicSlice(a, [i, j], [4, 5]),
          lax.dynamicUpdateSlice(a, u, [i, j]),
          lax.dynamicSlice(a.T, [j, 0], [5, 9]),
          lax.dynamicSliceInDim(a.mul(2), i, 3, 1),
          lax.dynamicIndexInDim(a, i, 0, { keepdims: false }),
          lax.dynamicUpdateIndexInDim(a, u.sum(), j, 1),
          a.slice(i, ":", null),
          a.slice("::2", j),
        ],
        [x, int32(row).reshape([]), int32(column).reshape([]), wholeNumbers([2, 3], "float32", 2)],
      );
    }
  });
  it.each(dtypes)("of %s", (dtype) => {
    expectSame(
      (a, i, u) => [lax.dynamicSlice(a, [i, 1], [3, 9]), lax.dynamicUpdateSlice(a, u, [i, i])],
      [wholeNumbers([9, 12], dtype), int32(4).reshape([]), wholeNumbers([3, 2], dtype, 2)],
    );
  });
  it("of the whole, of one element, of nothing", () => {
    expectSame(
      (a, i) => [
        lax.dynamicSlice(a, [i, i], [9, 12]),
        lax.dynamicUpdateSlice(a, a.mul(2), [i, i]),
        lax.dynamicSlice(a, [i, i], [1, 1]),
        lax.dynamicSlice(a, [i, i], [0, 3]),
        lax.dynamicUpdateSlice(a, np.zeros([0, 3]), [i, i]),
      ],
      [x, int32(5).reshape([])],
    );
  });
  it("of padded, joined and reversed arrays", () => {
    expectSame(
      (a, i) => [
        lax.dynamicSlice(
          np.pad(a, [
            [3, 3],
            [0, 0],
          ]),
          [i, 0],
          [4, 12],
        ),
        lax.dynamicSlice(np.concatenate([a, a.mul(2)]), [i, i], [5, 5]),
        lax.dynamicSlice(np.flip(a, 0), [i, 0], [3, 12]),
        lax.dynamicSlice(np.stack([a, a.neg()], 2), [0, i, i], [9, 4, 1]),
        lax.dynamicSlice(np.arange(50).mul(2), [i.mul(5)], [6]),
        lax.dynamicSlice(np.cumsum(a, 0), [i, i], [2, 2]),
      ],
      [x, int32(6).reshape([])],
    );
  });
  it("single elements and rows of reversed arrays", () => {
    for (const at of [0, 1, 5, 20]) {
      expectSame(
        (a, i) => [
          lax.dynamicSlice(np.flip(a), [i, i], [1, 1]),
          np.flip(a, 0).slice(i),
          np.flip(a.T, 0).slice(i, "::2"),
          a.slice("::-2", 3).slice(i).mul(2),
          np.flip(a).slice(0, i),
        ],
        [x, int32(at).reshape([])],
      );
    }
  });
  it("each example at its own place, and differentiating", () => {
    const place = places([9], 12);
    expectSame(
      vmap((a: Array, i: Array) => lax.dynamicSlice(a, [i], [4])),
      [x, place],
    );
    expectSame(
      vmap((a: Array, i: Array) => lax.dynamicUpdateSlice(a, a.slice(":3").mul(2), [i])),
      [x, place],
    );
    expectSame(
      vmap((i: Array) => lax.dynamicSlice(x, [i, i], [2, 3])),
      [place],
    );
    expectSame(
      grad((a: Array, i: Array) =>
        lax
          .dynamicSlice(a, [i, 2], [3, 4])
          .mul(lax.dynamicUpdateSlice(a, a.slice(":2", ":2"), [i, i]).slice(":3", ":4"))
          .sum(),
      ),
      [x, int32(4).reshape([])],
    );
  });
  it("what was there is still read", () => {
    expectSame(
      (a, i) => {
        const b = lax.dynamicUpdateSlice(a, a.slice("4:6"), [i, 0]);
        const c = lax.dynamicUpdateSlice(b, a.slice(":1").add(b.slice("2:3")), [i.add(1), 0]);
        return [c, b.sum(0), lax.dynamicUpdateSlice(c, np.flip(c), [0, 0]), a.sub(c)];
      },
      [x, int32(3).reshape([])],
    );
  });
});
