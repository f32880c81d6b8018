// `train` and `resume`: a run from start to finish, with its files.
import * as fs from "node:fs";
import path from "node:path";
import { ArrayError } from "../array/index.js";
import { nearestName } from "../array/index.js";
import {
  applyOverrides,
  fieldsOf,
  presets,
  setUp,
  type Override,
  type Setup,
  type TrainConfig,
} from "../config/index.js";
import { bestCheckpoint, listCheckpoints } from "../checkpoint/index.js";
import { columns } from "../files/index.js";
import type { MetricsBackend } from "../metrics/index.js";
import { RunDir } from "../runDir/index.js";
import { run, RunnerConfig, type Change, type RecordSink, type RunResult } from "../runner/index.js";
import { checkWords, oneOf, spelled, tell, understood, UsageError, type Arguments } from "./arguments.js";
import type { Host } from "./host.js";
import { checkLoggers, loggersFrom, openLoggers, plainLoggers, type Loggers } from "./loggers.js";
import { progressView } from "./progress.js";
import { checkpointsOf, configOf, openRun, relative, saveConfig, withCheckpointDir } from "./runs.js";

const firstPreset = "cartpole_ppo";

/** A preset's config, or the refusal of a name that is none. */
function presetOf(name: string | undefined): TrainConfig {
  const names = Object.keys(presets);
  if (name === undefined) throw new UsageError(`which preset? There are ${names.join(", ")}`);
  if (Object.hasOwn(presets, name)) return presets[name].config;
  const near = nearestName(name, names);
  const hint = near === null ? `there are ${names.join(", ")}` : `did you mean ${near}?`;
  throw new UsageError(`there is no preset ${JSON.stringify(name)}; ${hint}`);
}

const show = (value: unknown): string =>
  Array.isArray(value) ? `(${value.join(", ")})` : typeof value === "string" ? value : JSON.stringify(value);

/** Every setting of a preset, with what it takes, what it is and what it means. */
export function trainHelp(name: string = firstPreset): string {
  const rows = fieldsOf(presetOf(name)).map(({ flag, kind, value, meaning }) => [
    ...[`  --${flag}`, kind, show(value), meaning],
  ]);
  return [
    `train <preset> [--setting value …]    presets: ${Object.keys(presets).join(", ")}`,
    "With --seeds 0..9 there is a run for each seed, with --sweep algo.lr=1e-4,1e-3 one for each value, in the end a",
    "table and a plot that compare them.",
    "",
    `Settings of ${name}, what they take and what they are (snake_case, kebab-case or camelCase):`,
    ...columns([
      ...rows,
      ["  --base_dir", "text", "runs", "the directory of all runs"],
      ["  --logger", "list", "none", "where else metrics go: tensorboard, wandb"],
      ["  --wandb_project", "text", "vibe-rl", "the project on Weights & Biases"],
    ]),
  ].join("\n");
}

/** Flags that are not settings of a run. */
const ownFlags = ["baseDir", "logger", "wandbProject"] as const;

/** The settings of a command line, the directory of all runs, and where else records go. */
export function readSettings({ flags }: Arguments): {
  readonly overrides: readonly Override[];
  readonly baseDir: string;
  readonly loggersOf: (saved?: Readonly<Record<string, unknown>>) => Loggers;
} {
  const isOwn = (flag: string) => ownFlags.some((name) => name === spelled(flag));
  const valuesOf = (own: (typeof ownFlags)[number]) =>
    flags.findLast(({ name }) => spelled(name) === own)?.values;
  const project = oneOf(valuesOf("wandbProject"), "wandb-project");
  return {
    overrides: flags
      .filter(({ name }) => !isOwn(name))
      .map(({ name: flag, values }) => ({ flag, text: values.length === 0 ? null : values.join(" ") })),
    baseDir: oneOf(valuesOf("baseDir"), "base-dir") ?? "runs",
    loggersOf: (saved) => loggersFrom(valuesOf("logger"), project, saved),
  };
}

/** A config whose checkpoint directory, if it names one, is found from anywhere. */
const findable = (config: TrainConfig): TrainConfig =>
  withCheckpointDir(config, (directory) => path.resolve(directory));

/** A preset's config with changes. */
export function configOfLine(preset: string | undefined, overrides: readonly Override[]): TrainConfig {
  const config = presetOf(preset);
  return understood(() => findable(applyOverrides(config, overrides)));
}

/** Trains a preset with changes. */
export async function train(args: Arguments, host: Host): Promise<number> {
  checkWords(args, 1);
  const [name] = args.words;
  const { overrides, baseDir, loggersOf } = readSettings(args);
  return trainOne(configOfLine(name, overrides), name, { baseDir, loggers: loggersOf() }, host);
}

/** Where runs go: the directory of all runs, and what else takes their records. */
export interface Destination {
  readonly baseDir: string;
  readonly loggers: Loggers;
}

/** Makes one run, in a directory of its own. */
export async function trainOne(
  config: TrainConfig,
  preset: string,
  { baseDir, loggers }: Destination,
  host: Host,
  onStart: (runDir: RunDir) => void = () => undefined,
): Promise<number> {
  const setup = understood(() => setUp(config));
  await checkLoggers(loggers);
  const runDir = understood(() => RunDir(`${config.envId}_${config.algo}`, { baseDir }));
  saveConfig(runDir, config, preset);
  let hasBegun = false as boolean;
  const begin = (): void => {
    hasBegun = true;
    onStart(runDir);
  };
  try {
    return await perform(config, setup, runDir, loggers, host, begin);
  } finally {
    if (!hasBegun) discard(runDir);
  }
}

/** Removes the directory of a run that never began, and nothing that somebody else has put there. */
function discard(runDir: RunDir): void {
  const { root, checkpoints, logs, videos, artifacts } = runDir;
  fs.rmSync(path.join(root, "config.json"), { force: true });
  for (const folder of [checkpoints, logs, videos, artifacts, root]) {
    try {
      fs.rmdirSync(folder);
    } catch {
      continue;
    }
  }
}

/** Goes on with a run from its newest checkpoint. */
export async function resume(args: Arguments, host: Host): Promise<number> {
  checkWords(args, 1);
  const { overrides, baseDir, loggersOf } = readSettings(args);
  const runDir = openRun(args.words[0], baseDir);
  const saved = configOf(runDir);
  const loggers = loggersOf(runDir.loadConfig());
  const changed = understood(() => findable(applyOverrides(saved, overrides)));
  const config = understood(() => ({
    ...changed,
    runner: RunnerConfig({ ...changed.runner, resume: true, overwrite: false }),
  }));
  const setup = understood(() => setUp(config));
  await checkLoggers(loggers);
  return perform(config, setup, runDir, loggers, host);
}

async function perform(
  config: TrainConfig,
  { trainer }: Setup,
  runDir: RunDir,
  loggers: Loggers,
  host: Host,
  onStart?: () => void,
): Promise<number> {
  const { print, terminal } = host;
  const view = progressView(terminal);
  const stop = host.interruption();
  let hasBegun = false as boolean;
  let opened: MetricsBackend | null = null;
  const begin = (step: number, changes: readonly Change[]): void => {
    hasBegun = true;
    print(`run directory: ${relative(runDir.root)}`);
    const directory = checkpointsOf(runDir, config);
    if (directory !== runDir.checkpoints) print(`checkpoints go to: ${directory}`);
    for (const { setting, from, to } of changes) {
      print(`from step ${step.toLocaleString("en")} on: ${setting} ${show(to)} (it was ${show(from)})`);
    }
    const { loggers: before, wandbProject: _, ...saved } = runDir.loadConfig();
    if (before !== undefined || loggers.loggers.length > 0)
      runDir.saveConfig({ ...saved, ...plainLoggers(loggers) });
    opened = openLoggers(loggers, runDir, step);
    onStart?.();
  };
  let result;
  try {
    const logger: RecordSink = { log: (record, step) => opened?.log(record, step) };
    const options = { runDir, onProgress: view.show, signal: stop.signal, onStart: begin, logger };
    result = await run(trainer, config.runner, options);
  } catch (error) {
    // What is refused before it begins was asked for in a wrong way.
    throw error instanceof ArrayError && !hasBegun ? new UsageError(tell(error)) : error;
  } finally {
    await (opened as MetricsBackend | null)?.close();
    view.end();
    stop.release();
  }
  if (result.isStopped) {
    const step = result.step.toLocaleString("en");
    const hasSaved = config.runner.checkpointInterval !== null;
    const next = hasSaved ? `go on with: vibe-rl resume ${relative(runDir.root)}` : "no checkpoint was saved";
    print(`stopped at step ${step}; ${next}`);
    return 130;
  }
  tellResult(config, result, runDir, host);
  return 0;
}

/** Says how it went and where the files are. */
function tellResult(
  config: TrainConfig,
  { evalLog, curve }: RunResult<object>,
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
