// PPO for the layers above.
import { ObsNetwork } from "../../agent/index.js";
import { defineAlgorithm } from "../definition.js";
import { PPO } from "./agent.js";
import { PPOConfig } from "./config.js";
import { meanings } from "./meanings.js";
import { presets } from "./presets.js";
import type { PPOState } from "./types.js";

export const ppo = defineAlgorithm<PPOState, PPOConfig, "discrete" | "continuous">({
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
    actionKind: ({ params }, _, obsShape) => {
      const size = params.logStd?.shape[0] ?? ObsNetwork.outputSize(params.policy ?? params.actor, obsShape);
      return { kind: params.logStd === undefined ? "discrete" : "continuous", size };
    },
    firstNetwork: ({ params }) => {
      if (params.backbone === undefined) return params.actor;
      const isEmpty = "length" in params.backbone && params.backbone.length === 0;
      return isEmpty ? params.policy : params.backbone;
    },
  },
});
