// Environments as runners play them: episodes follow each other, and what they returned is added up.
import { evalShape, np, random, type Array } from "../array/index.js";
import { AutoResetWrapper, type Environment } from "../env/index.js";

/** What the episodes that ended since the last look have brought. */
export interface EpisodeTotals {
  readonly returns: Array;
  readonly lengths: Array;
  readonly episodes: Array;
}

export interface CountedState<S> {
  readonly inner: S;
  /** Of the episode that is being played. */
  readonly runningReturn: Array;
  readonly runningLength: Array;
  readonly totals: EpisodeTotals;
}

export const noTotals = (): EpisodeTotals => ({
  returns: np.float32(0),
  lengths: np.float32(0),
  episodes: np.float32(0),
});

/** Whether an environment starts a new episode by itself: then it tells the last observation of the old one. */
function resetsItself<S, P>(env: Environment<S, P>, params: P): boolean {
  const infoOf = (key: Array) => {
    const [, state] = env.reset(key, params);
    return env.step(key, state, env.actionSpace(params).sample(key), params)[4];
  };
  return "terminalObs" in (evalShape(infoOf, random.key(0)) as object);
}

/** The environment with automatic resets, counting episodes; `info` has the return and length of one that ends. */
export function endless<S, P>(env: Environment<S, P>, params: P): Environment<CountedState<S>, P> {
  const playing = resetsItself(env, params) ? env : AutoResetWrapper(env);
  return {
    name: env.name,
    defaultParams: () => env.defaultParams(),
    observationSpace: (p) => env.observationSpace(p),
    actionSpace: (p) => env.actionSpace(p),
    reset(key, p) {
      const [obs, inner] = playing.reset(key, p);
      const running = { runningReturn: np.float32(0), runningLength: np.float32(0) };
      return [obs, { inner, ...running, totals: noTotals() }];
    },
    step(key, { inner, runningReturn, runningLength, totals }, action, p) {
      const [obs, next, reward, done, info] = playing.step(key, inner, action, p);
      const episodeReturn = runningReturn.add(reward);
      const episodeLength = runningLength.add(1);
      const ended = (x: Array) => np.where(done, x, 0);
      const state = {
        inner: next,
        runningReturn: np.where(done, 0, episodeReturn),
        runningLength: np.where(done, 0, episodeLength),
        totals: {
          returns: totals.returns.add(ended(episodeReturn)),
          lengths: totals.lengths.add(ended(episodeLength)),
          episodes: totals.episodes.add(done.astype("float32")),
        },
      };
      return [obs, state, reward, done, { ...info, episodeReturn, episodeLength }];
    },
  };
}
