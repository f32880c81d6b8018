// `train` with `--seeds` or `--sweep`: one run after the other, each as if it had been asked for alone, then a table
// and a plot that compare them.
import type { TrainConfig } from "../config/index.js";
import { columns } from "../files/index.js";
import { MetricsError } from "../metrics/index.js";
import { PlotError, plotRewardCurve } from "../plotting/index.js";
import type { RunDir } from "../runDir/index.js";
import { RunnerConfig } from "../runner/index.js";
import { checkWords, UsageError, type Arguments } from "./arguments.js";
import { describe } from "./describe.js";
import type { Host } from "./host.js";
import { importAll, importsOf } from "./imports.js";
import { rowOf } from "./inspect.js";
import { relative } from "./runs.js";
import { combinationsOf, readSweepFlags, type Combination } from "./sweepFlags.js";
import { configOfLine, prepare, presetName, readSettings, trainOne, type Destination } from "./train.js";

/** A run that is asked for. */
interface Wanted {
  readonly combination: Combination;
  readonly config: TrainConfig;
}

/** A run that was made, and how it ended. */
interface Made extends Wanted {
  readonly runDir: RunDir | null;
  readonly state: "done" | "failed" | "stopped";
}

/** Trains a preset once for each combination of values and each seed. */
export async function trainMany(args: Arguments, host: Host): Promise<number> {
  const { seeds, settings, rest } = readSweepFlags(args);
  checkWords(rest, 1);
  const [preset] = rest.words;
  const { overrides, baseDir, importFlag, loggersOf } = readSettings(rest);
  const imports = importsOf(importFlag) ?? [];
  await importAll(imports);
  const destination = { baseDir, loggers: loggersOf() };
  const configs = combinationsOf(settings).map((combination) => ({
    combination,
    config: configOfLine(preset, [...overrides, ...combination], imports),
  }));
  for (const { config } of configs) {
    refuseSharedCheckpoints(config);
    const prepared = await prepare(config);
    if ("setupHost" in prepared) await prepared.setupHost.close();
  }
  refuseRepeated(configs);
  const wanted = configs.flatMap(({ combination, config }) =>
    (seeds ?? [config.runner.seed]).map((seed) => ({ combination, config: seeded(config, seed) })),
  );
  const made: Made[] = [];
  for (const [at, one] of wanted.entries()) {
    host.print(`run ${at + 1} of ${wanted.length}: ${nameOf(one)}`);
    const ended = await attempt(one, preset, destination, host);
    made.push(ended);
    if (ended.state === "stopped") break;
  }
  tell(made, wanted.length, host);
  if (made.some(({ state }) => state === "stopped")) return 130;
  return made.every(({ state }) => state === "done") ? 0 : 1;
}

const seeded = (config: TrainConfig, seed: number): TrainConfig => ({
  ...config,
  runner: RunnerConfig({ ...config.runner, seed }),
});

/** Different words may stand for the same values. */
function refuseRepeated(configs: readonly Wanted[]): void {
  const texts = configs.map(({ config }) => JSON.stringify(config));
  const at = texts.findIndex((text, index) => texts.indexOf(text) !== index);
  if (at < 0) return;
  const first = configs[texts.indexOf(texts[at])];
  throw new UsageError(`--sweep: ${settingOf(first)} and ${settingOf(configs[at])} are the same run`);
}

/** Runs cannot share a directory of checkpoints. */
function refuseSharedCheckpoints({ runner }: TrainConfig): void {
  if (runner.checkpointDir === null) return;
  throw new UsageError(
    "--runner.checkpoint_dir would be that of all runs; leave it out, and each has checkpoints of its own",
  );
}

/** `lr 1e-3, gamma 0.9`, or nothing where only seeds differ. */
const settingOf = ({ combination }: Wanted): string =>
  combination.map(({ flag, text }) => `${lastOf(flag)} ${text}`).join(", ");

/** The name of a run's curve: its setting, or what is trained where only seeds differ. */
const curveOf = (one: Wanted): string =>
  one.combination.length > 0 ? settingOf(one) : `${one.config.envId}_${one.config.algo}`;

const lastOf = (flag: string): string => flag.slice(flag.lastIndexOf(".") + 1);

const nameOf = (one: Wanted): string =>
  [settingOf(one), `seed ${one.config.runner.seed}`].filter((part) => part !== "").join(", ");

/** Makes a run; if it fails, that is told and the others go on. */
async function attempt(wanted: Wanted, preset: string, destination: Destination, host: Host): Promise<Made> {
  let runDir: RunDir | null = null;
  try {
    const code = await trainOne(
      wanted.config,
      presetName(preset),
      destination,
      host,
      (begun) => (runDir = begun),
    );
    return { ...wanted, runDir, state: code === 0 ? "done" : "stopped" };
  } catch (error) {
    host.printError(describe(error));
    return { ...wanted, runDir, state: "failed" };
  }
}

/** The runs side by side, as a table and as a plot. */
function tell(made: readonly Made[], count: number, { print, printError }: Host): void {
  const flags = made[0].combination.map(({ flag }) => lastOf(flag));
  const rows = made.map(({ combination, config, runDir, state }) => {
    const [runId, ...figures] = runDir === null ? ["–", "–", "–", "–"] : rowOf(runDir);
    return [runId, ...combination.map(({ text }) => text), String(config.runner.seed), ...figures, state];
  });
  columns([["run", ...flags, "seed", "steps", "last return", "best eval", ""], ...rows]).forEach(print);
  if (made.length < count) print(`${count - made.length} of ${count} runs were not begun`);
  const drawn = made.flatMap((one) =>
    one.state === "done" && one.runDir !== null ? [{ root: one.runDir.root, name: curveOf(one) }] : [],
  );
  if (drawn.length === 0 || !made[0].config.runner.plot) return;
  const names = new Map(drawn.map(({ root, name }) => [root, name]));
  const savePath = `${drawn[0].root}_sweep.png`;
  try {
    plotRewardCurve([...names.keys()], {
      savePath,
      groupBy: ({ root, experiment }) => names.get(root) ?? experiment,
    });
    print(`curves:     ${relative(savePath)}`);
  } catch (error) {
    // The runs themselves are over and safe.
    if (!(error instanceof PlotError || error instanceof MetricsError)) throw error;
    printError(`the curves were not drawn: ${error.message}`);
  }
}
