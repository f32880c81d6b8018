// Configs without a preset: the defaults of an algorithm.
import { algorithmOf, type AlgorithmName } from "../algorithms/index.js";
import { RunnerConfig } from "../runner/index.js";
import type { TrainConfig } from "./presets.js";

/** The defaults of an algorithm, for an environment that is still to be said. */
export const baseConfig = (algo: AlgorithmName): TrainConfig =>
  ({ envId: "", algo, algoConfig: algorithmOf(algo).config({}), runner: RunnerConfig({}) }) as TrainConfig;
