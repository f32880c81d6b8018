// Commands that look at runs: `presets`, `runs`, `eval`, `video`, `plot`.
import path from "node:path";
import { jit, np, random, type Array } from "../array/index.js";
import { loadCheckpoint } from "../checkpoint/index.js";
import { configFrom, presets, setUp, type Setup } from "../config/index.js";
import { readMetrics } from "../metrics/index.js";
import { plotRewardCurve, renderEpisodeGif, type PlotConfig } from "../plotting/index.js";
import { findRuns, type RunDir } from "../runDir/index.js";
import { evalKeys, longestEpisode } from "../runner/index.js";
import { numberOf, oneOf, readFlags, UsageError, type Arguments } from "./arguments.js";
import type { Host } from "./host.js";
import { openRun } from "./train.js";

/** Lines in columns. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join("  ")
      .trimEnd(),
  );
}

export function listPresets(_: Arguments, { print }: Host): number {
  const rows = Object.entries(presets).map(([name, { config, description }]) => [
    ...[name, config.envId, config.algo, config.runner.totalTimesteps.toLocaleString("en"), description],
  ]);
  table([["preset", "environment", "algorithm", "steps", ""], ...rows]).forEach(print);
  return 0;
}

export function listRuns(args: Arguments, { print }: Host): number {
  const { baseDir } = readFlags(args, ["baseDir"]);
  const base = oneOf(baseDir, "base-dir") ?? "runs";
  const runs = findRuns(base);
  if (runs.length === 0) {
    print(`no runs in ${base}; train one: vibe-rl train cartpole_ppo`);
    return 0;
  }
  table([["run", "steps", "last return", "best eval"], ...runs.map(rowOf)]).forEach(print);
  return 0;
}

function rowOf(run: RunDir): string[] {
  const records = recordsOf(run);
  const last = (key: string) => numbersOf(records, key).at(-1);
  const evals = numbersOf(records, "eval_return");
  const show = (value: number | undefined) => (value === undefined ? "–" : value.toFixed(1));
  return [
    run.runId,
    last("step")?.toLocaleString("en") ?? "–",
    show(last("episode_return")),
    show(evals.length === 0 ? undefined : Math.max(...evals)),
  ];
}

function recordsOf(run: RunDir): readonly Readonly<Record<string, unknown>>[] {
  try {
    return readMetrics(run.logPath());
  } catch {
    // A run that was only just begun has no metrics yet.
    return [];
  }
}

const numbersOf = (records: readonly Readonly<Record<string, unknown>>[], key: string): number[] =>
  records.map((record) => record[key]).filter((value): value is number => typeof value === "number");

interface Restored extends Setup {
  readonly state: object;
  readonly step: number;
}

/** The agent of a run: of its best checkpoint, or of a step. */
function restore(run: RunDir, step: number | undefined): Restored {
  const config = configFrom(run.loadConfig(), path.join(run.root, "config.json"));
  const setup = setUp(config);
  const chosen =
    step === undefined
      ? (run.bestCheckpoint ?? run.latestCheckpoint)
      : run.listCheckpoints().find((checkpoint) => checkpoint.step === step);
  if (chosen === null || chosen === undefined) {
    const steps = run.listCheckpoints().map((checkpoint) => checkpoint.step);
    throw new UsageError(`${run.runId} has no such checkpoint; it has ${steps.join(", ") || "none"}`);
  }
  const state = loadCheckpoint(run.checkpoints, setup.trainer.start(), { step: chosen.step });
  return { ...setup, state, step: chosen.step };
}

export function evaluateRun(args: Arguments, { print }: Host): number {
  const { step, seed } = readFlags(args, ["step", "seed"]);
  const { trainer, state, step: found } = restore(openRun(args.words[0]), numberOf(step, "step"));
  const key = evalKeys(numberOf(seed, "seed") ?? 0)(0);
  const { evalReturn, evalLength } = trainer.evaluate(state, key);
  print(
    `step ${found.toLocaleString("en")}: return ${evalReturn.toFixed(2)}, length ${evalLength.toFixed(1)}`,
  );
  return 0;
}

export async function video(args: Arguments, { print }: Host): Promise<number> {
  const { step, seed, fps, output } = readFlags(args, ["step", "seed", "fps", "output"]);
  const run = openRun(args.words[0]);
  const restored = restore(run, numberOf(step, "step"));
  const file = oneOf(output, "output") ?? run.videoPath(restored.step);
  const frames = playEpisode(restored, random.key(numberOf(seed, "seed") ?? 0));
  await renderEpisodeGif(frames, file, { fps: numberOf(fps, "fps") ?? 30 });
  print(`${frames.length} frames: ${path.relative(process.cwd(), file)}`);
  return 0;
}

/** The pictures of one greedy episode. */
function playEpisode({ env, params, trainer, state }: Restored, key: Array): string[] {
  if (env.render === undefined) throw new UsageError(`${env.name} cannot be rendered`);
  const draw = env.render.bind(env);
  const act = jit((agent: object, obs: Array) => trainer.act(agent, obs));
  const step = jit((k: Array, s: unknown, a: Array) => env.step(k, s, a, params));
  const [start, ...keys] = [...random.split(key, longestEpisode(params) + 1)];
  let [obs, now] = env.reset(start, params);
  const frames = [draw(now, params)];
  for (const turn of keys) {
    const [nextObs, next, , done] = step(turn, now, act(state, obs));
    frames.push(draw(next, params));
    if (np.array(done).item<boolean>()) break;
    [obs, now] = [nextObs, next];
  }
  return frames;
}

const plotFlags = [
  ...["runDirs", "experimentName", "baseDir", "xKey", "yKey", "output", "compare", "smoothRadius"],
  ...["smoothMode", "shaded", "figsize", "dpi", "title"],
] as const;

export function plot(args: Arguments, { print }: Host): number {
  const flags = readFlags<string>(args, plotFlags);
  const base = oneOf(flags.baseDir, "base-dir") ?? "runs";
  const named = oneOf(flags.experimentName, "experiment-name");
  const given = [...args.words, ...(flags.runDirs ?? []), ...(flags.compare ?? [])];
  const runs = given.length > 0 ? given.map((run) => openRun(run)) : findRuns(base, named ?? null);
  if (runs.length === 0) throw new UsageError(`no runs to plot in ${base}; give --run-dirs or train one`);
  const savePath = oneOf(flags.output, "output") ?? "reward_curve.png";
  const config: Partial<Record<keyof PlotConfig, unknown>> = {};
  const title = oneOf(flags.title, "title");
  if (title !== undefined) config.title = title;
  const dpi = numberOf(flags.dpi, "dpi");
  if (dpi !== undefined) config.dpi = dpi;
  if (flags.figsize !== undefined)
    config.figsize = flags.figsize.flatMap((one) => one.split(/[,x ]/).map(Number));
  const shaded = oneOf(flags.shaded, "shaded");
  if (shaded !== undefined) config.shaded = shaded;
  const radius = numberOf(flags.smoothRadius, "smooth-radius");
  if (radius !== undefined) config.smoothRadius = radius;
  const mode = oneOf(flags.smoothMode, "smooth-mode");
  if (mode !== undefined) config.smoothMode = mode;
  const [xKey, yKey] = [oneOf(flags.xKey, "x-key"), oneOf(flags.yKey, "y-key")];
  plotRewardCurve(
    runs.map((run) => run.root),
    {
      ...(xKey === undefined ? {} : { xKey }),
      ...(yKey === undefined ? {} : { yKey }),
      ...{ config: config as Partial<PlotConfig>, savePath },
    },
  );
  print(path.relative(process.cwd(), savePath));
  return 0;
}
