// Training on several devices from the command line.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { findRuns } from "vibe-rl/runDir";
import { temporaryFolder } from "../temporary.js";
import { call } from "./host.js";

const short = [
  ...["--runner.total_timesteps", "128", "--runner.log_interval", "64", "--runner.eval_every", "128"],
  ...[
    "--algo.n_steps",
    "8",
    "--algo.num_envs",
    "2",
    "--algo.hidden_sizes",
    "(8)",
    "--algo.n_minibatches",
    "2",
  ],
  ...["--runner.checkpoint_interval", "64", "--runner.eval_episodes", "2"],
];

describe("train --runner.num_devices", () => {
  it("splits the environments, and the run is resumed and evaluated like any other", async () => {
    const base = temporaryFolder();
    const words = ["train", "cartpole_ppo", ...short, "--base-dir", base];
    const { code, errors } = await call([
      ...words,
      "--runner.num_devices",
      "4",
      "--runner.fsdp_devices",
      "2",
    ]);
    expect([code, errors]).toEqual([0, []]);
    const [run] = findRuns(base);
    expect(run.loadConfig()).toMatchObject({
      ...{ algoConfig: { numEnvs: 2 }, runner: { numDevices: 4, fsdpDevices: 2 } },
    });
    expect(run.listCheckpoints().map(({ step }) => step)).toEqual([64, 128]);
    expect(readFileSync(run.logPath(), "utf8").trim().split("\n").length).toBeGreaterThan(2);
    expect(existsSync(path.join(run.artifacts, "reward_curve.png"))).toBe(true);

    const evaluated = await call(["eval", run.root, "--episodes", "2"]);
    expect([evaluated.code, evaluated.errors]).toEqual([0, []]);
    const resumed = await call(["resume", run.root, "--runner.total_timesteps", "256"]);
    expect([resumed.code, resumed.errors]).toEqual([0, []]);
    expect(run.latestCheckpoint?.step).toBe(256);
  });

  it("says how many devices there are where that is too few", async () => {
    const words = ["train", "cartpole_ppo", ...short, "--base-dir", temporaryFolder()];
    const { code, errors } = await call([...words, "--runner.num_devices", "9"]);
    expect(code).toBe(2);
    expect(errors.join()).toContain("devices are in use already, and there are 8 of them");
  });
});
