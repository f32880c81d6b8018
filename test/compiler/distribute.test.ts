// Distributed loops: what an iteration need not do itself is done for all of them at once, with the same results.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lax, makeProgram, np, random, type Array, type Program } from "vibe-rl/array";
import { interpret } from "../../src/array/core/interpret.js";
import type { Concrete } from "../../src/array/core/array.js";
import { subPrograms } from "../../src/array/core/program.js";
import { distributeLoops } from "../../src/compiler/simplify/distribute.js";
import { isHeavy } from "../../src/compiler/simplify/stages.js";
import { simplifyProgram } from "../../src/compiler/simplify/simplify.js";
import { differences, type Tolerance } from "../closeness.js";
import { stateArguments, statePrograms, toStateFunction } from "./statePrograms.js";

type Computation = (...args: Array[]) => unknown;

const programsOf = (
  f: Computation,
  args: readonly Array[],
  { largest = 1e6, isWorth = isHeavy }: { largest?: number; isWorth?: typeof isHeavy } = {},
) => {
  const before = simplifyProgram(makeProgram(f)(...args).program);
  return { before, after: distributeLoops(before, largest, isWorth) };
};

/** Names of the equations in loops within loops, loop by loop. */
const inside = (program: Program, depth = 0): string[][] => [
  ...(depth === 2 ? [program.equations.map(({ primitive }) => primitive.name)] : []),
  ...program.equations.flatMap((equation) =>
    subPrograms(equation).flatMap((body) =>
      inside(body, equation.primitive.name === "cond" ? depth : depth + 1),
    ),
  ),
];

function expectSame(
  { before, after }: ReturnType<typeof programsOf>,
  args: readonly Array[],
  tolerance: Tolerance,
) {
  const [expected, got] = [before, after].map((program) => interpret(program, args as readonly Concrete[]));
  expect(differences(got, expected, tolerance)).toEqual([]);
}

/** A loop around, on which everything depends, as only loops within loops are distributed. */
const within =
  (f: Computation): Computation =>
  (...args) =>
    lax.scan(
      (count: Array) => [count.add(1), f(...args.map((x) => (x.dtype === "float32" ? x.add(count) : x)))],
      np.zeros([]),
      null,
      { length: 2 },
    );

/** Plays with noise from keys, by a policy, and notes what another network thinks of each state. */
function play(weights: Array, other: Array, start: Array, key: Array): unknown {
  return lax.scan(
    ([x, rng]: [Array, Array]) => {
      const [next, draw] = [...random.split(rng)] as [Array, Array];
      const noise = random.normal(draw, [8]);
      const moved = np.tanh(x.matmul(weights)).add(noise.mul(0.1));
      return [[moved, next] as [Array, Array], [x, np.tanh(x.matmul(other)).sum()]];
    },
    [start, key] as [Array, Array],
    null,
    { length: 5 },
  );
}
const players = [
  random.normal(random.key(1), [8, 8]),
  random.normal(random.key(2), [8, 8]),
  np.ones([8]),
  random.key(3),
];

describe("distributed loops", () => {
  it("leave keys to a loop of their own, noise before and other networks behind the loop", () => {
    const programs = programsOf(within(play), players);
    const count = (program: Program, name: string) =>
      inside(program).map((names) => names.filter((one) => one === name).length);
    expect(count(programs.before, "dot")).toEqual([2]);
    expect(count(programs.after, "dot")).toEqual([0, 1]);
    expect(count(programs.before, "threefry2x32")[0]).toBeGreaterThan(
      count(programs.after, "threefry2x32")[0],
    );
    expect(count(programs.after, "threefry2x32")[1]).toBe(0);
    expectSame(programs, players, { rtol: 1e-6, atol: 1e-6 });
  });

  it("stay as they are outermost, and where too much would have to be kept", () => {
    const outermost = programsOf(play, players);
    expect(outermost.after.equations.length).toBe(outermost.before.equations.length);
    const large = programsOf(within(play), players, { largest: 4 });
    expect(inside(large.after)).toEqual(inside(large.before));
  });

  it("go the same way, backwards too, with results of every origin", () => {
    const f = (x: Array, w: Array) =>
      lax.scan(
        (c: Array, row: Array) => {
          const scaled = row.matmul(w);
          return [
            c.mul(0.5).add(scaled.sum()),
            {
              carry: c,
              slice: row,
              early: scaled,
              late: np.outer(row.add(c), row).matmul(w),
              same: w,
              number: 3,
            },
          ];
        },
        np.zeros([]),
        x,
        { reverse: true },
      );
    const args = [random.normal(random.key(4), [4, 6]), random.normal(random.key(5), [6, 6])];
    const programs = programsOf(within(f), args);
    expect(inside(programs.after).flat()).not.toContain("dot");
    expectSame(programs, args, { rtol: 1e-6, atol: 1e-6 });
  });

  it("keep branches, sorts, loops without an end and messages in their place", () => {
    const f = (x: Array) =>
      lax.scan(
        (c: Array, row: Array) => {
          const sum = row.matmul(row);
          const chosen = lax.cond(
            sum.greater(3),
            () => np.sort(row),
            () => row.mul(2),
          );
          const last = lax.whileLoop(
            (n: Array) => n.less(sum),
            (n: Array) => n.add(1),
            np.zeros([]),
          );
          return [c.add(1), [chosen, last.add(np.sort(row).matmul(row))]];
        },
        np.zeros([]),
        x,
      );
    const args = [random.normal(random.key(6), [3, 20])];
    const programs = programsOf(within(f), args);
    for (const name of ["cond", "while", "sort"]) expect(inside(programs.after).flat()).toContain(name);
    expectSame(programs, args, { rtol: 1e-6, atol: 1e-6 });
  });

  it("compute what they did, whatever they are made of", { timeout: 600_000 }, () => {
    let distributed = 0;
    const property = fc.property(statePrograms(), fc.nat(10), (program, seed) => {
      const args = stateArguments(seed);
      const programs = programsOf(within(toStateFunction(program)), args, { isWorth: () => true });
      if (String(inside(programs.after)) !== String(inside(programs.before))) distributed++;
      expectSame(programs, args, {});
    });
    fc.assert(property, { numRuns: 150 * Number(process.env.PROPERTY_RUNS ?? 1) });
    // About every eighth has something that can leave a loop.
    expect(distributed).toBeGreaterThan(0);
  });
});
