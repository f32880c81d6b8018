// What trains a run: it is said, recorded, and may change when the run goes on.
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { loadMetadata } from "vibe-rl/checkpoint";
import { make } from "vibe-rl/env";
import { RunDir } from "vibe-rl/runDir";
import { RunnerConfig, trainPPO, type RunOptions } from "vibe-rl/runner";
import { temporaryFolder } from "../temporary.js";

afterEach(() => void vi.unstubAllEnvs());

// The interpreter takes its time.
const ppoConfig = { hiddenSizes: [2], nSteps: 4, nEpochs: 1, nMinibatches: 1 };
const short = {
  totalTimesteps: 8,
  logInterval: 4,
  evalEvery: 8,
  checkpointInterval: 4,
  evalEpisodes: 1,
  plot: false,
};
const [cartPole, cartPoleParams] = make("CartPole-v1", { maxSteps: 3 });
type Started = Parameters<NonNullable<RunOptions<object>["onStart"]>>;

/** Trains, and tells how it started. */
async function started(runDir: RunDir, given: Partial<RunnerConfig>): Promise<Started> {
  const calls: Started[] = [];
  await trainPPO(cartPole, cartPoleParams, {
    ...{ ppoConfig, runDir, runnerConfig: { ...short, ...given } },
    onStart: (...told) => void calls.push(told),
  });
  return calls[0];
}

const savedIn = (runDir: RunDir) =>
  JSON.parse(readFileSync(path.join(runDir.root, "config.json"), "utf8")) as Record<string, unknown>;

describe("the device of a run", () => {
  it("is told, recorded, and recorded again when another one goes on", async () => {
    const runDir = RunDir("moving", { baseDir: temporaryFolder() });
    vi.stubEnv("VIBE_RL_DEVICE", "interpreter");
    expect(await started(runDir, {})).toEqual([0, [], "interpreter"]);
    expect(savedIn(runDir)).toMatchObject({ device: "interpreter", runner: { device: "auto" } });

    const again = { resume: true, device: "wasm" } as const;
    // What is asked for comes before the variable.
    const change = { step: 8, setting: "device", from: "interpreter", to: "wasm" };
    const [step, changes, device] = await started(runDir, { ...again, totalTimesteps: 16 });
    expect([step, device]).toEqual([8, "wasm"]);
    expect(changes).toContainEqual(change);
    expect(savedIn(runDir)).toMatchObject({ device: "wasm" });
    expect(savedIn(runDir).changes).toContainEqual(change);
    const metadata = loadMetadata(runDir.checkpoints, { step: 16 });
    expect(metadata).toMatchObject({ device: "wasm" });

    const [, later] = await started(runDir, { ...again, totalTimesteps: 24 });
    expect(later.map(({ setting }) => setting)).toEqual(["runner.total_timesteps"]);
  });

  it("is refused where it does not fit the other settings", () => {
    expect(() => RunnerConfig({ device: "tpu" as never })).toThrow(
      'RunnerConfig: device must be "auto" or "cuda" or "gpu" or "native" or "wasm", got "tpu"',
    );
    expect(() => RunnerConfig({ device: "cuda", threads: 2 })).toThrow(
      'RunnerConfig: threads are for native runs, and device is "cuda", got threads 2; leave one of them out',
    );
    expect(() => RunnerConfig({ device: "cuda", numDevices: 2 })).toThrow(
      'RunnerConfig: several devices run WebAssembly or XLA, got device "cuda" and numDevices 2; leave one of them out',
    );
    expect(() => RunnerConfig({ device: "wasm", threads: 2 })).toThrow(
      'RunnerConfig: threads are for native runs, and device is "wasm", got threads 2; leave one of them out',
    );
    expect(() => RunnerConfig({ device: "native", numDevices: 2 })).toThrow(
      'RunnerConfig: several devices run WebAssembly or XLA, got device "native" and numDevices 2; leave one of them out',
    );
    expect(() => RunnerConfig({ threads: 0 })).toThrow(
      /threads must be .*whole number of at least 1.*, got 0/,
    );
  });
});
