// DQN for the layers above.
import { normalizeObs } from "../../agent/index.js";
import { evalShape, np, type Array } from "../../array/index.js";
import { defineAlgorithm } from "../definition.js";
import { DQN, epsilonAt } from "./agent.js";
import { DQNConfig } from "./config.js";
import { meanings } from "./meanings.js";
import { qValues } from "./network.js";
import { presets } from "./presets.js";
import type { DQNNetworks, DQNState } from "./types.js";

interface DQNParts {
  readonly config: DQNConfig;
  readonly networks?: DQNNetworks | undefined;
}

const valuesAt = (state: DQNState, obs: Array, { config, networks }: DQNParts): Array =>
  qValues(state.params, normalizeObs(state, obs, config), config, networks);

export const dqn = defineAlgorithm<DQNState, DQNConfig, "discrete", DQNNetworks>({
  config: DQNConfig,
  meanings,
  presets,
  actions: ["discrete"],
  acting: {
    fields: ["params", "step"],
    isUnbounded: false,
    actBatch: (state, obs, options) => {
      const [actions, { rng }] = DQN.actBatch(state, obs, options);
      return [actions, rng];
    },
    actionKind: ({ params }, obsShape, { config, networks }) => {
      const values = evalShape(() => qValues(params, np.zeros([1, ...obsShape]), config, networks));
      return { kind: "discrete", size: values.shape[1] };
    },
    outputs: (state, obs, parts) => ({ q_values: valuesAt(state, obs, parts) }),
    // A number for each action, the largest of which is the random one, and one for whether it is taken.
    noise: ({ size }) => ({ kind: "uniform", size: size + 1 }),
    sampled: (state, obs, noise, parts) => {
      const best = valuesAt(state, obs, parts).argmax(-1);
      const any = noise.slice(":", ":-1").argmax(-1);
      return np.where(noise.slice(":", -1).less(epsilonAt(state.step, parts.config)), any, best);
    },
    firstNetwork: ({ params }) => params,
    networkNames: ["q"],
    networkParams: ({ params }) => ({ q: params }),
  },
});
