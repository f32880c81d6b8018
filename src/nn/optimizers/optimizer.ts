// What an optimiser is, and how several make one.
import { fail, np, showValue, type Array } from "../../array/index.js";
import type { Tree } from "../leaves.js";

/**
 * Turns gradients into updates that are to be added to the parameters. Pure: the state is a plain tree that
 * can be carried through loops, saved and vectorised.
 */
export interface Optimizer<S = unknown> {
  /** The state for parameters that have not been updated yet. */
  init(params: Tree): S;
  /** Updates for gradients, and the next state. Weight decay needs the parameters too. */
  update<T extends Tree>(grads: T, state: S, params?: T): readonly [updates: T, state: S];
}

/** The state of an optimiser's type: `OptState<typeof optimizer>`; of any optimiser, unknown. */
export type OptState<O extends Optimizer = Optimizer> = O extends Optimizer<infer S> ? S : never;

/** The state of an optimiser that remembers nothing. */
export type EmptyState = Readonly<Record<string, never>>;

/** The state of an optimiser that only counts its updates (int32). */
export interface CountState {
  readonly count: Array;
}

export const noUpdates = (): Array => np.int32(0);

/** An int32 count and one more; at the largest it stays, where adding would make it negative. */
export const safeIncrement = (count: Array): Array => np.minimum(count, 2 ** 31 - 2).add(1);

/** An optimiser without a state. */
export const stateless = (update: <T extends Tree>(grads: T, params?: T) => T): Optimizer<EmptyState> => ({
  init: () => ({}),
  update: (grads, state, params) => [update(grads, params), state],
});

/** Optimisers one after the other: each gets the updates of the one before. The state is the list of theirs. */
export function chain<S extends readonly unknown[]>(
  ...optimizers: { readonly [K in keyof S]: Optimizer<S[K]> }
): Optimizer<S> {
  const list = optimizers as readonly Optimizer[];
  list.forEach((optimizer: unknown, at) => {
    if (!isOptimizer(optimizer)) {
      fail("chain", `argument ${at} must be an optimiser with init and update, got ${showValue(optimizer)}`);
    }
  });
  return {
    init: (params) => list.map((optimizer) => optimizer.init(params)) as unknown as S,
    update: (grads, state, params) => {
      if (!globalThis.Array.isArray(state) || state.length !== list.length) {
        fail(
          "chain",
          `the state must be the list of ${list.length} states that init makes, got ${showValue(state)}`,
        );
      }
      let updates = grads;
      const next = list.map((optimizer, at) => {
        const [changed, nextState] = optimizer.update(updates, state[at] as unknown, params);
        updates = changed;
        return nextState;
      });
      return [updates, next as unknown as S];
    },
  };
}

const isOptimizer = (value: unknown): value is Optimizer =>
  typeof value === "object" && value !== null && "init" in value && "update" in value;
