// Policies of every kind, fresh ones with weights large enough to be told apart, and observations for them.
import { DQN, DQNConfig } from "vibe-rl/algorithms/dqn";
import { PPO, PPOConfig } from "vibe-rl/algorithms/ppo";
import { SAC, SACConfig } from "vibe-rl/algorithms/sac";
import { Array, np, random, tree } from "vibe-rl/array";
import { Box, Image } from "vibe-rl/env";
import { createPolicy, type Action, type Policy } from "vibe-rl/policy";

export const images = Image({ height: 10, width: 10, channels: 4 });
export const bounds = Box({ low: [-1, -0.5], high: [1, 0.25] });

/** Fresh agents choose nearly alike everywhere: larger weights and biases make them differ. */
export const varied = <T>(state: T): T => {
  let at = 0;
  const change = (x: unknown): unknown =>
    x instanceof Array && x.dtype === "float32" && x.ndim > 0
      ? x.mul(1.5).add(random.normal(random.key(at++), x.shape).mul(0.2))
      : x;
  return tree.map(change, state) as T;
};

const stats = (size: number) => ({
  count: np.float32(9),
  mean: np.arange(size).mul(0.3).sub(0.5),
  variance: np.arange(size).mul(0.2).add(0.04),
});

const hidden = { hiddenSizes: [16, 16] };
const key = random.key(0);

interface Options {
  readonly explore?: boolean;
  readonly seed?: number;
}
type Make = (options?: Options) => Promise<Policy>;

/** The policies by what is particular about them. */
export const examples: Readonly<Record<string, Make>> = {
  "PPO, discrete": (options) =>
    createPolicy(
      "ppo",
      { ...PPO.init(key, [4], 3, hidden), params: varied(PPO.init(key, [4], 3, hidden).params) },
      { config: hidden, ...options },
    ),
  "PPO, normalised": (options) => {
    const config = PPOConfig({ ...hidden, normalizeObs: true, clipObs: 2 });
    const state = PPO.init(key, [4], 3, config);
    const changed = { ...state, params: varied(state.params), obsStats: stats(4) };
    return createPolicy("ppo", changed, { config, ...options });
  },
  "PPO, continuous within bounds": (options) => {
    const state = PPO.init(key, [4], bounds, hidden);
    const changed = { ...state, params: varied(state.params) };
    return createPolicy("ppo", changed, { config: hidden, actionSpace: bounds, ...options });
  },
  "PPO, images": (options) => {
    const state = PPO.init(key, images.shape, 3, hidden);
    const changed = { ...state, params: varied(state.params) };
    return createPolicy("ppo", changed, { config: hidden, observationSpace: images, ...options });
  },
  "PPO, images, continuous, shared backbone": (options) => {
    const config = { ...hidden, sharedBackbone: true };
    const state = PPO.init(key, images.shape, bounds, config);
    return createPolicy("ppo", state, { config, observationSpace: images, actionSpace: bounds, ...options });
  },
  "DQN, dueling": (options) => {
    const config = DQNConfig({ ...hidden, dueling: true, epsilonStart: 0.5, epsilonEnd: 0.5 });
    const state = DQN.init(key, [4], 3, config);
    return createPolicy("dqn", { ...state, params: varied(state.params) }, { config, ...options });
  },
  SAC: (options) => {
    const config = SACConfig({ ...hidden, normalizeObs: true });
    const state = SAC.init(key, [4], bounds, config);
    const changed = { ...state, actorParams: varied(state.actorParams), obsStats: stats(4) };
    return createPolicy("sac", changed, { config, ...options });
  },
};

/** Observations of a policy: floats, or bytes for images. */
export function observationsOf(
  { obsShape, observationSpace }: Policy,
  count = 12,
): (Float32Array | Uint8Array)[] {
  const size = obsShape.reduce((product, extent) => product * extent, 1);
  return globalThis.Array.from({ length: count }, (_, row) =>
    observationSpace.dtype === "uint8"
      ? Uint8Array.from({ length: size }, (_, at) => (row * 71 + at * at * 37) % 256)
      : Float32Array.from({ length: size }, (_, at) => 2 * Math.sin(3 * row + 2 * at)),
  );
}

const numbersIn = (action: Action): number[] => (typeof action === "number" ? [action] : [...action]);

/** The largest difference between two lists of actions. */
export const distance = (a: readonly Action[], b: readonly Action[]): number => {
  const [one, other] = [a, b].map((list) => list.flatMap(numbersIn));
  if (one.length !== other.length) return Infinity;
  return Math.max(...one.map((value, at) => Math.abs(value - other[at])));
};
