// What compiled programs compute equals the golden figures.
import { describe, it } from "vitest";
import { jit } from "vibe-rl/array";
import { goldenCases } from "../goldenCases/index.js";

for (const [fact, cases] of Object.entries(goldenCases)) {
  describe(fact, () => {
    for (const { name, f, args, check } of cases) it(name, () => check(jit(f)(...args)));
  });
}
