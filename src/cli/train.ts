// `train` and `resume`: a run from start to finish, with its files.
import path from "node:path";
import { nearestNames } from "../env/index.js";
import {
  applyOverrides,
  configFrom,
  fieldsOf,
  plainConfig,
  presets,
  setUp,
  type TrainConfig,
} from "../config/index.js";
import { plotRewardCurve } from "../plotting/index.js";
import { RunDir } from "../runDir/index.js";
import { evalKeys, run, withFiles } from "../runner/index.js";
import { UsageError, type Arguments } from "./arguments.js";
import type { Host } from "./host.js";
import { progressView } from "./progress.js";

/** A preset's config, or the refusal of a name that is none. */
function presetOf(name: string | undefined): TrainConfig {
  const names = Object.keys(presets);
  if (name === undefined) throw new UsageError(`which preset? There are ${names.join(", ")}`);
  const found = presets[name] as (typeof presets)[string] | undefined;
  if (found !== undefined) return found.config;
  throw new UsageError(
    `there is no preset ${JSON.stringify(name)}; did you mean ${nearestNames(name, names, 1).join(" or ")}?`,
  );
}

/** Every setting of a preset, with type, default and meaning. */
export function trainHelp(name: string | undefined): string {
  const config = presetOf(name ?? "cartpole_ppo");
  const rows = fieldsOf(config).map(({ flag, default: value, meaning }) => [
    `--${flag}`,
    Array.isArray(value) ? `(${value.join(", ")})` : JSON.stringify(value),
    meaning,
  ]);
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column].length)));
  const lines = rows.map(
    ([flag, value, meaning]) => `  ${flag.padEnd(widths[0])}  ${value.padEnd(widths[1])}  ${meaning}`,
  );
  return [
    `train <preset> [--setting value …]    presets: ${Object.keys(presets).join(", ")}`,
    "",
    `Settings of ${name ?? "cartpole_ppo"}, with their values now (snake_case, kebab-case or camelCase):`,
    ...lines,
    "  --base_dir                    runs                the directory of all runs",
  ].join("\n");
}

/** Trains a preset with changes. */
export async function train(args: Arguments, host: Host): Promise<number> {
  const [name] = args.words;
  const base = args.flags.find(({ name: flag }) => flag.replaceAll("-", "_") === "base_dir");
  const overrides = args.flags
    .filter((flag) => flag !== base)
    .map(({ name: flag, values }) => ({ flag, text: values.length === 0 ? "true" : values.join(" ") }));
  const config = applyOverrides(presetOf(name), overrides);
  const runDir = RunDir(`${config.envId}_${config.algo}`, { baseDir: base?.values[0] ?? "runs" });
  runDir.saveConfig(plainConfig(config, name));
  return perform(config, runDir, host);
}

/** Goes on with a run from its newest checkpoint. */
export async function resume(args: Arguments, host: Host): Promise<number> {
  const runDir = openRun(args.words[0]);
  const saved = configFrom(runDir.loadConfig(), path.join(runDir.root, "config.json"));
  const overrides = args.flags.map(({ name, values }) => ({ flag: name, text: values.join(" ") }));
  const config = applyOverrides(saved, [
    ...overrides,
    { flag: "runner.resume", text: "true" },
    { flag: "runner.overwrite", text: "false" },
  ]);
  return perform(config, runDir, host);
}

/** The run directory that a word names. */
export function openRun(run: string | undefined): RunDir {
  if (run === undefined) throw new UsageError("which run? Give its directory or its name; `runs` lists them");
  return RunDir.open(run);
}

async function perform(config: TrainConfig, runDir: RunDir, host: Host): Promise<number> {
  const { print, terminal } = host;
  print(`run directory: ${path.relative(process.cwd(), runDir.root) || "."}`);
  const { trainer } = setUp(config);
  const view = progressView(terminal);
  const stop = host.interruption();
  const options = { onProgress: view.show, signal: stop.signal };
  let result;
  try {
    result = await withFiles(runDir, config.runner, options, (runner, all) =>
      run(trainer, runner, evalKeys(runner.seed), all),
    );
  } finally {
    view.end();
    stop.release();
  }
  const relative = (file: string) => path.relative(process.cwd(), file);
  if (result.isStopped) {
    print(
      `stopped at step ${result.step.toLocaleString("en")}; go on with: vibe-rl resume ${relative(runDir.root)}`,
    );
    return 130;
  }
  const best = result.metricsLog.map((record) => record.eval_return).filter((value) => value !== undefined);
  print(`last evaluation: ${best.at(-1)?.toFixed(1) ?? "none"} (best ${Math.max(...best).toFixed(1)})`);
  print(`metrics:    ${relative(runDir.logPath())}`);
  if (config.runner.plot) {
    const savePath = path.join(runDir.artifacts, "reward_curve.png");
    plotRewardCurve([runDir.root], { savePath });
    print(`curve:      ${relative(savePath)}`);
  }
  const checkpoint = runDir.bestCheckpoint ?? runDir.latestCheckpoint;
  if (checkpoint !== null) print(`checkpoint: ${relative(checkpoint.path)}`);
  return 0;
}
