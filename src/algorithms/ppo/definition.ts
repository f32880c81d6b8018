// PPO for the layers above.
import { normalizeObs } from "../../agent/index.js";
import { evalShape, np, type Array } from "../../array/index.js";
import { Categorical } from "../../nn/index.js";
import { defineAlgorithm } from "../definition.js";
import { PPO } from "./agent.js";
import { PPOConfig } from "./config.js";
import { meanings } from "./meanings.js";
import { policyOutputOf } from "./network.js";
import { presets } from "./presets.js";
import type { PPONetworks, PPOState } from "./types.js";

/** The logits of a batch of observations, or the mean of a Gaussian policy. */
const outputOf = (state: PPOState, obs: Array, { config, networks }: PPOParts): Array =>
  policyOutputOf(state.params, normalizeObs(state, obs, config), networks);

interface PPOParts {
  readonly config: PPOConfig;
  readonly networks?: PPONetworks | undefined;
}

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
    outputs: (state, obs, parts) => {
      const output = outputOf(state, obs, parts);
      return state.params.logStd === undefined ? { logits: output } : { mean: output };
    },
    value: (state, obs, parts) => PPO.getValueBatch(state, obs, parts),
    noise: ({ kind, size }) => ({ kind: kind === "discrete" ? "uniform" : "normal", size }),
    sampled: (state, obs, noise, parts) => {
      const output = outputOf(state, obs, parts);
      const { logStd } = state.params;
      return logStd === undefined
        ? Categorical(output).fromNoise(noise)
        : noise.mul(np.exp(logStd)).add(output);
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
