// The command line with environments that are objects, which a file registers with `registerHost`.
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { readMetrics } from "vibe-rl/metrics";
import { findRuns } from "vibe-rl/runDir";
import { games } from "./games.js";
import { call } from "./host.js";

const runner = [
  ...["--runner.total_timesteps", "64", "--runner.log_interval", "16", "--runner.eval_every", "32"],
  ...["--runner.eval_episodes", "2", "--runner.checkpoint_interval", "16", "--runner.num_envs", "2"],
];
const ppo = ["--algo.n_steps", "8", "--algo.hidden_sizes", "(4)", "--algo.n_minibatches", "1"];

let folder = "";
let file = "";
const train = (algo: string, id: string, base: string, ...rest: string[]) =>
  call([
    "train",
    algo,
    "--env_id",
    id,
    "--import",
    file,
    ...runner,
    ...rest,
    "--base-dir",
    path.join(folder, base),
  ]);
const runIn = (base: string): string => findRuns(path.join(folder, base))[0].root;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "vibe-rl-host-"));
  file = path.join(folder, "games.mjs");
  writeFileSync(file, games("Cli"));
  const { code, errors } = await train("ppo", "CliDrawn-v0", "ppo", ...ppo);
  expect([code, errors]).toEqual([0, []]);
});

describe("PPO on an environment that is an object", () => {
  it("leaves a run directory as every run does", () => {
    const run = runIn("ppo");
    expect(readdirSync(run).sort()).toEqual(["artifacts", "checkpoints", "config.json", "logs", "videos"]);
    expect(readdirSync(path.join(run, "checkpoints")).sort()).toEqual([
      ...["best", "step_16", "step_32", "step_48", "step_64"],
    ]);
    expect(existsSync(path.join(run, "artifacts", "reward_curve.png"))).toBe(true);
    const records = readMetrics(path.join(run, "logs", "metrics.jsonl"));
    const stepsWith = (key: string) => records.filter((record) => key in record).map(({ step }) => step);
    expect(stepsWith("train/policy_loss")).toEqual([16, 32, 48, 64]);
    expect(stepsWith("eval_return")).toEqual([32, 64]);
    expect(stepsWith("episode_return").at(-1)).toBe(64);
    expect(JSON.parse(readFileSync(path.join(run, "config.json"), "utf8"))).toMatchObject({
      ...{ env_id: "CliDrawn-v0", algo: "ppo", preset: null, imports: [file] },
      runner: { num_envs: 2, total_timesteps: 64, resume: false },
    });
  });

  it("is evaluated, drawn and plotted", async () => {
    const run = runIn("ppo");
    const evaluated = await call(["eval", run, "--step", "48", "--episodes", "3"]);
    expect(evaluated.errors).toEqual([]);
    expect(evaluated.lines[0]).toMatch(/^step 48, 3 episodes: return [01]\.\d\d, length [38]/);
    const drawn = await call(["video", run, "--step", "64"]);
    expect(drawn.errors).toEqual([]);
    expect(drawn.lines[0]).toMatch(/^[4-9] frames: .*step_64\.gif$/);
    const picture = readFileSync(path.join(run, "videos", "step_64.gif"));
    expect(picture.subarray(0, 6).toString()).toBe("GIF89a");
    const output = path.join(folder, "curve.svg");
    expect((await call(["plot", run, "--output", output])).errors).toEqual([]);
    const listed = await call(["runs", "--base-dir", path.join(folder, "ppo")]);
    expect(listed.lines[1]).toMatch(/^CliDrawn-v0_ppo_\S+ +64 +[\d.]+ +[\d.]+/);
  });

  it("stops on Ctrl-C with a checkpoint and goes on to the very same end", async () => {
    const words = ["train", "ppo", "--env_id", "CliDrawn-v0", "--import", file, ...runner, ...ppo];
    const base = path.join(folder, "stopped");
    const stopped = await call([...words, "--runner.checkpoint_interval", "1000", "--base-dir", base], {
      ...{ isInteractive: true, interruptAfter: 1 },
    });
    expect(stopped.code).toBe(130);
    expect(stopped.lines.at(-1)).toMatch(/^stopped at step (16|32|48); go on with: vibe-rl resume /);
    const run = runIn("stopped");
    const resumed = await call(["resume", run]);
    expect([resumed.code, resumed.errors]).toEqual([0, []]);
    const ends = [run, runIn("ppo")].map((root) => path.join(root, "checkpoints", "step_64"));
    const [own, whole] = ends.map((end) => readFileSync(path.join(end, "tensors.safetensors")));
    expect(own.equals(whole)).toBe(true);
    const steps = readMetrics(path.join(run, "logs", "metrics.jsonl")).map(({ step }) => step);
    expect(steps).toEqual(
      [...new Set([16, 32, 48, 64])].flatMap((step) => (step % 32 === 0 ? [step, step] : [step])),
    );
  });

  it("goes on for longer with other settings, which are told and recorded, and refuses those that cannot change", async () => {
    const run = runIn("ppo");
    const fixed = await call(["resume", run, "--algo.hidden_sizes", "(8)"]);
    expect([fixed.code, fixed.errors.join()]).toEqual([2, expect.stringContaining("config.hiddenSizes")]);
    const shorter = await call(["resume", run, "--runner.total_timesteps", "32"]);
    expect([shorter.code, shorter.errors.join()]).toEqual([2, expect.stringContaining("at step 64 already")]);
    const longer = await call([
      "resume",
      run,
      "--runner.total_timesteps",
      "80",
      "--runner.max_checkpoints",
      "1",
    ]);
    expect([longer.code, longer.errors]).toEqual([0, []]);
    expect(longer.lines).toContain("from step 64 on: runner.total_timesteps 80 (it was 64)");
    const left = readdirSync(path.join(run, "checkpoints")).filter((name) => name.startsWith("step_"));
    expect(left).toContain("step_80");
    expect(left.length).toBeLessThanOrEqual(2);
    expect(JSON.parse(readFileSync(path.join(run, "config.json"), "utf8"))).toMatchObject({
      runner: { total_timesteps: 80 },
      changes: [{ step: 64, setting: "runner.total_timesteps", from: 64, to: 80 }],
    });
  });
});

describe("other algorithms and other environments", () => {
  const long = ["--runner.total_timesteps", "200", "--runner.warmup_steps", "100", "--runner.plot", "false"];
  const sizes = ["--algo.hidden_sizes", "(4)", "--algo.batch_size", "8", "--runner.buffer_size", "200"];

  it("DQN learns, and goes on", async () => {
    expect((await train("dqn", "CliBlind-v0", "dqn", ...long, ...sizes)).errors).toEqual([]);
    const resumed = await call(["resume", runIn("dqn"), "--runner.total_timesteps", "300"]);
    expect([resumed.code, resumed.errors]).toEqual([0, []]);
    const records = readMetrics(path.join(runIn("dqn"), "logs", "metrics.jsonl"));
    expect(records.at(-1)).toMatchObject({ step: 300 });
    const drawn = await call(["video", runIn("dqn")]);
    expect([drawn.code, drawn.errors.join()]).toEqual([
      2,
      expect.stringContaining("CliBlind-v0 has no render"),
    ]);
  });

  it("SAC learns on one that is made asynchronously and draws pixels", async () => {
    expect((await train("sac", "CliPixels-v0", "sac", ...long, ...sizes)).errors).toEqual([]);
    const drawn = await call(["video", runIn("sac")]);
    expect([drawn.code, drawn.errors]).toEqual([0, []]);
  });

  it("refuses what cannot be trained before a directory is made", async () => {
    const cases: readonly (readonly [string, string, string[], string])[] = [
      ["sac", "CliDrawn-v0", [], "Discrete"],
      ["ppo", "CliDrawn-v0", ["--runner.num_devices", "2"], "one device"],
      ["ppo", "CliDrawn-v0", ["--runner.resume", "true"], "vibe-rl resume RUN"],
      ["ppo", "CliDrawn-v0", ["--runner.total_timesteps", "8"], "less than the 256 steps of one iteration"],
      ["ppo", "CliDrwn-v0", [], 'there is no environment "CliDrwn-v0"; the nearest are CliDrawn-v0, '],
    ];
    for (const [algo, id, rest, message] of cases) {
      const { code, errors } = await train(algo, id, "none", ...rest);
      expect([code, errors.join()]).toEqual([2, expect.stringContaining(message)]);
    }
    expect(findRuns(path.join(folder, "none"))).toEqual([]);
  });

  it("says which environment failed, with code 1", async () => {
    const { code, errors } = await train("ppo", "CliBroken-v0", "broken", ...ppo);
    expect(code).toBe(1);
    expect(errors.join()).toMatch(/environment [01].*the dice are lost/s);
  });
});
