// With options, too, the language computes what JAX computes: at once, compiled, vectorised and differentiated.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ArrayError, grad, jit, np, tree, vmap, type Array } from "vibe-rl/array";
import { expectClose } from "../closeness.js";
import { toTree, type GoldenArray } from "../golden.js";
import { moreCases, tolerances } from "../goldenCases/more/index.js";

interface Golden {
  readonly args: readonly GoldenArray[];
  readonly value: object;
  readonly gradient?: readonly GoldenArray[];
}

const golden = JSON.parse(readFileSync(new URL("../golden/more.json", import.meta.url), "utf8")) as Record<
  string,
  Golden | { readonly error: string }
>;

const leavesOf = (result: unknown): Array[] => tree.leaves(result) as Array[];

/** Σ cos(i) · result[i], over all floats of a result. */
const weighted = (result: unknown): Array =>
  leavesOf(result)
    .filter((leaf) => leaf.dtype === "float32")
    .map((leaf) => leaf.mul(np.cos(np.arange(leaf.size).astype("float32")).reshape(leaf.shape)).sum())
    .reduce((total, part) => total.add(part));

describe("with options", () => {
  it("every figure has its computation, and every computation its figure", () => {
    expect(Object.keys(moreCases).sort()).toEqual(Object.keys(golden).sort());
  });

  for (const [name, figure] of Object.entries(golden)) {
    it(name, () => {
      const f = moreCases[name];
      if ("error" in figure) {
        expect(() => f(np.ones([3]), np.int32([0]))).toThrow(ArrayError);
        return;
      }
      const args = figure.args.map((arg) => toTree(arg) as Array);
      const value = toTree(figure.value);
      const tolerance = tolerances[name] ?? { rtol: 2e-5, atol: 2e-6 };
      expectClose(f(...args), value, tolerance);
      if (args.length > 0) {
        const both = vmap(f)(...args.map((arg) => np.stack([arg, arg])));
        const twice = tree.map((leaf: Array) => np.stack([leaf, leaf]), value as Array);
        expectClose(both, twice, tolerance);
      }
      const argnums = args.flatMap((arg, at) => (arg.dtype === "float32" ? [at] : []));
      const gradient = grad((...given: Array[]) => weighted(f(...given)), { argnums });
      const withGradient = (...given: Array[]): unknown =>
        figure.gradient === undefined ? [f(...given)] : [f(...given), gradient(...given)];
      const expected = figure.gradient === undefined ? [value] : [value, figure.gradient.map(toTree)];
      expectClose(jit(withGradient)(...args), expected, tolerance);
    });
  }
});
