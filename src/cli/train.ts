// `train` and `resume`: a run from start to finish, with its files.
import * as fs from "node:fs";
import path from "node:path";
import { ArrayError } from "../array/index.js";
import { nearestName } from "../array/index.js";
import { algorithmNames, isAlgorithm } from "../algorithms/index.js";
import {
  applyOverrides,
  baseConfig,
  fieldsOf,
  presets,
  setUp,
  type Override,
  type Setup,
  type TrainConfig,
} from "../config/index.js";
import { columns } from "../files/index.js";
import type { MetricsBackend } from "../metrics/index.js";
import { RunDir } from "../runDir/index.js";
import { provideDevices } from "./devices.js";
import { isHostEnv } from "../vecEnv/index.js";
import { run, RunnerConfig, type Change, type RecordSink } from "../runner/index.js";
import { checkWords, oneOf, spelled, tell, understood, UsageError, type Arguments } from "./arguments.js";
import { checkEnv } from "./environments.js";
import type { Host } from "./host.js";
import type { HostSetup } from "./hostEnvSetup.js";
import { importAll, importsOf } from "./imports.js";
import { checkLoggers, loggersFrom, openLoggers, plainLoggers, type Loggers } from "./loggers.js";
import { tellResult, tellStopped } from "./outcome.js";
import { progressView } from "./progress.js";
import { checkpointsOf, configOf, openRun, relative, saveConfig, withCheckpointDir } from "./runs.js";
import { thousands } from "./thousands.js";

const firstPreset = "cartpole_ppo";

/** A preset's config, or the defaults of an algorithm; a name that is neither is refused. */
function presetOf(name: string | undefined): TrainConfig {
  const names = [...Object.keys(presets), ...algorithmNames];
  if (name === undefined) {
    throw new UsageError(
      `which preset? There are ${Object.keys(presets).join(", ")}; or name an algorithm ` +
        `(${algorithmNames.join(", ")}) and an environment with --env_id`,
    );
  }
  if (Object.hasOwn(presets, name)) return presets[name].config;
  if (isAlgorithm(name)) return baseConfig(name);
  const near = nearestName(name, names);
  const hint = near === null ? `there are ${names.join(", ")}` : `did you mean ${near}?`;
  throw new UsageError(`there is no preset ${JSON.stringify(name)}; ${hint}`);
}

const show = (value: unknown): string =>
  Array.isArray(value) ? `(${value.join(", ")})` : typeof value === "string" ? value : JSON.stringify(value);

/** Every setting of a preset, with what it takes, what it is and what it means. */
export function trainHelp(name: string = firstPreset): string {
  const rows = fieldsOf(presetOf(name)).map(({ flag, kind, value, meaning }) => [
    ...[`  --${flag}`, kind, value === "" ? "required" : show(value), meaning],
  ]);
  return [
    `train <preset> [--setting value …]    presets: ${Object.keys(presets).join(", ")}`,
    `train <algorithm> --env_id ID [--import FILE …] [--setting value …]    algorithms: ${algorithmNames.join(", ")}`,
    "A FILE (or package) registers environments of your own, with register or registerHost; ID names one of them.",
    "With --seeds 0..9 there is a run for each seed, with --sweep algo.lr=1e-4,1e-3 one for each value, in the end a",
    "table and a plot that compare them.",
    "",
    `Settings of ${name}, what they take and what they are (snake_case, kebab-case or camelCase):`,
    ...columns([
      ...rows,
      ["  --import", "list", "none", "files or packages to load first: they register environments"],
      ["  --base_dir", "text", "runs", "the directory of all runs"],
      ["  --logger", "list", "none", "where else metrics go: tensorboard, wandb"],
      ["  --wandb_project", "text", "vibe-rl", "the project on Weights & Biases"],
      ["  --dashboard", "switch", "off", "opens a live page over all runs"],
    ]),
  ].join("\n");
}

/** Flags that are not settings of a run. */
const ownFlags = ["baseDir", "logger", "wandbProject", "import"] as const;

/** The settings of a command line, the directory of all runs, and where else records go. */
export function readSettings({ flags }: Arguments): {
  readonly overrides: readonly Override[];
  readonly baseDir: string;
  /** What follows all `--import` flags. */
  readonly importFlag: readonly string[] | undefined;
  readonly loggersOf: (saved?: Readonly<Record<string, unknown>>) => Loggers;
} {
  const isOwn = (flag: string) => ownFlags.some((name) => name === spelled(flag));
  const valuesOf = (own: (typeof ownFlags)[number]) =>
    flags.findLast(({ name }) => spelled(name) === own)?.values;
  const imported = flags.filter(({ name }) => spelled(name) === "import");
  const project = oneOf(valuesOf("wandbProject"), "wandb-project");
  return {
    overrides: flags
      .filter(({ name }) => !isOwn(name))
      .map(({ name: flag, values }) => ({ flag, text: values.length === 0 ? null : values.join(" ") })),
    baseDir: oneOf(valuesOf("baseDir"), "base-dir") ?? "runs",
    importFlag: imported.length === 0 ? undefined : imported.flatMap(({ values }) => values),
    loggersOf: (saved) => loggersFrom(valuesOf("logger"), project, saved),
  };
}

/** A config whose checkpoint directory, if it names one, is found from anywhere. */
const findable = (config: TrainConfig): TrainConfig =>
  withCheckpointDir(config, (directory) => path.resolve(directory));

/** The config of a preset, or of an algorithm's defaults, with changes. What was imported is loaded already. */
export function configOfLine(
  name: string | undefined,
  overrides: readonly Override[],
  imports: readonly string[],
): TrainConfig {
  const base = presetOf(name);
  const config = understood(() => findable(applyOverrides(base, overrides)));
  if (config.envId === "") {
    throw new UsageError(
      `${config.algo} on which environment? Say it with --env_id, such as --env_id CartPole-v1`,
    );
  }
  const whole = imports.length === 0 ? config : { ...config, imports };
  checkEnv(whole);
  return whole;
}

/** What the word behind `train` is recorded as: a preset, or none where it is an algorithm. */
export const presetName = (name: string): string | null => (Object.hasOwn(presets, name) ? name : null);

/** Trains a preset, or an algorithm on an environment, with changes. */
export async function train(args: Arguments, host: Host): Promise<number> {
  checkWords(args, 1);
  const [name] = args.words;
  const { overrides, baseDir, importFlag, loggersOf } = readSettings(args);
  presetOf(name);
  const imports = importsOf(importFlag) ?? [];
  await importAll(imports);
  const config = configOfLine(name, overrides, imports);
  return trainOne(config, presetName(name), { baseDir, loggers: loggersOf() }, host);
}

/** Where runs go: the directory of all runs, and what else takes their records. */
export interface Destination {
  readonly baseDir: string;
  readonly loggers: Loggers;
}

/** Makes one run, in a directory of its own. */
export async function trainOne(
  config: TrainConfig,
  preset: string | null,
  { baseDir, loggers }: Destination,
  host: Host,
  onStart: (runDir: RunDir) => void = () => undefined,
): Promise<number> {
  refuseResume(config);
  await checkLoggers(loggers);
  const prepared = await prepare(config);
  const runDir = understood(() => RunDir(`${config.envId}_${config.algo}`, { baseDir }));
  saveConfig(runDir, config, preset);
  let hasBegun = false as boolean;
  const begin = (): void => {
    hasBegun = true;
    onStart(runDir);
  };
  try {
    return await perform({ config, runDir, loggers }, prepared, null, host, begin);
  } finally {
    if (!hasBegun) discard(runDir);
  }
}

/** A run on environments that are objects goes on in its own directory. */
function refuseResume({ envId, runner }: TrainConfig): void {
  if (!runner.resume || !isHostEnv(envId)) return;
  throw new UsageError("--runner.resume begins a new directory; go on with a run by `vibe-rl resume RUN`");
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
  const { overrides, baseDir, importFlag, loggersOf } = readSettings(args);
  const runDir = openRun(args.words[0], baseDir);
  const saved = await configOf(runDir, importFlag);
  const loggers = loggersOf(runDir.loadConfig());
  const changed = understood(() => findable(applyOverrides(saved, overrides)));
  const config = understood(() => ({
    ...changed,
    runner: RunnerConfig({ ...changed.runner, resume: true, overwrite: false }),
  }));
  await checkLoggers(loggers);
  const prepared = await prepare(config);
  return perform({ config, runDir, loggers }, prepared, saved, host);
}

/** A run that is to be made. */
interface Wanted {
  readonly config: TrainConfig;
  readonly runDir: RunDir;
  readonly loggers: Loggers;
}

/** What is played, and how it is trained. */
type Prepared = { readonly setup: Setup } | { readonly setupHost: HostSetup };

/** Makes everything that a run needs but its files; refuses what cannot run. */
export async function prepare(config: TrainConfig): Promise<Prepared> {
  if (!isHostEnv(config.envId)) {
    return {
      setup: understood(() => {
        provideDevices(config);
        return setUp(config);
      }),
    };
  }
  const { setUpHost } = await import("./hostEnvSetup.js");
  return { setupHost: await setUpHost(config) };
}

/** Says that a run begins, and opens where else its records go. */
const starter =
  ({ config, runDir, loggers }: Wanted, { print }: Host) =>
  (step: number, changes: readonly Change[], device: string | null): MetricsBackend => {
    print(`run directory: ${relative(runDir.root)}`);
    if (device !== null) print(`device: ${device}`);
    const directory = checkpointsOf(runDir, config);
    if (directory !== runDir.checkpoints) print(`checkpoints go to: ${directory}`);
    for (const { setting, from, to } of changes) {
      const rounding = setting === "device" ? "; from here on numbers are rounded differently" : "";
      print(`from step ${thousands(step)} on: ${setting} ${show(to)} (it was ${show(from)})${rounding}`);
    }
    const { loggers: before, wandbProject: _, ...saved } = runDir.loadConfig();
    const { imports } = config;
    const isMoved = JSON.stringify(saved.imports) !== JSON.stringify(imports);
    if (before !== undefined || loggers.loggers.length > 0 || isMoved)
      runDir.saveConfig({
        ...saved,
        ...plainLoggers(loggers),
        ...(imports === undefined ? {} : { imports }),
      });
    return openLoggers(loggers, runDir, step);
  };

async function perform(
  wanted: Wanted,
  prepared: Prepared,
  before: TrainConfig | null,
  host: Host,
  onStart: () => void = () => undefined,
): Promise<number> {
  const { config, runDir } = wanted;
  const start = (step: number, changes: readonly Change[], device: string | null): MetricsBackend => {
    const opened = starter(wanted, host)(step, changes, device);
    onStart();
    return opened;
  };
  if ("setupHost" in prepared) {
    const { trainHost } = await import("./hostEnvTrain.js");
    return trainHost({ config, runDir, setup: prepared.setupHost, before, host, onStart: start });
  }
  const view = progressView(host.terminal);
  const stop = host.interruption();
  let hasBegun = false as boolean;
  let opened: MetricsBackend | null = null;
  const begin = (step: number, changes: readonly Change[], device: string | null): void => {
    hasBegun = true;
    opened = start(step, changes, device);
  };
  let result;
  try {
    const logger: RecordSink = { log: (record, step) => opened?.log(record, step) };
    const options = { runDir, onProgress: view.show, signal: stop.signal, onStart: begin, logger };
    result = await run(prepared.setup.trainer, config.runner, options);
  } catch (error) {
    // What is refused before it begins was asked for in a wrong way.
    throw error instanceof ArrayError && !hasBegun ? new UsageError(tell(error)) : error;
  } finally {
    await (opened as MetricsBackend | null)?.close();
    view.end();
    stop.release();
  }
  if (result.isStopped) return tellStopped(config, result.step, runDir, host);
  tellResult(config, result, runDir, host);
  return 0;
}
