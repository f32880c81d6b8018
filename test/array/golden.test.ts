// What the array language computes equals the golden figures.
import { describe, it } from "vitest";
import { goldenCases } from "../goldenCases/index.js";

for (const [fact, cases] of Object.entries(goldenCases)) {
  describe(fact, () => {
    for (const { name, f, args, check } of cases) it(name, () => check(f(...args)));
  });
}
