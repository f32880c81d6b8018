// ObsNormWrapper: observations with mean 0 and variance 1, by what has been seen so far.
import { fail, np, type Array } from "../../array/index.js";
import { restart, type Environment } from "../environment.js";
import { Box } from "../spaces.js";
import { handOn, withTerminalObs, type Wrapped } from "./wrapping.js";

/** Welford's running figures of the observations; they outlive episodes. */
export interface ObsStats {
  readonly count: Array;
  readonly mean: Array;
  readonly variance: Array;
}

export interface ObsNormState<S> extends Wrapped<S> {
  readonly stats: ObsStats;
}

export interface ObsNormOptions {
  /** Added to the variance. Default 1e-8. */
  readonly epsilon?: number;
}

/** The figures with one more observation. */
function include({ count, mean, variance }: ObsStats, obs: Array): ObsStats {
  const seen = count.add(1);
  const distance = obs.sub(mean);
  const nextMean = mean.add(distance.div(seen));
  // Welford's sum of squares divided by the count: the sum itself would outgrow float32.
  const nextVariance = variance.add(distance.mul(obs.sub(nextMean)).sub(variance).div(seen));
  return { count: seen, mean: nextMean, variance: np.maximum(nextVariance, 0) };
}

/**
 * Observations as `(obs − mean) / sqrt(variance + epsilon)`. The statistics are in the state, take in the
 * observation of every reset and step, and go on when `AutoResetWrapper` begins a new episode, inside or outside.
 */
export function ObsNormWrapper<S, P>(
  env: Environment<S, P>,
  { epsilon = 1e-8 }: ObsNormOptions = {},
): Environment<ObsNormState<S>, P> {
  if (!(epsilon > 0)) fail("ObsNormWrapper", `epsilon must be a positive number, got ${String(epsilon)}`);
  const normalize = (obs: Array, { mean, variance }: ObsStats): Array =>
    obs.sub(mean).div(np.sqrt(variance.add(epsilon)));
  const see = (obs: Array, inner: S, before: ObsStats): readonly [Array, ObsNormState<S>] => {
    const value = obs.astype("float32");
    const stats = include(before, value);
    return [normalize(value, stats), { inner, stats }];
  };
  return {
    ...handOn("ObsNormWrapper", env, ({ inner }: ObsNormState<S>) => inner),
    observationSpace: (params) => Box({ shape: env.observationSpace(params).shape }),
    reset(key, params) {
      const [obs, inner] = env.reset(key, params);
      const zeros = np.zeros(obs.shape);
      return see(obs, inner, { count: np.int32(0), mean: zeros, variance: zeros });
    },
    restart(key, state, params) {
      const [obs, inner] = restart(env, key, state.inner, params);
      return see(obs, inner, state.stats);
    },
    step(key, state, action, params) {
      const [obs, inner, reward, done, info] = env.step(key, state.inner, action, params);
      const [normalized, next] = see(obs, inner, state.stats);
      const seen = withTerminalObs(info, (last) => normalize(last.astype("float32"), next.stats));
      return [normalized, next, reward, done, seen];
    },
  };
}
