// shardMap: functions of blocks against the same on whole arrays.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkpoint, grad, jit, lax, makeProgram, np, shardMap, vmap, type Array } from "vibe-rl/array";
import { simulateSpmd, type Backend } from "../../src/array/index.js";
import { traceProgram } from "../../src/array/core/trace.js";
import { withAxes } from "../../src/array/core/namedAxes.js";
import { expandCalls } from "../../src/array/transforms/expand.js";
import { findBackend } from "../../src/array/transforms/backend.js";
import { P, float64, grid, meshOf, row, values, type Spec } from "./shardMapBlocks.js";

describe("shardMap", () => {
  it("gives each device its block and puts the results together", () => {
    const f = shardMap(
      (x: Array) => {
        expect(x.shape).toEqual([2, 4]);
        return x.add(lax.axisIndex("i").mul(100));
      },
      { mesh: row, inSpecs: P("i"), outSpecs: P("i") },
    );
    const expected = values.add(np.arange(8).floorDivide(2).mul(100).reshape([8, 1]));
    expect(f(values).toArray()).toEqual(expected.toArray());
    expect(jit(f)(values).toArray()).toEqual(expected.toArray());
  });

  it("splits dimensions along any axes, in any order", () => {
    const place = (specs: Spec) =>
      shardMap((x: Array) => x.mul(0).add(lax.axisIndex(["x", "y"])), {
        mesh: grid,
        inSpecs: specs,
        outSpecs: specs,
      })(np.zeros([4, 4])).toArray();
    expect(place(P("x", "y"))).toEqual([
      [0, 0, 1, 1],
      [0, 0, 1, 1],
      [2, 2, 3, 3],
      [2, 2, 3, 3],
    ]);
    expect(place(P("y", "x"))).toEqual([
      [0, 0, 2, 2],
      [0, 0, 2, 2],
      [1, 1, 3, 3],
      [1, 1, 3, 3],
    ]);
    expect(place(P(null, ["x", "y"]))).toEqual(np.tile(np.array([0, 1, 2, 3]), [4, 1]).toArray());
    expect(place(P(["y", "x"]))).toEqual(np.array([0, 2, 1, 3]).repeat(4).reshape([4, 4]).toArray());
  });

  it("every collective agrees with the computation on whole arrays", () => {
    const run = (f: (x: Array) => Array, outSpecs: Spec): unknown => {
      const mapped = shardMap(f, { mesh: row, inSpecs: P("i"), outSpecs });
      const result = mapped(values).toArray();
      expect(jit(mapped)(values).toArray()).toEqual(result);
      return result;
    };
    const blocks = values.reshape([4, 2, 4]);
    expect(run((x) => lax.psum(x, "i"), P())).toEqual(blocks.sum(0).toArray());
    expect(run((x) => lax.pmean(x, "i"), P())).toEqual(blocks.mean(0).toArray());
    expect(run((x) => lax.pmax(x, "i"), P())).toEqual(blocks.max(0).toArray());
    expect(run((x) => lax.pmin(x, "i"), P())).toEqual(blocks.min(0).toArray());
    expect(run((x) => lax.allGather(x, "i", { tiled: true }), P())).toEqual(values.toArray());
    expect(run((x) => lax.psumScatter(x, "i", { scatterDimension: 1, tiled: true }), P(null, "i"))).toEqual(
      blocks.sum(0).toArray(),
    );
    expect(
      run(
        (x) =>
          lax.ppermute(
            x,
            "i",
            [0, 1, 2, 3].map((at) => [at, (at + 1) % 4] as const),
          ),
        P("i"),
      ),
    ).toEqual(np.roll(values, 2, 0).toArray());
    // From rows on each device to columns on each device: the array stays what it is.
    expect(run((x) => lax.allToAll(x, "i", 1, 0, { tiled: true }), P(null, "i"))).toEqual(values.toArray());
    expect(run((_) => lax.axisIndex("i").reshape([1]), P("i"))).toEqual([0, 1, 2, 3]);
  });

  it("takes the block of the first device along axes that a result does not mention", () => {
    const f = shardMap((x: Array) => [x, lax.axisIndex("y")] as const, {
      mesh: grid,
      inSpecs: P("x", "y"),
      outSpecs: [P("x"), P()],
    });
    const [first, index] = f(values);
    expect(first.toArray()).toEqual(values.slice(":", ":2").toArray());
    expect(index.item()).toBe(0);
  });

  it("repeats what all devices agree on along the axes that a result mentions", () => {
    const f = shardMap((x: Array) => x.sum().reshape([1, 1]), {
      mesh: grid,
      inSpecs: P("x"),
      outSpecs: P("y", "x"),
    });
    const sums = [values.slice(":4").sum().item(), values.slice("4:").sum().item()];
    expect(f(values).toArray()).toEqual([sums, sums]);
  });

  it("takes no arguments, too", () => {
    const f = shardMap(() => lax.axisIndex("i").reshape([1]), { mesh: row, inSpecs: [], outSpecs: P("i") });
    expect(f().toArray()).toEqual([0, 1, 2, 3]);
  });

  it("takes trees, specs that stop early, and values from around it, which all devices have", () => {
    const offset = np.array([1, 2, 3, 4]);
    const f = (params: { w: Array; list: Array[] }, x: Array, flag: boolean) => ({
      y: x.matmul(params.w).add(params.list[0]).add(offset),
      total: lax.psum(x.sum(), ["x", "y"]),
      flag,
    });
    const mapped = shardMap(f, {
      mesh: grid,
      inSpecs: [P(), P(["x", "y"]), P()],
      outSpecs: { y: P(["x", "y"]), total: P(), flag: null },
    });
    const params = { w: np.eye(4).mul(2), list: [np.ones([4])] };
    const result = mapped(params, values, true);
    expect(result.y.toArray()).toEqual(values.mul(2).add(1).add(offset).toArray());
    expect([result.total.item(), result.flag]).toEqual([values.sum().item(), true]);
    const traced = jit((p: typeof params, x: Array, shift: Array) =>
      shardMap((a: Array) => a.matmul(p.w).add(shift), {
        mesh: grid,
        inSpecs: P(["x", "y"]),
        outSpecs: P(["x", "y"]),
      })(x),
    );
    expect(traced(params, values, offset).toArray()).toEqual(values.mul(2).add(offset).toArray());
  });

  it("holds loops, branches and checkpoints that meet in collectives", () => {
    const f = (x: Array): Array => {
      const scanned = lax.scan(
        (carry: Array, each: Array) => [carry.mul(0.5).add(lax.psum(each, "i")), lax.axisIndex("i")],
        np.zeros([4]),
        x,
      )[0];
      const looped = lax.whileLoop(
        (v: Array) => lax.pmax(v, "i").max().less(100),
        (v: Array) => v.mul(2),
        scanned,
      );
      const chosen = lax.cond(
        lax.axisIndex("i").greater(1),
        (v: Array) => v.add(1000),
        (v: Array) => v,
        looped,
      );
      return checkpoint((v: Array) => lax.pmean(v, "i"))(chosen);
    };
    const mapped = shardMap(f, { mesh: row, inSpecs: P("i"), outSpecs: P() });
    const named = vmap(f, 0, null, { axisName: "i" })(values.reshape([4, 2, 4]));
    expect(mapped(values).toArray()).toEqual(named.toArray());
    expect(np.allclose(jit(mapped)(values), named).item()).toBe(true);
  });

  it("of elementwise functions and sums is the function of whole arrays", () => {
    const specs = [
      P(),
      P("x"),
      P("y"),
      P("x", "y"),
      P("y", "x"),
      P(["x", "y"]),
      P(["y", "x"]),
      P(null, ["x", "y"]),
    ];
    const mentionedBy = (spec: Spec): string[] => spec.entries.flatMap((entry) => entry ?? []);
    fc.assert(
      fc.property(
        fc.constantFrom(...specs),
        fc.constantFrom({ x: 2, y: 2 }, { x: 1, y: 4 }, { x: 2, y: 1 }),
        fc.array(fc.constantFrom("sin", "tanh", "square"), { maxLength: 3 }),
        fc.integer({ min: 0, max: 1000 }),
        (spec, sizes, functions, seed) => {
          const x = float64([8, 4], seed);
          const elementwise = (v: Array): Array => functions.reduce((u, name) => np[name](u), v);
          const whole = (v: Array): readonly [Array, Array] => [elementwise(v), elementwise(v).sum()];
          const names = mentionedBy(spec);
          const blocks = (v: Array): readonly [Array, Array] => {
            const [y, sum] = whole(v);
            return [y, names.length === 0 ? sum : lax.psum(sum, names)];
          };
          const mapped = shardMap(blocks, { mesh: meshOf(sizes), inSpecs: spec, outSpecs: [spec, P()] });
          const [y, sum] = mapped(x);
          const [wantedY, wantedSum] = whole(x);
          expect(y.toArray()).toEqual(wantedY.toArray());
          expect(sum.item()).toBeCloseTo(wantedSum.item(), 10);
          const loss = (f: typeof whole) => (v: Array) => {
            const [a, b] = f(v);
            return a.mul(x).sum().add(np.sin(b));
          };
          expect(np.allclose(grad(loss(mapped))(x), grad(loss(whole))(x)).item()).toBe(true);
        },
      ),
      { numRuns: 12, seed: 7 },
    );
  });
});

describe("programs for several devices", () => {
  const axes = [
    { name: "x", size: 2 },
    { name: "y", size: 2 },
  ];
  const record = () =>
    withAxes(axes, () =>
      traceProgram("spmd", [np.zeros([2]).type, np.zeros([2]).type], ([scale, x]) => [
        lax.psum(x, "y").mul(scale),
        lax.axisIndex(["x", "y"]),
        lax.allGather(x, ["x", "y"], { tiled: true }),
        lax.scan((c: Array) => [c.add(lax.psum(x, ["x", "y"])), null], x, null, { length: 2 })[0],
        scale,
      ]),
    ).program;
  const blocks = [0, 1, 2, 3].map((device) => np.array([device, 10 * device]));
  const scales = blocks.map(() => np.array([1, 2]));
  const expected = [
    [
      [1, 20],
      [1, 20],
      [5, 100],
      [5, 100],
    ],
    [0, 1, 2, 3],
    blocks.map(() => [0, 0, 1, 10, 2, 20, 3, 30]),
    [
      [12, 120],
      [13, 130],
      [14, 140],
      [15, 150],
    ],
    scales.map(() => [1, 2]),
  ];

  it("are simulated device by device", () => {
    const outputs = simulateSpmd(record(), axes, [scales, blocks]);
    expect(outputs.map((devices) => devices.map((block) => block.toArray()))).toEqual(expected);
  });

  it("are refused with blocks for another number of devices", () => {
    expect(() => simulateSpmd(record(), axes, [scales, blocks.slice(1)])).toThrow(
      /simulateSpmd: input 1 has 3 blocks, and there are 4 devices/,
    );
  });

  it("run in the interpreter as in any backend for several devices", () => {
    const program = record();
    const backend: Backend = findBackend("test", program, "interpreter");
    const executable = backend.spmd?.(program, {
      name: "test",
      axes,
      constants: [np.array([1, 2])],
      donated: [false],
    });
    const outputs = executable?.run([{ read: (device) => blocks[device].data() }]);
    const lists = outputs?.map(({ read }) =>
      [0, 1, 2, 3].map((device) => globalThis.Array.from(read(device))),
    );
    expect(lists).toEqual(expected.map((devices) => devices.map((block) => [block].flat())));
    expect(executable?.bytesPerDevice).toBeGreaterThan(16);
  });

  it("stay whole for partitioners, with calls in their bodies written out", () => {
    const inner = checkpoint((x: Array) => lax.psum(x, "i"));
    const f = shardMap((x: Array) => inner(x), { mesh: row, inSpecs: P("i"), outSpecs: P() });
    const { program } = makeProgram(f)(values);
    const names = (given: typeof program): string[] => given.equations.map(({ primitive }) => primitive.name);
    const kept = expandCalls(program, { keepShardMaps: true }).program;
    expect(names(kept)).toEqual(["shardMap"]);
    expect(names((kept.equations[0].params as { body: typeof program }).body)).toEqual(["psum"]);
    expect(names(expandCalls(program).program)).not.toContain("shardMap");
  });
});

describe("what shardMap refuses", () => {
  const run = (
    inSpecs: unknown,
    outSpecs: unknown = P(),
    f = (x: Array): Array => x,
    mesh: unknown = grid,
  ): unknown => shardMap(f, { mesh, inSpecs, outSpecs } as never)(np.zeros([6, 4]));

  it("extents that axes do not divide", () => {
    expect(() => run(P(["x", "y"]))).toThrow(
      /dimension 0 of argument \[0\], float32\[6,4\], has 6 elements, which "x" \(2\) and "y" \(2\) do not divide/,
    );
    expect(() => run(P("z"), P(), (x) => x, meshOf({ z: 4 }))).toThrow(
      /dimension 0 .* 6 elements, which "z" \(4\) does not divide/,
    );
  });

  it("axes that the mesh has not, or twice, and too many entries", () => {
    expect(() => run(P("rows"))).toThrow(
      /the spec of argument \[0\], float32\[6,4\], names an axis "rows" that the mesh has not/,
    );
    expect(() => run(P("x", "x"))).toThrow(/names the axis "x" twice/);
    expect(() => run(P(null, null, "x"))).toThrow(/has 3 entries, more than that has dimensions \(2\)/);
    expect(() => run(P("x"), P("x"), (x) => x.sum())).toThrow(/the spec of result, float32, has 1 entries/);
  });

  it("specs and meshes that are none", () => {
    expect(() => run({ a: P() })).toThrow(/inSpecs must be a PartitionSpec.*got/);
    expect(() => run([P(), P()])).toThrow(
      /inSpecs has 2 entries, but the function was called with 1 argument/,
    );
    expect(() => run([null])).toThrow(/inSpecs\[0\] must be a PartitionSpec, PartitionSpec\(\[\]\) for what/);
    expect(() => run(P(), P(), (x) => x, 4)).toThrow(/mesh must be a Mesh, got 4/);
  });

  it("collectives along other axes, and axes that are named around it", () => {
    expect(() => run(P(), P(), (x) => lax.psum(x, "z"))).toThrow(
      /no axis "z" here; the named ones are "x", "y"/,
    );
    const inner = shardMap((x: Array) => x, { mesh: grid, inSpecs: P(), outSpecs: P() });
    expect(() => vmap(inner, 0, 0, { axisName: "y" })(values)).toThrow(
      /"y" is that of an axis around it already/,
    );
  });
});
