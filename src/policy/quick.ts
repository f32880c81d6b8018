// One observation at a time, the way games ask: a program in memory of its own, in which nothing is allocated or copied but
// the action (measured: 0.6 µs for (64, 64), where a call of a jitted function takes 2.4; bench/inference.mjs).
import { concrete, np, random, residentProgram, type Array, type TypedArray } from "../array/index.js";
import type { ActBatch } from "./acting.js";
import { anyKey } from "./acting.js";
import type { ObsReader } from "./observations.js";
import type { StoredPolicy } from "./stored.js";
import type { PlainObs } from "./types.js";

/** The elements of an action, good until the next call, and the key moved on. */
export type QuickAct = (obs: PlainObs, rng: Array) => readonly [action: TypedArray, rng: Array];

/** Compiles what a policy does with one observation; `null` where the engine has no memory to spare for it. */
export function quickAct(
  acts: ActBatch,
  { obsShape, obsDtype }: StoredPolicy,
  { write }: ObsReader,
  explore: boolean,
): QuickAct | null {
  const obs = np.zeros(obsShape, { dtype: obsDtype });
  const greedy = (given: Array): Array[] => [acts(given.slice(null), anyKey(), false)[0].slice(0)];
  const exploring = (given: Array, key: Array): Array[] => {
    const [actions, next] = acts(given.slice(null), key, true);
    return [actions.slice(0), next];
  };
  try {
    if (!explore) {
      const { inputs, outputs, run } = residentProgram(greedy, [obs]);
      const [[input], [output]] = [inputs[0], outputs];
      return (given, rng) => {
        write(given, input);
        run();
        return [output, rng];
      };
    }
    const { inputs, outputs, run } = residentProgram(exploring, [obs, random.key(0)]);
    const [[input], [key], [output, next]] = [inputs[0], inputs[1], outputs];
    return (given, rng) => {
      write(given, input);
      key.set(rng.elements as TypedArray);
      run();
      return [output, concrete(rng.type, next.slice())];
    };
  } catch (error) {
    // Engines reserve gigabytes of addresses for each memory, and some have room for a hundred only.
    if (error instanceof RangeError) return null;
    throw error;
  }
}
