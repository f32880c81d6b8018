// TimeLimit: cuts episodes off after a number of steps.
import { check, fail, np, rules, type Array } from "../../array/index.js";
import { restart, type Environment, type Info } from "../environment.js";
import { handOn, terminalObsOf, type Wrapped } from "./wrapping.js";

export interface TimeLimitState<S> extends Wrapped<S> {
  readonly time: Array;
}

/** Truncates an episode that has not terminated after `maxSteps` steps. */
export function TimeLimit<S, P, I extends Info>(
  env: Environment<S, P, I>,
  maxSteps: number,
): Environment<TimeLimitState<S>, P, I> {
  check("TimeLimit", "maxSteps", maxSteps, rules.whole(1));
  const begin = ([obs, inner]: readonly [Array, S]): readonly [Array, TimeLimitState<S>] => [
    obs,
    { inner, time: np.int32(0) },
  ];
  return {
    ...handOn("TimeLimit", env, ({ inner }: TimeLimitState<S>) => inner),
    reset: (key, params) => begin(env.reset(key, params)),
    restart: (key, { inner }, params) => begin(restart(env, key, inner, params)),
    step(key, state, action, params) {
      const [obs, inner, reward, done, info] = env.step(key, state.inner, action, params);
      if (terminalObsOf(info) !== null) {
        fail(
          "TimeLimit",
          `${env.name} begins its next episode by itself and would not hear of the limit; ` +
            `write AutoResetWrapper(TimeLimit(env, ${maxSteps}))`,
        );
      }
      const time = state.time.add(1);
      const isLate = time.greaterEqual(maxSteps);
      const truncated = info.truncated.or(isLate.and(info.terminated.not()));
      return [obs, { inner, time }, reward, done.or(isLate), { ...info, truncated }];
    },
  };
}
