// The command line as its users type it.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { presets } from "vibe-rl/config";
import { findRuns, RunDir } from "vibe-rl/runDir";
import { temporaryFolder } from "../temporary.js";
import { linesOf } from "../runner/small.js";
import { call, type Told } from "./host.js";

/** Settings that make a run of PPO short. */
const short = [
  ...["--runner.total_timesteps", "128", "--runner.log-interval", "32", "--runner.evalEvery", "64"],
  ...["--algo.n_steps=16", "--algo.num_envs", "2", "--algo.hidden_sizes", "(8, 8)", "--algo.lr", "1e-3"],
  ...["--algo.n-minibatches", "2", "--runner.checkpoint_interval", "32", "--runner.evalEpisodes", "2"],
];

let base = "";
let run = "";
let trained: Told;

beforeAll(async () => {
  base = mkdtempSync(path.join(tmpdir(), "vibe-rl-cli-"));
  trained = await call(["train", "cartpole_ppo", ...short, "--base-dir", base]);
  run = path.join(base, findRuns(base)[0].runId);
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

describe("train", () => {
  it("says where everything is, and it is there", () => {
    expect([trained.code, trained.errors]).toEqual([0, []]);
    const shown = (file: string) => path.relative(process.cwd(), path.join(run, file));
    expect(trained.lines[0]).toBe(`run directory: ${shown("")}`);
    expect(trained.lines[1]).toBe("device: wasm");
    expect(trained.lines[2]).toMatch(/^last evaluation: [\d.]+ \(best [\d.]+\)$/);
    expect(trained.lines.slice(3)).toEqual([
      `metrics:    ${shown("logs/metrics.jsonl")}`,
      `curve:      ${shown("artifacts/reward_curve.png")}`,
      expect.stringMatching(/^checkpoint: .*step_(64|128)$/),
    ]);
    expect(readdirSync(run).sort()).toEqual(["artifacts", "checkpoints", "config.json", "logs", "videos"]);
    expect(readdirSync(path.join(run, "checkpoints")).sort()).toEqual([
      ...["best", "history.jsonl", "step_128", "step_32", "step_64", "step_96"],
    ]);
    expect(
      readFileSync(path.join(run, "artifacts", "reward_curve.png"))
        .subarray(1, 4)
        .toString(),
    ).toBe("PNG");
    expect(path.basename(run)).toMatch(/^CartPole-v1_ppo_\d{8}_\d{6}$/);
  });

  it("tells how it goes in plain lines where there is no terminal", () => {
    const lines = trained.written.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^ 25% 32\/128 [\dkM.]+ steps\/s \d+:\d\d left {2}return .* eval –$/);
    expect(lines.at(-1)).toMatch(/^100% 128\/128 .* 0:00 left {2}return [\d.]+ {2}eval [\d.]+$/);
    for (const sign of ["\r", "\u001b", "█"]) expect(trained.written).not.toContain(sign);
  });

  it("saves the config with every change, in snake_case", () => {
    const config: unknown = JSON.parse(readFileSync(path.join(run, "config.json"), "utf8"));
    expect(config).toMatchObject({
      ...{ preset: "cartpole_ppo", env_id: "CartPole-v1", algo: "ppo" },
      algo_config: { hidden_sizes: [8, 8], lr: 1e-3, n_steps: 16, num_envs: 2, n_minibatches: 2 },
      runner: { total_timesteps: 128, eval_every: 64, resume: false },
    });
  });

  it("draws no curve if told so, and takes another environment", async () => {
    const folder = temporaryFolder();
    const line = ["train", "cartpole_ppo", ...short, "--runner.plot", "false", "--envId", "GridWorld-v0"];
    const { code, lines } = await call([...line, "--baseDir", folder]);
    expect(code).toBe(0);
    const [only] = findRuns(folder);
    expect(only.runId).toMatch(/^GridWorld-v0_ppo_/);
    expect(readdirSync(only.artifacts)).toEqual([]);
    expect(lines.join()).not.toContain("curve:");
  });

  it("refuses what it does not understand with code 2, and makes no directory", async () => {
    const folder = path.join(temporaryFolder(), "runs");
    const refused: [string[], RegExp][] = [
      [[], /which preset\? There are cartpole_ppo, /],
      [["cartpole_pp"], /there is no preset "cartpole_pp"; did you mean cartpole_ppo\?/],
      [["constructor"], /there is no preset "constructor"/],
      [["cartpole_ppo", "twice"], /what is "twice"/],
      [["cartpole_ppo", "--algo.lrr", "1"], /there is no --algo\.lrr; did you mean --algo\.lr\?/],
      [["cartpole_ppo", "--algo.lr", "quick"], /--algo\.lr must be a number, got "quick"/],
      [["cartpole_ppo", "--algo.gamma", "2"], /PPOConfig: gamma must be a number from 0 to 1, got 2/],
      [["cartpole_ppo", "--env_id", "CartPol-v1"], /no environment "CartPol-v1"; the nearest is CartPole-v1/],
      [["cartpole_ppo", "--runner.total_timesteps", "100"], /totalTimesteps is 100, less than the 256 steps/],
      [["cartpole_dqn", "--env_id", "Pendulum-v1"], /trainDQN: needs actions in Discrete/],
      [["cartpole_ppo", "--base-dir"], /--base-dir takes one value, got none/],
    ];
    for (const [words, message] of refused) {
      const options = words.includes("--base-dir") ? words : [...words, "--base-dir", folder];
      const { code, errors, lines } = await call(["train", ...options]);
      expect([words, code, lines]).toEqual([words, 2, []]);
      expect(errors.join("\n")).toMatch(message);
      expect(errors.join("\n")).toMatch(/^vibe-rl train: /);
    }
    expect(existsSync(folder)).toBe(false);
  });

  it("lists every setting with kind, value and meaning in its help", async () => {
    for (const words of [
      ["train", "pendulum_sac", "--help"],
      ["train", "--help", "pendulum_sac"],
    ]) {
      const { code, lines } = await call(words);
      expect(code).toBe(0);
      const help = lines.join("\n");
      expect(help).toMatch(/^ {2}--algo\.hidden_sizes +list +\(\d+, \d+\) +widths of the hidden layers$/m);
      expect(help).toMatch(
        /^ {2}--algo\.action_low +number, list or null +null +least action; null takes the environment/m,
      );
      expect(help).toMatch(/^ {2}--runner\.keep_period +number or null +null +keep for good/m);
      expect(help).toMatch(/^ {2}--runner\.plot +true or false +true +whether to plot/m);
      expect(help).toMatch(/^ {2}--env_id +text +Pendulum-v1 +the environment$/m);
      expect(help).toMatch(/^ {2}--base_dir +text +runs +the directory of all runs$/m);
      // Nothing without a meaning.
      const settings = help.split("\n").filter((line) => line.startsWith("  --"));
      const { algoConfig, runner } = presets.pendulum_sac.config;
      const own = ["--env_id", "--import", "--base_dir", "--logger", "--wandb_project", "--dashboard"];
      const fields = [...Object.keys(algoConfig), ...Object.keys(runner)];
      expect(settings).toHaveLength(own.length + fields.length);
      for (const line of settings) expect(line.trim().split(/ {2,}/)).toHaveLength(4);
    }
    expect((await call(["train", "--help"])).lines.join()).toContain("Settings of cartpole_ppo");
  });

  it("ends with code 1 when the numbers are lost", async () => {
    const folder = temporaryFolder();
    const wild = ["--algo.lr", "1e30", "--algo.max_grad_norm", "1e30", "--env_id", "Pendulum-v1"];
    const line = ["train", "cartpole_ppo", ...short, ...wild, "--runner.total_timesteps", "6400"];
    const { code, errors } = await call([...line, "--base-dir", folder]);
    expect(code).toBe(1);
    expect(errors.join()).toMatch(/^DivergedError: trainPPO: .*not finite after update \d+/);
  });
});

describe("Ctrl-C and resume", () => {
  it("stop with code 130 and go on to the same end", async () => {
    const folder = temporaryFolder();
    const line = ["train", "cartpole_ppo", ...short, "--base-dir", folder];
    // The first line comes after the first call.
    const stopped = await call(line, { interruptAfter: 1 });
    expect(stopped.code).toBe(130);
    const [only] = findRuns(folder);
    const shown = path.relative(process.cwd(), only.root);
    expect(stopped.lines.at(-1)).toMatch(/^stopped at step \d+; go on with: vibe-rl resume /);
    expect(stopped.lines.at(-1)).toContain(shown);
    const resumed = await call(["resume", shown]);
    expect([resumed.code, resumed.errors]).toEqual([0, []]);
    expect(linesOf(only.logPath())).toEqual(linesOf(path.join(run, "logs", "metrics.jsonl")));
    const tensors = (root: string) =>
      readFileSync(path.join(root, "checkpoints", "step_128", "tensors.safetensors"), "hex");
    expect(tensors(only.root)).toBe(tensors(run));
  });

  it("resume can make a run longer, which its config then says, and refuses other changes by name", async () => {
    const folder = temporaryFolder();
    await call(["train", "cartpole_ppo", ...short, "--base-dir", folder]);
    const [only] = findRuns(folder);
    const refused = await call(["resume", only.runId, "--algo.hidden_sizes", "9", "--base-dir", folder]);
    expect(refused.errors.join()).toMatch(/config\.hiddenSizes = \[8,8\], this run has \[9\]/);
    expect(refused.code).not.toBe(0);
    expect(only.loadConfig()).toMatchObject({ algoConfig: { hiddenSizes: [8, 8] } });
    const line = ["resume", only.runId, "--runner.total_timesteps", "192", "--base-dir", folder];
    expect((await call(line)).code).toBe(0);
    expect(only.latestCheckpoint?.step).toBe(192);
    expect(only.loadConfig()).toMatchObject({
      preset: "cartpole_ppo",
      runner: { totalTimesteps: 192, resume: false },
    });
  });

  it("resume names the runs there are if it does not find one", async () => {
    const { code, errors } = await call(["resume", "nothing", "--base-dir", base]);
    expect(code).toBe(2);
    expect(errors.join()).toContain(path.basename(run));
    expect((await call(["resume"])).errors.join()).toMatch(/which run\?/);
  });
});

describe("looking at runs", () => {
  it("presets lists them", async () => {
    const { code, lines } = await call(["presets"]);
    expect(code).toBe(0);
    expect(lines[0]).toMatch(/^preset +environment +algorithm +steps$/);
    expect(lines[1]).toMatch(/^cartpole_ppo +CartPole-v1 +ppo +100,000 +balance a pole/);
    expect(lines.filter((line) => /^\w/.test(line))).toHaveLength(1 + Object.keys(presets).length);
    expect((await call(["presets", "--all"])).errors.join()).toMatch(
      /there is no --all; this command has no flags/,
    );
  });

  it("runs shows steps and returns", async () => {
    const { code, lines } = await call(["runs", "--base-dir", base]);
    expect(code).toBe(0);
    expect(lines[0]).toMatch(/^run +steps +last return +best eval$/);
    expect(lines[1]).toMatch(new RegExp(`^${path.basename(run)} +128 +[\\d.]+ +[\\d.]+$`));
    const empty = temporaryFolder();
    RunDir("begun", { baseDir: empty });
    expect((await call(["runs", "--base_dir", empty])).lines[1]).toMatch(/^begun_\S+ +– +– +–$/);
    const none = await call(["runs", "--base-dir", path.join(empty, "none")]);
    expect(none.lines.join()).toMatch(/^no runs in .*; train one: vibe-rl train cartpole_ppo$/);
  });

  it("eval plays the best checkpoint, or that of a step", async () => {
    const best = await call(["eval", run, "--episodes", "3", "--seed", "5"]);
    expect(best.lines.join()).toMatch(/^step (64|128), 3 episodes: return [\d.]+, length [\d.]+$/);
    expect((await call(["eval", run, "--episodes", "3", "--seed", "5"])).lines).toEqual(best.lines);
    const other = await call(["eval", path.basename(run), "--step", "32", "--base-dir", base]);
    expect(other.lines.join()).toMatch(/^step 32, 2 episodes: /);
    const missing = await call(["eval", run, "--step", "33"]);
    expect([missing.code, missing.errors.join()]).toEqual([
      2,
      `vibe-rl eval: ${path.basename(run)} has no checkpoint of step 33; it has 32, 64, 96, 128`,
    ]);
    expect((await call(["eval", run, "--step", "x"])).errors.join()).toMatch(
      /--step must be a number, got "x"/,
    );
    expect((await call(["eval", run, "--episodes", "0"])).errors.join()).toMatch(/at least 1, got 0/);
    expect((await call(["eval", run, "--episode", "1"])).errors.join()).toMatch(/did you mean --episodes\?/);
  });

  it("eval knows a config that is none", async () => {
    const broken = RunDir("broken", { baseDir: temporaryFolder() });
    expect((await call(["eval", broken.root])).errors.join()).toMatch(/config\.json/);
    writeFileSync(path.join(broken.root, "config.json"), "{}");
    expect((await call(["eval", broken.root])).errors.join()).toMatch(/is no config of a training run/);
  });

  it("video draws an episode", async () => {
    const { code, lines } = await call(["video", run, "--step", "32"]);
    expect(code).toBe(0);
    const file = path.join(run, "videos", "step_32.gif");
    expect(lines.join()).toMatch(/^\d+ frames: .*videos\/step_32\.gif$/);
    expect(readFileSync(file).subarray(0, 6).toString()).toBe("GIF89a");
    const mp4 = await call(["video", run, "--output", "x.mp4"]);
    expect([mp4.code, mp4.errors.join()]).toEqual([
      2,
      expect.stringContaining("--output must be a .gif file"),
    ]);
    expect((await call(["video", run, "--fps", "0"])).code).toBe(2);
  });
});

describe("plot", () => {
  it("draws runs with everything that can be set", async () => {
    const output = path.join(temporaryFolder(), "curve.svg");
    const line = [
      ...["plot", "--run-dirs", run, run, "--x-key", "step", "--y-key", "eval_return", "--output", output],
      ...[
        "--smooth-radius",
        "1",
        "--smooth-mode",
        "ema",
        "--shaded",
        "sem",
        "--figsize",
        "(8, 5)",
        "--dpi",
        "50",
      ],
      ...["--title", "A curve"],
    ];
    const { code, lines, errors } = await call(line);
    expect([code, errors]).toEqual([0, []]);
    expect(lines).toEqual([path.relative(process.cwd(), output)]);
    const svg = readFileSync(output, "utf8");
    expect(svg).toContain("A curve");
    expect(svg).toContain("Evaluation return");
    // 8 × 5 inches at 72 points each.
    expect(svg).toMatch(/width="8in"|width="576/);
  });

  it("finds runs by the name of their experiment", async () => {
    const output = path.join(temporaryFolder(), "curve.svg");
    for (const words of [
      ["--experiment-name", "CartPole-v1_ppo"],
      ["--compare", "CartPole-v1_ppo"],
      ["CartPole-v1_ppo"],
      [],
    ]) {
      const { code } = await call(["plot", ...words, "--base-dir", base, "--output", output]);
      expect([words, code]).toEqual([words, 0]);
    }
  });

  it("refuses what it cannot draw with code 2", async () => {
    const refused: [string[], RegExp][] = [
      [["--base-dir", temporaryFolder()], /no runs to plot in/],
      [[run, "--output", "x.bmp"], /x\.bmp/],
      [[run, "--shaded", "much"], /shaded must be "std" or "sem" or "none", got "much"/],
      [[run, "--figsize", "8"], /figsize must be \[width, height\]/],
      [[run, "--y-key", "nothing"], /nothing/],
      [[run, "--smooth", "1"], /there is no --smooth; did you mean --smooth-(radius|mode)\?/],
      [["nothing", "--base-dir", base], /there is no run "nothing"/],
    ];
    for (const [words, message] of refused) {
      const { code, errors } = await call(["plot", ...words]);
      expect([words, code]).toEqual([words, 2]);
      expect(errors.join()).toMatch(message);
    }
  });
});

describe("vibe-rl", () => {
  it("tells its commands", async () => {
    const nothing = await call([]);
    expect(nothing.code).toBe(2);
    for (const words of [["--help"], ["-h"], ["help"]]) {
      const { code, lines } = await call(words);
      expect([words, code, lines]).toEqual([words, 0, nothing.lines]);
    }
    for (const name of ["train", "resume", "eval", "video", "plot", "runs", "presets"]) {
      expect(nothing.lines.join()).toMatch(new RegExp(`^ {2}${name} `, "m"));
    }
  });

  it("names the nearest of an unknown command", async () => {
    const { code, errors } = await call(["trian"]);
    expect([code, errors.join()]).toEqual([
      2,
      'vibe-rl trian: there is no command "trian"; did you mean train?',
    ]);
    expect((await call(["toString"])).code).toBe(2);
  });
});
