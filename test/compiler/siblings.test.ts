// Loops of one form that need nothing of each other become one, with the same results.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { debug, lax, makeProgram, np, type Array, type Program } from "vibe-rl/array";
import type { Concrete } from "../../src/array/core/array.js";
import { interpret } from "../../src/array/core/interpret.js";
import { joinSiblings } from "../../src/compiler/simplify/siblings.js";
import { simplifyProgram } from "../../src/compiler/simplify/simplify.js";

const loopsIn = ({ equations }: Program): number =>
  equations.filter(({ primitive }) => primitive.name === "scan").length;

/** How many loops there are before and after, given that results stay the same. */
function counts(f: (...args: Array[]) => unknown, args: readonly Array[]): readonly [number, number] {
  const before = simplifyProgram(makeProgram(f)(...args).program);
  const after = joinSiblings(before);
  const [expected, got] = [before, after].map((program) =>
    interpret(program, args as readonly Concrete[]).map((value) => value.toArray()),
  );
  expect(got).toEqual(expected);
  return [loopsIn(before), loopsIn(after)];
}

const numbers = np.arange(6).astype("float32");
/** A running total of some numbers, from a start on, and the last of them all times a factor. */
const totals = (start: Array, xs: Array, factor: Array, length = 6): readonly [Array, Array] =>
  lax.scan(
    (total: Array, x: Array | null) => {
      const next = total.mul(0.5).add((x ?? np.float32(1)).mul(factor));
      return [next, next.add(1)];
    },
    start,
    xs.slice(`:${length}`),
  );

describe("loops of one form", () => {
  it("are one, whatever they carry, read and give", () => {
    const f = (x: Array, y: Array) => [totals(x.sum(), x, y.sum()), totals(y.max(), y, x.sum())];
    expect(counts(f, [numbers, numbers.mul(2)])).toEqual([2, 1]);
  });

  it("stay apart where one needs the other, also by way of something else", () => {
    const f = (x: Array) => {
      const [last, all] = totals(x.sum(), x, np.float32(2));
      return totals(last.add(1), all.mul(3), np.float32(2));
    };
    expect(counts(f, [numbers])).toEqual([2, 2]);
  });

  it("stay apart where others of their kind have come between them", () => {
    const f = (x: Array) => {
      const a1 = totals(x.sum(), x, x.max());
      const b2 = totals(x.max(), x, x.sum(), 5);
      const b1 = totals(a1[0], a1[1], x.max(), 5);
      const a2 = totals(b2[0], x.add(b2[0]), x.sum());
      return [a1, b1, a2, b2];
    };
    expect(counts(f, [numbers])).toEqual([4, 3]);
  });

  it("stay apart where they have another length, or do something else", () => {
    const f = (x: Array) => [
      totals(x.sum(), x, x.max()),
      totals(x.max(), x, x.sum(), 5),
      lax.scan((total: Array, one: Array) => [total.add(one), total], x.sum(), x),
    ];
    expect(counts(f, [numbers])).toEqual([3, 3]);
  });

  it("stay apart where they print, so that messages keep their order", () => {
    const f = (x: Array) =>
      [1, 2].map((factor) =>
        lax.scan(
          (total: Array, one: Array) => {
            debug.print("{total}", { total });
            return [total.add(one), null];
          },
          x.sum().mul(factor),
          x,
        ),
      );
    const before = makeProgram(f)(numbers).program;
    expect([loopsIn(before), loopsIn(joinSiblings(before))]).toEqual([2, 2]);
  });

  it("are joined inside of loops, too", () => {
    const f = (x: Array) =>
      lax.foriLoop(
        0,
        3,
        (_, y: Array) => totals(y.sum(), y, y.max())[1].add(totals(y.max(), y, y.sum())[1]),
        x,
      );
    const [before, after] = [simplifyProgram(makeProgram(f)(numbers).program)].flatMap((program) => [
      program,
      joinSiblings(program),
    ]);
    const inner = ({ equations }: Program) =>
      equations.map(({ params }) => (params as { body?: Program }).body).flatMap((body) => body ?? []);
    expect([inner(before), inner(after)].map((bodies) => bodies.map(loopsIn))).toEqual([[2], [1]]);
    counts(f, [numbers]);
  });

  it("at random, each after some of the others, give the same results", () => {
    const step = fc.record({ from: fc.nat(), with: fc.nat(), by: fc.nat(), isLong: fc.boolean() });
    let joined = 0;
    fc.assert(
      fc.property(fc.array(step, { minLength: 2, maxLength: 7 }), (steps) => {
        const f = (x: Array) => {
          const made = [x, x.add(1)];
          for (const { from, with: other, by, isLong } of steps) {
            const [start, xs, factor] = [from, other, by].map((which) => made[which % made.length]);
            const length = isLong ? 6 : 4;
            const [last, all] = totals(start.sum(), xs, factor.max(), length);
            made.push(
              np
                .concatenate([all, np.zeros([6 - length])])
                .mul(0.1)
                .add(last.mul(0.01)),
            );
          }
          return made;
        };
        const [before, after] = counts(f, [numbers]);
        joined += before - after;
      }),
      { numRuns: 100 },
    );
    expect(joined).toBeGreaterThan(0);
  });
});
