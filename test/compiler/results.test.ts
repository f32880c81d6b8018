// What compiled programs take and give, and share on the way: one value several times, many results, long chains.
import { describe, it } from "vitest";
import { nn, np } from "vibe-rl/array";
import { expectSame, wholeNumbers, type Computation } from "./compare.js";
import { dtypes } from "./samples.js";

describe("results", () => {
  const x = wholeNumbers([3, 4]);
  const programs: Record<string, Computation> = {
    "an input": (a) => a,
    "an input twice": (a) => [a, a],
    "an input and what replaces it": (a) => [a, a.add(1), a.mul(2), a],
    "one value twice": (a) => {
      const b = a.add(1);
      return [b, b, b.T];
    },
    nothing: () => [],
    "only constants": () => [np.float32(2), np.arange(3), np.ones([2, 2]), np.bool(true)],
    "a constant that was made outside": (a) => [constant, constant.add(a), constant.T],
    "constants of every dtype that were made outside": (a) => [
      ...constants,
      ...constants.map((c) => a.add(c)),
      np.zeros([0, 2]),
    ],
    "inputs exchanged": (a, b) => [b, a],
    "nothing of an input": (_, b) => b.sum(),
    "views of an input": (a) => [
      a.T,
      a.reshape(-1),
      a.slice("::2"),
      np.flip(a),
      a.slice(null),
      np.broadcastTo(a, [2, 3, 4]),
    ],
    "trees of every kind": (a, b) => ({ list: [a, { deep: b.mul(2) }], none: null, again: a }),
  };
  const constant = wholeNumbers([3, 4], "float32", 5);
  const constants = dtypes.map((dtype, seed) => wholeNumbers([3, 4], dtype, seed));
  it.each(Object.entries(programs))("%s", (_, f) => {
    expectSame(f, [x, wholeNumbers([3, 4], "float32", 2)]);
  });
});

it("one array may be several arguments", () => {
  const x = wholeNumbers([5, 5]);
  expectSame((a, b) => [a.add(1), b.mul(2), a.matmul(b), a.at(0).set(b.slice(1)), b], [x, x]);
});

describe("expressions that share work", () => {
  const args = [wholeNumbers([6, 11]), wholeNumbers([11]), wholeNumbers([6, 1])];
  const programs: Record<string, Computation> = {
    "one expensive value used in many ways": (x, row, column) => {
      const y = np.tanh(x.add(row)).mul(column);
      return [y, y.T, y.sum(0), y.sum(1), y.mul(y).sum(), np.flip(y), y.slice("1:", "::2"), y.greater(0)];
    },
    "results of one loop at different places": (x, row) => [
      x.add(1),
      x.slice("::-1").add(1),
      x.T.add(row.slice(":", null)),
      x.reshape([11, 6]).add(1),
    ],
    "long chains": (x) => {
      let y = x;
      for (let turn = 0; turn < 80; turn++)
        y = turn % 7 === 3 ? np.roll(y, 1, turn % 2) : nn.relu(y.mul(0.5).add(turn));
      return y;
    },
    "chains of thousands": (x) => {
      let y = x;
      for (let turn = 0; turn < 4000; turn++) y = y.add((turn % 3) - 1);
      return y;
    },
    "many results": (x) => globalThis.Array.from({ length: 90 }, (_, at) => x.add(at)),
    "values that are thrown away": (x) => [np.sort(x), x.matmul(x.T), x.add(1)][2],
  };
  it.each(Object.entries(programs))("%s", (_, f) => expectSame(f, args, { rtol: 1e-6, atol: 1e-5 }));
});
