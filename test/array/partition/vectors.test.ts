// What loops do with many arrays alike is done with vectors, with the same results.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lax, makeProgram, np, random, tree, type Array, type Program } from "vibe-rl/array";
import type { Concrete } from "../../../src/array/core/array.js";
import { interpret } from "../../../src/array/core/interpret.js";
import { subPrograms } from "../../../src/array/core/program.js";
import { withVectors } from "../../../src/array/partition/vectors.js";
import { simplifyProgram } from "../../../src/compiler/simplify/simplify.js";
import { differences } from "../../closeness.js";
import { stateArguments, statePrograms, toStateFunction } from "../../compiler/statePrograms.js";

type Weights = Readonly<Record<string, Array>>;

const weights: Weights = {
  a: random.normal(random.key(1), [4, 6]),
  b: random.normal(random.key(2), [6]),
  c: random.normal(random.key(3), [6, 3]),
  d: random.normal(random.key(4), [3]),
};
const rows = random.normal(random.key(5), [8, 4]);

const layers = ({ a, b, c, d }: Weights, x: Array) => np.tanh(x.matmul(a).add(b)).matmul(c).add(d);

interface Options {
  /** What is added up of each slope; squares by default. */
  readonly size?: (slopes: Array) => Array;
  /** What a step adds to the sum of all of them. */
  readonly more?: (norm: Array, slopes: Weights) => Array;
  /** What becomes of one of the weights besides. */
  readonly apart?: (w: Weights) => Weights;
}

/** Descends with momentum and a norm of all slopes, some steps in each of some rounds. */
const descent =
  ({ size = np.square, more = (norm) => norm, apart = (w) => w }: Options = {}) =>
  (start: Weights, x: Array) => {
    const step = ([w, m, count]: [Weights, Weights, Array]): [[Weights, Weights, Array], Array] => {
      const error = layers(w, x.mul(count.astype("float32").mul(0.1).add(1)));
      const slopes: Weights = {
        a: x.transpose().matmul(error.matmul(w.c.transpose())),
        b: error.matmul(w.c.transpose()).sum(0),
        c: np.tanh(x.matmul(w.a).add(w.b)).transpose().matmul(error),
        d: error.sum(0),
      };
      const norm = more(
        tree.leaves(tree.map((g: Array) => size(g).sum(), slopes)).reduce((sum, one) => sum.add(one)),
        slopes,
      );
      const scale = np.divide(1, np.maximum(np.sqrt(norm), 1));
      const next = tree.map((one: Array, g: Array) => one.mul(0.9).add(g.mul(scale)), m, slopes) as Weights;
      const moved = tree.map((one: Array, by: Array) => one.sub(by.mul(0.01)), w, next) as Weights;
      return [[apart(moved), next, count.add(1)], norm];
    };
    const round = (carried: [Weights, Weights, Array]) => lax.scan(step, carried, null, { length: 3 });
    const zeros = tree.map((w: Array) => np.zeros(w.shape), start) as Weights;
    return lax.scan(round, [start, zeros, np.int32(0)] as [Weights, Weights, Array], null, { length: 2 });
  };

const programOf = (f: (...args: never[]) => unknown): Program =>
  simplifyProgram(makeProgram(f as (...args: unknown[]) => unknown)(weights, rows).program);

function compare(f: (...args: never[]) => unknown, multiple = 16) {
  const before = programOf(f);
  const { program: after, lengths } = withVectors(before, multiple);
  const args = [...tree.leaves(weights), rows] as Concrete[];
  const [expected, got] = [before, after].map((program) => interpret(program, args));
  expect(differences(got, expected, { rtol: 1e-5, atol: 1e-6 })).toEqual([]);
  return { before, after, lengths: [...lengths] };
}

/** How often equations of a name stand in the innermost loop. */
function countInside(program: Program, name: string): number {
  const loops = program.equations.flatMap(subPrograms);
  if (loops.length === 0) return program.equations.filter(({ primitive }) => primitive.name === name).length;
  return loops.reduce((sum, inner) => sum + countInside(inner, name), 0);
}

describe("vectors", () => {
  it("hold all that an optimiser carries, and are as long as many devices would have them", () => {
    const { before, after, lengths } = compare(descent());
    // 24 + 6 + 18 + 3 elements.
    expect(lengths).toEqual([64]);
    expect(countInside(before, "sub")).toBe(4);
    expect(countInside(after, "sub")).toBe(1);
    expect(compare(descent(), 17).lengths).toEqual([51]);
  });

  it("are carried by the outermost loop, and unpacked where products need the arrays", () => {
    const { after } = compare(descent());
    const [loop] = after.equations.filter(({ primitive }) => primitive.name === "scan");
    const [body] = subPrograms(loop);
    const [inner] = body.equations.filter(({ primitive }) => primitive.name === "scan");
    expect(body.equations.map(({ primitive }) => primitive.name)).not.toContain("concatenate");
    expect(inner.inputs.filter(({ type }) => type.shape.join() === "64")).toHaveLength(2);
  });

  it("have one sum of squares instead of one for each array", () => {
    const { before, after } = compare(descent());
    expect(countInside(before, "reduceSum") - countInside(after, "reduceSum")).toBe(3);
  });

  it("leave sums alone to which something else is added, or that are used by themselves", () => {
    const others: NonNullable<Options["more"]>[] = [
      (norm) => norm.add(2),
      (norm, { a }) => norm.add(np.abs(a).max()),
      (norm, { b }) => norm.mul(np.square(b).sum()),
    ];
    for (const more of others) {
      const { before, after } = compare(descent({ more }));
      expect(countInside(after, "reduceSum")).toBe(countInside(before, "reduceSum"));
    }
  });

  it("have one sum only of what is zero where the vector is filled up", () => {
    const sizes: readonly (readonly [size: (g: Array) => Array, isOne: boolean])[] = [
      [(g) => np.abs(g).mul(3), true],
      [(g) => g.mul(g.add(1)), true],
      [(g) => np.exp(g.mul(0.1)), false],
      [(g) => g.add(1), false],
    ];
    for (const [size, isOne] of sizes) {
      const { before, after } = compare(descent({ size }));
      expect(countInside(before, "reduceSum") - countInside(after, "reduceSum")).toBe(isOne ? 3 : 0);
    }
  });

  it("are made of those that are done alike, and of no others", () => {
    const { after, before } = compare(descent({ apart: (w) => ({ ...w, d: w.d.mul(0.5).add(w.d) }) }));
    expect(countInside(before, "sub")).toBe(4);
    expect(countInside(after, "sub")).toBe(2);
  });

  it("are not made of what no loop carries", () => {
    const f = (start: Weights, x: Array) =>
      lax.scan((c: Array) => [c.add(1), tree.map((w: Array) => np.sin(w).mul(c), start)], x.sum(), null, {
        length: 3,
      });
    const before = programOf(f);
    expect(withVectors(before, 16).program).toBe(before);
  });

  it("give the same in whatever programs", () => {
    const property = fc.property(statePrograms(), fc.nat(10), (program, seed) => {
      const args = stateArguments(seed);
      const before = simplifyProgram(makeProgram(toStateFunction(program))(...args).program);
      const after = withVectors(before, 4).program;
      const [expected, got] = [before, after].map((one) => interpret(one, args as readonly Concrete[]));
      expect(differences(got, expected, { rtol: 1e-6, atol: 1e-6 })).toEqual([]);
    });
    fc.assert(property, { numRuns: 150 * Number(process.env.PROPERTY_RUNS ?? 1) });
  });
});
