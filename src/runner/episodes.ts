// Environments as runners play them: episodes follow each other, and what they returned is added up.
import { np, type Array } from "../array/index.js";
import { playedOn, type Environment } from "../env/index.js";

export { playedOn };

export interface CountedState<S> {
  readonly inner: S;
  /** Of the episode that is being played. */
  readonly runningReturn: Array;
  readonly runningLength: Array;
}

/** The environment with automatic resets, counting episodes; `info` has the return and length of one that ends. */
export function endless<S, P>(env: Environment<S, P>, params: P): Environment<CountedState<S>, P> {
  const playing = playedOn(env, params);
  return {
    name: env.name,
    defaultParams: () => env.defaultParams(),
    observationSpace: (p) => env.observationSpace(p),
    actionSpace: (p) => env.actionSpace(p),
    reset(key, p) {
      const [obs, inner] = playing.reset(key, p);
      const running = { runningReturn: np.float32(0), runningLength: np.float32(0) };
      return [obs, { inner, ...running }];
    },
    step(key, { inner, runningReturn, runningLength }, action, p) {
      const [obs, next, reward, done, info] = playing.step(key, inner, action, p);
      const episodeReturn = runningReturn.add(reward);
      const episodeLength = runningLength.add(1);
      const state = {
        inner: next,
        runningReturn: np.where(done, 0, episodeReturn),
        runningLength: np.where(done, 0, episodeLength),
      };
      return [obs, state, reward, done, { ...info, episodeReturn, episodeLength }];
    },
  };
}
