// From a config to a run.
import { make, type Environment } from "../env/index.js";
import { dqnTrainer, ppoTrainer, sacTrainer, type Trainer } from "../runner/index.js";
import type { TrainConfig } from "./presets.js";

export interface Setup {
  readonly env: Environment;
  readonly params: unknown;
  readonly trainer: Trainer<object>;
}

/** The environment of a config and the run that the host drives. */
export function setUp(config: TrainConfig): Setup {
  const [env, params] = make(config.envId);
  const { algo, algoConfig, runner: runnerConfig } = config;
  const trainer =
    algo === "ppo"
      ? ppoTrainer(env, params, { ppoConfig: algoConfig, runnerConfig })
      : algo === "dqn"
        ? dqnTrainer(env, params, algoConfig, runnerConfig)
        : sacTrainer(env, params, algoConfig, runnerConfig);
  return { env, params, trainer: trainer as unknown as Trainer<object> };
}
