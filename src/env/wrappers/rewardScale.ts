// RewardScaleWrapper: rewards times a number.
import { check, rules } from "../../array/index.js";
import type { Environment, Info } from "../environment.js";
import { handOnAll } from "./wrapping.js";

/** Multiplies every reward by `scale`. */
export function RewardScaleWrapper<S, P, I extends Info>(
  env: Environment<S, P, I>,
  scale: number,
): Environment<S, P, I> {
  check("RewardScaleWrapper", "scale", scale, rules.finite);
  return {
    ...handOnAll("RewardScaleWrapper", env),
    step(key, state, action, params) {
      const [obs, next, reward, done, info] = env.step(key, state, action, params);
      return [obs, next, reward.mul(scale), done, info];
    },
  };
}
