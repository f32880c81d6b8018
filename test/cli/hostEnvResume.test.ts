// Runs on environments that are objects, stopped and gone on with from the command line.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { findRuns } from "vibe-rl/runDir";
import { warningsOf } from "../temporary.js";
import { games } from "./games.js";
import { call } from "./host.js";

let folder = "";
const settings = [
  ...["--runner.total_timesteps", "400", "--runner.log_interval", "100", "--runner.eval_every", "200"],
  ...["--runner.eval_episodes", "2", "--runner.num_envs", "2", "--runner.plot", "false"],
  ...["--runner.warmup_steps", "100", "--runner.buffer_size", "250", "--runner.checkpoint_interval", "1000"],
  ...["--algo.hidden_sizes", "(4)", "--algo.batch_size", "8", "--algo.normalize_obs", "true"],
];

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "vibe-rl-resume-"));
  writeFileSync(path.join(folder, "games.mjs"), games("Resumed"));
});

const train = async (algo: string, id: string, base: string, interruptAfter?: number) => {
  const place = ["--env_id", id, "--import", path.join(folder, "games.mjs"), "--base-dir", base];
  const options = interruptAfter === undefined ? {} : { isInteractive: true, interruptAfter };
  return call(["train", algo, ...settings, ...place], options);
};
const runIn = (base: string): string => findRuns(base)[0].root;
const bytesAt = (base: string, step: number) =>
  readFileSync(path.join(runIn(base), "checkpoints", `step_${step}`, "tensors.safetensors"));

describe.each([
  ["dqn", "ResumedBlind-v0"],
  ["sac", "ResumedPixels-v0"],
])("a run of %s on an environment with getState and setState", (algo, id) => {
  it("that is stopped and goes on ends in the bits of one that was not, replay buffer and all", async () => {
    const [whole, stopped] = ["whole", "stopped"].map((name) => path.join(folder, algo, name));
    expect((await train(algo, id, whole)).errors).toEqual([]);
    const { code, lines } = await train(algo, id, stopped, 1);
    expect([code, lines.at(-1)]).toEqual([
      130,
      expect.stringMatching(/^stopped at step [123]00; go on with/),
    ]);
    const resumed = await call(["resume", runIn(stopped)]);
    expect([resumed.code, resumed.errors]).toEqual([0, []]);
    expect(bytesAt(stopped, 400).equals(bytesAt(whole, 400))).toBe(true);
  });

  it("tells a setting of the algorithm that is changed once", async () => {
    const base = path.join(folder, algo, "whole");
    const name = algo === "dqn" ? "lr" : "tau";
    let lines: readonly string[] = [];
    const warnings = await warningsOf("RunWarning", async () => {
      const words = ["--runner.total_timesteps", "500", `--algo.${name}`, "0.01"];
      ({ lines } = await call(["resume", runIn(base), ...words]));
    });
    const told = [...lines, ...warnings].filter((line) => line.includes("0.01"));
    expect(told).toEqual([
      expect.stringMatching(
        new RegExp(`^from step 400 on: algo_config\\.${name} 0\\.01 \\(it was 0\\.\\d+\\)$`),
      ),
    ]);
  });
});
