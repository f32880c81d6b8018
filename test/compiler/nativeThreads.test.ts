// Programs in C that several threads work on give the same bits whatever their number.
import { describe, expect, it } from "vitest";
import { isMainThread } from "node:worker_threads";
import { grad, jit, lax, makeProgram, nn, np, random, type Array } from "vibe-rl/array";
import { compile, cRenderer } from "../../src/compiler/index.js";
import { differences } from "../closeness.js";
import { isWithoutNative } from "../device/native.js";
import { bitsOf } from "./bits.js";
import type { Computation } from "./compare.js";

/** A function applied some times to its own result. */
const repeat = (count: number, f: (y: Array) => Array, start: Array): Array =>
  lax.foriLoop(0, count, (_, y: Array) => f(y), start);

const square = random.normal(random.key(1), [110, 110]).mul(0.1);
const long = random.normal(random.key(2), [300, 170]);

const programs: Record<string, readonly [f: Computation, ...args: Array[]]> = {
  "functions of many elements": [(x) => [np.tanh(x), np.exp(x).add(np.sin(x))], long],
  "sums of rows and columns": [(x) => [np.exp(x).sum(1), np.tanh(x).sum(0), np.argmax(np.sin(x), 1)], long],
  "products: as they lie, packed, with rows and columns left over": [
    (x, y) => [
      x.matmul(x),
      x.T.matmul(x),
      x.matmul(x.T).add(1),
      y.matmul(x.slice(":101", ":97")),
      y.T.matmul(y),
    ],
    square,
    random.normal(random.key(3), [117, 101]),
  ],
  "products of few columns": [
    (x, y) => np.tanh(x.matmul(y.T)),
    random.normal(random.key(4), [1003, 700]),
    random.normal(random.key(5), [2, 700]),
  ],
  "many batches of products": [
    (x) => np.einsum("bij,bjk->bik", x, x),
    random.normal(random.key(6), [20, 40, 40]),
  ],
  "a product that needs the one before": [(x) => repeat(5, (y) => np.tanh(y.matmul(x)), x), square],
  "a scan with rows that are kept": [
    (x) =>
      lax.scan(
        (c: Array, row: Array) => {
          const next = np.tanh(c.matmul(x).add(row));
          return [next, next.sum(0)];
        },
        x,
        x.slice(":4"),
      ),
    square,
  ],
  "a while loop that looks at what all have computed": [
    (x) =>
      lax.whileLoop(
        ({ turn, y }) => turn.less(6).and(np.exp(y).sum().greater(0)),
        ({ turn, y }) => ({ turn: turn.add(1), y: np.tanh(y.matmul(x)).mul(y.max()) }),
        { turn: np.int32(0), y: x },
      ),
    square,
  ],
  "branches with and without shared work": [
    (x, n) =>
      lax.scan(
        (c: Array, i: Array) => {
          const next = lax.switch(
            i.add(n).mod(3),
            [(y: Array) => np.tanh(y.matmul(x)), (y: Array) => np.sin(y), (y: Array) => y.at(0, 0).set(1)],
            c,
          );
          return [next, next.slice(0)];
        },
        x,
        np.arange(5),
      ),
    square,
    np.int32(1),
  ],
  "a gradient, and what only one thread does between": [
    grad((w: Array, x: Array) => {
      const order = np.argsort(x.slice(":", 0));
      return nn.logsumexp(np.tanh(x.slice(order).matmul(w)).matmul(w)).mean();
    }),
    square,
    random.normal(random.key(7), [120, 110]),
  ],
};

describe.skipIf(isWithoutNative("test/compiler/nativeThreads.test.ts"))("shared programs", () => {
  it("share out work, each of them", () => {
    // Other threads of JavaScript never share.
    expect(isMainThread).toBe(true);
    for (const [name, [f, ...args]] of Object.entries(programs)) {
      const { program, constants } = makeProgram(f)(...args);
      const { code } = compile(program, constants.length, cRenderer({ lanes: 16, registers: 32 }));
      expect(code.parallelWork, name).not.toBe("none");
    }
  });

  it("have the same bits with any number of threads, run after run", { timeout: 600_000 }, () => {
    const all: Computation = (...args) => {
      let used = 0;
      return Object.values(programs).map(([f, ...own]) => f(...args.slice(used, (used += own.length))));
    };
    const args = Object.values(programs).flatMap(([, ...own]) => own);
    const run = (threads: number) => jit(all, { device: "native", threads })(...args) as unknown[];
    const alone = run(1);
    for (const threads of [2, 3, 5, 16]) {
      const shared = jit(all, { device: "native", threads });
      for (let turn = 0; turn < 2; turn++) {
        const results = shared(...args) as unknown[];
        Object.keys(programs).forEach((name, at) =>
          expect(bitsOf(results[at]), `${name}, ${threads} threads`).toEqual(bitsOf(alone[at])),
        );
      }
    }
    const interpreted = jit(all, { device: "interpreter" })(...args) as unknown[];
    Object.keys(programs).forEach((name, at) =>
      expect(differences(alone[at], interpreted[at], { rtol: 1e-4, atol: 1e-5 }), name).toEqual([]),
    );
  });
});
