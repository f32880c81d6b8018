// RewardScaleWrapper: rewards times a number.
import { fail } from "../../array/index.js";
import type { Environment, Info } from "../environment.js";
import { handOnAll } from "./wrapping.js";

/** Multiplies every reward by `scale`. */
export function RewardScaleWrapper<S, P, I extends Info>(
  env: Environment<S, P, I>,
  scale: number,
): Environment<S, P, I> {
  if (!Number.isFinite(scale)) {
    fail("RewardScaleWrapper", `scale must be a finite number, got ${String(scale)}`);
  }
  return {
    ...handOnAll("RewardScaleWrapper", env),
    step(key, state, action, params) {
      const [obs, next, reward, done, info] = env.step(key, state, action, params);
      return [obs, next, reward.mul(scale), done, info];
    },
  };
}
