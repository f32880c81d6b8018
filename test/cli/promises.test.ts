// Loggers, words behind flags, help for every command, the version, and lines that fit a terminal.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { findRuns, type RunDir } from "vibe-rl/runDir";
import { temporaryFolder } from "../temporary.js";
import type * as cli from "../../src/cli/index.js";
import { builtWithWandb } from "../metrics/wandbStandIn.js";
import { call } from "./host.js";

const wandbRun = { id: "abc123", log: vi.fn(), finish: vi.fn(() => Promise.resolve()) };
const init = vi.fn((_options: object) => Promise.resolve(wandbRun));
const { main } = await builtWithWandb<typeof cli>("cli/index.js", init);

/** Settings that make a run of PPO short. */
const short = [
  ...["--runner.total_timesteps", "128", "--runner.log-interval", "32", "--runner.evalEvery", "64"],
  ...["--algo.n_steps=16", "--algo.num_envs", "2", "--algo.hidden_sizes", "(8, 8)"],
  ...["--runner.checkpoint_interval", "32", "--runner.evalEpisodes", "2", "--runner.plot", "false"],
];

let base = "";
let run: RunDir;

beforeAll(async () => {
  base = mkdtempSync(path.join(tmpdir(), "vibe-rl-cli-"));
  const line = ["train", "cartpole_ppo", ...short, "--base-dir", base, "--logger", "tensorboard,wandb"];
  await call(line, { main });
  [run] = findRuns(base);
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const eventFiles = () => readdirSync(path.join(run.logs, "tensorboard"));

describe("--logger", () => {
  it("writes event files into the run's directory, with what is a number", () => {
    expect(eventFiles()).toEqual([expect.stringMatching(/^events\.out\.tfevents\./)]);
    const events = readFileSync(path.join(run.logs, "tensorboard", eventFiles()[0]), "latin1");
    for (const tag of ["total_loss", "eval_return", "episode_return"]) expect(events).toContain(tag);
    // Lists are not scalars.
    expect(events).not.toContain("episode_returns");
    expect(run.loadConfig()).toMatchObject({ loggers: ["tensorboard", "wandb"], wandbProject: "vibe-rl" });
  });

  it("logs to Weights & Biases under the run's name, with its config, and resumes there", async () => {
    expect(init).toHaveBeenCalledWith(
      expect.objectContaining({ project: "vibe-rl", name: run.runId, dir: run.root }),
    );
    expect(wandbRun.log).toHaveBeenCalledWith(
      expect.objectContaining({ total_loss: expect.any(Number) as number }),
      32,
    );
    expect(wandbRun.finish).toHaveBeenCalledOnce();
    const line = ["resume", run.root, "--runner.total_timesteps", "160"];
    expect((await call(line, { main })).code).toBe(0);
    expect(init).toHaveBeenLastCalledWith(expect.objectContaining({ id: "abc123", resume: "must" }));
    expect(eventFiles()).toHaveLength(2);
    // Without them: the run goes on, and no longer has them.
    const silent = ["resume", run.root, "--runner.total_timesteps", "192", "--logger", "none"];
    expect((await call(silent)).code).toBe(0);
    expect(eventFiles()).toHaveLength(2);
    expect(run.loadConfig()).not.toHaveProperty("loggers");
  });

  it("is refused before a directory is made where a package is missing, or there is no such logger", async () => {
    const folder = path.join(temporaryFolder(), "runs");
    const line = (logger: string) => [
      "train",
      "cartpole_ppo",
      ...short,
      "--base-dir",
      folder,
      "--logger",
      logger,
    ];
    const missing = await call(line("wandb"));
    expect([missing.code, missing.errors.join()]).toEqual([
      2,
      expect.stringMatching(
        /--logger wandb: the package @wandb\/sdk cannot be loaded; install it with `npm install/,
      ),
    ]);
    const unknown = await call(line("tensorbord"));
    expect([unknown.code, unknown.errors.join()]).toEqual([
      2,
      'vibe-rl train: there is no logger "tensorbord"; did you mean tensorboard?',
    ]);
    expect(existsSync(folder)).toBe(false);
  });
});

describe("flags before words", () => {
  it("leave the word to the command", async () => {
    const lines = [
      ["eval", "--base-dir", base, run.runId],
      ["eval", "--episodes", "2", run.runId, "--base-dir", base],
    ];
    for (const line of lines) {
      const { code, errors } = await call(line);
      expect([line, code, errors]).toEqual([line, 0, []]);
    }
    const folder = temporaryFolder();
    const trained = await call(["train", "--base-dir", folder, "cartpole_ppo", ...short]);
    expect([trained.code, findRuns(folder).length]).toEqual([0, 1]);
    const listed = await call(["train", "--algo.hidden_sizes", "8", "8", "nothing", "--base-dir", folder]);
    expect(listed.errors.join()).toContain('there is no preset "nothing"');
  });
});

describe("help", () => {
  it("is there for every command, with its flags", async () => {
    const flags: Readonly<Record<string, RegExp>> = {
      train: /--algo\.lr .*--logger/s,
      resume: /--runner.*--logger.*--base-dir/s,
      eval: /--step.*--episodes.*--seed.*--base-dir/s,
      video: /--fps.*--output/s,
      plot: /--compare.*--smooth-radius.*--title/s,
      runs: /--base-dir/,
      presets: /presets/,
    };
    for (const [command, wanted] of Object.entries(flags)) {
      const asked = await call(["help", command]);
      const same = await call([command, "--help"]);
      expect([command, asked.code, same.lines]).toEqual([command, 0, asked.lines]);
      expect(asked.lines.join("\n")).toMatch(wanted);
    }
    expect((await call(["help", "train", "pendulum_sac"])).lines.join()).toContain("--algo.actor_lr");
    const wrong = await call(["help", "evl"]);
    expect([wrong.code, wrong.errors.join()]).toEqual([2, expect.stringContaining("did you mean eval?")]);
  });

  it("and lists fit 100 columns", async () => {
    for (const line of [
      ["presets"],
      ["--help"],
      ...["resume", "eval", "video", "plot"].map((name) => [name, "-h"]),
    ]) {
      const { lines } = await call(line);
      for (const text of lines.join("\n").split("\n"))
        expect([text, text.length <= 100]).toEqual([text, true]);
    }
    expect((await call(["presets"])).lines.join("\n")).toMatch(
      /cartpole_ppo +CartPole-v1 +ppo +100,000 +balance a pole/,
    );
  });
});

it("--version is the package's", async () => {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  expect(await call(["--version"])).toMatchObject({
    code: 0,
    lines: [(JSON.parse(manifest) as { version: string }).version],
  });
});
