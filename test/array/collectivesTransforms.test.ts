// Derivatives of collectives, and what they refuse.
import { describe, expect, it } from "vitest";
import {
  checkGrads,
  checkpoint,
  customJvp,
  customVjp,
  grad,
  jvp,
  lax,
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
