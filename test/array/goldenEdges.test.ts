// At the edges, the language and compiled programs compute what JAX computes.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ArrayError, jit, tree, type Array } from "vibe-rl/array";
import { expectClose } from "../closeness.js";
import { toTree } from "../golden.js";
import { casesLeftOut, edgeCases, elementsLeftOut, tolerances } from "../goldenCases/edges/index.js";

const golden = JSON.parse(readFileSync(new URL("../golden/edges.json", import.meta.url), "utf8")) as Record<
  string,
  object
>;

// Compiled sines are accurate for |x| ≤ 1e5, see docs/compiler.md.
const isFarSine = (name: string, at: number): boolean =>
  /^(sin|cos|tan)'?$/.test(name) && at >= 31 && at <= 36;

/** A tree with the elements taken out that are not compared. */
const without = (result: unknown, isLeftOut: (at: number) => boolean): unknown =>
  tree.map((x: unknown) => {
    const array = x as Array;
    const kept = globalThis.Array.from({ length: array.size }, (_, at) => at).filter((at) => !isLeftOut(at));
    return kept.length === array.size ? array : array.reshape(-1).take(kept);
  }, result);

describe("at the edges", () => {
  it("every figure has its computation", () => {
    expect(Object.keys(golden).filter((name) => !edgeCases.has(name))).toEqual([]);
  });

  for (const [name, expected] of Object.entries(golden)) {
    if (name in casesLeftOut) continue;
    it(name, () => {
      const f = edgeCases.get(name) as () => unknown;
      if ("error" in expected) {
        expect(f).toThrow(ArrayError);
        return;
      }
      const isLeftOut = elementsLeftOut[name] ?? (() => false);
      const tolerance = tolerances[name] ?? { rtol: 2e-5, atol: 1e-36 };
      expectClose(without(f(), isLeftOut), without(toTree(expected), isLeftOut), tolerance);
      const leftOutCompiled = (at: number) => isLeftOut(at) || isFarSine(name, at);
      const compiled = without(jit(f)(), leftOutCompiled);
      expectClose(compiled, without(toTree(expected), leftOutCompiled), tolerance);
    });
  }
});
