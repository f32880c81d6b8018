// Several runs from one command line: each as if asked for alone, then compared.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findRuns, type RunDir } from "vibe-rl/runDir";
import { temporaryFolder } from "../temporary.js";
import { linesOf } from "../runner/small.js";
import { call, type Told } from "./host.js";

const short = [
  ...["--runner.total_timesteps", "64", "--runner.log-interval", "32", "--runner.evalEvery", "64"],
  ...["--algo.n_steps=16", "--algo.num_envs", "2", "--algo.hidden_sizes", "(8)"],
  ...["--algo.n-minibatches", "2", "--runner.checkpoint_interval", "32", "--runner.evalEpisodes", "2"],
];

const tensors = (run: RunDir) =>
  readFileSync(path.join(run.checkpoints, "step_64", "tensors.safetensors"), "hex");

describe("train with --seeds and --sweep", () => {
  let base = "";
  let told: Told;
  let runs: RunDir[] = [];

  beforeAll(async () => {
    base = mkdtempSync(path.join(tmpdir(), "vibe-rl-sweep-"));
    const line = ["train", "cartpole_ppo", ...short, "--seeds", "3..4", "--sweep", "algo.lr=1e-3,0.01"];
    told = await call([...line, "--sweep=algo.gamma=0.9", "--base-dir", base]);
    runs = findRuns(base);
  });
  afterAll(() => rmSync(base, { recursive: true, force: true }));

  it("makes a run for each value and seed, with all that a run has", () => {
    expect([told.code, told.errors]).toEqual([0, []]);
    const configs = runs.map((run) => run.loadConfig() as { algoConfig: object; runner: object });
    for (const [at, [lr, seed]] of [
      [1e-3, 3],
      [1e-3, 4],
      [1e-2, 3],
      [1e-2, 4],
    ].entries()) {
      expect(configs[at]).toMatchObject({
        ...{ preset: "cartpole_ppo", algoConfig: { lr, gamma: 0.9, nSteps: 16 }, runner: { seed } },
      });
    }
    for (const run of runs) {
      expect(run.runId).toMatch(/^CartPole-v1_ppo_\d{8}_\d{6}(_\d)?$/);
      expect(run.listCheckpoints().map(({ step }) => step)).toEqual([32, 64]);
      expect(linesOf(run.logPath())).toHaveLength(3);
      expect(readdirSync(run.artifacts)).toEqual(["reward_curve.png"]);
    }
    expect(told.lines.filter((line) => /^run \d/.test(line))).toEqual([
      "run 1 of 4: lr 1e-3, gamma 0.9, seed 3",
      "run 2 of 4: lr 1e-3, gamma 0.9, seed 4",
      "run 3 of 4: lr 0.01, gamma 0.9, seed 3",
      "run 4 of 4: lr 0.01, gamma 0.9, seed 4",
    ]);
  });

  it("computes what each run computes alone", async () => {
    const folder = temporaryFolder();
    const line = ["train", "cartpole_ppo", ...short, "--algo.lr", "0.01", "--algo.gamma", "0.9"];
    await call([...line, "--runner.seed", "3", "--base-dir", folder]);
    const [alone] = findRuns(folder);
    expect(tensors(runs[2])).toBe(tensors(alone));
    expect(linesOf(runs[2].logPath())).toEqual(linesOf(alone.logPath()));
    expect(runs[2].loadConfig()).toEqual(alone.loadConfig());
  });

  it("ends with a table and a plot that compare the runs", () => {
    const [head, ...rows] = told.lines.slice(-6, -1);
    expect(head).toMatch(/^run +lr +gamma +seed +steps +last return +best eval$/);
    rows.forEach((row, at) => {
      expect(row).toMatch(
        new RegExp(`^${runs[at].runId} +(1e-3|0\\.01) +0\\.9 +[34] +64 +[\\d.]+ +[\\d.]+ +done$`),
      );
    });
    const picture = path.join(base, `${runs[0].runId}_sweep.png`);
    expect(told.lines.at(-1)).toBe(`curves:     ${path.relative(process.cwd(), picture)}`);
    expect(readFileSync(picture).subarray(1, 4).toString()).toBe("PNG");
  });
});

describe("a sweep on the command line", () => {
  it("goes on when a run fails, says so in its table, and ends with code 1", async () => {
    const folder = temporaryFolder();
    const wild = ["--algo.max_grad_norm", "1e30", "--env_id", "Pendulum-v1", "--runner.plot", "false"];
    const line = ["train", "cartpole_ppo", ...short, ...wild, "--sweep", "algo.lr=1e30,1e-3"];
    const { code, errors, lines } = await call([...line, "--base-dir", folder]);
    expect(code).toBe(1);
    expect(errors.join()).toMatch(/^DivergedError: trainPPO: /);
    expect(lines.slice(-2)).toEqual([
      expect.stringMatching(/^Pendulum-v1_ppo_\S+ +1e30 +0 .* failed$/),
      expect.stringMatching(/^Pendulum-v1_ppo_\S+ +1e-3 +0 +64 .* done$/),
    ]);
    expect(readdirSync(folder).filter((name) => name.endsWith(".png"))).toEqual([]);
  });

  it("stops with Ctrl-C; what was begun can be resumed to what it would have been", async () => {
    const folder = temporaryFolder();
    const line = ["train", "cartpole_ppo", ...short, "--seeds", "0,1,2", "--base-dir", folder];
    const stopped = await call(line, { interruptAfter: 1 });
    expect(stopped.code).toBe(130);
    const [only, ...others] = findRuns(folder);
    expect(others).toEqual([]);
    expect(stopped.lines.slice(-2)).toEqual([
      expect.stringMatching(/^CartPole-v1_ppo_\S+ +0 .* stopped$/),
      "2 of 3 runs were not begun",
    ]);
    expect((await call(["resume", only.root])).code).toBe(0);
    const whole = temporaryFolder();
    await call(["train", "cartpole_ppo", ...short, "--seeds", "0", "--base-dir", whole]);
    expect(tensors(only)).toBe(tensors(findRuns(whole)[0]));
  });

  it("is refused with code 2 before a directory is made where it is not understood", async () => {
    const folder = path.join(temporaryFolder(), "runs");
    const refused: [string[], RegExp][] = [
      [["--seeds", "9..0"], /--seeds 9\.\.0 goes down; write 0\.\.9/],
      [["--seeds"], /--seeds takes seeds as 0\.\.9 or 0,1,2, got none/],
      [["--seeds", "0..x"], /whole numbers of at least 0 as 0\.\.9 or 0,1,2, got "0\.\.x"/],
      [["--seeds=-1"], /whole numbers of at least 0/],
      [["--seeds", "1,2,1"], /--seeds has 1 twice/],
      [["--seeds", "0..99999"], /--seeds 0\.\.99999 are too many/],
      [["--seeds", "0..1", "--runner.seed", "3"], /--seeds and --runner\.seed exclude each other/],
      [
        ["--sweep", "algo.lr"],
        /--sweep takes a setting and its values as algo\.lr=1e-4,1e-3, got "algo\.lr"/,
      ],
      [["--sweep"], /--sweep takes a setting .*, got nothing/],
      [["--sweep", "algo.lr="], /--sweep algo\.lr has a value that is empty/],
      [["--sweep", "algo.lr=1e-3,,1"], /has a value that is empty, got "1e-3,,1"/],
      [["--sweep", "algo.lr=1e-3,1e-3"], /--sweep algo\.lr has 1e-3 twice/],
      [["--sweep", "algo.lr=1e-3,0.001"], /--sweep: lr 1e-3 and lr 0\.001 are the same run/],
      [["--sweep", "algo.lrr=1e-3"], /there is no --algo\.lrr; did you mean --algo\.lr\?/],
      [["--sweep", "algo.lr=1e-3,quick"], /--algo\.lr must be a number, got "quick"/],
      // Commas in parentheses do not divide values.
      [["--sweep", "algo.hidden_sizes=(8,4),[8,x]"], /--algo\.hidden_sizes must be a list .*, got "\[8,x\]"/],
      [["--sweep", "algo.gamma=0.9,2"], /gamma must be a number from 0 to 1, got 2/],
      [["--sweep", "algo.lr=1,2", "--sweep", "algo.LR=3"], /no --algo\.LR/],
      [["--sweep", "algo.n_steps=8", "--sweep", "algo.n-steps=4"], /--sweep algo\.n-steps is given twice/],
      [["--sweep", "algo.lr=1,2", "--algo.lr", "3"], /--sweep algo\.lr and --algo\.lr exclude each other/],
      [["--sweep", "runner.seed=1,2"], /give seeds as --seeds 0\.\.9/],
      [["--seeds", "0..1", "--runner.checkpoint_dir", "x"], /checkpoint_dir would be that of all runs/],
      [["--sweep", "runner.total_timesteps=512,100"], /totalTimesteps is 100, less than the 256 steps/],
      [["--seeds", "0..1", "--algo.zzz", "1"], /there is no --algo\.zzz/],
    ];
    for (const [words, message] of refused) {
      const { code, errors, lines } = await call(["train", "cartpole_ppo", ...words, "--base-dir", folder]);
      expect([words, code, lines]).toEqual([words, 2, []]);
      expect(errors.join("\n")).toMatch(message);
    }
    expect((await call(["train", "--seeds", "0..1"])).errors.join()).toMatch(/which preset\?/);
    expect(existsSync(folder)).toBe(false);
  });

  it("is in the help", async () => {
    expect((await call(["train", "--help"])).lines.join("\n")).toMatch(/--seeds 0\.\.9 .*--sweep algo\.lr=/);
    expect((await call(["help"])).lines.join("\n")).toContain("--seeds 0..9 --sweep algo.lr=1e-4,1e-3");
  });
});
