// SAC's presets: an environment and settings that are known to learn.
import { presetOf, type PresetData } from "../definition.js";
import type { SACConfig } from "./config.js";

const preset = presetOf<SACConfig>();

export const presets = {
  pendulum_sac: preset(
    "Pendulum-v1",
    "swing a pendulum up with SAC; it has learned after a tenth of the steps (unlike SAC's defaults: RL Zoo's rate of " +
      "1e-3, and smaller networks and batches, which are much faster)",
    { hiddenSizes: [64, 64], actorLr: 1e-3, criticLr: 1e-3, alphaLr: 1e-3, batchSize: 128 },
    { totalTimesteps: 200_000 },
  ),
} satisfies Readonly<Record<string, PresetData<SACConfig>>>;
