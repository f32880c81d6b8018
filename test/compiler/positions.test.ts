// Sorts of numbers that count up know them as positions.
import { describe, expect, it } from "vitest";
import { jit, lax, np, random, type Array } from "vibe-rl/array";
import { ptxRenderer } from "../../src/compiler/index.js";
import type { SortKernel } from "../../src/compiler/kernel.js";
import { kernelsIn } from "../../src/compiler/walk.js";
import { compileFor, compileWith } from "./forms.js";

type Computation = (...args: Array[]) => unknown;

/** What each sort reorders, and how many kernels there are besides. */
function sortsOf(f: Computation, ...args: Array[]): { readonly values: string[]; readonly others: number } {
  const kernels = kernelsIn(compileWith({ fma: false })(f, ...args).steps);
  const sorts = kernels.filter((kernel): kernel is SortKernel => kernel.kind === "sort");
  return {
    values: sorts.flatMap(({ values }) =>
      values.map(({ from }) => (from === null ? "positions" : from.buffer.name.replace(/_\d+$/, ""))),
    ),
    others: kernels.length - sorts.length,
  };
}

const keys = random.uniform(random.key(1), [300]);

function expectSame(f: Computation, ...args: Array[]): void {
  const [got, expected] = ["wasm", "interpreter"].map((device) => jit(f, { device })(...args));
  expect(JSON.stringify(got)).toBe(JSON.stringify(expected));
}

describe("positions that sorts reorder", () => {
  it("are not written down", () => {
    const f = (x: Array) => np.argsort(x);
    expect(sortsOf(f, keys)).toEqual({ values: ["positions"], others: 0 });
    expectSame(f, keys);
  });

  it("are known in loops, too, and in the first round of a permutation only", () => {
    const f = (key: Array) =>
      lax.foriLoop(
        0,
        3,
        (i, sum: Array) => sum.add(random.permutation(random.foldIn(key, i), 3000)),
        np.zeros([3000], { dtype: "int32" }),
      );
    expect(sortsOf(f, random.key(2)).values).toEqual(["positions", "sort"]);
    expectSame(f, random.key(2));
  });

  it("are written down where somebody else needs them", () => {
    for (const f of [
      (x: Array) => [np.argsort(x), np.arange(300)],
      (x: Array) => {
        const [, order] = lax.sort([x, np.arange(300)], { numKeys: 1 });
        return [order, np.cumsum(np.arange(300))];
      },
    ])
      expectSame(f, keys);
    const both = (x: Array) => {
      const numbers = np.arange(300);
      return [lax.sort([x, numbers], { numKeys: 1 })[1], numbers];
    };
    expect(sortsOf(both, keys).values).toEqual(["iota"]);
    // Results that are copies read them, too.
    const { steps } = compileFor(ptxRenderer({ multiprocessors: 4, sharedBytes: 2 ** 16 }))(both, keys);
    const [sort] = kernelsIn(steps).filter((kernel) => kernel.kind === "sort");
    expect(sort.values[0].from).not.toBeNull();
  });

  it("are those of one lane, and no keys", () => {
    const lanes = (x: Array) => np.argsort(x.reshape([10, 30]), 1);
    expect(sortsOf(lanes, keys).values).not.toContain("positions");
    expectSame(lanes, keys);
    const ties = (x: Array) => lax.sort([x.mul(4).astype("int32"), np.arange(300)], { numKeys: 2 });
    expect(sortsOf(ties, keys).values).not.toContain("positions");
    expectSame(ties, keys);
  });
});
