// Generalised advantage estimation.
import type { Scalar } from "../../agent/index.js";
import { lax, np, type Array } from "../../array/index.js";

/**
 * How much better each step went than its value said, and the returns to learn values from: for rollouts (T,)
 * or (T, N), from the last step to the first. Nothing is carried over an episode's end.
 *
 *     delta[t]     = reward[t] + gamma · value[t+1] · (1 − done[t]) − value[t]
 *     advantage[t] = delta[t] + gamma · gaeLambda · (1 − done[t]) · advantage[t+1]
 *     return[t]    = advantage[t] + value[t]
 */
export function computeGae(
  rewards: Array,
  values: Array,
  dones: Array,
  lastValue: Array,
  gamma: Scalar,
  gaeLambda: Scalar,
): [advantages: Array, returns: Array] {
  const decay = np.multiply(gamma, gaeLambda);
  const [, advantages] = lax.scan(
    ([following, nextValue], { reward, value, done }) => {
      const goesOn = np.subtract(1, done.astype("float32"));
      const delta = reward.add(nextValue.mul(goesOn).mul(gamma)).sub(value);
      const advantage = delta.add(following.mul(goesOn).mul(decay));
      return [[advantage, value], advantage];
    },
    [np.zerosLike(lastValue), lastValue],
    { reward: rewards, value: values, done: dones },
    { reverse: true },
  );
  return [advantages, advantages.add(values)];
}
