// Configs on disk: what `config.json` of a run directory says, and back.
import { DQNConfig, PPOConfig, SACConfig } from "../algorithms/index.js";
import { RunnerConfig } from "../runner/index.js";
import { ConfigError } from "./overrides.js";
import type { TrainConfig } from "./presets.js";

/** A config as plain data for `RunDir.saveConfig`. */
export const plainConfig = (
  { envId, algo, algoConfig, runner }: TrainConfig,
  preset: string | null,
): object => ({
  ...{ preset, envId, algo, algoConfig, runner },
});

/** The config that a run directory has, checked. */
export function configFrom(saved: Readonly<Record<string, unknown>>, where: string): TrainConfig {
  const { envId, algo, algoConfig, runner } = saved;
  if (typeof envId !== "string" || typeof algo !== "string") {
    throw new ConfigError(`${where} is no config of a training run: it has no env_id and algo`);
  }
  const common = { envId, runner: RunnerConfig(runner as object) };
  switch (algo) {
    case "ppo":
      return { ...common, algo, algoConfig: PPOConfig(algoConfig as object) };
    case "dqn":
      return { ...common, algo, algoConfig: DQNConfig(algoConfig as object) };
    case "sac":
      return { ...common, algo, algoConfig: SACConfig(algoConfig as object) };
    default:
      throw new ConfigError(`${where} is of the algorithm ${JSON.stringify(algo)}; there are ppo, dqn, sac`);
  }
}
