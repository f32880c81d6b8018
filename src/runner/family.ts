// Runs that one program serves: they differ in their seed and in the values of settings that are arguments of it. They
// can be trained one by one, or several side by side.
import {
  blockUntilReady,
  compiledFor,
  jit,
  np,
  precompile,
  tree,
  vmap,
  type Array,
  type AxisTree,
  type Shardings,
} from "../array/index.js";
import type { Trainer, Work } from "./trainer.js";
import type { Where } from "./where.js";

/** Settings that a program takes as arguments, by their names in the algorithm's config. */
export type Hyper = Readonly<Record<string, Array>>;

/** What tells a run from the others of its family. */
export interface Member {
  readonly seed: number;
  /** Settings that differ between the runs; their fields may be scalar arrays. */
  readonly values: Readonly<Record<string, number>>;
}

/** Makes runs, which share their programs if their values have the same names. */
export interface Family<S> {
  /** A run alone, with the config's own seed and values where none are given. */
  (member?: Partial<Member>): Trainer<S>;
  /** The program of several runs side by side; their states and settings have the runs as their first axis. */
  readonly together: Together<S>;
  /** What a run costs in memory, about. */
  readonly bytes: number;
}

export interface Together<S> {
  /** What it was compiled for; null if it was not yet. */
  readonly device: () => string | null;
  readonly prepare: (states: S, hyper: Hyper) => Promise<void>;
  /** Does so many units of work in every run; the states that go in are given up. */
  readonly advance: (
    states: S,
    hyper: Hyper,
    count: number,
  ) => Promise<{ readonly states: S; readonly works: readonly Work[] }>;
}

/** A member's values as arguments of a program. */
export const hyperOf = (values: Member["values"]): Hyper =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, np.float32(value)]));

/** Trees of the same structure as one, with them as its first axis. */
export const stacked = <T>(trees: readonly [T, ...T[]]): T =>
  tree.map(
    (...leaves: unknown[]) => np.stack(leaves as Array[]),
    ...(trees as unknown as [unknown, ...unknown[]]),
  ) as T;

/** One of several trees that are stacked. */
export const rowOf = <T>(trees: T, at: number): T =>
  tree.map((leaf: unknown) => (leaf as Array).slice(at), trees) as T;

/** Does so many units of a run's work, as a function to be compiled. */
export type ChunkFn<S, R> = (state: S, hyper: Hyper, count: Array) => [state: S, records: R];

/**
 * The programs of a family. `axes` says what of a state differs between runs that go side by side: `null` is for what
 * is the same in all of them at any time, such as counters, so that branching on it stays branching. `shardings` says
 * where the state of a run lies that several devices train, `where` what trains.
 */
export function familyPrograms<S, R>(
  chunk: ChunkFn<S, R>,
  workOf: (records: R, count: number) => Work,
  axes: AxisTree,
  where: Where,
  shardings?: Shardings,
): { readonly alone: ChunkFn<S, R>; readonly together: Together<S> } {
  const side = vmap(chunk, [axes, 0, null] as const, [axes, 0] as const);
  // Their names are those of the programs in the cache and in dumps.
  const train: ChunkFn<S, R> = (...args) => chunk(...args);
  const trainTogether: ChunkFn<S, R> = (states, hyper, count) => {
    const [runs] = (tree.leaves(states) as Array[])[0].shape;
    const one = shared(states, axes, (leaf) => leaf.slice(0));
    const [next, records] = side(one, hyper, count);
    return [shared(next, axes, (leaf) => np.broadcastTo(leaf, [runs, ...leaf.shape])), records];
  };
  const several = jit(trainTogether, { donateArgnums: 0, ...where });
  return {
    alone: jit(train, {
      donateArgnums: 0,
      ...where,
      ...(shardings !== undefined && { outShardings: [shardings, null] }),
    }),
    together: {
      device: () => compiledFor(several),
      prepare: (states, hyper) => precompile(several, states, hyper, np.int32(1)),
      advance: async (given, hyper, count) => {
        const [states, records] = several(given, hyper, np.int32(count));
        await blockUntilReady(records);
        const [runs] = (tree.leaves(states) as Array[])[0].shape;
        const works = globalThis.Array.from({ length: runs }, (_, at) => workOf(rowOf(records, at), count));
        return { states, works };
      },
    },
  };
}

/** A tree with the leaves changed that are the same in all runs. */
function shared<T>(node: T, axes: AxisTree, change: (leaf: Array) => Array): T {
  if (axes === null) return tree.map((leaf: unknown) => change(leaf as Array), node) as T;
  if (typeof axes !== "object") return node;
  return Object.fromEntries(
    Object.entries(node as Record<string, unknown>).map(([name, part]) => [
      name,
      shared(part, (axes as Readonly<Record<string, AxisTree>>)[name], change),
    ]),
  ) as T;
}
