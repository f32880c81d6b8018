// shardMap under grad, jvp and vmap.
import { describe, expect, it } from "vitest";
import {
  checkGrads,
  checkpoint,
  customVjp,
  grad,
  jit,
  jvp,
  lax,
  makeProgram,
  np,
  shardMap,
  vmap,
  type Array,
} from "vibe-rl/array";
import { P, float64, grid, row } from "./shardMapBlocks.js";

describe("derivatives of shardMap", () => {
  const cases: Record<string, readonly [f: (...args: Array[]) => unknown, ...args: Array[]]> = {
    "a layer split over both axes": [
      shardMap(
        (x: Array, w: Array) => {
          const hidden = np.tanh(x.matmul(w));
          return [hidden, lax.pmean(np.square(hidden).sum(), ["x", "y"])] as const;
        },
        { mesh: grid, inSpecs: [P("x"), P(null, "y")], outSpecs: [P("x", "y"), P()] },
      ),
      float64([4, 3]),
      float64([3, 2], 1),
    ],
    "sums of products, which leave no axis out": [
      shardMap((x: Array, w: Array) => lax.psum(x.matmul(w), "x"), {
        mesh: grid,
        inSpecs: [P("y", "x"), P("x")],
        outSpecs: P("y"),
      }),
      float64([2, 4]),
      float64([4, 3], 1),
    ],
    "a value that all devices have": [
      shardMap((x: Array, w: Array) => np.sin(x.mul(w)), {
        mesh: grid,
        inSpecs: [P("y"), P()],
        outSpecs: P("y"),
      }),
      float64([4]),
      float64([], 1),
    ],
    "a result that mentions nothing": [
      shardMap((w: Array) => np.sin(w), { mesh: grid, inSpecs: P(), outSpecs: P() }),
      float64([3]),
    ],
    exchanges: [
      shardMap(
        (x: Array) => {
          const gathered = lax.allGather(np.sin(x), "i", { tiled: true });
          const scattered = lax.psumScatter(np.square(gathered), "i", { tiled: true });
          const moved = lax.ppermute(
            scattered,
            "i",
            [0, 1, 2, 3].map((at) => [at, (at + 1) % 4] as const),
          );
          return lax.allToAll(moved.mul(x), "i", 1, 0, { tiled: true });
        },
        { mesh: row, inSpecs: P("i"), outSpecs: P(null, "i") },
      ),
      float64([4, 4]),
    ],
    "the largest": [
      shardMap((x: Array) => lax.pmax(np.sin(x), "i"), { mesh: row, inSpecs: P("i"), outSpecs: P() }),
      float64([8]),
    ],
    "loops with sums in them": [
      shardMap(
        (x: Array) =>
          lax.scan(
            (carry: Array, each: Array) => [np.sin(carry).mul(lax.psum(each, "i")), carry.mul(each)],
            x.sum(0),
            x,
          ),
        { mesh: row, inSpecs: P("i"), outSpecs: [P("i"), P(null, "i")] },
      ),
      float64([8, 3]),
    ],
    "a checkpoint": [
      shardMap(
        checkpoint((x: Array) => lax.psum(np.sin(x).mul(x), "i")),
        {
          mesh: row,
          inSpecs: P("i"),
          outSpecs: P(),
        },
      ),
      float64([4]),
    ],
  };
  for (const [name, [f, ...args]] of Object.entries(cases)) {
    it(`agree with finite differences: ${name}`, () => {
      checkGrads(f, args);
      // With a batch around it, and compiled for a single device.
      const batch = args.map((arg) => np.stack([arg, arg.mul(0.9)]));
      checkGrads(vmap(f as (...inputs: Array[]) => Array), batch);
    });
  }

  it("gradients of a data-parallel loss are those of the whole batch, also taken inside", () => {
    const x = float64([8, 3]);
    const y = float64([8], 1);
    const w = float64([3], 2);
    const loss = (v: Array, a: Array, b: Array): Array => np.square(a.matmul(v).sub(b)).mean();
    const specs = { mesh: row, inSpecs: [P(), P("i"), P("i")], outSpecs: P() };
    const expected = grad(loss)(w, x, y);
    const outside = grad(shardMap((...args: [Array, Array, Array]) => lax.pmean(loss(...args), "i"), specs));
    const inside = shardMap((...args: [Array, Array, Array]) => lax.pmean(grad(loss)(...args), "i"), specs);
    expect(np.allclose(outside(w, x, y), expected).item()).toBe(true);
    expect(np.allclose(inside(w, x, y), expected).item()).toBe(true);
    expect(np.allclose(jit(outside)(w, x, y), expected).item()).toBe(true);
  });

  it("rules of custom functions may name the axes", () => {
    const shared = customVjp((w: Array) => w);
    shared.defvjp(
      (w) => [w, null],
      (_residuals, ct) => [lax.psum(ct, "i")],
    );
    const f = shardMap((w: Array, x: Array) => shared(w).mul(x), {
      mesh: row,
      inSpecs: P("i"),
      outSpecs: P("i"),
    });
    const [w, x] = [np.array([1, 2, 3, 4]), np.array([1, 10, 100, 1000])];
    expect(grad((v: Array) => f(v, x).sum())(w).toArray()).toEqual([1111, 1111, 1111, 1111]);
  });

  it("keeps nothing of results that nobody uses", () => {
    const f = shardMap((x: Array, y: Array) => [np.sin(x), np.exp(y)] as const, {
      mesh: row,
      inSpecs: P("i"),
      outSpecs: P("i"),
    });
    const listing = makeProgram(grad((x: Array, y: Array) => f(x, y)[0].sum()))(np.ones([4]), np.ones([4]));
    expect(listing.toString()).not.toMatch(/exp/);
    expect(listing.toString()).toContain("axes: [{ name: i, size: 4 }]");
  });
});

describe("shardMap under vmap", () => {
  it("works on the blocks of all examples, and may meet along the examples' axis", () => {
    const f = shardMap((x: Array, w: Array) => lax.psum(x.sum(), "i").mul(w), {
      mesh: row,
      inSpecs: [P("i"), P()],
      outSpecs: P(),
    });
    const batch = np.arange(24).reshape([3, 8]).astype("float32");
    expect(vmap(f, [0, null])(batch, np.array(2)).toArray()).toEqual(batch.sum(1).mul(2).toArray());
    const both = shardMap((x: Array) => lax.allGather(x, ["b", "i"], { tiled: true }), {
      mesh: row,
      inSpecs: P("i"),
      outSpecs: P(),
    });
    const gathered = vmap(both, 0, null, { axisName: "b" })(batch);
    expect(gathered.toArray()).toEqual(batch.reshape([-1]).toArray());
    const [, tangent] = jvp(vmap(f, [0, null]), [batch, np.array(2)], [np.ones([3, 8]), np.array(0)]);
    expect(tangent.toArray()).toEqual([16, 16, 16]);
  });
});
