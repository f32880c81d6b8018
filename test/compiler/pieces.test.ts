// Where rows go through in pieces: where what is computed of them does not fit in fast memory otherwise.
import { describe, expect, it } from "vitest";
import { grad, lax, makeProgram, nn, np, random, type Array } from "vibe-rl/array";
import type { Concrete } from "../../src/array/core/array.js";
import { interpret } from "../../src/array/core/interpret.js";
import { subPrograms, type Program } from "../../src/array/core/program.js";
import { takePieces } from "../../src/compiler/pieces/pieces.js";
import { simplifyProgram } from "../../src/compiler/simplify/simplify.js";
import { differences } from "../closeness.js";

type Weights = readonly Array[];

const weightsOf = (key: number, outputs: number): Weights =>
  [
    [4, 16],
    [16, 16],
    [16, outputs],
  ].map((shape, at) => random.normal(random.key(key + at), shape).mul(0.5));

const network = ([a, b, c]: Weights, x: Array): Array => np.tanh(np.tanh(x.matmul(a)).matmul(b)).matmul(c);

/** The gradient of PPO's loss: of two networks, and of advantages that are made to have no mean. */
function gradients(actor: Weights, critic: Weights, x: Array, actions: Array, advantages: Array): unknown {
  const loss = ([policy, value]: readonly Weights[]): Array => {
    const chances = nn.logSoftmax(network(policy, x));
    const chosen = np.takeAlongAxis(chances, actions.reshape([-1, 1]), 1).reshape([-1]);
    const weights = advantages.sub(advantages.mean()).div(advantages.std().add(1e-8));
    const ratio = np.exp(chosen.add(1));
    const gain = np.minimum(ratio.mul(weights), ratio.clip(0.8, 1.2).mul(weights)).mean();
    const entropy = np.exp(chances).mul(chances).sum(1).mean();
    const miss = np.square(network(value, x).reshape([-1]).sub(advantages)).mean();
    return miss.sub(gain).add(entropy.mul(0.01));
  };
  return grad(loss)([actor, critic]);
}

const [actor, critic] = [weightsOf(0, 3), weightsOf(10, 1)];

const batch = (rows: number): Array[] => [
  random.normal(random.key(20), [rows, 4]),
  random.randint(random.key(21), [rows], 0, 3),
  random.normal(random.key(22), [rows]),
];

/** A function of arrays as a program, with its arguments. */
function programOf(f: (...args: Array[]) => unknown, args: readonly Array[]) {
  const { program, constants } = makeProgram(f)(...args);
  return { program: simplifyProgram(program), inputs: [...constants, ...args] as Concrete[] };
}

/** The rows of all products, wherever they are. */
const rowsIn = (program: Program): number[] =>
  program.equations.flatMap((equation) => [
    ...(equation.primitive.name === "dot" ? [equation.outputs[0].type.shape[0]] : []),
    ...subPrograms(equation).flatMap(rowsIn),
  ]);

const update = (...data: Array[]) => gradients(actor, critic, data[0], data[1], data[2]);

describe("rows that do not fit in fast memory", () => {
  const { program, inputs } = programOf(update, batch(1024));
  const cut = takePieces(program, 2 ** 16);

  it("go through both networks and back in one loop", () => {
    const loops = cut.equations.filter(({ primitive }) => primitive.name === "scan");
    expect(loops.map(({ params }) => "length" in params && params.length)).toEqual([16]);
    expect(cut.equations.some(({ primitive }) => primitive.name === "dot")).toBe(false);
    // 64 rows forwards and backwards; weights have 4 and 16.
    expect([...new Set(rowsIn(cut))].sort((a, b) => a - b)).toEqual([4, 16, 64]);
  });

  it("give the same gradients", () => {
    expect(
      differences(interpret(cut, inputs), interpret(program, inputs), { rtol: 1e-4, atol: 1e-7 }),
    ).toEqual([]);
  });

  it("do so in loops and branches as well", () => {
    const looped = (...data: Array[]) =>
      lax.scan(
        (total: Array, turn: Array) => {
          const run = () => network(critic, data[0].mul(turn)).sum();
          return [lax.cond(turn.greater(0), run, () => total), total];
        },
        np.float32(0),
        np.arange(3).astype("float32"),
      );
    const whole = programOf(looped, batch(1024));
    const inPieces = takePieces(whole.program, 2 ** 15);
    expect(Math.max(...rowsIn(inPieces))).toBeLessThan(1024);
    expect(
      differences(interpret(inPieces, whole.inputs), interpret(whole.program, whole.inputs), { rtol: 1e-4 }),
    ).toEqual([]);
  });

  it("come in equal pieces whatever their number is", () => {
    // 1000 = 25 * 40, of 1002 there are none with a multiple of four rows, and 997 is a prime.
    for (const [rows, most] of [
      [1000, 40],
      [1002, 1002],
      [997, 997],
    ]) {
      const odd = programOf(update, batch(rows));
      const inPieces = takePieces(odd.program, 2 ** 15);
      expect(Math.max(...rowsIn(inPieces))).toBe(most);
      expect(
        differences(interpret(inPieces, odd.inputs), interpret(odd.program, odd.inputs), {
          rtol: 1e-4,
          atol: 1e-7,
        }),
      ).toEqual([]);
    }
  });
});

describe("programs stay as they are", () => {
  it.each([
    { what: "that fit", f: update, args: batch(64) },
    { what: "without rows", f: update, args: batch(0) },
    { what: "whose results are as large", f: (x: Array) => x.matmul(x.T), args: [np.ones([512, 4])] },
    { what: "without products", f: (x: Array) => np.tanh(x).sum(0), args: [np.ones([4096, 64])] },
  ])("$what", ({ f, args }) => {
    const { program } = programOf(f, args);
    expect(takePieces(program, 2 ** 16)).toBe(program);
  });
});
