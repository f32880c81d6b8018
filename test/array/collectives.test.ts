// Collectives along the named axes of vmap: what they compute, in every place a function may have them.
import { describe, expect, it } from "vitest";
import {
  checkGrads,
  checkpoint,
  customJvp,
  customVjp,
  grad,
  jit,
  jvp,
  lax,
  makeProgram,
  np,
  tree,
  valueAndGrad,
  vmap,
  type Array,
} from "vibe-rl/array";
import { withAxes } from "../../src/array/core/namedAxes.js";
import { traceProgram } from "../../src/array/core/trace.js";
import { partitionProgram } from "../../src/array/transforms/partition.js";
import { pruneProgram } from "../../src/array/transforms/prune.js";

const named = <F extends (...args: never[]) => unknown>(f: F, axisName = "i"): F =>
  vmap(f, 0, 0, { axisName });

const grid = np.arange(12).reshape([4, 3]).astype("float32");
const double = (...numbers: number[]): Array => np.array(numbers, { dtype: "float64" });

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

describe("derivatives of collectives", () => {
  it("inside vmap the cotangents of all examples are summed, as in JAX", () => {
    const x = np.array([1, 2, 3]);
    const f = named(grad((a: Array) => lax.psum(np.square(a), "i")));
    expect(f(x).toArray()).toEqual([6, 12, 18]);
    const mean = named(grad((a: Array) => lax.pmean(np.square(a), "i")));
    expect(mean(x).toArray()).toEqual([2, 4, 6]);
  });

  it("a mean of gradients is the gradient of the mean", () => {
    const loss = (w: Array, x: Array): Array => np.square(w.mul(x).sub(1)).sum();
    const w = np.array([0.5, -1, 2]);
    const each = vmap((x: Array) => lax.pmean(grad(loss)(w, x), "i"), 0, null, { axisName: "i" })(grid);
    const whole = grad((v: Array) => vmap((x: Array) => loss(v, x))(grid).mean())(w);
    expect(each.toArray()).toEqual(whole.toArray());
  });

  const weigh = (y: Array): Array => y.mul(np.arange(y.size).reshape(y.shape).add(1).astype("float64")).sum();
  const values = np.sin(np.arange(12).astype("float64").mul(0.37)).reshape([3, 4]);
  const cases: Record<string, (x: Array) => Array> = {
    psum: (x) => lax.psum(np.square(x), "i").mul(x),
    pmean: (x) => lax.pmean(np.sin(x), "i").mul(x),
    pmax: (x) => lax.pmax(np.square(x), "i").mul(x),
    pmin: (x) => lax.pmin(np.square(x), "i").mul(x),
    allGather: (x) => lax.allGather(np.square(x), "i").mul(x),
    "allGather tiled": (x) => lax.allGather(np.square(x), "i", { tiled: true }),
    psumScatter: (x) => lax.psumScatter(np.square(x.slice(":3")), "i").mul(x),
    "psumScatter tiled": (x) =>
      lax.psumScatter(np.concatenate([x, np.square(x), np.sin(x)]), "i", { tiled: true }),
    ppermute: (x) =>
      lax
        .ppermute(np.square(x), "i", [
          [0, 2],
          [2, 0],
        ])
        .mul(x),
    allToAll: (x) => lax.allToAll(np.square(x.slice(":3")), "i", 0, 0),
    axisIndex: (x) => np.square(x).mul(lax.axisIndex("i")),
    "psum in a scan": (x) =>
      lax.scan((carry: Array, each: Array) => [carry.mul(lax.psum(each, "i")), carry], x.sum(), x)[0],
    "psum in a checkpoint": (x) => checkpoint((a: Array) => lax.psum(np.sin(a), "i").mul(a))(x),
    "psum in a branch": (x) =>
      lax.cond(
        lax.axisIndex("i").greater(0),
        (a: Array) => np.square(a),
        (a: Array) => np.sin(a),
        lax.psum(np.square(x), "i"),
      ),
  };
  for (const [name, f] of Object.entries(cases)) {
    it(`${name} agrees with finite differences, from outside vmap and from inside`, () => {
      checkGrads((x: Array) => weigh(named(f)(x)), [values]);
      // From inside, the examples' cotangents meet in the transposed collectives: the gradient of the sum of all results.
      const inside = named((x: Array) => grad((a: Array) => f(a).sum())(x))(values);
      const outside = grad((x: Array) => named(f)(x).sum())(values);
      expect(np.allclose(inside, outside).item()).toBe(true);
    });
  }

  it("pmax shares the gradient evenly among the largest", () => {
    const f = (x: Array): Array => named((a: Array) => lax.pmax(a, "i"))(x).mean();
    expect(grad(f)(double(3, 1, 3)).toArray()).toEqual([0.5, 0, 0.5]);
    const [value, tangent] = jvp(f, [double(3, 1, 2)], [double(10, 20, 30)]);
    expect([value.item(), tangent.item()]).toEqual([3, 10]);
  });

  it("arrays that are summed together are differentiated and left out one by one", () => {
    const f = named((x: Array) => {
      const sums = lax.psum({ moving: np.square(x), fixed: lax.stopGradient(x), unused: np.exp(x) }, "i");
      return sums.moving.mul(np.square(sums.fixed));
    });
    const x = np.array([1, 2, 3]);
    expect(grad((a: Array) => f(a).sum())(x).toArray()).toEqual([216, 432, 648]);
    const { program } = withAxes([{ name: "i", size: 3 }], () =>
      traceProgram("sums", [x.type, x.type], ([a, b]) => lax.psum([a, b], "i")),
    );
    const [first] = pruneProgram({ ...program, outputs: program.outputs.slice(0, 1) }).equations;
    expect(first.inputs).toEqual(program.inputs.slice(0, 1));
    const parts = partitionProgram(program, [true, false]);
    expect(parts.unknownOutputs).toEqual([true, false]);
    expect([parts.known.equations[0].inputs.length, parts.residuals.length]).toEqual([1, 0]);
  });

  it("rules of custom functions may name the axis, whenever they are run", () => {
    // Summed on the way back only.
    const shared = customVjp((x: Array) => x);
    shared.defvjp(
      (x) => [x, null],
      (_residuals, ct) => [lax.psum(ct, "i")],
    );
    const scaled = customJvp((x: Array) => x);
    scaled.defjvp(([x], [t]) => [x, lax.pmean(t, "i")]);
    const x = np.array([1, 2, 3]);
    const weighed = (f: (a: Array) => Array) => (a: Array) => f(a).mul(lax.axisIndex("i").add(1));
    expect(named(grad(weighed(shared)))(x).toArray()).toEqual([6, 6, 6]);
    expect(grad((a: Array) => named(weighed(shared))(a).sum())(x).toArray()).toEqual([6, 6, 6]);
    expect(grad((a: Array) => named(weighed(scaled))(a).sum())(x).toArray()).toEqual([2, 2, 2]);
    const [, tangent] = jvp(named(weighed(scaled)), [x], [np.array([3, 0, 0])]);
    expect(tangent.toArray()).toEqual([1, 2, 3]);
    // An argument that the examples share: the rule is vectorised for the sake of the axis alone.
    const withShared = (w: Array): Array =>
      vmap((_: Array, v: Array) => shared(v), [0, null], 0, { axisName: "i" })(x, w).sum();
    expect(grad(withShared)(np.array(1)).item()).toBe(9);
  });

  it("train in parallel: gradients and losses over examples of a batch", () => {
    const step = (w: Array, x: Array): readonly [Array, Array] => {
      const [loss, gradient] = valueAndGrad((v: Array) => np.square(v.mul(x).sub(1)).sum())(w);
      return lax.pmean([loss, gradient] as const, "i");
    };
    const [loss, gradient] = vmap(step, [null, 0], null, { axisName: "i" })(np.array([1, 1, 1]), grid);
    const whole = np.square(grid.sub(1)).sum(1).mean().item();
    expect(loss.item()).toBeCloseTo(whole, 4);
    expect(gradient.shape).toEqual([3]);
  });
});

describe("what collectives refuse", () => {
  it("names that are not bound, with those that are", () => {
    expect(() => lax.psum(np.ones([2]), "i")).toThrow(
      /lax\.psum: there is no axis "i" here; none is named\. Name one with vmap\(f, inAxes, outAxes, \{ axisName \}\)/,
    );
    expect(() => named((x: Array) => lax.axisIndex("rows").add(x), "cols")(grid)).toThrow(
      /lax\.axisIndex: there is no axis "rows" here; the named ones are "cols"/,
    );
    expect(() => vmap((x: Array) => lax.psum(x, "i"))(grid)).toThrow(/no axis "i"/);
    expect(() => grad((x: Array) => lax.psum(x, "i").sum())(grid)).toThrow(/no axis "i"/);
    // Bound while the function runs, and no longer.
    named((x: Array) => lax.psum(x, "i"))(grid);
    expect(() => lax.axisSize("i")).toThrow(/none is named/);
    expect(() =>
      named((_: Array) => {
        throw new Error("on its way");
      })(grid),
    ).toThrow("on its way");
    expect(() => lax.axisSize("i")).toThrow(/none is named/);
  });

  it("a name inside its own axis, and names that are none", () => {
    const twice = named(vmap((x: Array) => lax.psum(x, "i"), 0, 0, { axisName: "i" }));
    expect(() => twice(grid)).toThrow(/the axis name "i" is that of an axis around it already/);
    expect(() => vmap((x: Array) => x, 0, 0, { axisName: 3 as unknown as string })(grid)).toThrow(
      /must be a string such as "batch", got 3/,
    );
    expect(() => named((x: Array) => lax.psum(x, ["i", "i"]))(grid)).toThrow(/"i" is named twice/);
    expect(() => named((x: Array) => lax.psum(x, []))(grid)).toThrow(/needs the name of an axis/);
  });

  it("dimensions that cannot be cut, and pairs that are none", () => {
    expect(() => named((x: Array) => lax.psumScatter(x, "i"))(grid)).toThrow(
      /lax\.psumScatter: dimension 0 of float32\[3\] must have 4 elements.*tiled/,
    );
    expect(() => named((x: Array) => lax.allToAll(x, "i", 0, 0, { tiled: true }))(grid)).toThrow(
      /lax\.allToAll: dimension 0 of float32\[3\] must have a multiple of 4 elements, as many as there are along "i"/,
    );
    expect(() => named((x: Array) => lax.ppermute(x, "i", [[0, 4]]))(grid)).toThrow(
      /numbers from 0 to 3, got \[\[0,4\]\]/,
    );
    expect(() =>
      named((x: Array) =>
        lax.ppermute(x, "i", [
          [0, 1],
          [2, 1],
        ]),
      )(grid),
    ).toThrow(/perm lets 1 receive twice/);
    expect(() => named((x: Array) => lax.allGather(x, "i", { axis: 2 }))(grid)).toThrow(
      /axis 2 is out of range/,
    );
  });

  it("leaves trees as they were", () => {
    const f = named((x: Array) => lax.psum({ b: x, a: [x, null] }, "i"));
    expect(tree.structure(f(grid))).toEqual(tree.structure({ b: grid, a: [grid, null] }));
  });
});
