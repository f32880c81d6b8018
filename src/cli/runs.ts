// Runs that command lines name, and what they have on disk.
import path from "node:path";
import { provideDevices, runnableHere } from "./devices.js";
import { bestCheckpoint, listCheckpoints, loadCheckpoint } from "../checkpoint/index.js";
import { configFrom, importsIn, plainConfig, setUp, type Setup, type TrainConfig } from "../config/index.js";
import { RunDir } from "../runDir/index.js";
import { RunnerConfig } from "../runner/index.js";
import { understood, UsageError } from "./arguments.js";
import { allEnvs, isKnownEnv } from "./environments.js";
import { importAll, importsOf } from "./imports.js";

/** The run directory that a word names. */
export function openRun(run: string | undefined, baseDir = "runs"): RunDir {
  if (run === undefined) throw new UsageError("which run? Give its directory or its name; `runs` lists them");
  return understood(() => RunDir.open(run, { baseDir }));
}

/**
 * What a run was trained with, its environment's modules loaded: those of the run, or those of `--import` in their
 * place. A checkpoint directory that is not absolute is one inside the run's.
 */
export async function configOf(run: RunDir, importFlag?: readonly string[]): Promise<TrainConfig> {
  const file = path.join(run.root, "config.json");
  const saved = understood(() => run.loadConfig());
  const imports = importsOf(importFlag) ?? understood(() => importsIn(saved, file));
  const config = understood(() => configFrom({ ...saved, imports }, file));
  await importAll(
    imports,
    importFlag === undefined ? ", which has registered the environment of this run; say where it is now" : "",
  );
  if (!isKnownEnv(config.envId)) {
    throw new UsageError(
      `the environment of this run, ${config.envId}, is not one that there is here (${allEnvs().join(", ")}): it was ` +
        "registered by a program. Name the file that registers it with --import, or go on with the run and evaluate it " +
        "in that program (`resume: true`, `evaluate`)",
    );
  }
  return withCheckpointDir(config, (directory) => path.resolve(run.root, directory));
}

/** Saves what a run is trained with. A checkpoint directory inside the run's moves with it. */
export function saveConfig(run: RunDir, config: TrainConfig, preset: string | null): void {
  const portable = withCheckpointDir(config, (directory) => {
    const inside = path.relative(run.root, directory);
    return inside === "" || inside.startsWith("..") || path.isAbsolute(inside) ? directory : inside;
  });
  run.saveConfig(plainConfig(portable, preset));
}

/** The config with its checkpoint directory, if it has one, written in another way. */
export function withCheckpointDir(config: TrainConfig, change: (directory: string) => string): TrainConfig {
  const { checkpointDir } = config.runner;
  if (checkpointDir === null) return config;
  return { ...config, runner: RunnerConfig({ ...config.runner, checkpointDir: change(checkpointDir) }) };
}

/** Where a run has its checkpoints. */
export const checkpointsOf = (run: RunDir, { runner }: TrainConfig): string =>
  runner.checkpointDir ?? run.checkpoints;

/** A path as it reads from where we are. */
export const relative = (file: string): string => path.relative(process.cwd(), file) || ".";

export interface Restored extends Setup {
  readonly state: object;
  readonly step: number;
}

/** A checkpoint of a run. */
export interface Chosen {
  /** The directory of all its checkpoints. */
  readonly folder: string;
  readonly step: number;
}

/** The best checkpoint of a run, or that of a step. */
export function choose(run: RunDir, config: TrainConfig, step: number | undefined): Chosen {
  const folder = checkpointsOf(run, config);
  const all = listCheckpoints(folder);
  const chosen =
    step === undefined ? (bestCheckpoint(folder) ?? all.at(-1)) : all.find((one) => one.step === step);
  if (chosen === undefined) {
    const steps = all.map((checkpoint) => checkpoint.step).join(", ") || "none";
    const asked = step === undefined ? "no checkpoints" : `no checkpoint of step ${step}; it has ${steps}`;
    throw new UsageError(`${run.runId} has ${asked}`);
  }
  return { folder, step: chosen.step };
}

/** The agent of a run: of its best checkpoint, or of a step. Settings that have flags are told by these. */
export function restore(
  run: RunDir,
  config: TrainConfig,
  step: number | undefined,
  flags: Readonly<Record<string, string>> = {},
): Restored {
  const { folder, step: found } = choose(run, config, step);
  const setup = understood(() => {
    provideDevices(config);
    return setUp(runnableHere(config));
  }, flags);
  const state = loadCheckpoint(folder, setup.trainer.start(), { step: found });
  return { ...setup, state, step: found };
}
