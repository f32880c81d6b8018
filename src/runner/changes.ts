// What may be changed when a run goes on, and what may not, with the reason. Everything that is allowed is recorded.
import { fail } from "../array/index.js";
import { isRecord, snakeCaseName } from "../files/index.js";
import type { RunnerConfig } from "./config.js";

/** What a run is made of, by name. A checkpoint tells it, and a run that goes on is compared with that. */
export type Identity = Readonly<Record<string, unknown>>;

/** A run's identity as its checkpoints have it, with the settings of the runner. */
export function savedIdentity(identity: Identity, config: RunnerConfig): Identity {
  const { totalTimesteps, evalEvery, evalEpisodes, logInterval, checkpointInterval } = config;
  return {
    ...identity,
    runner: { totalTimesteps, evalEvery, evalEpisodes, logInterval, checkpointInterval },
  };
}

/** A setting that was changed when a run went on. */
export interface Change {
  /** From which step on. */
  readonly step: number;
  /** As in `config.json`: `algo_config.lr`. */
  readonly setting: string;
  readonly from: unknown;
  readonly to: unknown;
}

const shapes = "the parameters in the checkpoint have its shapes";
const statistics = "the agent has kept its statistics from the beginning";
const inBuffer = "the transitions in the replay buffer were made with it";

/** Settings that a state depends on, and why. A name stands for everything below it. */
const fixed: Readonly<Record<string, string>> = {
  algorithm: "the state is another algorithm's",
  environment: "the agent and its episodes belong to the environment",
  envParams: "the agent and its episodes belong to the environment",
  seed: "all random numbers of the run come from it",
  "config.hiddenSizes": shapes,
  "config.sharedBackbone": shapes,
  "config.dueling": shapes,
  "config.prioritized": "the replay buffer has priorities, or has none",
  "config.numEnvs": "so many environments are under way",
  numEnvs: "so many environments are under way",
  "config.network": shapes,
  networks: "the parameters in the checkpoint belong to the networks they were trained with",
  "config.nSteps": "the run is counted in rollouts, or its buffer in returns, of this length",
  "config.trainFreq": "the run has counted its updates by it",
  "config.gradientSteps": "the run has counted its updates by it",
  "config.normalizeObs": statistics,
  "config.normalizeReward": statistics,
  "config.initAlpha": "it says where the temperature began",
  "config.actionLow": inBuffer,
  "config.actionHigh": inBuffer,
  bufferSize: "the replay buffer has this size",
  warmupSteps: "the run has begun with it",
};

/** The values of a nested object by their paths: `config.lr`. */
function flatten(value: unknown, path: string): [path: string, value: unknown][] {
  if (!isRecord(value)) return [[path, value]];
  return Object.entries(value).flatMap(([name, part]) =>
    flatten(part, path === "" ? name : `${path}.${name}`),
  );
}

/** Why a setting cannot be changed; `undefined` if it can. */
const reasonFor = (name: string): string | undefined =>
  Object.entries(fixed).find(([one]) => name === one || name.startsWith(`${one}.`))?.[1];

/** `config.gaeLambda` as `algo_config.gae_lambda`. */
const settingOf = (name: string): string =>
  name
    .split(".")
    .map(snakeCaseName)
    .join(".")
    .replace(/^config\./, "algo_config.");

/** What differs from the run that a checkpoint is of. What must not differ is refused by name, with the reason. */
export function changesSince(saved: Identity, ours: Identity, step: number, path: string): Change[] {
  const [theirs, mine] = [saved, ours].map((identity) => new Map(flatten(identity, "")));
  const changes: Change[] = [];
  // Other networks first: what the config says of its own networks is then beside the point.
  const isNetwork = (name: string) => Number(name.startsWith("networks."));
  const names = [...new Set([...mine.keys(), ...theirs.keys()])].sort((a, b) => isNetwork(b) - isNetwork(a));
  for (const name of names) {
    const [from, to] = [theirs.get(name), mine.get(name)];
    const [before, now] = [from, to].map((value) => JSON.stringify(value) ?? "nothing");
    if (before === now) continue;
    const reason = reasonFor(name);
    if (reason !== undefined) {
      fail(
        "resume",
        `the checkpoint ${path} was made with ${name} = ${before}, this run has ${now}; that cannot be changed, ` +
          `since ${reason}. Give the same, or choose another directory`,
      );
    }
    changes.push({ step, setting: settingOf(name), from: from ?? null, to: to ?? null });
  }
  return changes;
}
