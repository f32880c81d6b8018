// DQN for the layers above.
import { evalShape, np } from "../../array/index.js";
import { defineAlgorithm } from "../definition.js";
import { DQN } from "./agent.js";
import { DQNConfig } from "./config.js";
import { meanings } from "./meanings.js";
import { qValues } from "./network.js";
import { presets } from "./presets.js";
import type { DQNNetworks, DQNState } from "./types.js";

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
    firstNetwork: ({ params }) => params,
    networkNames: ["q"],
    networkParams: ({ params }) => ({ q: params }),
  },
});
