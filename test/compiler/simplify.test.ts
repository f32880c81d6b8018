// Simplification keeps results and drops work.
import { describe, expect, it } from "vitest";
import { lax, makeProgram, np, type Array, type Program } from "vibe-rl/array";
import { simplifyProgram } from "../../src/compiler/simplify/simplify.js";

describe("simplify", () => {
  const namesOf = (f: (...args: Array[]) => unknown, ...args: Array[]) =>
    simplifyProgram(makeProgram(f)(...args).program).equations.map((equation) => equation.primitive.name);
  const x = np.ones([2, 3]);

  it("computes known values, drops the unused, does repeated work once", () => {
    expect(namesOf(() => np.add(1, 2))).toEqual([]);
    expect(namesOf((a) => [a.mul(2), np.sin(a)][0], x)).toEqual(["mul"]);
    expect(namesOf((a) => np.sin(a).add(np.sin(a)), x)).toEqual(["sin", "add"]);
    expect(namesOf((a) => a.add(0).sub(a.add(-0)), x)).toEqual(["add", "add", "sub"]);
  });

  it("removes operations that change nothing", () => {
    expect(namesOf((a) => a.mul(1).div(1).sub(0).neg().neg(), x)).toEqual([]);
    expect(namesOf((a) => a.reshape([6]).reshape([3, 2]).reshape([2, 3]), x)).toEqual([]);
    expect(namesOf((a) => a.T.T, x)).toEqual([]);
    expect(namesOf((a) => a.reshape([6]).reshape([3, 2]), x)).toEqual(["reshape"]);
    expect(namesOf((a) => np.where(true, a, a.add(1)), x)).toEqual([]);
    expect(namesOf((a) => lax.stopGradient(a.slice(":")), x)).toEqual([]);
    expect(namesOf((a) => np.pad(a, 0), x)).toEqual([]);
  });

  it("keeps what shifts, even if the shape stays", () => {
    const shifted = (a: Array) =>
      np
        .pad(a, [
          [0, 0],
          [1, 0],
        ])
        .slice(":", ":-1");
    expect(namesOf(shifted, x)).toEqual(["pad", "slice"]);
  });

  it("cleans loop bodies and drops carries nobody reads", () => {
    const f = (a: Array) =>
      lax.scan(
        (c: { used: Array; not: Array }) => [{ used: c.used.mul(1).add(1), not: np.sin(c.not) }, c.not],
        { used: a, not: a },
        null,
        {
          length: 3,
        },
      )[0].used;
    const [loop] = simplifyProgram(makeProgram(f)(x).program).equations;
    const { body, carries } = loop.params as { body: Program; carries: number };
    expect([carries, body.equations.map((equation) => equation.primitive.name)]).toEqual([1, ["add"]]);
  });
});
