// Programs on XLA give the interpreter's answers: functions of numbers, products, reductions, sorts, updates, loops and
// branches, many of them in one program.
import { describe, it } from "vitest";
import { xlaProblem } from "../../../src/device/index.js";
import { functionBatches } from "../../compiler/functionBatches.js";
import { programBatches } from "../../compiler/programBatches.js";
import { expectTogether } from "../../compiler/together.js";

/** How many cases make one program: the compiler takes longer for large ones than for as much in small ones. */
const together = 30;

describe.skipIf(xlaProblem() !== null)("programs on XLA", { timeout: 3_600_000 }, () => {
  it.for(Object.entries({ ...functionBatches, ...programBatches }))("%s", ([, batch]) => {
    const cases = batch("gpu");
    for (let at = 0; at < cases.length; at += together) expectTogether(cases.slice(at, at + together), "gpu");
  });
});
