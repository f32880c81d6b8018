// Random programs on batches, of operations that keep to their rows and of such that cross them: sums over the batch, rows
// that change places, weights that come from all rows and are used for all.
import fc from "fast-check";
import { lax, nn, np, random, vmap, type Array } from "vibe-rl/array";
import type { BatchedCase } from "./together.js";

/** What a program works on: rows, weights, a number for each row, and rows that were kept. */
interface State {
  readonly x: Array;
  readonly w: Array;
  readonly v: Array;
  readonly kept: Array;
}

const column = (v: Array): Array => v.reshape([-1, 1]);

/** All are continuous: a difference in rounding stays one. */
const operations = {
  layer: ({ x, w }: State) => ({ x: np.tanh(x.matmul(w)) }),
  relu: ({ x, w }: State) => ({ x: nn.relu(x.matmul(w).add(w.slice(0))) }),
  transposed: ({ x, w }: State) => ({ x: np.tanh(x.matmul(w.T)) }),
  ensemble: ({ x, w }: State) => ({
    x: vmap((scale: Array) => np.tanh(x.matmul(w.mul(scale))))(np.array([1, 2])).mean(0),
  }),
  several: ({ x, w }: State) => {
    const stacked = np.stack([x, x.mul(0.5), np.sin(x)]);
    return { x: np.tanh(np.einsum("erd,df->erf", stacked, w)).max(0) };
  },
  shifted: ({ x, v }: State) => ({ x: np.sin(x.add(column(v))) }),
  lengths: ({ x }: State) => ({ v: np.tanh(np.square(x).sum(1)) }),
  heads: ({ x, w, v }: State) => ({ v: np.tanh(x.matmul(w.slice(":", ":2")).sum(1).add(v)) }),
  best: ({ x }: State) => ({ v: x.max(1).mul(0.1) }),
  sorted: ({ v }: State) => ({ v: np.sort(v) }),
  centred: ({ x }: State) => ({ x: x.sub(x.mean(0)) }),
  scaled: ({ v }: State) => ({ v: v.div(np.abs(v).sum().add(1)) }),
  shuffled: ({ x }: State) => ({ x: x.slice(np.arange(x.shape[0]).mul(7).mod(x.shape[0])) }),
  rolled: ({ x, v }: State) => ({ x: np.roll(x, 1, 0), v: np.flip(v, 0) }),
  neighbours: ({ x }: State) => ({
    x: np
      .pad(x.slice("1:"), [
        [0, 1],
        [0, 0],
      ])
      .sub(x),
  }),
  learned: ({ x, w, v }: State) => ({ w: w.sub(x.T.matmul(np.tanh(x.mul(column(v)))).mul(0.01)) }),
  decayed: ({ w }: State) => ({ w: np.tanh(w.mul(0.9)) }),
  kept: ({ x }: State) => ({ kept: x }),
  recalled: ({ x, kept }: State) => ({ x: np.maximum(kept.mul(0.5), x) }),
  exchanged: ({ x, kept }: State) => ({ x: kept, kept: x }),
  set: ({ x, v }: State) => ({ x: x.at(3).set(x.slice(1)), v: v.at(0).add(1) }),
} satisfies Record<string, (state: State) => Partial<State>>;

type Name = keyof typeof operations;

interface RowProgram {
  readonly rows: number;
  readonly width: number;
  readonly names: readonly Name[];
  /** Iterations of a loop around all of it. */
  readonly iterations: number;
}

/** Numbers of rows, and what their widths may be. */
interface RowSizes {
  readonly rows: readonly number[];
  readonly widths: readonly number[];
}

/** Few rows and many, such as leave rows over, and weights that each thread packs for itself or all together. */
const manySizes: RowSizes = { rows: [32, 48, 70, 133], widths: [4, 17, 40, 100] };

const programs = ({ rows, widths }: RowSizes): fc.Arbitrary<RowProgram> =>
  fc.record({
    rows: fc.constantFrom(...rows),
    width: fc.constantFrom(...widths),
    names: fc.array(fc.constantFrom(...(Object.keys(operations) as Name[])), { minLength: 4, maxLength: 14 }),
    iterations: fc.constantFrom(1, 1, 3),
  });

const toFunction =
  ({ names, iterations }: RowProgram) =>
  (x: Array, w: Array): Array[] => {
    const start: State = { x, w, v: x.slice(":", 0), kept: x.mul(0.5) };
    const body = (state: State): State =>
      names.reduce<State>((before, name) => ({ ...before, ...operations[name](before) }), state);
    const end = lax.foriLoop(0, iterations, (_, state: State) => body(state), start);
    return [end.x, end.w, end.v, end.kept];
  };

/** Some random programs, as cases with arguments. */
export const rowCases = (count: number, seed: number, sizes = manySizes): BatchedCase[] =>
  fc.sample(programs(sizes), { numRuns: count, seed }).map((program, at) => {
    const { rows, width, names, iterations } = program;
    return {
      name: `${rows} × ${width}, ${iterations} times ${names.join(" ")}`,
      f: toFunction(program),
      args: [
        random.normal(random.key(at), [rows, width]),
        random.normal(random.key(at + 100), [width, width]).mul(0.2),
      ],
      tolerance: { rtol: 1e-3, atol: 1e-4 },
    };
  });
