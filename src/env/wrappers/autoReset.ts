// AutoResetWrapper: episodes follow each other without end, as compiled loops need them.
import { evalShape, lax, random, type Array } from "../../array/index.js";
import { restart, type Environment, type Info, type ResetInfo } from "../environment.js";
import { idOf, rememberId } from "../origin.js";
import { handOnAll } from "./wrapping.js";

/**
 * When an episode is done, the observation and state are those of a new one, begun from a new key;
 * `info.terminalObs` has the observation before that, on every step. The new episode is computed only where
 * one begins; under `vmap` it is computed on every step and chosen.
 */
export function AutoResetWrapper<S, P, I extends Info>(
  env: Environment<S, P, I>,
): Environment<S, P, I & ResetInfo> {
  const wrapped: Environment<S, P, I & ResetInfo> = {
    ...handOnAll("AutoResetWrapper", env),
    step(key, state, action, params) {
      const [stepKey] = random.split(key);
      const [obs, next, reward, done, info] = env.step(stepKey, state, action, params);
      const begin = () => {
        const [, resetKey] = random.split(key);
        return restart(env, resetKey, next, params);
      };
      const [nextObs, nextState] = lax.cond(done, begin, () => [obs, next] as const);
      return [nextObs, nextState, reward, done, { ...info, terminalObs: obs }];
    },
  };
  // To a run it is the same environment: runs reset those that do not do it themselves.
  return rememberId(wrapped, idOf(env));
}

/** Whether an environment starts a new episode by itself: then it tells the last observation of the old one. */
function resetsItself<S, P>(env: Environment<S, P>, params: P): boolean {
  const infoOf = (key: Array) => {
    const [, state] = env.reset(key, params);
    return env.step(key, state, env.actionSpace(params).sample(key), params)[4];
  };
  return "terminalObs" in (evalShape(infoOf, random.key(0)) as object);
}

/** The environment with automatic resets, its own or those of `AutoResetWrapper`; the state is the environment's. */
export const playedOn = <S, P>(env: Environment<S, P>, params: P): Environment<S, P> =>
  resetsItself(env, params) ? env : AutoResetWrapper(env);
