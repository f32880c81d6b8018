// Networks of one's own in runs: trained, evaluated, saved, resumed, swept.
import { describe, expect, expectTypeOf, it } from "vitest";
import { mlp } from "vibe-rl/agent";
import { nn, type Array } from "vibe-rl/array";
import { loadMetadata } from "vibe-rl/checkpoint";
import { initializers, type MLPParams } from "vibe-rl/nn";
import { loadPolicy } from "vibe-rl/policy";
import { RunDir } from "vibe-rl/runDir";
import { sweep, trainDQN, trainPPO, trainSAC, type RunnerConfig, type RunOptions } from "vibe-rl/runner";
import { configFrom } from "../../src/config/index.js";
import { temporaryFolder } from "../temporary.js";
import {
  bitsOf,
  cartPole,
  cartPoleParams,
  dqnConfig,
  gridWorld,
  gridWorldParams,
  pendulum,
  pendulumParams,
  ppoConfig,
  runnerConfig,
  sacConfig,
} from "./small.js";

const without = <C extends { hiddenSizes: readonly number[] }>({ hiddenSizes: _, ...rest }: C) => rest;
const small = { hiddenSizes: [8], activation: nn.relu };
const flat = initializers.orthogonal(0.01);
const ppoNetworks = {
  actor: mlp({ hiddenSizes: [8], lastKernelInit: flat }),
  critic: mlp({ hiddenSizes: [8] }),
};
const dqnNetworks = { q: mlp(small) };
const sacNetworks = { actor: mlp({ ...small, lastKernelInit: flat }), critic: mlp(small) };

type Listeners = Pick<RunOptions<object>, "signal" | "onProgress">;

/** Each algorithm with its own networks, and with the same ones given. */
const runs: Record<string, (own: boolean, runner: RunnerConfig, listeners?: Listeners) => Promise<object>> = {
  PPO: async (own, runner, listeners) => {
    const options = own ? { ppoConfig } : { ppoConfig: without(ppoConfig), networks: ppoNetworks };
    return (await trainPPO(cartPole, cartPoleParams, { ...options, ...listeners, runnerConfig: runner }))[0]
      .agentState;
  },
  DQN: async (own, runner, listeners) => {
    const options = own ? { dqnConfig } : { dqnConfig: without(dqnConfig), networks: dqnNetworks };
    return (await trainDQN(gridWorld, gridWorldParams, { ...options, ...listeners, runnerConfig: runner }))
      .agentState;
  },
  SAC: async (own, runner, listeners) => {
    const options = own ? { sacConfig } : { sacConfig: without(sacConfig), networks: sacNetworks };
    return (await trainSAC(pendulum, pendulumParams, { ...options, ...listeners, runnerConfig: runner }))
      .agentState;
  },
};

describe.each(Object.keys(runs))("%s with networks of one's own", (algorithm) => {
  it("is trained as with its own, goes on bit for bit, and refuses a checkpoint of others", async () => {
    const checkpointDir = temporaryFolder();
    const usual = await runs[algorithm](true, runnerConfig());
    const controller = new AbortController();
    await runs[algorithm](false, runnerConfig({ checkpointDir }), {
      signal: controller.signal,
      onProgress: ({ step }) => {
        if (step >= 200) controller.abort();
      },
    });
    const resumed = await runs[algorithm](false, runnerConfig({ checkpointDir, resume: true }));
    expect(bitsOf(resumed)).toEqual(bitsOf(usual));
    const { identity } = loadMetadata(checkpointDir) as { identity: { networks: Record<string, string> } };
    expect(
      Object.values(identity.networks).every((words) =>
        /^4 arrays of \d+ numbers, computing \w{8}$/.test(words),
      ),
    ).toBe(true);
    await expect(runs[algorithm](true, runnerConfig({ checkpointDir, resume: true }))).rejects.toThrow(
      /was made with networks\.\w+ = "4 arrays .*", this run has nothing; that cannot be changed, since the parameters/,
    );
  });
});

describe("networks of one's own", () => {
  it("are told apart by what they compute, not only by shapes", async () => {
    const checkpointDir = temporaryFolder();
    const train = (activation: (x: Array) => Array, resume: boolean) =>
      trainDQN(gridWorld, gridWorldParams, {
        networks: { q: mlp({ hiddenSizes: [8], activation }) },
        runnerConfig: runnerConfig({ checkpointDir, resume, totalTimesteps: resume ? 320 : 160 }),
      });
    await train(nn.relu, false);
    await expect(train(nn.silu, true)).rejects.toThrow(/was made with networks\.q = .* cannot be changed/);
    const { agentState } = await train((x) => nn.relu(x), true);
    expectTypeOf(agentState.params).toEqualTypeOf<MLPParams>();
  });

  it("are not to be had from files: the command line and loadPolicy say so", async () => {
    const runDir = RunDir("own", { baseDir: temporaryFolder() });
    await trainDQN(gridWorld, gridWorldParams, {
      ...{ networks: dqnNetworks, runDir, runnerConfig: runnerConfig({ totalTimesteps: 160 }) },
    });
    expect(() => configFrom(runDir.loadConfig(), runDir.root)).toThrow(
      /was trained by a program with networks of its own, which cannot be set up from here/,
    );
    await expect(loadPolicy(runDir)).rejects.toThrow(/was trained with networks of its program's own/);
  });

  it("are swept over as the algorithms' own are", async () => {
    const options = {
      ...{ ppoConfig: without(ppoConfig), networks: ppoNetworks },
      runnerConfig: runnerConfig({ totalTimesteps: 128 }),
    };
    const grid = { "algo.lr": [1e-3, 1e-2] };
    const { runs: swept } = await sweep(trainPPO, cartPole, cartPoleParams, options, grid);
    const [alone] = await trainPPO(cartPole, cartPoleParams, {
      ...options,
      ppoConfig: { ...options.ppoConfig, lr: 1e-2 },
    });
    expect(bitsOf(swept[1].agentState)).toEqual(bitsOf(alone.agentState));
  });

  it("are refused where the config describes others", async () => {
    const both = { ppoConfig, networks: ppoNetworks, runnerConfig: runnerConfig() };
    await expect(trainPPO(cartPole, cartPoleParams, both)).rejects.toThrow(/config.hiddenSizes is \[8\]/);
  });
});
