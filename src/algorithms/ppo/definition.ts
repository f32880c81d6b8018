// PPO for the layers above.
import { evalShape, np } from "../../array/index.js";
import { defineAlgorithm } from "../definition.js";
import { PPO } from "./agent.js";
import { PPOConfig } from "./config.js";
import { meanings } from "./meanings.js";
import { policyOutputOf } from "./network.js";
import { presets } from "./presets.js";
import type { PPONetworks, PPOState } from "./types.js";

export const ppo = defineAlgorithm<PPOState, PPOConfig, "discrete" | "continuous", PPONetworks>({
  config: PPOConfig,
  meanings,
  presets,
  actions: ["discrete", "continuous"],
  acting: {
    fields: ["params"],
    isUnbounded: true,
    actBatch: (state, obs, options) => {
      const [actions, , , { rng }] = PPO.actBatch(state, obs, options);
      return [actions, rng];
    },
    actionKind: ({ params }, obsShape, { networks }) => {
      const [, size] = evalShape(() => policyOutputOf(params, np.zeros([1, ...obsShape]), networks)).shape;
      return { kind: params.logStd === undefined ? "discrete" : "continuous", size };
    },
    firstNetwork: ({ params }) => {
      if (params.backbone === undefined) return params.actor;
      const isEmpty = "length" in params.backbone && params.backbone.length === 0;
      return isEmpty ? params.policy : params.backbone;
    },
    networkNames: ["actor", "critic"],
    networkParams: ({ params: { actor, critic } }) => ({ actor, critic }),
  },
});
