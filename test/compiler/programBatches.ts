// Batches of programs: products, reductions, sorts, updates, loops and branches.
import fc from "fast-check";
import { grad, lax, np, random, vmap, type Array } from "vibe-rl/array";
import { expressions, toFunction as toVectorFunction } from "../array/randomPrograms.js";
import { wholeNumbers, type Computation } from "./compare.js";
import { argumentsFor, mixedPrograms, toFunction } from "./mixedPrograms.js";
import {
  einsumCases,
  einsums,
  epilogueArguments,
  epilogues,
  everyLayout,
  matrices,
} from "./productPrograms.js";
import {
  derived,
  indexReductions,
  mixedShapes,
  orderTables,
  reductionPrograms,
  reductions,
} from "./reductionPrograms.js";
import { awkwardFloats, dtypes } from "./samples.js";
import { stateArguments, statePrograms, toStateFunction } from "./statePrograms.js";
import { named, type Batches } from "./together.js";
import { combinations, writes } from "./writePrograms.js";

type Size = readonly [rows: number, depth: number, columns: number];
const asSize = ([rows, depth, columns]: readonly number[]): Size => [rows, depth, columns];

/** Each by the fact that it states. */
export const programBatches: Batches = {
  "multiply matrices of every shape and layout": () => {
    const sizes: readonly Size[] = [
      // Single elements, vectors of each width with columns and rows left over.
      ...[
        [1, 5, 1],
        [2, 1, 3],
        [3, 5, 4],
        [5, 7, 9],
        [13, 5, 17],
        [7, 5, 47],
      ],
      // Few columns and a great depth, which vectors run along; what is packed first, with panels of several widths.
      ...[
        [1, 33, 1],
        [6, 100, 2],
        [5, 19, 3],
        [18, 5, 149],
        [33, 140, 12],
      ],
      ...[
        [3, 0, 4],
        [0, 2, 4],
      ],
    ].map(asSize);
    return [
      ...sizes.map((size) => matrices(...size)),
      {
        name: "NaN and infinity",
        f: everyLayout,
        args: matrices(17, 3, 130).args.map((x, at) =>
          x.at(x.shape[0] - 1, x.shape[1] - 1).set(at % 2 === 0 ? NaN : Infinity),
        ),
      },
    ];
  },

  "sum products over any axes, and go on with the sums": () => {
    const sizes = [
      [5, 7, 9],
      [17, 33, 2],
      [20, 4, 130],
      [1, 20, 1],
      [11, 1, 5],
    ].map(asSize);
    return [
      ...einsums.map((formula, at) => einsumCases(formula)[at % 3]),
      ...Object.entries(epilogues).map(([name, f], at) => ({
        ...{
          name,
          f,
          args: epilogueArguments(...sizes[at % sizes.length]),
          tolerance: { ulps: 4 },
        },
      })),
      ...(["int32", "uint32", "uint8"] as const).map((dtype) => ({
        name: `product of ${dtype}`,
        f: (x: Array, y: Array) => [x.matmul(y), x.slice(0).dot(y)],
        args: [wholeNumbers([5, 7], dtype).mul(37), wholeNumbers([7, 9], dtype, 2).mul(19)],
      })),
    ];
  },

  "reduce over any axes, in blocks where sums are long": () => {
    const order: Computation = (x) =>
      [null, 0, 1].flatMap((axis) => [np.argmax(x, axis), np.argmin(x, axis), x.max(axis), x.min(axis)]);
    return [
      // An assembler takes the extremum of three numbers at once, and loses a sign.
      ...[3, 5, 8].map((size) => ({
        name: `negated, ${size} elements`,
        f: (x: Array) => [x.astype("int32").neg().max(), x.astype("int32").neg().min()],
        args: [np.arange(size).notEqual(size - 1)],
      })),
      ...dtypes.map((dtype) => ({
        name: dtype,
        f: (x: Array) => [
          ...[[0], [1], [0, 1]].flatMap((axes) =>
            Object.entries(reductions)
              .filter(([name]) => dtype === "float32" || !derived.includes(name))
              .map(([, f]) => f(x, axes)),
          ),
          ...[0, 1].flatMap((axis) => Object.values(indexReductions).map((f) => f(x, axis))),
        ],
        args: [wholeNumbers([33, 45], dtype)],
        tolerance: { rtol: 5e-6 },
      })),
      ...Object.entries(orderTables).map(([name, few], at) => ({
        name,
        f: order,
        args: [
          awkwardFloats(
            [
              [5, 9],
              [12, 20],
              [1, 100],
            ][at % 3],
            few,
          ),
        ],
      })),
      ...Object.entries(reductionPrograms).map(([name, f], at) => ({
        name,
        f,
        args: [wholeNumbers(mixedShapes[at % mixedShapes.length])],
        tolerance: { rtol: 1e-5, atol: 1e-5 },
      })),
      ...[257, 33_000].map((count) => ({
        name: `sums of ${count}`,
        f: (x: Array, y: Array) => [x.sum(), x.sum(0), x.sum(1), x.matmul(y), x.matmul(y.slice(":", ":2"))],
        args: [wholeNumbers([2, count]), wholeNumbers([count, 9])],
      })),
      {
        name: "equal terms",
        f: (x) => [x.sum(), x.mean()],
        args: [np.full([123_457], 0.1)],
        tolerance: { rtol: 1e-6 },
      },
    ];
  },

  "sort, look up, scatter and pad": () => {
    const few = [0, -0, NaN, 1, -1, Infinity, -Infinity, 1e30];
    const orders: Computation = (x) => [
      np.sort(x),
      np.argsort(x),
      np.argsort(x, -1, { descending: true }),
      np.sort(x, 0),
    ];
    return [
      ...[5, 24, 100, 4100].map((size) => ({
        ...{
          name: `sort of [3,${size}]`,
          f: orders,
          args: [awkwardFloats([3, size], few)],
          tolerance: { signedZeros: true },
        },
      })),
      ...dtypes.map((dtype) => ({
        name: `sort of ${dtype}`,
        f: orders,
        args: [wholeNumbers([9, 30], dtype)],
      })),
      ...dtypes.map((dtype) => ({
        name: `running totals of ${dtype}`,
        f: (x: Array) => [
          np.cumsum(x, 0),
          np.cumprod(x, 1),
          np.cummax(x, 1, { reverse: true }),
          np.cummin(x, 0),
        ],
        args: [wholeNumbers([4, 17], dtype)],
      })),
      ...Object.entries(writes).flatMap(([name, write], at) =>
        [0, 1].flatMap((half) => {
          const number = at * 2 + half;
          const combine = combinations[number % 5];
          return named(`${combine} ${name}`, [write(combine, dtypes[Math.floor(number / 5) % 5])]);
        }),
      ),
      ...dtypes.map((dtype) => ({
        name: `padding and look-ups of ${dtype}`,
        f: (x: Array, i: Array) => [
          ...[
            np.pad(x, [
              [1, 2],
              [3, 0],
            ]),
            np.pad(x.mul(x), 2).sum(0),
            np.flip(np.pad(x, 3)),
            np.pad(x, 1).slice(i),
          ],
          ...[x.slice(i), x.slice(":", i), x.slice(i, i), lax.dynamicSlice(x, [i.slice(0), 2], [4, 9])],
          ...[
            np.where(x, np.roll(x, 1, 1), x),
            np.concatenate([x, x.slice("::-2")]),
            x.T.slice("::2", "1::3"),
          ],
        ],
        args: [wholeNumbers([9, 12], dtype), np.array([3, -1, 40, -60, 0, 8, 7], { dtype: "int32" })],
      })),
    ];
  },

  "run random programs over all dtypes": () => {
    const programs = fc.sample(mixedPrograms(), { numRuns: 40, seed: 11 });
    return programs.map((program, at) => ({
      name: JSON.stringify(program),
      f: toFunction(program),
      args: argumentsFor(program, at),
      tolerance: { rtol: 1e-5, atol: 2e-5 },
    }));
  },

  "run random programs of loops and branches that exchange their states": () => {
    const programs = fc.sample(statePrograms(), { numRuns: 30, seed: 12 });
    return programs.map((program, at) => ({
      name: JSON.stringify(program),
      f: toStateFunction(program),
      args: stateArguments(at),
    }));
  },

  "run random functions as they are, vectorised and differentiated": () => {
    const [whole, batched, gradients] = [13, 14, 15].map((seed) =>
      fc.sample(expressions(seed === 15 ? "static" : "all"), { numRuns: 8, seed }),
    );
    const tolerance = { rtol: 1e-5, atol: 1e-6 };
    return [
      ...whole.map((e, at) => ({
        ...{
          name: JSON.stringify(e),
          f: toVectorFunction(e),
          args: [random.normal(random.key(at), [at + 1])],
          tolerance,
        },
      })),
      ...batched.map((e, at) => ({
        name: `each of ${JSON.stringify(e)}`,
        f: vmap(toVectorFunction(e)),
        args: [random.normal(random.key(at), [5, at + 1])],
        tolerance,
      })),
      ...gradients.map((e, at) => ({
        name: `gradient of ${JSON.stringify(e)}`,
        f: grad((x: Array) => toVectorFunction(e)(x).sum()),
        args: [random.normal(random.key(at), [at + 1])],
        tolerance: { rtol: 5e-5, atol: 5e-6 },
      })),
    ];
  },
};
