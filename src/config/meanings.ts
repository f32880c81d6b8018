// What the fields of configs take, and what those of the runner mean, for the command line's help.
import type { RunnerConfig } from "../runner/index.js";

/** What a field takes. */
export type Kind =
  | "number"
  | "number or null"
  | "number, list or null"
  | "list"
  | "true or false"
  | "text"
  | "text or null"
  | "path or null";

/** Fields whose defaults do not tell what else they take. */
const special: Readonly<Record<string, Kind>> = {
  ...{ targetKl: "number or null", scheduleUpdates: "number or null", explorationFraction: "number or null" },
  ...{ actionLow: "number, list or null", actionHigh: "number, list or null" },
  ...{ numDevices: "number or null", keepPeriod: "number or null", checkpointDir: "path or null" },
  checkpointInterval: "number or null",
  ...{ threads: "number or null", matmulPrecision: "text or null" },
};

/** What the field of a config takes. */
export function kindOf(name: string, initial: unknown): Kind {
  if (Object.hasOwn(special, name)) return special[name];
  if (Array.isArray(initial)) return "list";
  if (typeof initial === "boolean") return "true or false";
  return typeof initial === "string" ? "text" : "number";
}

export const runnerMeanings: Readonly<Record<keyof RunnerConfig, string>> = {
  totalTimesteps: "environment steps to train for",
  evalEvery: "steps between evaluations",
  evalEpisodes: "episodes of an evaluation",
  logInterval: "steps between lines of the log",
  bufferSize: "transitions that the replay buffer holds (DQN, SAC)",
  warmupSteps: "random steps before learning (DQN, SAC)",
  numDevices: "devices to train on; null: all there are",
  numEnvs: "environments side by side on each device (PPO: as algo.num_envs)",
  fsdpDevices: "devices that share each large parameter (FSDP); 1: every device has all of it",
  device: "what trains: native (C), cuda (a GPU), wasm, or auto: native where it is there and pays",
  matmulPrecision:
    "products on a GPU: highest, tf32, high or default; null: VIBE_RL_MATMUL_PRECISION, or highest",
  threads: "threads of a native run; null: all processors where it gains",
  seed: "where everything random comes from",
  checkpointDir: "where checkpoints go; null: the run's directory",
  checkpointInterval: "steps between checkpoints; null saves none",
  maxCheckpoints: "newest checkpoints to keep",
  keepPeriod: "keep for good what is at multiples of so many steps",
  resume: "whether to go on from the newest checkpoint",
  overwrite: "whether checkpoints that are there may be wiped",
  plot: "whether to plot the reward curve in the end",
};
