// How a run goes, whatever the algorithm: how long, and when the host does what.
import { choice, defineConfig, flag, optional, whole, type Field } from "../agent/index.js";
import { matmulPrecisions, type MatmulPrecision } from "../array/index.js";

export interface RunnerConfig {
  /** Environment steps to train for. Default 100,000. */
  readonly totalTimesteps: number;
  /** Evaluate every so many steps. Default 5,000. */
  readonly evalEvery: number;
  /** Episodes of an evaluation. Default 10. */
  readonly evalEpisodes: number;
  /** Log metrics every so many steps. Default 1,000. */
  readonly logInterval: number;
  /** Transitions that the replay buffer of DQN and SAC holds. Default 100,000. */
  readonly bufferSize: number;
  /** Random steps before DQN and SAC learn. Default 1,000. */
  readonly warmupSteps: number;
  /** Devices to train on: `trainPPOMultiGPU`, DQN and SAC. Null, the default, is all there are. */
  readonly numDevices: number | null;
  /** Environments side by side on each device. PPO's own field says the same: one of the two is enough. Default 1. */
  readonly numEnvs: number;
  /** Devices that share each large parameter, so that every one has a part of it (FSDP). Default 1. */
  readonly fsdpDevices: number;
  /**
   * What trains: `native` is C of the system's compiler, `cuda` an NVIDIA GPU, `gpu` whatever XLA has a plugin for;
   * `auto` takes native code where it is there and pays. Default auto.
   */
  readonly device: "auto" | "cuda" | "gpu" | "native" | "wasm";
  /** Threads of a native run; null, the default, is all processors where a program is large enough to gain. */
  readonly threads: number | null;
  /** How exact products must be where the device has faster ones, as `jit` takes it. Default null. */
  readonly matmulPrecision: MatmulPrecision | null;
  /** Everything random in a run comes from this number. Default 0. */
  readonly seed: number;
  /** Where checkpoints go; null saves none, unless the run has a directory. Default null. */
  readonly checkpointDir: string | null;
  /** Save a checkpoint every so many steps; null saves none, even where the run has a directory. Default 5,000. */
  readonly checkpointInterval: number | null;
  /** How many of the newest checkpoints are kept. Default 5. */
  readonly maxCheckpoints: number;
  /** Checkpoints at multiples of so many steps are kept for good; null keeps none. Default null. */
  readonly keepPeriod: number | null;
  /** Whether to go on from the newest checkpoint, or to begin where none was saved yet. Default false. */
  readonly resume: boolean;
  /** Whether checkpoints that are there may be wiped. Default false. */
  readonly overwrite: boolean;
  /** Whether to plot the reward curve when the run is over. Default true. */
  readonly plot: boolean;
}

const path: Field<string> = {
  default: "",
  wants: (value) => (typeof value === "string" && value !== "" ? null : "a path"),
};

/** A runner config: the defaults with the given fields in their place, checked and frozen. */
export const RunnerConfig = defineConfig<RunnerConfig>(
  "RunnerConfig",
  {
    totalTimesteps: whole(100_000),
    evalEvery: whole(5_000),
    evalEpisodes: whole(10),
    logInterval: whole(1_000),
    bufferSize: whole(100_000),
    warmupSteps: whole(1_000, 0),
    numDevices: optional(whole(1)),
    numEnvs: whole(1),
    fsdpDevices: whole(1),
    device: choice("auto", ["auto", "cuda", "gpu", "native", "wasm"]),
    threads: optional(whole(1)),
    matmulPrecision: optional(choice("highest", matmulPrecisions)),
    seed: whole(0, 0),
    checkpointDir: optional(path),
    checkpointInterval: { ...optional(whole(5_000)), default: 5_000 },
    maxCheckpoints: whole(5),
    keepPeriod: optional(whole(1)),
    resume: flag(false),
    overwrite: flag(false),
    plot: flag(true),
  },
  ({ resume, overwrite, checkpointInterval, checkpointDir, device, threads, numDevices }) => {
    if (device !== "native" && device !== "auto" && (threads ?? 1) > 1)
      return `threads are for native runs, and device is "${device}", got threads ${threads}; leave one of them out`;
    if ((device === "native" || device === "cuda") && (numDevices ?? 1) > 1)
      return `several devices run WebAssembly or XLA, got device "${device}" and numDevices ${numDevices}; leave one of them out`;
    if (resume && overwrite) return "resume and overwrite exclude each other: choose one";
    if (checkpointInterval !== null) return null;
    if (resume)
      return "resume goes on from checkpoints, but checkpointInterval is null: give a number of steps";
    return checkpointDir === null
      ? null
      : "checkpointDir says where checkpoints go, but checkpointInterval is null: leave one of them out";
  },
);
