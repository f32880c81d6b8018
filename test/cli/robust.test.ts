// The command line where something is not as it should be: outputs nobody takes, paths that lead elsewhere, settings
// without values, runs without metrics.
import { spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findRuns, RunDir } from "vibe-rl/runDir";
import { temporaryFolder } from "../temporary.js";
import { linesOf } from "../runner/small.js";
import { call } from "./host.js";
import { unhurried } from "../unhurried.js";

const program = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** Settings that make a run of PPO short. */
const short = [
  ...["--runner.total_timesteps", "128", "--runner.log-interval", "32", "--runner.evalEvery", "64"],
  ...["--algo.n_steps=16", "--algo.num_envs", "2", "--algo.hidden_sizes", "(8, 8)", "--algo.lr", "1e-3"],
  ...["--algo.n-minibatches", "2", "--runner.checkpoint_interval", "32", "--runner.evalEpisodes", "2"],
];

let base = "";
let run: RunDir;

beforeAll(async () => {
  base = mkdtempSync(path.join(tmpdir(), "vibe-rl-cli-"));
  await call(["train", "cartpole_ppo", ...short, "--base-dir", base]);
  [run] = findRuns(base);
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** A copy of the trained run, in a folder of its own. */
function copyOfRun(): RunDir {
  const root = path.join(temporaryFolder(), run.runId);
  cpSync(run.root, root, { recursive: true, verbatimSymlinks: true });
  return RunDir.open(root);
}

describe.skipIf(process.platform === "win32")("output that nobody takes", { timeout: 30_000 }, () => {
  it("does not end a run: closed after the first line, as by head", async () => {
    const folder = temporaryFolder();
    const line = ["train", "cartpole_ppo", ...short, "--base-dir", folder];
    const child = spawn(process.execPath, [...unhurried, program, ...line], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stdout.once("data", () => child.stdout.destroy());
    const errors: string[] = [];
    child.stderr.on("data", (text: Buffer) => void errors.push(String(text)));
    expect(await new Promise((resolve) => child.once("close", resolve))).toBe(0);
    expect(errors.join("")).toBe("nobody reads the standard output any more; the run goes on without it\n");
    const [only] = findRuns(folder);
    expect(linesOf(only.logPath())).toEqual(linesOf(run.logPath()));
    expect(existsSync(path.join(only.artifacts, "reward_curve.png"))).toBe(true);
  });

  it.skipIf(!existsSync("/dev/full"))(
    "does not end a run: a disk that is full; other commands say so",
    () => {
      const folder = temporaryFolder();
      const full = (...line: string[]) =>
        spawnSync(process.execPath, [...unhurried, program, ...line], {
          stdio: ["ignore", openSync("/dev/full", "w"), "pipe"],
          encoding: "utf8",
        });
      const trained = full("train", "cartpole_ppo", ...short, "--base-dir", folder);
      expect([trained.status, trained.stderr]).toEqual([
        0,
        expect.stringMatching(/^standard output: the disk is full.*the run goes on without it\n$/),
      ]);
      expect(findRuns(folder)[0].latestCheckpoint?.step).toBe(128);
      const listed = full("presets");
      expect([listed.status, listed.stderr]).toEqual([
        1,
        expect.stringMatching(/^standard output: the disk is full/),
      ]);
    },
  );
});

describe("a checkpoint directory of one's own", () => {
  it("is found from anywhere, and told when a run begins", async () => {
    const folder = temporaryFolder();
    const checkpoints = path.join(folder, "elsewhere");
    const relative = path.relative(process.cwd(), checkpoints);
    const line = ["train", "cartpole_ppo", ...short, "--runner.checkpoint_dir", relative];
    const first = await call([...line, "--base-dir", path.join(folder, "runs")], { interruptAfter: 1 });
    expect(first.lines.slice(0, 3)).toContain(`checkpoints go to: ${checkpoints}`);
    const [only] = findRuns(path.join(folder, "runs"));
    expect(only.loadConfig()).toMatchObject({ runner: { checkpointDir: checkpoints } });
    const child = spawnSync(process.execPath, [...unhurried, program, "resume", only.root], {
      ...{ cwd: temporaryFolder(), encoding: "utf8" as const },
    });
    expect([child.status, child.stderr]).toEqual([0, ""]);
    expect(child.stdout).toContain(`checkpoints go to: ${checkpoints}`);
    expect(linesOf(only.logPath())).toEqual(linesOf(run.logPath()));
    // One that a config.json of old has relative to who knows what is refused, not begun anew.
    only.saveConfig({
      ...only.loadConfig(),
      runner: { ...(only.loadConfig().runner as object), checkpointDir: "x" },
    });
    const lost = await call(["resume", only.root]);
    expect(lost.code).toBe(2);
    expect(lost.errors.join()).toMatch(/x has no checkpoint, but this run has saved some, in .*elsewhere/);
    expect(linesOf(only.logPath())).toEqual(linesOf(run.logPath()));
    expect(existsSync(path.join(only.root, "x"))).toBe(false);
  });

  it("inside the run's own moves with it", async () => {
    const copy = copyOfRun();
    renameSync(copy.checkpoints, path.join(copy.root, "mine"));
    const config = copy.loadConfig();
    copy.saveConfig({ ...config, runner: { ...(config.runner as object), checkpointDir: "mine" } });
    const moved = path.join(temporaryFolder(), "moved");
    renameSync(copy.root, moved);
    const line = ["resume", moved, "--runner.total_timesteps", "160"];
    expect(await call(line)).toMatchObject({ code: 0, errors: [] });
    expect(readdirSync(path.join(moved, "mine"))).toContain("step_160");
    expect(RunDir.open(moved).loadConfig()).toMatchObject({
      runner: { checkpointDir: "mine", totalTimesteps: 160 },
    });
    expect((await call(["eval", moved, "--step", "160"])).lines.join()).toMatch(/^step 160, /);
  });
});

describe("train", () => {
  it("leaves no directory of a run that never began", async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, "file");
    writeFileSync(file, "");
    const refused: [string[], number, RegExp][] = [
      [["--runner.fsdp_devices", "3"], 2, /numDevices 1 is not divisible by fsdpDevices 3/],
      [["--runner.checkpoint_dir", run.checkpoints], 1, /has checkpoints already/],
      [["--runner.checkpoint_dir", file], 1, /cannot write to .*file/],
      [["--runner.checkpoint_dir"], 2, /--runner\.checkpoint_dir must be a path or null, got nothing/],
      [["--env_id"], 2, /--env_id must be a text, got nothing/],
      [["--runner.seed", "1e300"], 2, /seed must be a whole number of at least 0 and less than 2 \*\* 53/],
      [["--runner.eval_episodes", "1e10"], 2, /evalEpisodes 10,000,000,000 takes about/],
    ];
    for (const [words, code, message] of refused) {
      const told = await call([
        "train",
        "cartpole_ppo",
        ...short,
        ...words,
        "--base-dir",
        path.join(folder, "runs"),
      ]);
      expect([words, told.code, told.lines]).toEqual([words, code, []]);
      expect(told.errors.join()).toMatch(message);
    }
    const ring = [
      "train",
      "cartpole_dqn",
      "--runner.buffer_size",
      "2e8",
      "--base-dir",
      path.join(folder, "runs"),
    ];
    expect((await call(ring)).errors.join()).toMatch(/bufferSize 200,000,000 takes about [\d.]+ GiB/);
    expect(findRuns(path.join(folder, "runs"))).toEqual([]);
    const made = path.join(folder, "runs");
    expect(existsSync(made) ? readdirSync(made) : []).toEqual([]);
  });
});

describe("resume", () => {
  it("refuses fewer steps than there are, and leaves the config", async () => {
    const copy = copyOfRun();
    const { code, errors } = await call(["resume", copy.root, "--runner.total_timesteps", "64"]);
    expect([code, errors.join()]).toEqual([
      2,
      "vibe-rl resume: trainPPO: totalTimesteps is 64, but the run is at step 128 already; give at least that",
    ]);
    expect(copy.loadConfig()).toMatchObject({ runner: { totalTimesteps: 128 } });
  });
});

it("a run is done though its curve cannot be drawn, and folders it does not need are in its way", async () => {
  const copy = copyOfRun();
  rmSync(copy.artifacts, { recursive: true });
  mkdirSync(path.join(copy.artifacts, "reward_curve.png"), { recursive: true });
  rmSync(copy.videos, { recursive: true });
  writeFileSync(copy.videos, "a file");
  const told = await call(["resume", copy.root, "--runner.total_timesteps", "160"]);
  expect([told.code, told.errors]).toEqual([
    0,
    [expect.stringMatching(/^the curve was not drawn: .*a directory is where a file should be/)],
  ]);
  expect(told.lines.join("\n")).toMatch(/checkpoint: .*step_(64|128|160)$/);
});

describe("commands that look", () => {
  it("make nothing where they look", async () => {
    const copy = copyOfRun();
    rmSync(copy.videos, { recursive: true });
    rmSync(copy.artifacts, { recursive: true });
    const files = readdirSync(copy.root);
    expect((await call(["eval", copy.root])).code).toBe(0);
    expect((await call(["runs", "--base-dir", path.dirname(copy.root)])).code).toBe(0);
    expect(readdirSync(copy.root)).toEqual(files);
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, "config.json"), '{"name":"another project"}');
    expect((await call(["eval", folder])).errors.join()).toMatch(/is no config of a training run/);
    expect(readdirSync(folder)).toEqual(["config.json"]);
  });

  it("say in words what is wrong with a path", async () => {
    const folder = temporaryFolder();
    const [file, loop] = [path.join(folder, "file"), path.join(folder, "loop")];
    writeFileSync(file, "");
    symlinkSync("loop", loop);
    for (const [target, message] of [
      [file, /a file is where a directory should be/],
      [loop, /symbolic links lead round in a circle/],
    ] as const) {
      for (const command of [["runs"], ["plot"], ["eval", "x"], ["resume", "x"], ["video", "x"]]) {
        const { code, errors } = await call([...command, "--base-dir", target]);
        expect([command, code]).toEqual([command, 2]);
        expect(errors.join()).toMatch(message);
      }
    }
    const copy = copyOfRun();
    symlinkSync("step_8", path.join(copy.checkpoints, "step_8"));
    expect((await call(["eval", copy.root])).code).toBe(0);
    expect((await call(["resume", copy.root, "--runner.total_timesteps", "160"])).code).toBe(0);
  });

  it("name --episodes where it is the cause", async () => {
    const { code, errors } = await call(["eval", run.root, "--episodes", "1000000000"]);
    expect([code, errors.join()]).toEqual([
      2,
      expect.stringMatching(
        /^vibe-rl eval: trainPPO: --episodes 1,000,000,000 takes about [\d.]+ GiB for episodes/,
      ),
    ]);
    expect((await call(["eval", run.root, "--seed", "1e300"])).code).toBe(2);
  });
});

describe("plot of all runs", () => {
  it("leaves out those that have nothing to draw, with a word each", async () => {
    const folder = temporaryFolder();
    const output = path.join(folder, "curve.svg");
    cpSync(run.root, path.join(folder, run.runId), { recursive: true, verbatimSymlinks: true });
    RunDir("begun", { baseDir: folder });
    const damaged = RunDir("damaged", { baseDir: folder });
    writeFileSync(damaged.logPath(), "not JSON\n");
    const bare = RunDir("bare", { baseDir: folder });
    writeFileSync(bare.logPath(), '{"step":1,"loss":2}\n');
    const { code, lines, errors } = await call(["plot", "--base-dir", folder, "--output", output]);
    expect([code, lines]).toEqual([0, [path.relative(process.cwd(), output)]]);
    expect([...errors].sort()).toEqual([
      expect.stringMatching(/^left out: .*begun_.* has no logs/),
      expect.stringMatching(/^left out: line 1 of .*damaged_.* is not a JSON object/),
      expect.stringMatching(/^left out: not every run has .*bare_\S+ has step, loss$/),
    ]);
    expect(readFileSync(output, "utf8")).toContain("CartPole-v1_ppo");
    // One that was asked for is not left out.
    expect((await call(["plot", damaged.root, "--output", output])).code).not.toBe(0);
    mkdirSync(path.join(folder, "none"));
    expect((await call(["plot", "--base-dir", path.join(folder, "none")])).errors.join()).toMatch(
      /no runs to plot/,
    );
  });
});
