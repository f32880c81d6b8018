// The runners' documentation of the original, example by example, as it reads in TypeScript.
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { PPOConfig, type Array } from "vibe-rl";
import { readMetrics } from "vibe-rl/metrics";
import { MLPActor, MLPCritic, OnPolicyRunner, PPOAgent, type Stats } from "vibe-rl/runner";
import { temporaryFolder } from "../../temporary.js";
import { Corridor } from "./corridor.js";

const makeEnv = () => new Corridor();

/** 128 steps of 2 environments: what an iteration is by default. */
const iteration = 256;

describe("the original's", () => {
  it("basic usage", async () => {
    const [env, folder] = [makeEnv(), temporaryFolder()];
    const runner = new OnPolicyRunner({
      env,
      algorithm: "ppo",
      actorClass: MLPActor,
      criticClass: MLPCritic,
      logDir: path.join(folder, "logs"),
      saveDir: path.join(folder, "checkpoints"),
      logInterval: 10,
      saveInterval: 100,
    });

    // Train
    await runner.learn({ totalTimesteps: 2 * iteration });

    // Evaluate
    const stats = await runner.eval({ numEpisodes: 100 });

    // Save
    await runner.saveCheckpoint("final_model.pt");

    expect(runner.totalTimesteps).toBe(2 * iteration);
    expect(stats["eval/mean_length"]).toBeGreaterThan(1);
    expect(existsSync(path.join(folder, "checkpoints", "final_model.pt"))).toBe(true);
    expect(readMetrics(path.join(folder, "logs", "metrics.jsonl")).length).toBeGreaterThan(0);
  });

  it("configuration", async () => {
    const [env, folder] = [makeEnv(), temporaryFolder()];
    const runner = new OnPolicyRunner({
      env, // Vectorized environment
      algorithm: "ppo", // Algorithm name
      actorClass: MLPActor, // Actor network class
      criticClass: MLPCritic, // Critic network class
      actorCfg: { hiddenDims: [256] }, // Actor network config
      criticCfg: { hiddenDims: [256] }, // Critic network config
      logDir: path.join(folder, "logs"), // TensorBoard log directory
      saveDir: path.join(folder, "checkpoints"), // Checkpoint directory
      device: "wasm", // Training device
      logInterval: 10, // Log every N iterations
      saveInterval: 100, // Save every N iterations
      logRewardComponents: true, // Log reward components
    });
    const actor = runner.agent.state.params.actor as readonly { readonly b: Array }[];
    expect(actor.map(({ b }) => b.shape[0])).toEqual([256, 2]);
    const stats = await runner.learn(iteration);
    expect(stats).toHaveProperty("reward/progress");
  });

  it("training loop", async () => {
    const folder = temporaryFolder();
    const runner = new OnPolicyRunner({
      ...{ env: makeEnv(), cfg: { nSteps: 4, nMinibatches: 1, nEpochs: 1 }, actorCfg: { hiddenDims: [4] } },
      ...{ logDir: path.join(folder, "logs"), saveDir: folder, logInterval: 2, saveInterval: 3 },
    });
    await runner.learn(7 * 8);
    const logged = readMetrics(path.join(folder, "logs", "metrics.jsonl")).map(
      ({ iteration: number }) => number,
    );
    expect(logged).toEqual([0, 2, 4, 6]);
    const saved = [0, 1, 2, 3, 4, 5, 6].filter((n) => existsSync(path.join(folder, `checkpoint_${n}`)));
    expect(saved).toEqual([0, 3, 6]);
  });

  it("callbacks", async () => {
    const said: string[] = [];
    const threshold = -1;
    const runner = new OnPolicyRunner({ env: makeEnv() });

    function onIterationStart(given: OnPolicyRunner) {
      said.push(`Starting iteration ${given.iteration}`);
    }

    function onIterationEnd(_: OnPolicyRunner, stats: Stats) {
      if (stats["rollout/mean_reward"] > threshold) said.push("Reward threshold reached!");
    }

    runner.addCallback("pre_iteration", onIterationStart);
    runner.addCallback("post_iteration", onIterationEnd);
    await runner.learn(2 * iteration);
    expect(said).toEqual([
      "Starting iteration 0",
      "Reward threshold reached!",
      "Starting iteration 1",
      "Reward threshold reached!",
    ]);
  });

  it("logging, reward components and metrics of the environment", async () => {
    const logDir = temporaryFolder();
    const env = makeEnv();
    // In the environment's step()
    env.alter = (step) => ({
      ...step,
      extras: {
        timeOuts: step.extras.timeOuts,
        rewardComponents: {
          velocity: [1, 2],
          energy: [-1, -1],
          stability: [0.5, 0.5],
        },
        log: {
          "/robot/height_mean": 1.25,
        },
      },
    });
    await new OnPolicyRunner({ env, logDir }).learn(iteration);
    const [record] = readMetrics(path.join(logDir, "metrics.jsonl"));
    for (const tag of [
      ...["train/policy_loss", "train/value_loss", "train/entropy_loss", "train/approx_kl"],
      ...["train/learning_rate", "episode/mean_reward", "episode/mean_length"],
      ...["rollout/mean_reward", "rollout/mean_value"],
    ]) {
      expect(record[tag]).toEqual(expect.any(Number));
    }
    const length = record["episode/mean_length"] as number;
    expect(record["reward/energy"]).toBeCloseTo(-length, 5);
    expect(record["reward/stability"]).toBeCloseTo(length / 2, 5);
    expect(record["reward/velocity"]).toBeGreaterThan(length);
    expect(record["/robot/height_mean"]).toBe(1.25);
  });

  it("checkpointing", async () => {
    const saveDir = temporaryFolder();
    const runner = new OnPolicyRunner({ env: makeEnv(), saveDir });
    await runner.learn(iteration);

    // Save checkpoint
    await runner.saveCheckpoint("model.pt");

    // Save with iteration number
    await runner.saveCheckpoint(`checkpoint_${runner.iteration}.pt`);

    // Load checkpoint
    const other = new OnPolicyRunner({ env: makeEnv(), saveDir });
    await other.loadCheckpoint("model.pt");
    expect(JSON.stringify(other.agent.state)).toBe(JSON.stringify(runner.agent.state));
    expect([other.iteration, other.totalTimesteps]).toEqual([1, iteration]);
    expect(existsSync(path.join(saveDir, "checkpoint_1.pt"))).toBe(true);
  });

  it("evaluation", async () => {
    const runner = new OnPolicyRunner({ env: makeEnv() });

    // Run evaluation
    const stats = await runner.eval({ numEpisodes: 100 });

    const text = [
      `Mean reward: ${stats["eval/mean_reward"].toFixed(2)}`,
      `Std reward: ${stats["eval/std_reward"].toFixed(2)}`,
      `Min reward: ${stats["eval/min_reward"].toFixed(2)}`,
      `Max reward: ${stats["eval/max_reward"].toFixed(2)}`,
    ].join("\n");
    expect(text).not.toContain("NaN");
    // Evaluation is deterministic.
    expect(await runner.eval({ numEpisodes: 100 })).toEqual(stats);
  });

  it("pre-configured agent", async () => {
    const env = makeEnv();
    const cfg = PPOConfig({ lr: 3e-4 });
    const agent = new PPOAgent({
      env,
      cfg,
      actorClass: MLPActor,
      criticClass: MLPCritic,
    });

    const runner = new OnPolicyRunner({
      agent,
      env,
      cfg,
      logDir: temporaryFolder(),
    });
    const stats = await runner.learn(iteration);
    expect(stats["train/learning_rate"]).toBe(3e-4);
    expect(runner.agent).toBe(agent);
  });
});
