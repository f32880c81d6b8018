// Programs that take their rows in pieces give what they give of all rows at once.
import { describe, expect, it } from "vitest";
import { debug, makeProgram, np, random, type Array } from "vibe-rl/array";
import type { Concrete } from "../../../src/array/core/array.js";
import { interpret } from "../../../src/array/core/interpret.js";
import { subPrograms, type Program } from "../../../src/array/core/program.js";
import type { ScanParams } from "../../../src/array/control/scanParams.js";
import { simplifyProgram } from "../../../src/compiler/simplify/simplify.js";
import { differences, type Tolerance } from "../../closeness.js";
import { isLong } from "../../long.js";
import { rowCases } from "../../compiler/rowPrograms.js";
import { cutEverywhere } from "./cutEverywhere.js";

/** The number of iterations of each loop, wherever it is. */
const loopsIn = ({ equations }: Program): number[] =>
  equations.flatMap((equation) => [
    ...(equation.primitive.name === "scan" ? [(equation.params as ScanParams).length] : []),
    ...subPrograms(equation).flatMap(loopsIn),
  ]);

/** A function cut into so many pieces and more, what it gives, and what it should. */
function inPieces(f: (...args: Array[]) => unknown, args: readonly Array[], least: number) {
  const { program, constants } = makeProgram(f)(...args);
  const simple = simplifyProgram(program);
  const cut = cutEverywhere(simple, least);
  const inputs = [...constants, ...args] as Concrete[];
  return {
    cut,
    loops: loopsIn(cut).length - loopsIn(simple).length,
    result: interpret(cut, inputs),
    expected: interpret(simple, inputs),
  };
}

function expectSameInPieces(
  f: (...args: Array[]) => unknown,
  args: readonly Array[],
  least = 4,
  tolerance: Tolerance = { rtol: 1e-5, atol: 1e-5 },
): Program {
  const { cut, loops, result, expected } = inPieces(f, args, least);
  expect(loops).toBeGreaterThan(0);
  expect(differences(result, expected, tolerance)).toEqual([]);
  return cut;
}

const x = random.normal(random.key(0), [64, 8]);
const w = random.normal(random.key(1), [8, 8]);

describe("rows in pieces", () => {
  it("random programs on batches give the same", () => {
    const cases = rowCases(isLong ? 60 : 25, 5);
    let cuts = 0;
    for (const [at, { name, f, args, tolerance }] of cases.entries()) {
      const { loops, result, expected } = inPieces(f, args, 2 + (at % 5));
      cuts += Math.min(loops, 1);
      expect(differences(result, expected, tolerance), name).toEqual([]);
    }
    expect(cuts).toBeGreaterThan(cases.length / 2);
  });

  it("what is used of all rows is kept, along whatever axis the rows are", () => {
    const turned = (a: Array, b: Array) => np.einsum("rd,df->fr", np.tanh(a.matmul(b)), b);
    expectSameInPieces((a, b) => [turned(a, b), np.sort(turned(a, b), 1), turned(a, b).max(1)], [x, w]);
  });

  it("sums, largest and smallest of all dtypes are those of all rows", () => {
    const f = (a: Array, b: Array) => {
      const y = np.round(a.matmul(b));
      const whole = y.astype("int32");
      return [
        ...[
          whole.sum(0),
          whole.max(0),
          whole.min(),
          whole.astype("uint32").sum(),
          whole.astype("uint8").max(0),
        ],
        ...[y.greater(0).any(0), y.greater(9).all(), y.max(), y.min(0), y.less(0).astype("uint8").sum(0)],
        np.where(y.greater(100), y, -Infinity).max(),
      ];
    };
    expectSameInPieces(f, [x, w], 4, {});
  });

  it("rows know their number, and what is looked up for them", () => {
    const f = (a: Array, b: Array) => {
      const y = a.matmul(b);
      const numbers = np.arange(64);
      const best = y.argmax(1);
      return [
        y.add(numbers.reshape([64, 1])).sum(0),
        np.take(b, best, 0).mul(y).sum(0),
        np.where(numbers.mod(3).equal(0), y.sum(1), 0).sum(),
      ];
    };
    expectSameInPieces(f, [x, w]);
  });

  it("what needs a sum over all rows comes in a second loop, and what is simple is computed again there", () => {
    const f = (a: Array, b: Array) => {
      const wave = np.sin(a);
      const y = wave.matmul(b);
      return np
        .tanh(y.sub(y.mean(0)))
        .add(wave)
        .matmul(b)
        .max(0);
    };
    const cut = expectSameInPieces(f, [x, w]);
    expect(loopsIn(cut)).toEqual([4, 4]);
    const bodies = cut.equations.flatMap(subPrograms);
    expect(
      bodies.map(({ equations }) => equations.some(({ primitive }) => primitive.name === "sin")),
    ).toEqual([true, true]);
  });

  it("a sum that nothing waits for comes as late as the rest, so that one loop does it all", () => {
    const f = (a: Array, b: Array) => {
      const advantages = a.sum(1);
      const weight = advantages.sub(advantages.mean()).div(advantages.std());
      const y = np.tanh(a.matmul(b));
      return [y.T.matmul(y), y.mul(weight.reshape([64, 1])).T.matmul(a), y.sum(0)];
    };
    expect(loopsIn(expectSameInPieces(f, [x, w]))).toEqual([4]);
  });

  it("printing stays in order", () => {
    const f = (a: Array, b: Array) => {
      const y = np.tanh(a.matmul(b));
      debug.print("of rows {}", y.sum());
      debug.print("of all {}", a.sum());
      return y.matmul(b).sum(0);
    };
    const simple = simplifyProgram(makeProgram(f)(x, w).program);
    const cut = cutEverywhere(simple, 4);
    const printed = cut.equations.flatMap(({ params }) => ("format" in params ? [params.format] : []));
    expect(loopsIn(cut)).toEqual([4]);
    expect(printed).toEqual(["of rows {#0}", "of all {#0}"]);
  });
});
