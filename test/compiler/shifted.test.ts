// Carries that are the slice before become slices, with the same results.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lax, makeProgram, np, random, type Array, type ScanParams } from "../../src/array/index.js";
import type { Concrete } from "../../src/array/core/array.js";
import { interpret } from "../../src/array/core/interpret.js";
import { shiftSlices } from "../../src/compiler/simplify/shifted.js";
import { simplifyProgram } from "../../src/compiler/simplify/simplify.js";
import { stateArguments, statePrograms, toStateFunction } from "./statePrograms.js";

/** Carries of the first loop before and after, given that results stay the same. */
function carriesOf(f: (...args: Array[]) => unknown, args: readonly Array[], largest = 1e6): number[] {
  const before = simplifyProgram(makeProgram(f)(...args).program);
  const after = shiftSlices(before, largest);
  const [expected, got] = [before, after].map((program) =>
    interpret(program, args as readonly Concrete[]).map((value) => value.toArray()),
  );
  expect(got).toEqual(expected);
  return [before, after].flatMap(({ equations }) => {
    const [loop] = equations.filter(({ primitive }) => primitive.name === "scan");
    return loop === undefined ? [] : [(loop.params as ScanParams).carries];
  });
}

const values = random.normal(random.key(1), [6, 3]);

/** Sums of what each value is more than the next, or the one before. */
const sums =
  (reverse: boolean, length = 6) =>
  (xs: Array) =>
    lax.scan(
      ([total, next]: [Array, Array], x: Array | null) => {
        const more = total.mul(0.9).add((x as Array).sub(next));
        return [[more, x] as [Array, Array], more];
      },
      [np.zeros([3]), np.full([3], 7)] as [Array, Array],
      xs.slice(`:${length}`),
      { reverse },
    );

describe("carries that are the slice before", () => {
  it("become slices, forwards and backwards, and the last of them is still there", () => {
    expect(carriesOf(sums(false), [values])).toEqual([2, 1]);
    expect(carriesOf(sums(true), [values])).toEqual([2, 1]);
    expect(carriesOf(sums(true, 2), [values])).toEqual([2, 1]);
  });

  it("stay carries where all slices would take too much", () => {
    expect(carriesOf(sums(false), [values], 17)).toEqual([2, 2]);
  });

  it("of several kinds become slices", () => {
    const f = (xs: Array) =>
      lax.scan(
        ([a, b]: [Array, Array], [x, y]: [Array, Array]) => [[x, y] as [Array, Array], a.mul(b).add(x)],
        [np.ones([3]), np.zeros([])] as [Array, Array],
        [xs, xs.sum(1)] as [Array, Array],
      );
    expect(carriesOf(f, [values])).toEqual([2, 0]);
  });

  it("are right in whatever programs", { timeout: 600_000 }, () => {
    const property = fc.property(statePrograms(), fc.nat(10), (program, seed) => {
      carriesOf(toStateFunction(program), stateArguments(seed));
    });
    fc.assert(property, { numRuns: 100 * Number(process.env.PROPERTY_RUNS ?? 1) });
  });
});
