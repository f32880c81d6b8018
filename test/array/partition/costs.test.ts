// What programs cost, by prices for what they do.
import { describe, expect, it } from "vitest";
import { lax, makeProgram, np, type Array } from "vibe-rl/array";
import { bindOne, traceProgram } from "../../../src/array/core/trace.js";
import { arrayType } from "../../../src/array/core/type.js";
import { costOf, unknownTurns, type Costs } from "../../../src/array/partition/costs.js";
import { allGather } from "../../../src/array/primitives/collectives.js";
import { simplifyProgram } from "../../../src/compiler/simplify/simplify.js";

/** Prices that tell from the sum what was paid for. */
const prices: Costs = { operation: 1e9, element: 1, multiplication: 1e-3, meeting: 1e12, byte: 1e-6 };
const cost = (f: (...args: Array[]) => unknown, ...args: Array[]): number =>
  costOf(simplifyProgram(makeProgram(f)(...args).program), prices);

it("elementwise operations cost an element each, more where they are many instructions; reductions what they read", () => {
  expect(cost((x) => np.abs(x).add(x), np.ones([6, 5]))).toBe(2e9 + 60);
  expect(cost((x) => np.tanh(x), np.ones([6, 5]))).toBe(1e9 + 3 * 30);
  expect(cost((x) => x.sum(0), np.ones([6, 5]))).toBe(1e9 + 30);
});

it("products cost their multiplications", () => {
  expect(cost((x, y) => x.matmul(y), np.ones([4, 10]), np.ones([10, 3]))).toBeCloseTo(1e9 + 12 + 0.12, 5);
});

it("loops cost their turns, where they are known, and branches the most expensive case", () => {
  const body = cost((x) => np.tanh(x), np.ones([8]));
  const loop = (length: number) =>
    cost((x) => lax.scan((c: Array) => [np.tanh(c), null], x, null, { length })[0], np.ones([8]));
  expect(loop(7) - loop(5)).toBe(2 * body);
  const test = cost((x) => x.sum().less(1), np.ones([8]));
  const turns = cost(
    (x) =>
      lax.whileLoop(
        (c: Array) => c.sum().less(1),
        (c: Array) => np.tanh(c),
        x,
      ),
    np.ones([8]),
  );
  expect(turns).toBe(1e9 + unknownTurns * (test + body));
  const branch = (least: number) =>
    cost(
      (x, p) =>
        lax.cond(
          p,
          (c: Array) => np.tanh(c),
          (c: Array) => (least === 1 ? np.tanh(c) : np.tanh(np.tanh(c))),
          x,
        ),
      np.ones([8]),
      np.array(true),
    );
  expect(branch(2) - branch(1)).toBe(body);
});

describe("what was gathered", () => {
  const free: Costs = { operation: 0, element: 0, multiplication: 0, meeting: 0, byte: 0 };
  const gather = (x: Array): Array => bindOne(allGather, [x], { axes: ["parts"], size: 4, axis: 0 });
  const bytes = 4 * 8 * 8;

  const programs: Record<string, readonly [f: (x: Array, y: Array) => Array, expected: number]> = {
    "costs its bytes as the left side of a product": [(x, y) => gather(x).matmul(y.T), bytes],
    "costs its bytes as the right side": [(x, y) => y.matmul(gather(x)), bytes],
    "costs them on both sides": [(x, y) => gather(x).matmul(gather(y)), 2 * bytes],
    "costs them for each product": [(x, y) => gather(x).matmul(y.T).add(gather(x).matmul(x.T)), 2 * bytes],
    "costs them at each turn of a loop": [
      (x, y) => lax.foriLoop(0, 3, (_, c: Array) => np.tanh(c.matmul(gather(c))), x.add(y)),
      3 * bytes,
    ],
    "costs nothing where no product reads it": [(x) => np.tanh(gather(x)), 0],
    "adds nothing to products of other arrays": [(x, y) => gather(x).add(y.T.matmul(y)), 0],
  };
  it.each(Object.entries(programs))("%s", (_, [f, expected]) => {
    const type = arrayType([2, 8], "float32");
    const { program } = traceProgram("f", [type, type], ([x, y]) => [f(x, y)]);
    const own = simplifyProgram(program);
    expect([costOf(own, { ...free, gathered: 1 }), costOf(own, free)]).toEqual([expected, 0]);
  });
});
