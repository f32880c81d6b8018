// `--runner.device cuda` over a driver without a GPU: a run trains, is recorded, and can be looked at anywhere.
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { findRuns } from "vibe-rl/runDir";
import { registerBackend } from "../../../src/array/index.js";
import { cudaBackend } from "../../../src/device/cuda/backend.js";
import { cudaDevice } from "../../../src/device/cuda/index.js";
import { call } from "../../cli/host.js";
import { temporaryFolder, warningsOf } from "../../temporary.js";
import { fakeProblem, interpreted, useFake } from "./fake.js";

const isSkipped = fakeProblem("test/device/cuda/training.test.ts") !== null;

afterEach(() => {
  vi.unstubAllEnvs();
  registerBackend(cudaDevice(), { isDefault: false });
});

const small = [
  ...["--algo.hidden_sizes", "(2,)", "--algo.n_steps", "4", "--algo.num_envs", "2", "--algo.n_epochs", "1"],
  ...["--algo.n_minibatches", "1", "--runner.total_timesteps", "16", "--runner.log_interval", "8"],
  ...["--runner.eval_every", "16", "--runner.eval_episodes", "1", "--runner.checkpoint_interval", "16"],
  ...["--runner.plot", "false"],
];

describe.skipIf(isSkipped)("train --runner.device cuda", () => {
  it("leaves the event loop to others while the GPU works", async () => {
    const { set } = useFake({ held: 1 });
    registerBackend(cudaBackend(interpreted()), { isDefault: false });
    // No program ends before this.
    setTimeout(() => set("held", 0), 200);
    const base = ["--base-dir", temporaryFolder()];
    const trained = await call(["train", "cartpole_ppo", ...small, "--runner.device", "cuda", ...base]);
    expect([trained.code, trained.errors]).toEqual([0, []]);
  });

  it("trains, says so, and plays where there is no GPU", async () => {
    useFake({ timeLimit: 1 });
    registerBackend(cudaBackend(interpreted({ blocks: 4 })), { isDefault: false });
    const base = ["--base-dir", temporaryFolder()];
    const warnings = await warningsOf("CudaWarning", async () => {
      const trained = await call(["train", "cartpole_ppo", ...small, "--runner.device", "cuda", ...base]);
      expect([trained.code, trained.errors, trained.lines[1]]).toEqual([0, [], "device: cuda"]);
    });
    expect(warnings).toEqual([expect.stringMatching(/^Fake GPU 0 drives a display, .*quarter of a second/)]);
    const [run] = findRuns(base[1]);
    expect(JSON.parse(readFileSync(path.join(run.root, "config.json"), "utf8"))).toMatchObject({
      device: "cuda",
      runner: { device: "cuda" },
    });
    vi.stubEnv("VIBE_RL_LIBCUDA", path.join(base[1], "nothing"));
    expect(await call(["eval", run.runId, "--episodes", "1", ...base])).toMatchObject({
      code: 0,
      errors: [],
    });
  });
});
