// The memory plan: nothing is copied that need not be, and little is taken beyond what is in use.
import { describe, expect, it } from "vitest";
import { grad, lax, np, random, tree, type Array } from "vibe-rl/array";
import { bytesOf } from "../../src/compiler/plan/clusters.js";
import { findLifetimes } from "../../src/compiler/plan/lifetimes.js";
import { kernelsIn } from "../../src/compiler/walk.js";
import { expectSame } from "./compare.js";
import { compileWith, kernelsInLoops } from "./forms.js";

const compile = compileWith({ fma: false });

const copiesInLoops = (f: (...args: Array[]) => unknown, ...args: Array[]): number => {
  const { steps, plan } = compile(f, ...args);
  return kernelsInLoops(steps).filter((kernel) => kernel.kind === "copy" && !plan.isIdle(kernel)).length;
};

describe("loops copy nothing", () => {
  it("when they write one row of a large buffer", () => {
    const f = (rows: Array) =>
      lax.scan(
        ({ data, at }: { data: Array; at: Array }, row: Array) => [
          { data: data.at(at).set(row), at: at.add(1) },
          null,
        ],
        { data: np.zeros([100_000, 4]), at: np.int32(0) },
        rows,
      )[0].data;
    expect(copiesInLoops(f, np.ones([8, 4]))).toBe(0);
  });

  it("when they also read from it at random", () => {
    const f = (key: Array) =>
      lax.scan(
        ({ data, at, rng }: { data: Array; at: Array; rng: Array }) => {
          const [next, draw] = [...random.split(rng)] as [Array, Array];
          const pushed = lax.dynamicUpdateIndexInDim(data, random.normal(draw, [4]), at, 0);
          const rows = np.take(pushed, random.randint(draw, [16], 0, at.add(1)), 0);
          return [{ data: pushed, at: at.add(1).mod(1000), rng: next }, rows.sum()];
        },
        { data: np.zeros([1000, 4]), at: np.int32(0), rng: key },
        null,
        { length: 5 },
      )[1];
    expect(copiesInLoops(f, random.key(0))).toBe(0);
  });

  it("when they carry parameters and an optimiser's moments", () => {
    expect(copiesInLoops(descent, np.ones([32, 8]), np.ones([32, 4]))).toBe(0);
  });

  it("when sums are added to what they were computed with", () => {
    const f = (start: Array, rows: Array) =>
      lax.scan(
        (x: Array, row: Array) => [x.add(np.tanh(row.mul(x.reshape([8, 1]))).sum(1)), null],
        start,
        rows,
      )[0];
    expect(copiesInLoops(f, np.ones([8]), np.ones([5, 8, 4]))).toBe(0);
    expectSame(f, [np.linspace(-1, 1, 8), np.linspace(-2, 2, 160).reshape([5, 8, 4])], { rtol: 1e-5 });
  });

  it("but copy what is read again after it was overwritten", () => {
    const exchange = (a: Array, b: Array) =>
      lax.foriLoop(0, 3, (_, [x, y]: readonly [Array, Array]) => [y, x] as const, [a, b] as const);
    expect(copiesInLoops(exchange, np.ones([64]), np.zeros([64]))).toBeGreaterThan(0);
  });
});

/** A small network trained with momentum. */
function descent(x: Array, y: Array): unknown {
  const key = random.key(1);
  const params = { w: random.normal(key, [8, 64]), v: random.normal(key, [64, 4]) };
  const loss = ({ w, v }: typeof params) => np.square(np.tanh(x.matmul(w)).matmul(v).sub(y)).mean();
  return lax.foriLoop(
    0,
    10,
    (_, state: { p: typeof params; m: typeof params }) => {
      const m = tree.map((old, g) => old.mul(0.9).add(g), state.m, grad(loss)(state.p));
      return { p: tree.map((old, by) => old.sub(by.mul(0.01)), state.p, m), m };
    },
    { p: params, m: tree.map(np.zerosLike, params) },
  );
}

it("takes at most twice the memory that is in use at once", () => {
  const { steps, plan, compiled } = compile(descent, np.ones([512, 8]), np.ones([512, 4]));
  const { intervals } = findLifetimes(steps, [], []);
  const events = [...intervals].flatMap(([buffer, list]) =>
    list.flatMap(({ start, end }) => [
      { at: start, bytes: bytesOf(buffer) },
      { at: end + 0.5, bytes: -bytesOf(buffer) },
    ]),
  );
  let [live, most] = [0, 0];
  for (const { bytes } of events.sort((a, b) => a.at - b.at)) {
    live += bytes;
    most = Math.max(most, live);
  }
  expect(plan.addresses.size).toBeGreaterThan(10);
  expect(compiled.memoryBytes).toBeLessThan(2 * most);
});

describe("an array in another shape", () => {
  const sorted = (x: Array) => np.sort(x, 1).reshape([-1]);

  it("lies where it lay before", () => {
    const f = (x: Array, at: Array) => np.take(sorted(x), at);
    const names = kernelsIn(compile(f, np.ones([6, 4]), np.int32([3, 23, 0])).steps).map(({ name }) => name);
    expect(names).toContain("sort");
    expect(names.filter((name) => name.includes("reshape"))).toEqual([]);
    expectSame(f, [np.linspace(5, -5, 24).reshape([6, 4]), np.int32([3, 23, 0])]);
  });

  it("may be changed while the other is still needed", () => {
    const f = (x: Array, at: Array) => {
      const rows = np.sort(x, 1);
      const line = rows.reshape([-1]);
      return [line.at(at).set(9), np.take(line, at), rows];
    };
    expectSame(f, [np.linspace(5, -5, 24).reshape([6, 4]), np.int32([3, 23, 0])]);
  });
});
