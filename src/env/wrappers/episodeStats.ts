// EpisodeStatsWrapper: the return and the length of episodes.
import { np, type Array } from "../../array/index.js";
import { restart, type Environment, type EpisodeInfo, type Info } from "../environment.js";
import { handOn, type Wrapped } from "./wrapping.js";

export interface EpisodeStatsState<S> extends Wrapped<S> {
  /** Sum of rewards and number of steps since the episode began. */
  readonly runningReturn: Array;
  readonly runningLength: Array;
  /** The figures of the last finished episode; 0 before the first. */
  readonly episodeReturn: Array;
  readonly episodeLength: Array;
}

/**
 * Puts `episodeReturn` (float32) and `episodeLength` (int32) into `info`: on a step with `done` those of the
 * episode that ended with it, in between those of the one before, 0 before the first.
 */
export function EpisodeStatsWrapper<S, P, I extends Info>(
  env: Environment<S, P, I>,
): Environment<EpisodeStatsState<S>, P, I & EpisodeInfo> {
  return {
    ...handOn("EpisodeStatsWrapper", env, ({ inner }: EpisodeStatsState<S>) => inner),
    reset(key, params) {
      const [obs, inner] = env.reset(key, params);
      const [none, zero] = [np.float32(0), np.int32(0)];
      const stats = { runningReturn: none, runningLength: zero, episodeReturn: none, episodeLength: zero };
      return [obs, { inner, ...stats }];
    },
    restart(key, state, params) {
      const [obs, inner] = restart(env, key, state.inner, params);
      return [obs, { ...state, inner, runningReturn: np.float32(0), runningLength: np.int32(0) }];
    },
    step(key, state, action, params) {
      const [obs, inner, reward, done, info] = env.step(key, state.inner, action, params);
      const total = state.runningReturn.add(reward);
      const length = state.runningLength.add(1);
      const episodeReturn = np.where(done, total, state.episodeReturn);
      const episodeLength = np.where(done, length, state.episodeLength);
      const next = {
        inner,
        runningReturn: np.where(done, 0, total),
        runningLength: np.where(done, 0, length),
        episodeReturn,
        episodeLength,
      };
      return [obs, next, reward, done, { ...info, episodeReturn, episodeLength }];
    },
  };
}
