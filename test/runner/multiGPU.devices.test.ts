// PPO on several devices: the same as on one with all environments.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { mlp } from "vibe-rl/agent";
import { np, tree, type Array } from "vibe-rl/array";
import { PPOConfig } from "vibe-rl/algorithms/ppo";
import { make } from "vibe-rl/env";
import { RunDir } from "vibe-rl/runDir";
import { RunnerConfig, trainPPO, trainPPOMultiGPU } from "vibe-rl/runner";
import { differences } from "../closeness.js";
import { bitsOf, waves } from "./small.js";

const [env, params] = make("CartPole-v1");
const algorithm = { nSteps: 16, nMinibatches: 2, nEpochs: 2, lr: 1e-3 };
const ppoConfig = PPOConfig({ ...algorithm, hiddenSizes: [16, 16] });
const all = 8;
const steps = (updates: number): number => updates * all * ppoConfig.nSteps;

/** A run of some updates whose environments are shared by so many devices. */
const train = (numDevices: number, more: Partial<RunnerConfig> = {}, options: object = {}) =>
  trainPPOMultiGPU(env, params, {
    ppoConfig,
    runnerConfig: RunnerConfig({
      ...{ totalTimesteps: steps(20), numDevices, numEnvs: all / numDevices, seed: 3 },
      ...{ logInterval: 1e6, evalEvery: 1e6, plot: false, ...more },
    }),
    ...options,
  });

/** The same on one device, by the program that knows of no others. */
let alone: ReturnType<typeof trainPPO> | undefined;
const trainedAlone = () =>
  (alone ??= trainPPO(env, params, {
    ppoConfig: { ...ppoConfig, numEnvs: all },
    runnerConfig: { totalTimesteps: steps(20), seed: 3, logInterval: 1e6, evalEvery: 1e6 },
  }));

describe("trainPPOMultiGPU", () => {
  it.each([1, 2, 4])("learns on %i devices as on one", async (devices) => {
    const [state, history] = await train(devices);
    const [single, expected] = await trainedAlone();
    expect(history.totalLoss.shape).toEqual([20]);
    expect(differences(history, expected, { rtol: 1e-5, atol: 1e-5 })).toEqual([]);
    expect(differences(state.agentState, single.agentState, { rtol: 1e-5, atol: 1e-5 })).toEqual([]);
    // What was played is the same to the bit, with an axis for devices in front.
    expect(state.envObs.shape).toEqual([devices, all / devices, 4]);
    expect(bitsOf(state.envObs.reshape([all, 4]))).toEqual(bitsOf(single.envObs));
    expect(bitsOf(state.rng)).toEqual(bitsOf(single.rng));
    expect(bitsOf(state.agentState.rng)).toEqual(bitsOf(single.agentState.rng));
  });

  it("gives the same bits twice", async () => {
    const runs = [await train(4), await train(4)];
    const [first, second] = runs.map(([state, history]) => bitsOf({ state, history }));
    expect(first).toEqual(second);
  });

  it("splits large parameters where fsdpDevices says so, with the same curve", async () => {
    const wide = mlp({ hiddenSizes: [1024, 1024], kernelInit: waves });
    const large = {
      ppoConfig: PPOConfig({ ...algorithm, nEpochs: 1 }),
      networks: { actor: wide, critic: mlp({ kernelInit: waves }) },
    };
    const [[whole, expected], [split, history]] = [
      await train(4, { totalTimesteps: steps(2) }, large),
      await train(4, { totalTimesteps: steps(2), fsdpDevices: 4 }, large),
    ];
    expect(differences(history, expected, { rtol: 1e-4, atol: 1e-4 })).toEqual([]);
    const weights = tree.leaves(split.agentState.params).filter(({ size }) => size === 1024 * 1024);
    expect(weights.map((weight) => weight.addressableShards[0].data.shape)).toEqual(
      weights.map(() => [256, 1024]),
    );
    expect(weights.length).toBeGreaterThan(0);
    const firstOf = tree.leaves(whole.agentState.params)[0];
    expect(firstOf.isFullyReplicated).toBe(true);
  });

  it("logs, evaluates, calls back, saves, and goes on with another number of devices", async () => {
    const baseDir = mkdtempSync(path.join(tmpdir(), "devices-"));
    const seen: number[] = [];
    const every = {
      logInterval: steps(5),
      evalEvery: steps(10),
      evalEpisodes: 2,
      checkpointInterval: steps(10),
    };
    const options = (name: string) => ({
      runDir: RunDir(name, { baseDir }),
      callback: (step: number, agent: { readonly params: object }) => {
        expect((tree.leaves(agent.params) as Array[]).every((leaf) => np.all(np.isfinite(leaf)).item())).toBe(
          true,
        );
        seen.push(step);
      },
    });
    const whole = await train(2, every, options("whole"));
    expect(seen).toEqual([5, 10, 15, 20].map(steps));
    const part = options("part");
    await train(4, { ...every, totalTimesteps: steps(10) }, part);
    const resumed = await train(2, { ...every, resume: true }, part);
    expect(differences(resumed[0].agentState, whole[0].agentState, { rtol: 1e-5, atol: 1e-5 })).toEqual([]);
    expect(differences(resumed[1], whole[1], { rtol: 1e-5, atol: 1e-5 })).toEqual([]);
    const again = options("again");
    await train(2, { ...every, totalTimesteps: steps(10) }, again);
    const same = await train(2, { ...every, resume: true }, again);
    expect(bitsOf(same[0])).toEqual(bitsOf(whole[0]));
  });

  it("says what does not fit", async () => {
    await expect(train(4, { totalTimesteps: 100 })).rejects.toThrow(
      "totalTimesteps is 100, less than the 128 steps of one update (4 devices × numEnvs 2 × nSteps 16)",
    );
    await expect(train(4, { fsdpDevices: 3 })).rejects.toThrow(
      /numDevices 4 is not divisible by fsdpDevices 3/,
    );
    await expect(train(16, { numEnvs: 1 })).rejects.toThrow(/16 devices were requested, and there are 8/);
    await expect(trainPPO(env, params, { runnerConfig: { numDevices: 2 } })).rejects.toThrow(
      /trainPPOMultiGPU/,
    );
  });
});
