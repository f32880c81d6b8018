// A game laid out for one step at a time: compiled, with what is on the board by name.
import { jit, np, random, type Array } from "vibe-rl/array";
import type { Environment, MinAtarParams } from "vibe-rl/env";
import type { Channel } from "../../../src/env/builtin/minatar/picture.js";

/** One step and what it led to. */
export interface Turn<S> {
  readonly state: S;
  readonly reward: number;
  readonly terminated: boolean;
  /** The cells of a channel as "x,y", row by row. */
  readonly cells: (name: string) => string[];
}

/** A game without sticky actions; everything random comes from one key, unless another is given. */
export function table<S, P extends MinAtarParams>(
  env: Environment<S, P>,
  { channels }: { readonly channels: readonly Channel[] },
  changes: Partial<P> = {},
) {
  const params: P = { ...env.defaultParams(), stickyActionProb: np.float32(0), ...changes };
  const compiled = jit((key: Array, state: S, action: Array) => env.step(key, state, action, params));
  const starts = new Map<number, S>();
  const start = (seed = 0): S => {
    const known = starts.get(seed) ?? env.reset(random.key(seed), params)[1];
    starts.set(seed, known);
    return known;
  };

  const step = (state: S, action: number, seed = 0): Turn<S> => {
    const [obs, next, reward, , { terminated }] = compiled(random.key(seed), state, np.int32(action));
    return {
      state: next,
      reward: reward.item(),
      terminated: terminated.item<boolean>(),
      cells: (name) => cellsOf(obs, channels, name),
    };
  };

  /** Many steps with one action; the turn after the last. */
  const repeat = (state: S, action: number, count: number): Turn<S> => {
    let turn = step(state, action);
    for (let at = 1; at < count; at++) turn = step(turn.state, action, at);
    return turn;
  };
  return { params, start, step, repeat };
}

/** The cells of a channel of an observation as "x,y", row by row. */
export function cellsOf(obs: Array, channels: readonly Channel[], name: string): string[] {
  const channel = channels.findIndex((known) => known.name === name);
  if (channel < 0) throw new Error(`there is no channel ${name}`);
  const boards = obs.toArray() as number[][][];
  return boards.flatMap((line, y) => line.flatMap((cell, x) => (cell[channel] === 255 ? [`${x},${y}`] : [])));
}
