// Programs of all kinds are well-formed StableHLO: values defined where they are used, types and shapes as the
// specification has them. VIBE_RL_DEVICE="checked stablehlo" checks those of all tests of the compiler.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { argumentsFor, mixedPrograms, toFunction } from "../mixedPrograms.js";
import { programBatches } from "../programBatches.js";
import { functionBatches } from "../functionBatches.js";
import { stateArguments, statePrograms, toStateFunction } from "../statePrograms.js";
import { fewOf, type BatchedCase } from "../together.js";
import { checkModule } from "./check.js";
import { written } from "./text.js";

/** Writes the program of a case, and checks it; what it computes does not matter here. */
const check = ({ f, args }: Pick<BatchedCase, "f" | "args">): void => checkModule(written(f, args).text);

describe("programs are well formed", () => {
  it.each(Object.entries({ ...functionBatches, ...programBatches }))("that %s", (_, batch) => {
    for (const one of fewOf(batch("wasm"), 12)) check(one);
  });

  it("over all dtypes", () => {
    for (const program of fc.sample(mixedPrograms(), { numRuns: 40, seed: 5 }))
      check({ f: toFunction(program), args: argumentsFor(program, 1) });
  });

  it("with states that loops and branches exchange", () => {
    for (const program of fc.sample(statePrograms(), { numRuns: 40, seed: 5 }))
      check({ f: toStateFunction(program), args: stateArguments(1) });
  });
});

const module = (...lines: string[]) =>
  [
    "module @m attributes {} {",
    "  func.func public @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {",
    ...lines,
    "  }",
    "}",
  ].join("\n");

describe("the check", () => {
  it("finds nothing wrong with a right one", () => {
    const lines = ["%0 = stablehlo.tanh %arg0 : tensor<2xf32>", "return %0 : tensor<2xf32>"];
    expect(() => checkModule(module(...lines))).not.toThrow();
  });

  it.each([
    ["a value that is not there", ["%0 = stablehlo.tanh %1 : tensor<2xf32>"], "%1 is not defined here"],
    ["another type", ["%0 = stablehlo.tanh %arg0 : tensor<3xf32>"], "tensor<2xf32> to tensor<3xf32>"],
    ["flags that are none", ["%0 = stablehlo.not %arg0 : tensor<2xf32>"], "stablehlo.not"],
    [
      "a name twice",
      ["%0 = stablehlo.tanh %arg0 : tensor<2xf32>", "%0 = stablehlo.tanh %arg0 : tensor<2xf32>"],
      "twice",
    ],
    ["an operation it does not know", ["%0 = stablehlo.fft %arg0 : tensor<2xf32>"], "no rule that checks it"],
    ["a wrong shape", ["%0 = stablehlo.reshape %arg0 : (tensor<2xf32>) -> tensor<3xf32>"], "sizes differ"],
  ])("finds %s", (_, lines, message) => {
    expect(() => checkModule(module(...lines, "return %0 : tensor<2xf32>"))).toThrow(message);
  });
});
