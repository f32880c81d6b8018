// SAC for the layers above.
import { normalizeObs } from "../../agent/index.js";
import type { Array } from "../../array/index.js";
import { defineAlgorithm } from "../definition.js";
import { SAC } from "./agent.js";
import { SACConfig } from "./config.js";
import { meanings } from "./meanings.js";
import { gaussianOf, policyOf } from "./network.js";
import { presets } from "./presets.js";
import type { SACNetworks, SACState } from "./types.js";

interface SACParts {
  readonly config: SACConfig;
  readonly networks?: SACNetworks | undefined;
}

/** What the functions of the policy's network take. */
const given = (state: SACState, obs: Array, { config, networks }: SACParts) =>
  [state.actorParams, normalizeObs(state, obs, config), state, config, networks] as const;

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
    outputs: (state, obs, parts) => {
      const { mean, logStd } = gaussianOf(...given(state, obs, parts));
      return { mean, log_std: logStd };
    },
    noise: ({ size }) => ({ kind: "normal", size }),
    sampled: (state, obs, noise, parts) => policyOf(...given(state, obs, parts)).fromNoise(noise)[0],
    firstNetwork: ({ actorParams }) => actorParams,
    networkNames: ["actor", "critic"],
    // The critics see actions as well, and acting has no use for them.
    networkParams: ({ actorParams }) => ({ actor: actorParams }),
  },
});
