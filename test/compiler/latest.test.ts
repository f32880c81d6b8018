// Rows that are read of an array right after one was written come from the array as it was, with the same results.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lax, makeProgram, np, vmap, type Array, type DType, type Program } from "vibe-rl/array";
import type { Concrete } from "../../src/array/core/array.js";
import { interpret } from "../../src/array/core/interpret.js";
import { subPrograms, type Atom } from "../../src/array/core/program.js";
import { bindOne } from "../../src/array/core/trace.js";
import { gather, type GatherParams } from "../../src/array/primitives/gather.js";
import { readBefore } from "../../src/compiler/simplify/latest.js";
import { simplifyProgram } from "../../src/compiler/simplify/simplify.js";
import { wholeNumbers } from "./compare.js";

/** For each gather of a program, what has made the array that it reads. */
function sourcesOf({ equations }: Program): (string | null)[] {
  const makers = new Map(
    equations.flatMap(({ primitive, outputs }) =>
      outputs.map((output): [Atom, string] => [output, primitive.name]),
    ),
  );
  return equations.flatMap((equation) => [
    ...(equation.primitive.name === "gather" ? [makers.get(equation.inputs[0]) ?? null] : []),
    ...subPrograms(equation).flatMap(sourcesOf),
  ]);
}

/** Fails unless a function gives the same results when rows are read before; what its gathers read before and after. */
function expectSame(f: (...args: Array[]) => unknown, args: readonly Array[], largest = 0) {
  const { program, constants } = makeProgram(f)(...args);
  const before = simplifyProgram(program);
  const after = readBefore(before, largest);
  const [expected, got] = [before, after].map((one) =>
    interpret(one, [...constants, ...args] as Concrete[]).map((value) => value.toArray()),
  );
  expect(got).toEqual(expected);
  const types = [before, after].map(({ outputs }) => outputs.map(({ type }) => type));
  expect(types[1]).toEqual(types[0]);
  return { before: sourcesOf(before), after: sourcesOf(after) };
}

const int = (value: number): Array => np.int32(value);
const ints = (values: readonly number[]): Array => np.array([...values], { dtype: "int32" });

/** An array with one row written. */
const withRow = (x: Array, row: Array, at: Array): Array =>
  lax.dynamicUpdateSlice(x, np.expandDims(row, 0), [at, ...row.shape.map(() => 0)]);

const extremes = [-(2 ** 31), -9, -1, 0, 3, 7, 8, 100, 2 ** 31 - 1];
const kinds: [DType, readonly number[]][] = [
  ["float32", [8]],
  ["bool", [8]],
  ["int32", [8]],
  ["float32", [8, 3]],
  ["bool", [8, 2]],
  ["int32", [8, 2, 3]],
  ["uint8", [1, 4]],
];

describe("rows read after one was written", () => {
  it.each(kinds)("come from before: %s of %j, at places inside and outside", (dtype, shape) => {
    const x = wholeNumbers(shape, dtype);
    const row = wholeNumbers(shape.slice(1), dtype, 2);
    const f = (old: Array, fresh: Array, at: Array, places: Array) => {
      const written = withRow(old, fresh, at);
      const read = (mode: GatherParams["mode"]) =>
        bindOne(gather, [written, places.reshape([-1, 1])], { batchDims: 0, mode });
      return [read("clip"), read("drop"), written];
    };
    for (const at of extremes) {
      const { before, after } = expectSame(f, [x, row, int(at), ints(extremes)]);
      expect(before).toEqual(["dynamicUpdateSlice", "dynamicUpdateSlice"]);
      expect(after).toEqual([null, null]);
    }
  });

  it("are the same wherever they are read, several times and in any shape", () => {
    const f = (x: Array, row: Array, at: Array, places: Array) => {
      const written = withRow(x, row, at);
      const read = written.slice(places);
      const again = written.slice(places.reshape([2, -1]).add(1));
      return [read.sum(0), again, x.slice(places), withRow(written, read.slice(0), at.add(2)).slice(places)];
    };
    const place = fc.integer({ min: -12, max: 12 });
    fc.assert(
      fc.property(place, fc.array(place, { minLength: 4, maxLength: 4 }), (at, places) => {
        const args = [wholeNumbers([8, 3]), wholeNumbers([3], "float32", 2), int(at), ints(places)];
        expect(expectSame(f, args).before).toContain("dynamicUpdateSlice");
      }),
      { numRuns: 50 },
    );
  });

  it("of no place are none", () => {
    const f = (x: Array, row: Array, places: Array) => withRow(x, row, int(1)).slice(places);
    expect(expectSame(f, [wholeNumbers([8, 3]), wholeNumbers([3]), ints([])]).after).toEqual([null]);
  });

  it("may have NaN, where it was and where it comes", () => {
    const f = (x: Array, row: Array, at: Array) => withRow(x, row, at).slice(ints([0, 1, 2, 1]));
    const x = np.array([1, NaN, 3, NaN]);
    for (const row of [5, NaN]) expectSame(f, [x, np.float32(row), int(1)]);
  });

  it("of a ring in a loop are read before the ring is written", () => {
    const f = (ring: Array, fresh: Array, draws: Array) =>
      lax.scan(
        ([held, at]: [Array, Array], [row, places]: [Array, Array]) => {
          const next = withRow(held, row, at.mod(8));
          return [[next, at.add(1)] as [Array, Array], next.slice(places)];
        },
        [ring, int(5)] as [Array, Array],
        [fresh, draws] as [Array, Array],
      );
    const draws = np.arange(40).mul(5).mod(8).astype("int32").reshape([10, 4]);
    const args = [wholeNumbers([8, 3]), wholeNumbers([10, 3], "float32", 2), draws];
    const { before, after } = expectSame(f, args);
    expect([before, after]).toEqual([["dynamicUpdateSlice"], [null]]);
  });
});

describe("what is read stays as it is", () => {
  const x = wholeNumbers([8, 3]);
  const places = ints([2, 3, 4]);
  const others: Record<string, [f: (x: Array) => unknown, source: string | null]> = {
    "of two rows that are written": [
      (y) => lax.dynamicUpdateSlice(y, np.ones([2, 3]), [3, 0]).slice(places),
      "dynamicUpdateSlice",
    ],
    "of a part of a row": [
      (y) => lax.dynamicUpdateSlice(y, np.ones([1, 2]), [3, 1]).slice(places),
      "dynamicUpdateSlice",
    ],
    "of a column": [
      (y) => lax.dynamicUpdateSlice(y, np.ones([8, 1]), [0, 1]).slice(places),
      "dynamicUpdateSlice",
    ],
    "at places of its elements": [
      (y) => withRow(y, np.ones([3]), int(3)).slice(places, ints([0, 1, 2])),
      "dynamicUpdateSlice",
    ],
    "in each row, at places of its own": [
      (y) =>
        vmap((row: Array, at: Array) => row.slice(at))(
          withRow(y, np.ones([3]), int(3)),
          np.tile(places, [8, 1]),
        ),
      "dynamicUpdateSlice",
    ],
    "of what is computed otherwise": [
      (y) =>
        withRow(y, np.ones([3]), int(3))
          .mul(2)
          .slice(places),
      "mul",
    ],
  };
  it.each(Object.entries(others))("%s", (_, [f, source]) => {
    const { before, after } = expectSame(f, [x]);
    expect(before).toEqual([source]);
    expect(after).toEqual(before);
  });

  it("of arrays that are small", () => {
    const f = (y: Array) => withRow(y, np.ones([3]), int(3)).slice(places);
    expect(expectSame(f, [x], 24).after).toEqual(["dynamicUpdateSlice"]);
    expect(expectSame(f, [x], 23).after).toEqual([null]);
  });
});
