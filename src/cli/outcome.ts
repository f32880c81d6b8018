// How a run ended, in words.
import { bestCheckpoint, listCheckpoints } from "../checkpoint/index.js";
import type { TrainConfig } from "../config/index.js";
import type { RunDir } from "../runDir/index.js";
import type { RunResult } from "../runner/index.js";
import type { Host } from "./host.js";
import { checkpointsOf, relative } from "./runs.js";
import { thousands } from "./thousands.js";

/** Says at which step a run was stopped and how to go on; the exit code of that. */
export function tellStopped(config: TrainConfig, at: number, runDir: RunDir, { print }: Host): number {
  const step = thousands(at);
  const hasSaved = config.runner.checkpointInterval !== null;
  const next = hasSaved ? `go on with: vibe-rl resume ${relative(runDir.root)}` : "no checkpoint was saved";
  print(`stopped at step ${step}; ${next}`);
  return 130;
}

/** Says how it went and where the files are. */
export function tellResult(
  config: TrainConfig,
  { evalLog, curve }: Pick<RunResult<object>, "evalLog" | "curve">,
  runDir: RunDir,
  { print, printError }: Host,
): void {
  const evals = evalLog.map((record) => record.eval_return);
  const best = evals.reduce((most, one) => Math.max(most, one), -Infinity);
  if (evals.length > 0)
    print(`last evaluation: ${evals[evals.length - 1].toFixed(1)} (best ${best.toFixed(1)})`);
  print(`metrics:    ${relative(runDir.logPath())}`);
  if (curve !== null) {
    if ("file" in curve) print(`curve:      ${relative(curve.file)}`);
    else printError(curve.problem);
  }
  const folder = checkpointsOf(runDir, config);
  const checkpoint = bestCheckpoint(folder) ?? listCheckpoints(folder).at(-1);
  if (checkpoint !== undefined) print(`checkpoint: ${relative(checkpoint.path)}`);
}
