// What the built-in environments share: parameters from plain numbers, and how an episode ends.
import { np, type Array } from "../../array/index.js";
import type { StepResult } from "../environment.js";

/** Plain numbers as float32 parameters, with the step limit as an int32. */
export const parameters = <K extends string>(
  numbers: Readonly<Record<K, number>>,
  maxSteps: number,
): Readonly<Record<K | "maxSteps", Array>> => ({
  ...(Object.fromEntries(
    Object.entries<number>(numbers).map(([name, value]) => [name, np.float32(value)]),
  ) as Record<K, Array>),
  maxSteps: np.int32(maxSteps),
});

/** A step's results; the step limit truncates an episode that has not come to its end. */
export function finishStep<S extends { readonly time: Array }>(
  obs: Array,
  state: S,
  reward: Array,
  terminated: Array,
  { maxSteps }: { readonly maxSteps: Array },
): StepResult<S> {
  const isLate = state.time.greaterEqual(maxSteps);
  const truncated = isLate.and(terminated.not());
  return [obs, state, reward, terminated.or(isLate), { terminated, truncated }];
}
