// Chains of keys are made one iteration ahead, beside other loops, with the same bits.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lax, makeProgram, np, random, type Array, type Program } from "vibe-rl/array";
import type { Concrete } from "../../src/array/core/array.js";
import { interpret } from "../../src/array/core/interpret.js";
import { subPrograms } from "../../src/array/core/program.js";
import { makeAhead } from "../../src/compiler/simplify/ahead.js";
import { distributeLoops } from "../../src/compiler/simplify/distribute.js";
import { simplifyProgram } from "../../src/compiler/simplify/simplify.js";
import { stateArguments, statePrograms, toStateFunction } from "./statePrograms.js";

type Computation = (...args: Array[]) => unknown;

function compare(
  f: Computation,
  args: readonly Array[],
): { readonly before: Program; readonly after: Program } {
  const before = simplifyProgram(distributeLoops(simplifyProgram(makeProgram(f)(...args).program), 1e6));
  const after = makeAhead(before);
  const [expected, got] = [before, after].map((program) =>
    interpret(program, args as readonly Concrete[]).map((value) => value.toArray()),
  );
  expect(got).toEqual(expected);
  return { before, after };
}

/** Lengths of the loops in the last one, which is the outermost. */
const insideOf = ({ equations }: Program): number[] => {
  const loops = equations.filter(({ primitive }) => primitive.name === "scan");
  return subPrograms(loops[loops.length - 1]).flatMap((body) =>
    body.equations.flatMap(({ primitive, params }) =>
      primitive.name === "scan" ? [(params as { readonly length: number }).length] : [],
    ),
  );
};

interface Play {
  readonly steps?: number;
  readonly rounds?: number;
  readonly backwards?: boolean;
}

/** Plays with noise from keys, and learns a little of it, some times. */
const train =
  ({ steps = 5, rounds = 3, backwards = false }: Play = {}) =>
  (start: Array, key: Array) =>
    lax.scan(
      ([w, rng]: [Array, Array]) => {
        const [[last, next], seen] = lax.scan(
          ([x, chain]: [Array, Array]) => {
            const [following, draw] = [...random.split(chain)] as [Array, Array];
            const moved = np.tanh(x.matmul(w)).add(random.normal(draw, [4]));
            return [[moved, following] as [Array, Array], moved.sum()];
          },
          [np.ones([4]), rng] as [Array, Array],
          null,
          { length: steps, reverse: backwards },
        );
        return [[w.add(np.outer(last, last).mul(0.01)), next] as [Array, Array], [seen, random.uniform(rng)]];
      },
      [start, key] as [Array, Array],
      null,
      { length: rounds },
    );
const args = [random.normal(random.key(1), [4, 4]), random.key(2)];

describe("chains of keys", () => {
  it("are made beside a loop of as many iterations, once before the first", () => {
    const { before, after } = compare(train(), args);
    expect(insideOf(before)).toEqual([5, 5]);
    expect(insideOf(after)).toEqual([5]);
    expect(after.equations.filter(({ primitive }) => primitive.name === "scan")).toHaveLength(2);
    expect(insideOf(compare(train({ backwards: true }), args).after)).toEqual([5]);
  });

  it("leave what is carried at the end as it is, however many iterations there are", () => {
    for (const rounds of [1, 2, 7]) compare(train({ rounds }), args);
  });

  it("stay where nothing runs beside them", () => {
    const alone = (key: Array) =>
      lax.scan((rng: Array) => [random.split(rng).slice(0), random.bits(rng)], key, null, { length: 4 });
    const { before, after } = compare(alone, [random.key(3)]);
    expect(after.equations.length).toBe(before.equations.length);
  });

  it("that read what differs from one iteration to the next stay", () => {
    const f = (keys: Array, w: Array) =>
      lax.scan(
        (total: Array, key: Array) => {
          const [, seen] = lax.scan(
            ([x, chain]: [Array, Array]) => {
              const [following, draw] = [...random.split(chain)] as [Array, Array];
              return [
                [np.tanh(x.matmul(w)).add(random.normal(draw, [4])), following] as [Array, Array],
                x.sum(),
              ];
            },
            [np.ones([4]), key] as [Array, Array],
            null,
            { length: 3 },
          );
          return [total.add(seen.sum()), seen];
        },
        np.float32(0),
        keys,
      );
    compare(f, [random.split(random.key(4), 3), args[0]]);
  });

  it("give the same in whatever they are part of", { timeout: 600_000 }, () => {
    const property = fc.property(statePrograms(), fc.nat(10), (program, seed) => {
      compare(toStateFunction(program), stateArguments(seed));
    });
    fc.assert(property, { numRuns: 100 * Number(process.env.PROPERTY_RUNS ?? 1) });
  });
});
