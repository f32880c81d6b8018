// Configs on disk: what `config.json` of a run directory says, and back.
import { checkedConfig, type ConfigBuilder } from "../agent/index.js";
import { algorithmNames, algorithmOf, isAlgorithm } from "../algorithms/index.js";
import { isRecord } from "../files/index.js";
import { RunnerConfig } from "../runner/index.js";
import { ConfigError } from "./overrides.js";
import type { TrainConfig } from "./presets.js";

/** A config as plain data for `RunDir.saveConfig`. */
export const plainConfig = (
  { envId, envParams = {}, imports = [], algo, algoConfig, runner }: TrainConfig,
  preset: string | null,
): object => ({
  ...{ preset, envId, envParams, algo, algoConfig, runner },
  ...(imports.length === 0 ? {} : { imports }),
});

/** The config that a run directory has, checked. */
export function configFrom(saved: Readonly<Record<string, unknown>>, where: string): TrainConfig {
  const { envId, envParams = {}, environment, algo, algoConfig, runner, seeds, networks } = saved;
  if (envId === null && typeof environment === "string") {
    throw new ConfigError(
      `the run of ${where} was trained by a program on ${environment}, an environment that \`make\` has not made, so that ` +
        "it cannot be set up from here. Go on with it and evaluate it in that program (`resume: true`, `evaluate`)",
    );
  }
  if (typeof envId !== "string" || typeof algo !== "string") {
    throw new ConfigError(`${where} is no config of a training run: it has no env_id and algo`);
  }
  const checked = <C extends object>(name: string, builder: ConfigBuilder<C>, given: unknown) =>
    checkedConfig(where, name, builder, given);
  if (networks !== undefined) {
    throw new ConfigError(
      `the run of ${where} was trained by a program with networks of its own, which cannot be set up from here. Go on with ` +
        "it and evaluate it in that program (`networks`, `resume: true`, `evaluate`)",
    );
  }
  if (Array.isArray(seeds)) {
    throw new ConfigError(
      `the run of ${where} has trained several seeds side by side (${seeds.join(", ")}), which cannot be set up from ` +
        "here. Go on with it in the program that trained it (`seeds`, `resume: true`)",
    );
  }
  if (!isRecord(envParams))
    throw new ConfigError(`${where}: env_params must be an object with parameters by name`);
  const imports = importsIn(saved, where);
  if (!isAlgorithm(algo)) {
    throw new ConfigError(
      `${where} is of the algorithm ${JSON.stringify(algo)}; there are ${algorithmNames.join(", ")}`,
    );
  }
  return {
    algo,
    algoConfig: checked("algo_config", algorithmOf(algo).config, algoConfig),
    envId,
    ...(imports.length === 0 ? {} : { imports }),
    ...(Object.keys(envParams).length === 0 ? {} : { envParams }),
    runner: checked("runner", RunnerConfig, runner),
  } as TrainConfig;
}

/** The modules that a run's environment comes from: they are loaded before the config can be used. */
export function importsIn({ imports = [] }: Readonly<Record<string, unknown>>, where: string): string[] {
  const isList = Array.isArray(imports) && imports.every((one) => typeof one === "string" && one !== "");
  if (!isList) throw new ConfigError(`${where}: imports must be a list of files and packages`);
  return imports as string[];
}
