// ClipAction and RescaleAction: what agents send, fitted to what the environment takes.
import { fail, type Array } from "../../array/index.js";
import type { Environment, Info } from "../environment.js";
import { Box } from "../spaces.js";
import { handOnAll } from "./wrapping.js";

/** The bounds of an environment's actions; refused if they are not numbers between bounds. */
function boundsOf<S, P>(wrapper: string, env: Environment<S, P>, params: P): Box {
  const space = env.actionSpace(params);
  if (space.kind === "Box") return space;
  return fail(
    wrapper,
    `needs an environment with a Box of actions; ${env.name} has ${space.toString()}, use it without the wrapper`,
  );
}

/** Actions limited to the environment's own bounds. */
export function ClipAction<S, P, I extends Info>(env: Environment<S, P, I>): Environment<S, P, I> {
  boundsOf("ClipAction", env, env.defaultParams());
  return {
    ...handOnAll("ClipAction", env),
    step(key, state, action, params) {
      const { low, high } = boundsOf("ClipAction", env, params);
      return env.step(key, state, action.clip(low, high), params);
    },
  };
}

export interface RescaleActionOptions {
  /** What stands for the environment's least action. Default -1. */
  readonly low?: number;
  /** What stands for the environment's largest action. Default 1. */
  readonly high?: number;
}

/** Actions in [low, high] stretched to the environment's own bounds, which must be finite. */
export function RescaleAction<S, P, I extends Info>(
  env: Environment<S, P, I>,
  { low = -1, high = 1 }: RescaleActionOptions = {},
): Environment<S, P, I> {
  if (!(Number.isFinite(low) && Number.isFinite(high) && low < high)) {
    fail("RescaleAction", `low and high must be finite with low below high, got ${low} and ${high}`);
  }
  const usual = boundsOf("RescaleAction", env, env.defaultParams());
  for (const bound of [usual.low, usual.high]) {
    if (bound.tracer === null && !bound.data().every(Number.isFinite)) {
      fail("RescaleAction", `needs finite bounds to stretch to; ${env.name} has ${usual.toString()}`);
    }
  }
  const stretch = (action: Array, own: Box): Array => {
    const share = action.sub(low).div(high - low);
    // Weighted ends, so that low and high arrive exactly.
    return own.low.mul(share.neg().add(1)).add(own.high.mul(share));
  };
  return {
    ...handOnAll("RescaleAction", env),
    actionSpace: (params) => Box({ low, high, shape: env.actionSpace(params).shape }),
    step: (key, state, action, params) =>
      env.step(key, state, stretch(action, boundsOf("RescaleAction", env, params)), params),
  };
}
