// How each algorithm is run: the runner's side of the registry of algorithms, which the compiler holds to be complete.
import { algorithmOf, type AlgorithmName } from "../algorithms/index.js";
import type { Environment } from "../env/index.js";
import type { RunnerConfig } from "./config.js";
import { dqnFamily, trainDQN } from "./dqn.js";
import type { Family } from "./family.js";
import { ppoFamily, trainPPO } from "./ppo.js";
import { sacFamily, trainSAC } from "./sac.js";
import { spreadFor } from "./spread.js";
import type { Trainer } from "./trainer.js";

/** What a run carries, as far as its agent is concerned. */
export interface AgentHolder {
  readonly agentState: object;
}

/** How an algorithm is run. */
interface Runner {
  readonly train: unknown;
  /** The names of its config among the options, and of its other options. */
  readonly config: string;
  readonly options: readonly string[];
  readonly family: (env: Environment, params: unknown, options: object) => Family<AgentHolder>;
}

const table = {
  ppo: {
    train: trainPPO,
    config: "ppoConfig",
    options: ["networks", "obsShape", "nActions"],
    family: ppoFamily,
  },
  dqn: {
    train: trainDQN,
    config: "dqnConfig",
    options: ["networks", "obsShape", "nActions"],
    family: dqnFamily,
  },
  sac: {
    train: trainSAC,
    config: "sacConfig",
    options: ["networks", "obsShape", "actionDim"],
    family: sacFamily,
  },
} satisfies Readonly<Record<AlgorithmName, Omit<Runner, "family"> & { readonly family: unknown }>>;

const runners = table as unknown as Readonly<Record<AlgorithmName, Runner>>;

/** A run of an algorithm for the host to drive. */
export function trainerOf(
  algo: AlgorithmName,
  env: Environment,
  params: unknown,
  options: { readonly algoConfig: object; readonly runnerConfig: RunnerConfig },
): Trainer<AgentHolder> {
  const { config, family } = runners[algo];
  const { algoConfig, runnerConfig } = options;
  // The others find their devices themselves.
  const spread = algo === "ppo" && { spread: spreadFor("train ppo", runnerConfig) };
  return family(env, params, { [config]: algoConfig, runnerConfig, ...spread })();
}

/** The algorithm that a function trains; `undefined` if there is none. */
export function trainedBy(train: unknown) {
  const found = (Object.entries(runners) as [AlgorithmName, Runner][]).find(([, one]) => one.train === train);
  return found === undefined ? undefined : { ...found[1], builder: algorithmOf(found[0]).config };
}

/** The names of the functions that train, for messages. */
export const trainNames = Object.keys(runners).map((name) => `train${name.toUpperCase()}`);
