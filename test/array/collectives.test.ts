// Collectives along the named axes of vmap: what they compute, in every place a function may have them.
import { describe, expect, it } from "vitest";
import { checkpoint, jit, lax, makeProgram, np, vmap, type Array } from "vibe-rl/array";

const named = <F extends (...args: never[]) => unknown>(f: F, axisName = "i"): F =>
  vmap(f, 0, 0, { axisName });
const grid = np.arange(12).reshape([4, 3]).astype("float32");

describe("collectives under vmap with an axisName", () => {
  it("psum, pmean, pmax and pmin reduce over the examples, and all of them get the result", () => {
    const x = np.array([1, 5, 3, 2]);
    expect(named((a: Array) => lax.psum(a, "i"))(x).toArray()).toEqual([11, 11, 11, 11]);
    expect(named((a: Array) => lax.pmean(a, "i"))(x).toArray()).toEqual([2.75, 2.75, 2.75, 2.75]);
    expect(named((a: Array) => lax.pmax(a, "i"))(x).toArray()).toEqual([5, 5, 5, 5]);
    expect(named((a: Array) => lax.pmin(a, "i"))(x).toArray()).toEqual([1, 1, 1, 1]);
    expect(vmap((a: Array) => lax.psum(a, "i"), 0, null, { axisName: "i" })(x).item()).toBe(11);
  });

  it("take trees, in which plain numbers are the same for all examples", () => {
    const f = named((a: Array) => {
      const sums = lax.psum({ a, one: 1, list: [a.mul(2)] }, "i");
      expect(sums.one).toBe(4);
      expect(lax.pmean({ half: 0.5 }, "i").half).toBe(0.5);
      expect(lax.pmax(3, "i")).toBe(3);
      return sums.list[0].div(sums.one).add(lax.allGather({ a }, "i").a.sum());
    });
    expect(f(np.array([1, 2, 3, 4])).toArray()).toEqual([15, 15, 15, 15]);
  });

  it("psum counts booleans; pmean of integers is a float", () => {
    const f = named((x: Array) => [lax.psum(x.greater(1), "i"), lax.pmean(x, "i")] as const);
    const [count, mean] = f(np.int32([0, 1, 2, 3]));
    expect([count.dtype, mean.dtype]).toEqual(["int32", "float32"]);
    expect([count.slice(0).item(), mean.slice(0).item()]).toEqual([2, 1.5]);
  });

  it("psum of a value that all examples share is that many times it", () => {
    const f = vmap(
      (_x: Array, shared: Array) => [lax.psum(shared, "i"), lax.pmax(shared, "i")] as const,
      [0, null],
      null,
      { axisName: "i" },
    );
    const [sum, max] = f(grid, np.array([1, 2]));
    expect(sum.toArray()).toEqual([4, 8]);
    expect(max.toArray()).toEqual([1, 2]);
  });

  it("keep the dtype, and wrap around as its sums do", () => {
    for (const dtype of ["uint8", "int32", "uint32", "float64"] as const) {
      const f = vmap(
        (x: Array, shared: Array) => [
          lax.psum(x, "i"),
          lax.psum(shared, "i"),
          lax.psumScatter(lax.allGather(x, "i"), "i"),
          lax.pmax(x, "i"),
        ],
        [0, null],
        0,
        { axisName: "i" },
      );
      const results = f(np.array([100, 100, 100], { dtype }), np.array(100, { dtype }));
      expect(results.map((result) => result.dtype)).toEqual([dtype, dtype, dtype, dtype]);
      const sum = dtype === "uint8" ? 44 : 300;
      expect(results.map((result) => result.slice(1).item())).toEqual([sum, sum, sum, 100]);
    }
  });

  it("axisIndex numbers the examples, axisSize counts them", () => {
    const f = named((x: Array) => x.mul(0).add(lax.axisIndex("i").mul(10)).add(lax.axisSize("i")));
    expect(f(np.zeros([3])).toArray()).toEqual([3, 13, 23]);
    expect(named((_: Array) => lax.axisIndex("i"))(np.zeros([3])).toArray()).toEqual([0, 1, 2]);
  });

  it("allGather stacks, or with tiled puts side by side", () => {
    const stacked = vmap((x: Array) => lax.allGather(x, "i", { axis: 1 }), 0, null, { axisName: "i" });
    expect(stacked(grid).toArray()).toEqual(grid.T.toArray());
    const tiled = vmap((x: Array) => lax.allGather(x, "i", { tiled: true }), 0, null, { axisName: "i" });
    expect(tiled(grid).toArray()).toEqual(np.arange(12).toArray());
    const last = vmap((x: Array) => lax.allGather(x, "i", { axis: -1 }), 0, null, { axisName: "i" });
    expect(last(grid).shape).toEqual([3, 4]);
    const shared = vmap((_: Array, s: Array) => lax.allGather(s, "i"), [0, null], null, { axisName: "i" });
    expect(shared(np.zeros([2]), np.array([1, 2])).toArray()).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });

  it("psumScatter leaves each example its part of the sum", () => {
    const x = np.arange(16).reshape([4, 4]).astype("float32");
    expect(named((row: Array) => lax.psumScatter(row, "i"))(x).toArray()).toEqual(x.sum(0).toArray());
    const wide = np.arange(32).reshape([4, 8]).astype("float32");
    const blocks = named((row: Array) => lax.psumScatter(row, "i", { tiled: true }))(wide);
    expect(blocks.toArray()).toEqual(wide.sum(0).reshape([4, 2]).toArray());
    const second = named((m: Array) => lax.psumScatter(m, "i", { scatterDimension: 1 }));
    const cube = np.arange(18).reshape([3, 2, 3]).astype("float32");
    expect(second(cube).toArray()).toEqual(cube.sum(0).T.toArray());
  });

  it("ppermute sends along the pairs, and who gets nothing has zeros", () => {
    const shift = named((x: Array) =>
      lax.ppermute(x, "i", [
        [0, 1],
        [1, 2],
        [2, 3],
      ]),
    );
    expect(shift(np.array([1, 2, 3, 4])).toArray()).toEqual([0, 1, 2, 3]);
    const ring = named((x: Array) =>
      lax.ppermute(
        x,
        "i",
        [0, 1, 2, 3].map((at) => [at, (at + 1) % 4] as const),
      ),
    );
    expect(ring(np.int32([1, 2, 3, 4])).toArray()).toEqual([4, 1, 2, 3]);
    const shared = vmap((_: Array, s: Array) => lax.ppermute(s, "i", [[0, 1]]), [0, null], 0, {
      axisName: "i",
    });
    expect(shared(np.zeros([2]), np.array([7])).toArray()).toEqual([[0], [7]]);
  });

  it("allToAll transposes examples and a dimension", () => {
    const x = np.arange(9).reshape([3, 3]).astype("float32");
    expect(named((row: Array) => lax.allToAll(row, "i", 0, 0))(x).toArray()).toEqual(x.T.toArray());
    const cube = np.arange(24).reshape([2, 3, 4]).astype("float32");
    const tiled = named((m: Array) => lax.allToAll(m, "i", 1, 0, { tiled: true }))(cube);
    const [a, b] = [cube.slice(0), cube.slice(1)];
    const half = (m: Array, from: number): Array => m.slice(":", `${from}:${from + 2}`);
    expect(tiled.shape).toEqual([2, 6, 2]);
    expect(tiled.slice(0).toArray()).toEqual(np.concatenate([half(a, 0), half(b, 0)]).toArray());
    expect(tiled.slice(1).toArray()).toEqual(np.concatenate([half(a, 2), half(b, 2)]).toArray());
  });

  it("leave no collective behind, so that the result compiles for one device", () => {
    const f = named((x: Array) => lax.psum(lax.allGather(x, "i").mul(lax.axisIndex("i")), "i"));
    expect(makeProgram(f)(grid).toString()).not.toMatch(/psum|allGather|axisIndex/);
    expect(jit(f)(grid).toArray()).toEqual(f(grid).toArray());
  });
});

/** Arrays of a 2 x 3 arrangement in row-major order, through f of one of them, with axes x and y. */
const onGrid = (f: (x: Array) => Array, blocks: Array): Array =>
  vmap(vmap(f, 0, 0, { axisName: "y" }), 0, 0, { axisName: "x" })(
    blocks.reshape([2, 3, ...blocks.shape.slice(1)]),
  ).reshape([6, -1]);

/** The same with the axes the other way round: y is mapped outside. */
const turned = (f: (x: Array) => Array, blocks: Array): Array =>
  vmap(vmap(f, 0, 0, { axisName: "x" }), 1, 1, { axisName: "y" })(
    blocks.reshape([2, 3, ...blocks.shape.slice(1)]),
  ).reshape([6, -1]);

describe("collectives along several axes", () => {
  const blocks = np.arange(72).reshape([6, 12]).astype("float32").mul(np.arange(12).add(1));
  const flat = (f: (x: Array) => Array): Array => vmap(f, 0, 0, { axisName: "all" })(blocks).reshape([6, -1]);
  const cases: Record<string, (names: string | readonly string[]) => (x: Array) => Array> = {
    psum: (names) => (x) => lax.psum(x, names),
    pmax: (names) => (x) => lax.pmax(x.neg(), names),
    pmean: (names) => (x) => lax.pmean(x, names),
    allGather: (names) => (x) => lax.allGather(x, names),
    "allGather tiled": (names) => (x) => lax.allGather(x.reshape([3, 4]), names, { axis: 1, tiled: true }),
    psumScatter: (names) => (x) => lax.psumScatter(x, names, { tiled: true }),
    "psumScatter of a later dimension": (names) => (x) =>
      lax.psumScatter(x.reshape([2, 6]), names, { scatterDimension: 1 }),
    allToAll: (names) => (x) => lax.allToAll(x, names, 0, 0, { tiled: true }),
    "allToAll from behind": (names) => (x) => lax.allToAll(x.reshape([2, 6]), names, 1, 0),
    "allToAll from the front": (names) => (x) =>
      lax.allToAll(x.reshape([6, 2]), names, 0, 1, { tiled: true }),
    axisIndex: (names) => (x) => x.add(lax.axisIndex(names).mul(1000)),
    axisSize: (names) => (x) => x.mul(lax.axisSize(names)),
  };
  for (const [name, make] of Object.entries(cases)) {
    it(`${name} over two axes is that over one axis in row-major order`, () => {
      const expected = flat(make("all")).toArray();
      expect(onGrid(make(["x", "y"]), blocks).toArray()).toEqual(expected);
      expect(turned(make(["x", "y"]), blocks).toArray()).toEqual(expected);
    });
  }

  it("three axes keep their order whichever is mapped first", () => {
    const values = np
      .arange(8 * 8)
      .reshape([2, 2, 2, 8])
      .astype("float32");
    const gather = (x: Array): Array => lax.allGather(x, ["a", "b", "c"]).add(lax.axisIndex(["a", "b", "c"]));
    const exchange = (x: Array): Array => lax.allToAll(x, ["a", "b", "c"], 0, 0);
    const scatter = (x: Array): Array => lax.psumScatter(x, ["a", "b", "c"]);
    const inOrder = (f: (x: Array) => Array): Array =>
      vmap(vmap(vmap(f, 0, 0, { axisName: "c" }), 0, 0, { axisName: "b" }), 0, 0, { axisName: "a" })(values);
    const middleFirst = (f: (x: Array) => Array): Array =>
      vmap(vmap(vmap(f, 0, 0, { axisName: "b" }), 1, 1, { axisName: "c" }), 0, 0, { axisName: "a" })(values);
    for (const f of [gather, exchange, scatter]) {
      expect(middleFirst(f).toArray()).toEqual(inOrder(f).toArray());
    }
    expect(inOrder(exchange).reshape([8, 8]).toArray()).toEqual(values.reshape([8, 8]).T.toArray());
  });

  it("over one of two axes work within its groups", () => {
    const x = np.arange(6).reshape([2, 3]).astype("float32");
    const f = (over: string) =>
      vmap(
        vmap((a: Array) => lax.psum(a, over), 0, 0, { axisName: "y" }),
        0,
        0,
        { axisName: "x" },
      );
    expect(f("y")(x).toArray()).toEqual([
      [3, 3, 3],
      [12, 12, 12],
    ]);
    expect(f("x")(x).toArray()).toEqual([
      [3, 5, 7],
      [3, 5, 7],
    ]);
  });

  it("are vectorised by a vmap of another axis", () => {
    const x = np.arange(48).reshape([4, 3, 4]).astype("float32");
    const check = (f: (row: Array) => Array): void => {
      const inside = vmap(vmap(f), 0, 0, { axisName: "i" })(x);
      const outside = vmap(vmap(f, 0, 0, { axisName: "i" }), 1, 1)(x);
      expect(inside.toArray()).toEqual(outside.toArray());
    };
    check((row) => lax.psum(row, "i"));
    check((row) => lax.pmax(row, "i"));
    check((row) => lax.allGather(row, "i", { axis: 1 }));
    check((row) => lax.psumScatter(row, "i"));
    check((row) => lax.ppermute(row, "i", [[0, 2]]));
    check((row) => lax.allToAll(row, "i", 0, 0));
    check((row) => row.add(lax.axisIndex("i")));
  });
});

describe("collectives inside control flow", () => {
  it("work in the body of a scan, on carries that do not differ between examples, too", () => {
    const f = named((x: Array) => {
      const step = (carry: Array, each: Array): readonly [Array, Array] => {
        const next = carry.add(lax.psum(each, "i"));
        return [next, lax.axisIndex("i").add(next)];
      };
      return lax.scan(step, np.array(0), x);
    });
    const [carry, ys] = f(grid);
    expect(carry.toArray()).toEqual([66, 66, 66, 66]);
    expect(ys.toArray()).toEqual([0, 1, 2, 3].map((i) => [18 + i, 40 + i, 66 + i]));
  });

  it("work in loops that run until all examples agree", () => {
    // Each example stops adding when the sum over all is large enough.
    const f = named((x: Array) =>
      lax.whileLoop(
        (total: Array) => lax.psum(total, "i").less(100),
        (total: Array) => total.mul(2),
        x,
      ),
    );
    expect(f(np.array([1, 2, 3, 4])).toArray()).toEqual([16, 32, 48, 64]);
  });

  it("work in both branches of cond, with a predicate of all or of each", () => {
    const f = named((x: Array, own: Array) => {
      const all = lax.cond(
        lax.pmax(x, "i").greater(3),
        (a: Array) => lax.psum(a, "i"),
        (a: Array) => a,
        x,
      );
      const each = lax.cond(
        own,
        (a: Array) => lax.pmax(a, "i"),
        (_a: Array) => lax.axisIndex("i").astype("float32"),
        x,
      );
      return [all, each] as const;
    });
    const [all, each] = f(np.array([1, 2, 3, 4]), np.array([true, false, true, false]));
    expect(all.toArray()).toEqual([10, 10, 10, 10]);
    expect(each.toArray()).toEqual([4, 1, 4, 3]);
  });

  it("are replaced where no operand of a loop, branch or checkpoint differs between examples", () => {
    const f = vmap(
      (_x: Array, shared: Array) => {
        const looped = lax.foriLoop(0, 3, (_i, total: Array) => total.add(lax.psum(1, "i")), shared);
        const branch = lax.cond(
          true,
          () => lax.axisIndex("i"),
          () => lax.axisIndex("i").neg(),
        );
        const kept = checkpoint((a: Array) => lax.psum(a, "i"))(shared);
        return looped.add(branch).add(kept);
      },
      [0, null],
      0,
      { axisName: "i" },
    );
    expect(f(np.zeros([4]), np.array(1)).toArray()).toEqual([17, 18, 19, 20]);
  });

  it("work inside jit", () => {
    const inner = jit((x: Array) => x.div(lax.psum(x, "i")));
    expect(named(inner)(np.array([1, 1, 2])).toArray()).toEqual([0.25, 0.25, 0.5]);
  });
});
