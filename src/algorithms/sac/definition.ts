// SAC for the layers above.
import { defineAlgorithm } from "../definition.js";
import { SAC } from "./agent.js";
import { SACConfig } from "./config.js";
import { meanings } from "./meanings.js";
import { presets } from "./presets.js";
import type { SACNetworks, SACState } from "./types.js";

export const sac = defineAlgorithm<SACState, SACConfig, "continuous", SACNetworks>({
  config: SACConfig,
  meanings,
  presets,
  actions: ["continuous"],
  acting: {
    fields: ["actorParams", "actionLow", "actionHigh"],
    isUnbounded: false,
    actBatch: (state, obs, options) => {
      const [actions, { rng }] = SAC.actBatch(state, obs, options);
      return [actions, rng];
    },
    actionKind: ({ actionLow }) => ({ kind: "continuous", size: actionLow.size }),
    firstNetwork: ({ actorParams }) => actorParams,
    networkNames: ["actor", "critic"],
    // The critics see actions as well, and acting has no use for them.
    networkParams: ({ actorParams }) => ({ actor: actorParams }),
  },
});
