// Simplification keeps results and drops work.
import { describe, expect, it } from "vitest";
import { jit, lax, makeProgram, np, type Array, type Program } from "vibe-rl/array";
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

  it("concatenates what is stacked as it is, if the same comes of it", () => {
    const stacked = (axis: number, shape: readonly number[]) => (a: Array, b: Array) =>
      np.concatenate([a.reshape([1, 3]), b.reshape([1, 3])], axis).reshape([...shape]);
    const [a, b] = [np.array([1, 2, 3]), np.array([4, 5, 6])];
    expect(namesOf(stacked(1, [6]), a, b)).toEqual(["concatenate"]);
    expect(namesOf(stacked(0, [6]), a, b)).toEqual(["concatenate"]);
    expect(namesOf(stacked(0, [3, 2]), a, b)).toEqual(["reshape", "reshape", "concatenate", "reshape"]);
    const compiled = jit(stacked(1, [6]))(a, b);
    expect(compiled.toArray()).toEqual([1, 2, 3, 4, 5, 6]);
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

  /** The names of a program's equations, those inside loops and branches nested. */
  const outline = (program: Program): unknown[] =>
    program.equations.map((equation) => {
      const inner = Object.values(equation.params)
        .flat()
        .filter((value): value is Program => typeof value === "object" && "equations" in (value as object));
      return inner.length === 0 ? equation.primitive.name : [equation.primitive.name, ...inner.map(outline)];
    });
  const outlineOf = (f: (...args: Array[]) => unknown, ...args: Array[]) =>
    outline(simplifyProgram(makeProgram(f)(...args).program));

  it("computes before a loop what is the same in every turn, if it is worth it", () => {
    const f = (a: Array, b: Array) =>
      lax.foriLoop(0, 5, (_, c: Array) => c.add(np.exp(a).sum()).mul(b.add(1)), np.zeros([2, 3]));
    expect(outlineOf(f, x, x)).toEqual(["broadcast", "exp", "reduceSum", ["scan", ["add", "add", "mul"]]]);
    const nested = (a: Array) =>
      lax.foriLoop(0, 5, (_, c: Array) => lax.foriLoop(0, 3, (_i, d: Array) => d.mul(np.sin(a)), c), a);
    expect(outlineOf(nested, x)).toEqual(["sin", ["scan", [["scan", ["mul"]]]]]);
    const test = (a: Array) =>
      lax.whileLoop(
        (c: Array) => c.sum().less(np.exp(a).sum()),
        (c) => c.add(np.log(a)),
        a,
      );
    expect(outlineOf(test, x)).toEqual([
      "exp",
      "reduceSum",
      "log",
      ["while", ["reduceSum", "less"], ["add"]],
    ]);
  });

  it("carries nothing that stays, and knows inside what is known outside", () => {
    const f = (a: Array) =>
      lax.foriLoop(
        0,
        5,
        (_, c: { total: Array; scale: Array; fixed: Array }) => ({
          total: c.total.add(c.fixed).mul(c.scale),
          scale: c.scale,
          fixed: c.fixed,
        }),
        { total: np.zeros([2, 3]), scale: np.float32(1), fixed: a },
      );
    const { equations, outputs, inputs } = simplifyProgram(makeProgram(f)(x).program);
    const loop = equations[equations.length - 1];
    expect(outlineOf(f, x)).toEqual(["broadcast", ["scan", ["add"]]]);
    expect((loop.params as { carries: number }).carries).toBe(1);
    expect([outputs[0], outputs[1].kind]).toEqual([inputs[0], "literal"]);
  });

  it("takes the branch that is known", () => {
    const f = (a: Array) =>
      lax.cond(
        np.less(1, 2),
        (b: Array) => np.sin(b),
        (b: Array) => np.cos(b),
        a,
      );
    expect(outlineOf(f, x)).toEqual(["sin"]);
    const inLoop = (a: Array) =>
      lax.scan(
        (c: Array) => [
          lax.cond(
            np.less(3, 2),
            (b: Array) => b,
            (b: Array) => b.add(1),
            c,
          ),
          null,
        ],
        a,
        null,
        {
          length: 4,
        },
      )[0];
    expect(outlineOf(inLoop, x)).toEqual([["scan", ["add"]]]);
  });
});
