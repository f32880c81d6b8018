// Rows that are looked up together lie side by side, with the same results.
import { expect, it } from "vitest";
import { lax, makeProgram, np, random, type Array, type Program } from "vibe-rl/array";
import type { Concrete } from "../../src/array/core/array.js";
import { interpret } from "../../src/array/core/interpret.js";
import { subPrograms } from "../../src/array/core/program.js";
import { packRows } from "../../src/compiler/simplify/rows.js";
import { simplifyProgram } from "../../src/compiler/simplify/simplify.js";

const [a, b, c] = [
  random.normal(random.key(1), [12, 3]),
  np.arange(12),
  random.normal(random.key(2), [4, 3, 2, 2]),
];
const args = [a, b, c];

function compare(f: (...args: Array[]) => unknown, largeBytes = 0) {
  const before = simplifyProgram(makeProgram(f)(...args).program);
  const after = packRows(before, largeBytes);
  const [expected, got] = [before, after].map((program) =>
    interpret(program, args as readonly Concrete[]).map((value) => value.toArray()),
  );
  expect(got).toEqual(expected);
  return { before, after };
}

const lookUps = ({ equations }: Program): number =>
  equations.reduce(
    (sum, equation) =>
      sum +
      Number(equation.primitive.name === "gather") +
      subPrograms(equation).reduce((n, p) => n + lookUps(p), 0),
    0,
  );

/** Draws rows of all arrays in each iteration. */
const drawn =
  (places: (turn: Array, which: number) => Array) =>
  (...given: Array[]) => {
    const arrays = given.map((array) => array.reshape([12, ...array.shape.slice(array.ndim === 4 ? 2 : 1)]));
    return lax.scan(
      (turn: Array) => {
        const rows = arrays.map((array, which) => np.take(array, places(turn, which), 0));
        return [turn.add(1), rows.map((row, which) => (which === 1 ? row : row.sum()))];
      },
      np.int32(0),
      null,
      { length: 3 },
    );
  };
const some = () => np.arange(4).mul(3);

it("rows of several arrays are looked up in one", () => {
  const { before, after } = compare(drawn((turn) => some().add(turn)));
  expect([lookUps(before), lookUps(after)]).toEqual([3, 1]);
});

it("not where they are looked up at other places, or are small", () => {
  const apart = compare(drawn((turn, which) => some().add(turn.mul(which))));
  expect(lookUps(apart.after)).toBe(lookUps(apart.before));
  const small = compare(
    drawn((turn) => some().add(turn)),
    1e6,
  );
  expect(lookUps(small.after)).toBe(3);
});
