// Checkpoints of class runners: what they hold, and that a run goes on from them as if it had never stopped.
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { loadMetadata, loadTree } from "vibe-rl/checkpoint";
import { make as makeEnv } from "vibe-rl/env";
import { readMetrics } from "vibe-rl/metrics";
import { loadPolicy } from "vibe-rl/policy";
import { OnPolicyRunner, type OnPolicyRunnerOptions } from "vibe-rl/runner";
import { temporaryFolder, warningsOf } from "../../temporary.js";
import { Corridor, smallConfig } from "./corridor.js";

const iteration = 32;
const cfg = { ...smallConfig, normalizeObs: true, normalizeReward: true, clipSchedule: "linear" } as const;
const host = (options: object = {}) =>
  new OnPolicyRunner({ env: new Corridor(), cfg, lrSchedule: "adaptive", ...options });

const [cartPole, params] = makeEnv("CartPole-v1", { maxSteps: 20 });
const functional = (options: object = {}) =>
  new OnPolicyRunner({
    ...{ env: cartPole, envParams: params, numEnvs: 2, cfg, lrSchedule: "adaptive" },
    ...(options as Partial<OnPolicyRunnerOptions>),
  });

/** Everything that a run has come to. */
const outcome = (runner: OnPolicyRunner, stats: object): unknown => {
  const { agent, iteration: number, totalTimesteps, learningRate } = runner;
  return JSON.parse(JSON.stringify({ state: agent.state, number, totalTimesteps, learningRate, stats }));
};

describe.each([
  ["environments that are objects", host],
  ["a functional environment", functional],
])("a run on %s", (_, make) => {
  it("goes on from a checkpoint bit for bit, with its logs", async () => {
    const [whole, first, second] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
    const uninterrupted = make({ logDir: whole, logInterval: 1 });
    const expected = outcome(uninterrupted, await uninterrupted.learn(6 * iteration));

    const interrupted = make({ logDir: first, logInterval: 1, saveDir: second });
    interrupted.addCallback("post_iteration", async (runner) => {
      if (runner.iteration === 2) await runner.saveCheckpoint("half");
      if (runner.iteration === 3) runner.stop();
    });
    await interrupted.learn(6 * iteration);
    const resumed = make({ logDir: first, logInterval: 1, saveDir: second });
    await resumed.loadCheckpoint("half");
    expect([resumed.iteration, resumed.totalTimesteps]).toEqual([3, 3 * iteration]);
    expect(outcome(resumed, await resumed.learn(6 * iteration))).toEqual(expected);

    const logOf = (folder: string) =>
      readMetrics(path.join(folder, "metrics.jsonl")).map(
        ({ wall_time: __, "time/steps_per_second": ___, ...record }) => record,
      );
    expect(logOf(first)).toEqual(logOf(whole));
  });

  it("is not disturbed by evaluations in between", async () => {
    const [plain, watched] = [make(), make()];
    watched.addCallback("post_iteration", (runner) => runner.eval(3));
    const expected = outcome(plain, await plain.learn(3 * iteration));
    expect(outcome(watched, await watched.learn(3 * iteration))).toEqual(expected);
  });
});

describe("a checkpoint", () => {
  it("is saved every so many iterations and at the end, in saveDir or beside the logs", async () => {
    const [saveDir, logDir] = [temporaryFolder(), temporaryFolder()];
    await host({ saveDir, saveInterval: 2 }).learn(4 * iteration);
    await host({ logDir }).learn(2 * iteration);
    const there = (folder: string) =>
      [0, 1, 2, 3].filter((number) => existsSync(path.join(folder, `checkpoint_${number}`)));
    expect(there(saveDir)).toEqual([0, 2, 3]);
    expect(there(path.join(logDir, "checkpoints"))).toEqual([0, 1]);
  });

  it("holds networks, optimiser, statistics, random state, environments, counters and configuration", async () => {
    const runner = host();
    await runner.learn(2 * iteration);
    const folder = await runner.saveCheckpoint(path.join(temporaryFolder(), "model.pt"));
    expect(loadMetadata(folder)).toMatchObject({
      ...{ runner: "OnPolicyRunner", iteration: 2, totalTimesteps: 2 * iteration },
      learningRate: runner.learningRate,
      identity: { algorithm: "PPO", config: { ...cfg, numEnvs: 2 }, numEnvs: 2, seed: 0 },
    });
    const names = Object.keys(loadTree(path.join(folder, "tensors.safetensors")) as object).join(" ");
    for (const part of [
      "params.actor",
      "params.critic",
      "optState",
      "obsStats",
      "rewardStats",
      "rng",
      "obs",
    ]) {
      expect(names).toContain(part);
    }
  });

  it("is a policy to those who only want actions", async () => {
    const runner = host();
    await runner.learn(iteration);
    const folder = await runner.saveCheckpoint(path.join(temporaryFolder(), "model"));
    const policy = await loadPolicy(folder, { actions: "discrete" });
    expect([0, 1]).toContain(policy.act([0.5, 0.1]));
  });

  it("of environments without a state says once what differs", async () => {
    const saveDir = temporaryFolder();
    const stateless = () => host({ env: new Corridor({ hasState: false }), saveDir });
    await stateless().learn(iteration);
    const resumed = stateless();
    const warnings = await warningsOf("RunWarning", () => resumed.loadCheckpoint("checkpoint_0"));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(
      /no getState and setState, so they begin new episodes.* not the one that was saved/,
    );
    await resumed.learn(2 * iteration);
    expect(resumed.iteration).toBe(2);
  });

  it("tells which settings have changed since", async () => {
    const saveDir = temporaryFolder();
    await host({ saveDir }).learn(iteration);
    const changed = host({ saveDir, cfg: { ...cfg, gamma: 0.9 } });
    const [warning] = await warningsOf("RunWarning", () => changed.loadCheckpoint("checkpoint_0"));
    expect(warning).toMatch(/goes on with another config: gamma is 0.9, was 0.99/);
  });

  it("is refused where it is none, of another network, or comes in the middle of learn", async () => {
    const saveDir = temporaryFolder();
    const runner = host({ saveDir });
    await runner.learn(iteration);
    await expect(host({ saveDir }).loadCheckpoint("nothing")).rejects.toThrow(
      /there is no checkpoint .*nothing/,
    );
    await expect(host({ saveDir }).loadCheckpoint("")).rejects.toThrow(/needs the name of a checkpoint/);
    const larger = host({ saveDir, cfg: { ...cfg, hiddenSizes: [9] } });
    await expect(larger.loadCheckpoint("checkpoint_0")).rejects.toThrow(/does not fit the template/);
    const busy = host({ saveDir });
    busy.addCallback("pre_update", () => busy.loadCheckpoint("checkpoint_0"));
    await expect(busy.learn(iteration)).rejects.toThrow(/learn is under way/);
  });

  it("between a rollout and its update says that the rollout is not in it", async () => {
    const saveDir = temporaryFolder();
    const runner = host({ saveDir });
    runner.addCallback("pre_update", () => {
      void runner.saveCheckpoint("between");
    });
    const warnings = await warningsOf("RunWarning", () => runner.learn(2 * iteration));
    expect(warnings).toEqual([expect.stringMatching(/between a rollout and the update that learns from it/)]);
    expect(loadMetadata(path.join(saveDir, "between"))).toMatchObject({ iteration: 1 });
  });
});
