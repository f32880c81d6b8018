// FrameStackWrapper: the last few observations as one.
import { check, fail, np, rules, type Array } from "../../array/index.js";
import { restart, type Environment, type Info } from "../environment.js";
import { Box, Image, MultiBinary, type Space } from "../spaces.js";
import { handOn, terminalObsOf, withTerminalObs, type Wrapped } from "./wrapping.js";

export interface FrameStackState<S> extends Wrapped<S> {
  /** The observations side by side, oldest first. */
  readonly frames: Array;
}

/** The space of `count` observations side by side along the last axis. */
function stacked(env: string, space: Space, count: number): Space {
  switch (space.kind) {
    case "Image":
      return Image({ ...space, channels: space.channels * count });
    case "MultiBinary":
      return MultiBinary(space.n * count);
    case "Box": {
      const { low, high, dtype } = space;
      const side = (bound: Array): Array => repeat(bound, count);
      return Box({ low: side(low), high: side(high), dtype });
    }
    case "Discrete":
      return fail(
        "FrameStackWrapper",
        `cannot put ${space.toString()} observations of ${env} side by side; make them a one-hot Box first`,
      );
  }
}

/** The same frame `count` times, side by side. */
const repeat = (frame: Array, count: number): Array =>
  np.concatenate(
    globalThis.Array.from({ length: count }, () => np.reshape(frame, rowShape(frame))),
    -1,
  );
/** A scalar counts as one number. */
const rowShape = ({ shape }: Array): readonly number[] => (shape.length === 0 ? [1] : shape);

/** Observations are the last `count` ones side by side along the last axis; an episode starts with its first one repeated. */
export function FrameStackWrapper<S, P, I extends Info>(
  env: Environment<S, P, I>,
  count = 4,
): Environment<FrameStackState<S>, P, I> {
  check("FrameStackWrapper", "count", count, rules.whole(1));
  stacked(env.name, env.observationSpace(env.defaultParams()), count);
  const begin = ([obs, inner]: readonly [Array, S]): readonly [Array, FrameStackState<S>] => {
    const frames = repeat(obs, count);
    return [frames, { inner, frames }];
  };
  const wrapped: Environment<FrameStackState<S>, P, I> = {
    ...handOn("FrameStackWrapper", env, ({ inner }: FrameStackState<S>) => inner),
    observationSpace: (params) => stacked(env.name, env.observationSpace(params), count),
    reset: (key, params) => begin(env.reset(key, params)),
    restart: (key, { inner }, params) => begin(restart(env, key, inner, params)),
    step(key, state, action, params) {
      const [obs, inner, reward, done, info] = env.step(key, state.inner, action, params);
      const push = (frame: Array): Array => {
        const row = np.reshape(frame, rowShape(frame));
        const width = row.shape[row.ndim - 1];
        return np.concatenate([state.frames.slice("...", `${width}:`), row], -1);
      };
      // An environment that resets itself has put a new episode's first frame here.
      const isReset = terminalObsOf(info) !== null;
      const frames = isReset ? np.where(done, repeat(obs, count), push(obs)) : push(obs);
      return [frames, { inner, frames }, reward, done, withTerminalObs(info, push)];
    },
  };
  counts.set(wrapped, count);
  return wrapped;
}

const counts = new WeakMap<object, number>();

/** How many frames an observation of an environment has, if it is FrameStackWrapper that shows them; else 1. */
export const frameCountOf = (env: object): number => counts.get(env) ?? 1;
