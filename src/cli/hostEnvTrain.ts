// `train` and `resume` on environments that are objects: a class runner with the files and the words of every run.
import path from "node:path";
import { ArrayError } from "../array/index.js";
import type { TrainConfig } from "../config/index.js";
import { MetricsError, type MetricsBackend } from "../metrics/index.js";
import { PlotError, plotRewardCurve } from "../plotting/index.js";
import type { RunDir } from "../runDir/index.js";
import {
  CallbackError,
  changesSince,
  outcomeOf,
  type Change,
  type Curve,
  type Stats,
} from "../runner/index.js";
import { tell, UsageError } from "./arguments.js";
import type { Host } from "./host.js";
import { HostEnvFiles } from "./hostEnvFiles.js";
import type { HostSetup } from "./hostEnvSetup.js";
import { tellResult, tellStopped } from "./outcome.js";
import { progressView } from "./progress.js";

export interface HostRun {
  readonly config: TrainConfig;
  readonly runDir: RunDir;
  readonly setup: HostSetup;
  /** What the run was trained with before it goes on; null: it is new. */
  readonly before: TrainConfig | null;
  readonly host: Host;
  /** Says that it begins, and opens where else its records go. */
  readonly onStart: (step: number, changes: readonly Change[], device: string | null) => MetricsBackend;
}

/** What a run that goes on must have in common with what it was. */
const identityOf = ({ algo, algoConfig, envId, runner }: TrainConfig) => {
  const { totalTimesteps, evalEvery, evalEpisodes, logInterval, checkpointInterval } = runner;
  const { seed, numEnvs, bufferSize, warmupSteps, device } = runner;
  return {
    ...{ algorithm: algo, environment: envId, config: algoConfig, seed, numEnvs, bufferSize, warmupSteps },
    runner: { totalTimesteps, evalEvery, evalEpisodes, logInterval, checkpointInterval, device },
  };
};

/** Makes a run, or goes on with it; returns the exit code. */
export async function trainHost(given: HostRun): Promise<number> {
  const { config, runDir, setup, host } = given;
  const view = progressView(host.terminal);
  const stop = host.interruption();
  let files: HostEnvFiles | null = null;
  let hasBegun = false as boolean;
  try {
    files = HostEnvFiles.open(config, runDir);
    const begin = (changes: readonly Change[]): void => {
      hasBegun = true;
      files?.begin(given.onStart(files.step ?? 0, changes, setup.runner.deviceName), changes);
    };
    await learn(given, files, view.show, stop.signal, begin);
    const { totalTimesteps: step } = setup.runner;
    files.ended({ state: step < setup.total ? "stopped" : "done", step });
  } catch (error) {
    if (hasBegun)
      files?.ended(
        outcomeOf(error instanceof CallbackError ? error.cause : error, setup.runner.totalTimesteps),
      );
    if (error instanceof CallbackError) throw error.cause;
    throw error instanceof ArrayError && !hasBegun ? new UsageError(tell(error)) : error;
  } finally {
    await files?.close();
    view.end();
    stop.release();
    await setup.close();
  }
  const { totalTimesteps } = setup.runner;
  if (totalTimesteps < setup.total) return tellStopped(config, totalTimesteps, runDir, host);
  const { evalLog } = files;
  tellResult(config, { evalLog, curve: config.runner.plot ? curveOf(runDir) : null }, runDir, host);
  return 0;
}

async function learn(
  { config, setup, before }: HostRun,
  files: HostEnvFiles,
  show: ReturnType<typeof progressView>["show"],
  signal: AbortSignal,
  begin: (changes: readonly Change[]) => void,
): Promise<void> {
  const { runner, total } = setup;
  const { evalEvery, evalEpisodes, logInterval, checkpointInterval, totalTimesteps } = config.runner;
  const changes = await restored(files, setup, before, config);
  const first = runner.totalTimesteps;
  if (total < first) {
    throw new UsageError(
      `totalTimesteps is ${totalTimesteps}, but the run is at step ${first} already; give at least that`,
    );
  }
  let [from, savedAt, began]: [number, number, number | null] = [first, first, null];

  const save = async (isBest: boolean): Promise<void> => {
    savedAt = runner.totalTimesteps;
    await runner.saveCheckpoint(files.placeOf(savedAt));
    files.tidy(savedAt, isBest);
  };
  const evaluate = async (): Promise<boolean> => {
    const stats = await runner.eval({ numEpisodes: evalEpisodes });
    const evalReturn = stats["eval/mean_reward"];
    const record = {
      step: runner.totalTimesteps,
      eval_return: evalReturn,
      eval_length: stats["eval/mean_length"],
    };
    return files.logEval({ ...record, ...stats });
  };
  const attend = async (stats: Stats): Promise<void> => {
    const step = runner.totalTimesteps;
    const isDue = (every: number | null): boolean =>
      every !== null && (step >= total || Math.floor(step / every) > Math.floor(from / every));
    const { "episode/mean_reward": episodeReturn, "episode/mean_length": episodeLength } = stats;
    const episodes =
      episodeReturn === undefined ? {} : { episode_return: episodeReturn, episode_length: episodeLength };
    if (isDue(logInterval)) files.log({ step, iteration: runner.iteration, ...episodes, ...stats });
    const isBest = isDue(evalEvery) && (await evaluate());
    if (checkpointInterval !== null && (isBest || isDue(checkpointInterval))) await save(isBest);
    const seconds = Math.max(1e-3, (performance.now() - (began ?? 0)) / 1000);
    const stepsPerSecond = (step - first) / seconds;
    show({
      ...{ step, total, stepsPerSecond, secondsLeft: (total - step) / stepsPerSecond },
      ...{ episodeReturn: episodeReturn ?? null, evalReturn: files.evalLog.at(-1)?.eval_return ?? null },
    });
    from = step;
    if (signal.aborted) runner.stop();
  };
  const start = (): void => {
    if (began !== null) return;
    began = performance.now();
    begin(changes);
  };
  if (total === first && first > 0) {
    start();
    return;
  }
  // Both runners are called in the same way, which the union of their types does not say.
  const events = runner as {
    addCallback(event: string, callback: (runner: unknown, stats: Stats) => unknown): void;
  };
  events.addCallback("pre_iteration", start);
  events.addCallback("post_iteration", (_, stats) => attend(stats));
  await runner.learn({ totalTimesteps });
  if (checkpointInterval !== null && runner.totalTimesteps > savedAt) await save(false);
}

/** Takes over the newest checkpoint, if there is one; gives what was changed since. */
async function restored(
  files: HostEnvFiles,
  { runner }: HostSetup,
  before: TrainConfig | null,
  config: TrainConfig,
): Promise<readonly Change[]> {
  const { step } = files;
  if (before === null || step === null) return [];
  const folder = files.placeOf(step);
  const changes = changesSince(identityOf(before), identityOf(config), step, folder);
  // What was changed is told and recorded when the run begins.
  await runner.loadCheckpoint(folder, { warnOfChanges: false });
  return changes;
}

/** Draws the reward curve. The run itself is over and safe, whatever comes of it. */
function curveOf({ root, artifacts }: RunDir): Curve {
  const file = path.join(artifacts, "reward_curve.png");
  try {
    plotRewardCurve([root], { savePath: file });
    return { file };
  } catch (error) {
    if (!(error instanceof PlotError || error instanceof MetricsError)) throw error;
    return { problem: `the curve was not drawn: ${error.message}` };
  }
}
