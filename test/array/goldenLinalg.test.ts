// Linear algebra, derivatives of one's own, segments and sizes: the language and compiled programs compute what JAX
// computes.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ArrayError, jit } from "vibe-rl/array";
import { expectClose, type Tolerance } from "../closeness.js";
import { toTree } from "../golden.js";
import { countingCases } from "../goldenCases/counting.js";
import { linalgCases } from "../goldenCases/linalg.js";

const golden = JSON.parse(readFileSync(new URL("../golden/linalg.json", import.meta.url), "utf8")) as Record<
  string,
  object
>;

const cases = new Map([...linalgCases, ...countingCases]);

/** What JAX refuses, and we can do: another test says what it is. */
const refused = new Set(["segmentProd'"]);

/** Results of many steps in float32, JAX's own as inexact as ours. */
const tolerances: Record<string, Tolerance> = { "pinv'": { rtol: 1e-4, atol: 1e-4 } };

describe("as in JAX", () => {
  it("every figure has its computation", () => {
    expect(Object.keys(golden).filter((name) => !cases.has(name))).toEqual([]);
  });

  for (const [name, expected] of Object.entries(golden)) {
    if (refused.has(name)) continue;
    it(name, () => {
      const f = cases.get(name) as () => unknown;
      if ("error" in expected) {
        expect(f).toThrow(ArrayError);
        return;
      }
      const tolerance = tolerances[name] ?? { rtol: 2e-5, atol: 2e-5 };
      // The interpreter differentiates as jit does and is slow in loops: values are enough.
      if (!/'|jvp/.test(name)) expectClose(f(), toTree(expected), tolerance);
      expectClose(jit(f)(), toTree(expected), tolerance);
    });
  }
});
