// Commands that inspect runs: `presets`, `runs`, `eval`, `video`.
import { jit, np, random, type Array } from "../array/index.js";
import { presets } from "../config/index.js";
import { columns } from "../files/index.js";
import { readMetrics } from "../metrics/index.js";
import { renderEpisodeGif } from "../plotting/index.js";
import { findRuns, type RunDir } from "../runDir/index.js";
import { evalKeys, longestEpisode, RunnerConfig } from "../runner/index.js";
import { isHostEnv } from "../vecEnv/index.js";
import {
  checkWords,
  numberOf,
  oneOf,
  readFlags,
  understood,
  UsageError,
  wholeOf,
  type Arguments,
} from "./arguments.js";
import type { Host } from "./host.js";
import { drawHost, evaluateHost } from "./hostEnvInspect.js";
import { choose, configOf, openRun, relative, restore, type Restored } from "./runs.js";
import { thousands } from "./thousands.js";

export function listPresets(args: Arguments, { print }: Host): number {
  readFlags(args, []);
  checkWords(args, 0);
  const rows = Object.entries(presets).map(([name, { config, description }]) => [
    ...[name, config.envId, config.algo, thousands(config.runner.totalTimesteps), description],
  ]);
  columns([["preset", "environment", "algorithm", "steps", ""], ...rows], 100).forEach(print);
  return 0;
}

export function listRuns(args: Arguments, { print }: Host): number {
  const { baseDir } = readFlags(args, ["baseDir"]);
  checkWords(args, 0);
  const base = oneOf(baseDir, "base-dir") ?? "runs";
  const runs = understood(() => findRuns(base));
  if (runs.length === 0) {
    print(`no runs in ${base}; train one: vibe-rl train cartpole_ppo`);
    return 0;
  }
  columns([["run", "steps", "last return", "best eval"], ...runs.map(rowOf)]).forEach(print);
  return 0;
}

/** The name of a run with its steps and returns. */
export function rowOf(run: RunDir): string[] {
  const records = recordsOf(run);
  const last = (key: string) => numbersOf(records, key).at(-1);
  const evals = numbersOf(records, "eval_return");
  const show = (value: number | undefined) => (value === undefined ? "–" : value.toFixed(1));
  return [
    run.runId,
    last("step")?.toLocaleString("en") ?? "–",
    show(last("episode_return")),
    show(evals.length === 0 ? undefined : evals.reduce((best, one) => Math.max(best, one))),
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

/** What an evaluation tells. */
interface EvalMetrics {
  readonly evalReturn: number;
  readonly evalLength: number;
}

export async function evaluateRun(args: Arguments, { print }: Host): Promise<number> {
  const flags = readFlags(args, ["step", "seed", "episodes", "baseDir", "import"]);
  const { step, seed, episodes, baseDir } = flags;
  checkWords(args, 1);
  const run = openRun(args.words[0], oneOf(baseDir, "base-dir"));
  const config = await configOf(run, flags.import);
  const evalEpisodes = wholeOf(episodes, "episodes", 1) ?? config.runner.evalEpisodes;
  const tell = (at: number, { evalReturn, evalLength }: EvalMetrics): number => {
    print(
      `step ${thousands(at)}, ${evalEpisodes} episodes: ` +
        `return ${evalReturn.toFixed(2)}, length ${evalLength.toFixed(1)}`,
    );
    return 0;
  };
  if (isHostEnv(config.envId)) {
    const chosen = choose(run, config, wholeOf(step, "step"));
    const options = { episodes: evalEpisodes, seed: wholeOf(seed, "seed") ?? 0 };
    return tell(chosen.step, await evaluateHost(config, chosen, options));
  }
  const runner = RunnerConfig({ ...config.runner, evalEpisodes });
  const key = evalKeys(wholeOf(seed, "seed") ?? 0)(0);
  const {
    trainer,
    state,
    step: found,
  } = restore(run, { ...config, runner }, wholeOf(step, "step"), { evalEpisodes: "--episodes" });
  return tell(found, await trainer.evaluate(state, key));
}

export async function video(args: Arguments, { print }: Host): Promise<number> {
  const flags = readFlags(args, ["step", "seed", "fps", "output", "baseDir", "import"]);
  checkWords(args, 1);
  const run = openRun(args.words[0], oneOf(flags.baseDir, "base-dir"));
  const output = oneOf(flags.output, "output");
  if (output !== undefined && !/\.gif$/i.test(output)) {
    throw new UsageError(`--output must be a .gif file, got ${JSON.stringify(output)}`);
  }
  const fps = numberOf(flags.fps, "fps") ?? 30;
  if (!(fps > 0)) throw new UsageError(`--fps must be a number greater than 0, got ${fps}`);
  const config = await configOf(run, flags.import);
  const [step, seed] = [wholeOf(flags.step, "step"), wholeOf(flags.seed, "seed") ?? 0];
  const tell = (count: number, file: string): number => {
    print(`${count} frames: ${relative(file)}`);
    return 0;
  };
  if (isHostEnv(config.envId)) {
    const chosen = choose(run, config, step);
    const file = output ?? run.videoPath(chosen.step);
    return tell(await drawHost(config, chosen, { seed, fps, file }), file);
  }
  const restored = restore(run, config, step);
  const file = output ?? run.videoPath(restored.step);
  const frames = playEpisode(restored, random.key(seed));
  await renderEpisodeGif(frames, file, { fps });
  return tell(frames.length, file);
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
  for (const key of keys) {
    const [nextObs, next, , done] = step(key, now, act(state, obs));
    frames.push(draw(next, params));
    if (np.array(done).item<boolean>()) break;
    [obs, now] = [nextObs, next];
  }
  return frames;
}
