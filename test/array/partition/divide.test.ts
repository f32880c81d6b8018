// Which values of programs are split where nobody says it: those that make the whole program cheaper.
import { describe, expect, it } from "vitest";
import { grad, lax, makeProgram, nn, np, random, tree, type Array } from "vibe-rl/array";
import type { Concrete } from "../../../src/array/core/array.js";
import { interpret } from "../../../src/array/core/interpret.js";
import { subPrograms, type Program } from "../../../src/array/core/program.js";
import type { Costs } from "../../../src/array/partition/costs.js";
import { divideProgram, type DividedProgram } from "../../../src/array/partition/divide.js";
import { wholeLayout } from "../../../src/array/sharding/axes.js";
import { simplifyProgram } from "../../../src/compiler/simplify/simplify.js";
import { differences } from "../../closeness.js";
import { blocksOf, simulate } from "./simulate.js";

/** About what a GPU's blocks pay, in cycles. */
const prices: Costs = { operation: 150, element: 0.1, multiplication: 0.02, meeting: 5000, byte: 0.03 };

const divided = (f: (...args: Array[]) => unknown, args: readonly Array[], most = 8, costs = prices) =>
  divideProgram(simplifyProgram(makeProgram(f)(...args).program), { most, near: 0, costs: () => costs });

/** The shapes of all results of a primitive, wherever they are. */
const shapesOf = (program: Program, name: string): string[] =>
  program.equations.flatMap((equation) => [
    ...(equation.primitive.name === name ? equation.outputs.map(({ type }) => type.shape.join("x")) : []),
    ...subPrograms(equation).flatMap((inner) => shapesOf(inner, name)),
  ]);

const countOf = ({ equations }: Program, name: string): number =>
  equations.reduce(
    (sum, equation) =>
      sum +
      (equation.primitive.name === name ? 1 : 0) +
      subPrograms(equation).reduce((inner, one) => inner + countOf(one, name), 0),
    0,
  );

type Weights = readonly [Array, Array];
const forward = ([a, b]: Weights, x: Array): Array => np.tanh(x.matmul(a)).matmul(b);

/** A few environments that play, and minibatches of what they have seen: the shape of PPO. */
const ppo = (key: Array, environments = 4): unknown => {
  const weights: Weights = [random.normal(key, [8, 64]), random.normal(key, [64, 64])];
  const update = (state: Weights, batch: Array): [Weights, Array] => {
    const loss = (w: Weights) => np.square(forward(w, batch)).mean();
    const slopes = grad(loss)(state);
    return [tree.map((w: Array, d: Array) => w.sub(d.mul(0.1)), state, slopes), loss(state)];
  };
  const iteration = (state: Weights): [Weights, Array] => {
    const [, seen] = lax.scan(
      (observation: Array) => [np.sin(forward(state, observation).slice(":", ":8")), observation],
      np.ones([environments, 8]),
      null,
      { length: 512 },
    );
    const rows = 512 * environments;
    const batches = random.permutation(key, seen.reshape([rows, 8])).reshape([4, rows / 4, 8]);
    const [next, losses] = lax.scan(update, state, batches);
    return [next, losses.mean()];
  };
  return lax.scan(iteration, weights, null, { length: 3 });
};

it("PPO with as many environments as half of the parts is divided into so many, of which each plays one", () => {
  const found = divided((key) => ppo(key, 64), [random.key(0)], 132);
  expect(found?.axes).toEqual([{ name: "parts", size: 64 }]);
  // Into 128 parts only the minibatches could be divided, and each part would play all environments.
  expect(shapesOf(found?.program as Program, "dot")).toContain("1x64");
});

it("PPO splits its minibatches, adds up gradients once for each, and plays a few environments whole", () => {
  const found = divided((key) => ppo(key), [random.key(0)], 132);
  expect(found?.axes).toEqual([{ name: "parts", size: 64 }]);
  const products = shapesOf(found?.program as Program, "dot");
  // Rollouts, then minibatches of which each part has 512 / 64 rows.
  expect(products.filter((shape) => shape.startsWith("4x"))).toEqual(["4x64", "4x64"]);
  const batches = products.filter((shape) => shape === "8x64");
  expect(batches.length).toBeGreaterThanOrEqual(3);
  expect(products).not.toContain("512x64");
  expect(countOf(found?.program as Program, "psum")).toBe(1);
});

it("small programs are left to one part, and so is what has no products", () => {
  expect(divided((x) => x.matmul(x.T), [np.ones([16, 16])])).toBeNull();
  expect(divided((x) => np.tanh(x), [np.ones([1000, 1000])])).toBeNull();
  expect(divided((x) => x.matmul(x), [np.ones([4, 4])])).toBeNull();
});

it("meetings that cost too much are not held", () => {
  const f = (x: Array, y: Array) => np.tanh(x.matmul(y)).matmul(y);
  const args = [np.ones([256, 64]), np.ones([64, 64])];
  expect(divided(f, args)).not.toBeNull();
  expect(divided(f, args, 8, { ...prices, meeting: 1e6 })).toBeNull();
});

it("there are as many parts as there are rows for, a power of two", () => {
  const f = (x: Array, y: Array) => np.tanh(x.matmul(y)).matmul(y);
  const partsOf = (rows: number, most: number) =>
    divided(f, [np.ones([rows, 128]), np.ones([128, 128])], most)?.axes[0].size;
  expect([partsOf(256, 132), partsOf(256, 13), partsOf(64, 132)]).toEqual([32, 8, 8]);
});

it("wide networks are divided along rows and columns, so that no part has all of a gradient", () => {
  const steps = (key: Array) => {
    const start: Weights[] = [0, 1].map(() => [
      random.normal(key, [16, 256]),
      random.normal(key, [256, 256]),
    ]);
    return lax.scan(
      (nets: Weights[], batch: Array) => {
        const value = ([a, b]: Weights) => nn.relu(nn.relu(batch.matmul(a)).matmul(b));
        const slopes = grad((all: Weights[]) => np.square(value(all[0]).sub(value(all[1]))).mean())(nets);
        return [tree.map((w: Array, d: Array) => w.sub(d.mul(0.1)), nets, slopes), null];
      },
      start,
      random.normal(key, [100, 256, 16]),
    );
  };
  const found = divided(steps, [random.key(0)], 132);
  expect(found?.axes).toEqual([
    { name: "rows", size: 8 },
    { name: "columns", size: 16 },
  ]);
  const program = found?.program as Program;
  // Each part has 32 rows, and of the weights what goes into or comes out of 16 units.
  const weights = new Set(shapesOf(program, "sub").filter((shape) => !shape.startsWith("32x")));
  expect([...weights].every((shape) => shape.split("x").includes("16"))).toBe(true);
  expect(shapesOf(program, "dot")).not.toContain("256x256");
  // Fewer parts have fewer of both.
  expect(divided(steps, [random.key(0)], 16)?.axes.map(({ size }) => size)).toEqual([4, 4]);
});

it("inputs and outputs all parts have whole", () => {
  const found = divided((x, y) => [x.matmul(y), x], [np.ones([256, 128]), np.ones([128, 128])]);
  expect(found?.program.inputs.map(({ type }) => type.shape)).toEqual([
    [256, 128],
    [128, 128],
  ]);
  expect(found?.program.outputs.map(({ type }) => type.shape)).toEqual([
    [256, 128],
    [256, 128],
  ]);
  expect(countOf(found?.program as Program, "allGather")).toBe(1);
});

it("what an optimiser carries is split as one vector, and parameters that products read are gathered once", () => {
  interface Net {
    readonly [name: string]: Array;
    readonly a: Array;
    readonly b: Array;
    readonly c: Array;
  }
  const value = ({ a, b, c }: Net, x: Array) => nn.relu(nn.relu(x.matmul(a)).matmul(b)).matmul(c);
  /** Acts with one row, learns from 64: the shape of DQN. */
  const train = (key: Array) => {
    const net: Net = {
      a: random.normal(key, [4, 128]),
      b: random.normal(key, [128, 128]),
      c: random.normal(key, [128, 2]),
    };
    const zeros = tree.map((w: Array) => np.zeros(w.shape), net);
    return lax.scan(
      ([w, means, squares, rng]: [Net, Net, Net, Array]) => {
        const [next, draw] = [...random.split(rng)] as [Array, Array];
        const acted = value(w, random.normal(draw, [1, 4]));
        const batch = random.normal(draw, [64, 4]).mul(acted.max());
        const slopes = grad((v: Net) => np.square(value(v, batch)).mean())(w);
        const first = tree.map((m: Array, d: Array) => m.mul(0.9).add(d.mul(0.1)), means, slopes);
        const second = tree.map((m: Array, d: Array) => m.mul(0.99).add(d.mul(d).mul(0.01)), squares, slopes);
        const stepped = tree.map(
          (v: Array, m: Array, q: Array) => v.sub(m.div(np.sqrt(q).add(1e-5)).mul(0.01)),
          ...([w, first, second] as [Net, Net, Net]),
        );
        return [[stepped, first, second, next] as [Net, Net, Net, Array], acted.sum()];
      },
      [net, zeros, zeros, key] as [Net, Net, Net, Array],
      null,
      { length: 300 },
    )[1];
  };
  const { program } = divided(train, [random.key(0)]) as { program: Program };
  const size = (4 + 128 + 2) * 128;
  expect(shapesOf(program, "psumScatter")).toEqual([String(size / 8)]);
  expect(shapesOf(program, "sqrt")).toContain(String(size / 8));
  expect(shapesOf(program, "allGather")).toEqual([String(size)]);
  expect(shapesOf(program, "dot")).toContain("1x128");
});

describe("of a network that is divided along rows and columns", () => {
  /** A wide layer that learns with an optimiser's two moments. */
  const learn = (x: Array, start: Array) => {
    const zeros = np.zeros(start.shape);
    return lax.scan(
      ([w, mean, square]: [Array, Array, Array]) => {
        const slope = grad((weights: Array) => np.square(nn.relu(x.matmul(weights))).mean())(w);
        const [first, second] = [
          mean.mul(0.9).add(slope.mul(0.1)),
          square.mul(0.99).add(np.square(slope).mul(0.01)),
        ];
        const next = w.sub(first.div(np.sqrt(second).add(1e-3)).mul(0.01));
        return [[next, first, second] as [Array, Array, Array], null];
      },
      [start, zeros, zeros] as [Array, Array, Array],
      null,
      { length: 4 },
    )[0];
  };
  const args = [0, 1].map((seed) => random.normal(random.key(seed), [128, 128]));
  const cheapMeetings = { ...prices, meeting: 500 };
  const mesh = [
    { name: "rows", size: 2 },
    { name: "columns", size: 2 },
  ];

  it("moments are divided along both, weights along the columns that products read", () => {
    const found = divided(learn, args, 4, cheapMeetings) as DividedProgram;
    expect(found.axes).toEqual(mesh);
    expect(shapesOf(found.program, "scan")).toEqual(["128x64", "64x64", "64x64"]);
    expect(shapesOf(found.program, "sqrt")).toEqual(["64x64"]);
    expect(shapesOf(found.program, "psumScatter")).toEqual(["64x64"]);
    expect(shapesOf(found.program, "dot")).toEqual(["64x64", "128x64"]);
    const { program, constants } = makeProgram(learn)(args[0], args[1]);
    const inputs = [...constants, ...args] as Concrete[];
    const whole = inputs.map((input) => blocksOf(input, wholeLayout(input.ndim), mesh));
    const results = simulate(found.program, mesh, whole);
    interpret(program, inputs).forEach((expected, at) =>
      results[at].forEach((own) =>
        expect(differences(own, expected, { rtol: 1e-4, atol: 1e-6 })).toEqual([]),
      ),
    );
  });

  it("moments stay with their weights where that saves little", () => {
    const costs = { ...cheapMeetings, element: 0.01 };
    const found = divided(learn, args, 4, costs) as DividedProgram;
    expect(found.axes).toEqual(mesh);
    expect(shapesOf(found.program, "scan")).toEqual(["128x64", "128x64", "128x64"]);
  });
});
