// DQN for the layers above.
import { ObsNetwork } from "../../agent/index.js";
import { defineAlgorithm } from "../definition.js";
import { DQN } from "./agent.js";
import { DQNConfig } from "./config.js";
import { meanings } from "./meanings.js";
import { presets } from "./presets.js";
import type { DQNState } from "./types.js";

export const dqn = defineAlgorithm<DQNState, DQNConfig, "discrete">({
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
    actionKind: ({ params }, { dueling }, obsShape) => ({
      kind: "discrete",
      size: ObsNetwork.outputSize(params, obsShape) - (dueling ? 1 : 0),
    }),
    firstNetwork: ({ params }) => params,
  },
});
