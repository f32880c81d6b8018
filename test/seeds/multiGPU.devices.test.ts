// The examples of the original's page "Multi-GPU Training" (seed 004) that train, translated one to one.
import { describe, expect, it } from "vitest";
import { PPO, PPOConfig } from "vibe-rl/algorithms/ppo";
import { jit, np, random, tree, type Array } from "vibe-rl/array";
import { loadCheckpoint, saveCheckpoint } from "vibe-rl/checkpoint";
import { AutoResetWrapper, make } from "vibe-rl/env";
import { RunnerConfig, trainPPOMultiGPU } from "vibe-rl/runner";
import { activationShardingConstraint, dataSharding, replicateSharding, setMesh } from "vibe-rl/sharding";
import { bitsOf } from "../runner/small.js";
import { temporaryFolder } from "../temporary.js";

const [bare, envParams] = make("CartPole-v1");
const env = AutoResetWrapper(bare);

describe("Multi-GPU Training", () => {
  it("quick start: all devices, then a checkpoint of the one logical copy", async () => {
    const ppoConfig = PPOConfig({ nSteps: 128, hiddenSizes: [64, 64] });
    const runnerConfig = RunnerConfig({
      totalTimesteps: 10_000,
      numEnvs: 4, // parallel envs per device
      numDevices: null, // all devices
      fsdpDevices: 1, // pure data-parallel
    });
    const [trainState, metrics] = await trainPPOMultiGPU(env, envParams, { ppoConfig, runnerConfig });
    // nUpdates = totalTimesteps // (nDevices * numEnvs * nSteps)
    expect(metrics.totalLoss.shape).toEqual([Math.floor(10_000 / (8 * 4 * 128))]);
    expect(Number.isFinite(metrics.totalLoss.slice(-1).item())).toBe(true);
    expect(trainState.envObs.shape).toEqual([8, 4, 4]);

    const directory = temporaryFolder();
    saveCheckpoint(directory, trainState.agentState);
    const template = PPO.init(random.key(0), [4], 2, ppoConfig);
    const loaded = loadCheckpoint(directory, template);
    expect(bitsOf(loaded)).toEqual(bitsOf(trainState.agentState));
    // The loaded copy acts on one device.
    const [action] = PPO.act(loaded, np.zeros([4]), { config: ppoConfig });
    expect([0, 1]).toContain(action.item());
  });

  it("testing without real GPUs: two of the simulated devices", async () => {
    const [trainState, history] = await trainPPOMultiGPU(env, envParams, {
      ppoConfig: PPOConfig({ nSteps: 16 }),
      runnerConfig: RunnerConfig({ totalTimesteps: 64, numDevices: 2, numEnvs: 2 }),
    });
    expect(trainState.envObs.shape).toEqual([2, 2, 4]);
    expect(history.totalLoss.shape).toEqual([1]);
  });

  it("setMesh with jit, and gradient reduction without a word of it", () => {
    const x = random.normal(random.key(1), [16, 3]);
    const fn = (w: Array, data: Array): Array => activationShardingConstraint(np.matmul(data, w)).mean();
    const w = np.ones([3, 2]);
    const result = setMesh({ numFsdpDevices: 1 }, (mesh) => {
      const jitted = jit(fn, {
        inShardings: [replicateSharding(mesh), dataSharding(mesh)],
        outShardings: replicateSharding(mesh),
        donateArgnums: [0],
      });
      return jitted(w, x);
    });
    expect(result.item()).toBeCloseTo(fn(w, x).item(), 5);
    expect(tree.leaves(result.sharding)).toHaveLength(1);
  });
});
