// Presets: an environment, an algorithm and settings that are known to learn, those of each algorithm together.
import { algorithmNames, algorithmOf, type AlgorithmName, type ConfigOf } from "../algorithms/index.js";
import { RunnerConfig } from "../runner/index.js";

interface Common {
  readonly envId: string;
  /** Parameters of the environment that are not its own, as plain data. */
  readonly envParams?: Readonly<Record<string, unknown>>;
  /** Modules that register the environment: absolute paths of files, or names of packages. */
  readonly imports?: readonly string[];
  readonly runner: RunnerConfig;
}

/** Everything a run is made of. */
export type TrainConfig = Common &
  { readonly [K in AlgorithmName]: { readonly algo: K; readonly algoConfig: ConfigOf<K> } }[AlgorithmName];

export interface Preset {
  readonly description: string;
  readonly config: TrainConfig;
}

/** The presets by name. */
export const presets: Readonly<Record<string, Preset>> = Object.fromEntries(
  algorithmNames.flatMap((algo) => {
    const { presets: own, config } = algorithmOf(algo);
    return Object.entries(own).map(([name, { envId, description, algo: settings, runner }]) => [
      name,
      {
        description,
        config: { envId, algo, algoConfig: config(settings), runner: RunnerConfig(runner) } as TrainConfig,
      },
    ]);
  }),
);
