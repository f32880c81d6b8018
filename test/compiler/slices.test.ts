// Few elements of what is put together from parts are taken from the parts, with the same results.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeProgram, np, random, type Array, type Program } from "vibe-rl/array";
import type { Concrete } from "../../src/array/core/array.js";
import { interpret } from "../../src/array/core/interpret.js";
import { sliceParts } from "../../src/compiler/simplify/slices.js";
import { simplifyProgram } from "../../src/compiler/simplify/simplify.js";

const programsOf = (f: (...args: Array[]) => unknown, args: readonly Array[]) => {
  const before = simplifyProgram(makeProgram(f)(...args).program);
  return { before, after: simplifyProgram(sliceParts(before)) };
};

const counting = (program: Program, name: string): number =>
  program.equations.filter(({ primitive }) => primitive.name === name).length;

function expectSame(f: (...args: Array[]) => unknown, args: readonly Array[]): ReturnType<typeof programsOf> {
  const programs = programsOf(f, args);
  const [expected, got] = [programs.before, programs.after].map((program) =>
    interpret(program, args as readonly Concrete[]).map((value) => value.toArray()),
  );
  expect(got).toEqual(expected);
  return programs;
}

describe("small slices of concatenations", () => {
  it("wait for no more than their parts", () => {
    const f = (x: Array, y: Array) => {
      const both = np.concatenate([x.mul(2), y.add(1)]);
      return [both.slice("1:3"), both.slice("5:6")];
    };
    const { after } = expectSame(f, [np.arange(4).astype("float32"), np.arange(3).astype("float32")]);
    expect(counting(after, "concatenate")).toBe(0);
  });

  it("are put together from several parts where they reach over them", () => {
    const f = (x: Array, y: Array) => np.concatenate([x, y, x], 1).slice(":", "1:6");
    expectSame(f, [np.arange(6).reshape([2, 3]), np.arange(4).reshape([2, 2])]);
  });

  it("of keys are drawn by themselves", () => {
    const f = (key: Array) => {
      const keys = random.split(key, 3);
      return [keys.slice(0), random.bits(keys.slice(1), [4]), keys];
    };
    const { before, after } = expectSame(f, [random.key(7)]);
    expect(counting(after, "threefry2x32")).toBeGreaterThan(counting(before, "threefry2x32"));
  });

  it("that are large, or leave out elements, stay as they are", () => {
    const f = (x: Array) => {
      const both = np.concatenate([x, x.mul(2)]);
      return [both.slice("3:33"), both.slice("::2").slice(":3")];
    };
    const { before, after } = expectSame(f, [np.arange(40).astype("float32")]);
    expect(counting(after, "concatenate")).toBe(counting(before, "concatenate"));
  });

  it("at random give the same elements", () => {
    const places = fc.record({
      extents: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }),
      from: fc.integer({ min: 0, max: 15 }),
      length: fc.integer({ min: 1, max: 5 }),
      row: fc.integer({ min: 0, max: 1 }),
    });
    fc.assert(
      fc.property(places, ({ extents, from, length, row }) => {
        const total = extents.reduce((sum, extent) => sum + extent, 0);
        const start = from % total;
        const end = Math.min(total, start + length);
        const f = (x: Array) => {
          const parts = extents.map((extent, at) => x.slice(":", `:${extent}`).add(10 * at));
          const all = np.concatenate(parts, 1);
          return [
            all.slice(":", `${start}:${end}`),
            all.slice(row, start),
            all.reshape([2, 1, total]).slice(row),
          ];
        };
        expectSame(f, [np.arange(8).reshape([2, 4])]);
      }),
      { numRuns: 50 },
    );
  });
});
