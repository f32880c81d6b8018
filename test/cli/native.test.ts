// `--runner.device native`: a run says what trains it, moves to another device, and can be looked at anywhere.
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { findRuns } from "vibe-rl/runDir";
import { isWithoutNative } from "../device/native.js";
import { temporaryFolder } from "../temporary.js";
import { call } from "./host.js";

afterEach(() => void vi.unstubAllEnvs());

const isSkipped = isWithoutNative("test/cli/native.test.ts, in part,");
// Without schedules the program does not depend on how long a run is, and is built once.
const small = [
  ...["--algo.lr_schedule", "constant", "--algo.clip_schedule", "constant"],
  ...["--algo.hidden_sizes", "(4,)", "--algo.n_steps", "8", "--algo.num_envs", "2", "--algo.n_epochs", "2"],
  ...["--algo.n_minibatches", "4"],
  ...["--runner.total_timesteps", "64", "--runner.log_interval", "32", "--runner.eval_every", "64"],
  ...["--runner.eval_episodes", "2", "--runner.checkpoint_interval", "64", "--runner.plot", "false"],
];

describe("train --runner.device native", () => {
  it.skipIf(isSkipped)("trains, goes on in WebAssembly, and back, and says so", async () => {
    const base = ["--base-dir", temporaryFolder()];
    const trained = await call(["train", "cartpole_ppo", ...small, "--runner.device", "native", ...base]);
    expect([trained.code, trained.errors, trained.lines[1]]).toEqual([0, [], "device: native"]);
    const [run] = findRuns(base[1]);
    const saved = () => JSON.parse(readFileSync(path.join(run.root, "config.json"), "utf8")) as object;
    expect(saved()).toMatchObject({ device: "native", runner: { device: "native", threads: null } });

    const resume = async (device: string, steps: number) => {
      const settings = ["--runner.device", device, "--runner.total_timesteps", String(steps)];
      return (await call(["resume", run.runId, ...settings, ...base])).lines;
    };
    const note = (step: number, to: string, from: string) =>
      `from step ${step} on: device ${to} (it was ${from}); from here on numbers are rounded differently`;
    expect(await resume("wasm", 128)).toEqual(
      expect.arrayContaining(["device: wasm", note(64, "wasm", "native")]),
    );
    expect(await resume("native", 192)).toContain(note(128, "native", "wasm"));
    expect((await resume("native", 256)).join()).not.toContain("rounded");
    expect(saved()).toMatchObject({ device: "native" });

    // On a machine without a compiler it can still be played.
    vi.stubEnv("CC", "no-such-compiler");
    expect(await call(["eval", run.runId, ...base])).toMatchObject({ code: 0, errors: [] });
    const refused = await call(["resume", run.runId, "--runner.total_timesteps", "320", ...base]);
    expect([refused.code, refused.errors[0]]).toEqual([
      2,
      expect.stringContaining('CC is "no-such-compiler", and there is no such program'),
    ]);
  });

  it("refuses devices and threads that there are not, with code 2", async () => {
    const lines = [
      [
        ["--runner.device", "tpu"],
        'device must be "auto" or "cuda" or "gpu" or "native" or "wasm", got "tpu"',
      ],
      [["--runner.threads", "0"], "threads must be"],
      [["--runner.device", "wasm", "--runner.threads", "4"], "threads are for native runs"],
    ] as const;
    for (const [flags, message] of lines) {
      const { code, errors } = await call(["train", "cartpole_ppo", ...flags]);
      expect([code, errors[0]]).toEqual([2, expect.stringContaining(message)]);
    }
  });
});
