// The files of a run on environments that are objects, laid out as those of every run: config.json, metrics.jsonl,
// checkpoints by their steps.
import * as fs from "node:fs";
import path from "node:path";
import {
  bestCheckpoint,
  findCheckpoint,
  initializeCheckpointDir,
  listCheckpoints,
  markBest,
  removeCheckpoints,
  stepName,
  stepsToRemove,
} from "../checkpoint/index.js";
import type { TrainConfig } from "../config/index.js";
import { forgetOutcome, noteOutcome, takeLock, type Lock, type Outcome } from "../files/index.js";
import { MetricsLogger, readMetrics, type MetricsBackend } from "../metrics/index.js";
import type { RunDir } from "../runDir/index.js";
import { RunnerConfig, type Change } from "../runner/index.js";
import { UsageError } from "./arguments.js";
import { checkpointsOf, saveConfig } from "./runs.js";

/** The newest step whose checkpoint is whole. */
function newestStep(directory: string): number | null {
  const found = findCheckpoint(directory)?.path;
  return listCheckpoints(directory).find((checkpoint) => checkpoint.path === found)?.step ?? null;
}

export type EvalRecord = Readonly<Record<string, number>>;

export class HostEnvFiles {
  /** Evaluations so far, of this process and of those before it. */
  readonly evalLog: EvalRecord[] = [];
  private logger: MetricsLogger | null = null;
  private best = -Infinity;

  private constructor(
    private readonly config: TrainConfig,
    private readonly runDir: RunDir,
    private readonly directory: string,
    private readonly locks: readonly Lock[],
    /** The step of the checkpoint to go on from; null: none. */
    readonly step: number | null,
  ) {}

  /** Takes the directories of a run, which nobody else may write to. */
  static open(config: TrainConfig, runDir: RunDir): HostEnvFiles {
    const directory = checkpointsOf(runDir, config);
    const { resume, overwrite, checkpointInterval } = config.runner;
    const locks: Lock[] = [];
    try {
      for (const folder of [directory, runDir.logs]) {
        fs.mkdirSync(folder, { recursive: true });
        locks.push(takeLock(folder));
      }
      if (checkpointInterval !== null) initializeCheckpointDir(directory, { resume, overwrite });
      const step = resume ? newestStep(directory) : null;
      if (resume && step === null) throw new UsageError(`${directory} has no checkpoint to go on from`);
      return new HostEnvFiles(config, runDir, directory, locks, step);
    } catch (error) {
      for (const lock of locks) lock.release();
      throw error;
    }
  }

  /** Makes the log ready, now that the run begins; it forgets what was logged behind the checkpoint. */
  begin(backend: MetricsBackend, changes: readonly Change[]): void {
    const { step, runDir } = this;
    this.recordConfig(changes);
    const file = runDir.logPath();
    const keepThroughStep = this.config.runner.resume ? (step ?? 0) : null;
    this.logger = MetricsLogger(file, { backends: [backend], keepThroughStep });
    forgetOutcome(runDir.logs);
    if (step === null) return;
    for (const record of readMetrics(file)) {
      if (typeof record.eval_return !== "number") continue;
      this.evalLog.push({ eval_return: record.eval_return });
      this.best = Math.max(this.best, record.eval_return);
    }
  }

  /** How a run begins is in config.json, and what was changed since; whether it goes on is said anew each time. */
  private recordConfig(changes: readonly Change[]): void {
    const { runDir, config } = this;
    const saved = runDir.loadConfig();
    const { preset, changes: earlier } = saved;
    const runner = RunnerConfig({ ...config.runner, resume: false, overwrite: false });
    saveConfig(runDir, { ...config, runner }, typeof preset === "string" ? preset : null);
    const all = [...(Array.isArray(earlier) ? (earlier as readonly unknown[]) : []), ...changes];
    runDir.saveConfig({
      ...saved,
      ...runDir.loadConfig(),
      ...(all.length === 0 ? {} : { changes: all }),
    });
  }

  log(record: Readonly<Record<string, number>>): void {
    this.logger?.log(record);
  }

  /** Logs an evaluation; whether it is as good as any before it. */
  logEval(record: EvalRecord): boolean {
    this.log(record);
    this.evalLog.push(record);
    if (record.eval_return < this.best) return false;
    this.best = record.eval_return;
    return true;
  }

  /** Where the checkpoint of a step is. */
  placeOf(step: number): string {
    return path.join(this.directory, stepName(step));
  }

  /** After a checkpoint was saved: marks it if it is the best, and removes those that are not to be kept. */
  tidy(step: number, isBest: boolean): void {
    const { directory } = this;
    const { maxCheckpoints: maxToKeep, keepPeriod } = this.config.runner;
    if (isBest) markBest(directory, step);
    const all = listCheckpoints(directory);
    const best = bestCheckpoint(directory)?.step;
    const old = stepsToRemove(
      all.map((checkpoint) => checkpoint.step),
      { maxToKeep, keepPeriod, bestMode: "max" },
      [step, ...(best === undefined ? [] : [best])],
    );
    removeCheckpoints(all.filter((checkpoint) => old.includes(checkpoint.step)));
  }

  /** Notes how a run that has begun ended. */
  ended(outcome: Outcome): void {
    if (this.logger !== null) noteOutcome(this.runDir.logs, outcome);
  }

  async close(): Promise<void> {
    try {
      await this.logger?.close();
    } finally {
      for (const lock of this.locks) lock.release();
    }
  }
}
