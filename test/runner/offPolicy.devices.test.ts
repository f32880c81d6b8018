// DQN and SAC on several devices: what they compute is what one device computes with all environments.
import { describe, expect, it } from "vitest";
import { mlp } from "vibe-rl/agent";
import { DQNConfig } from "vibe-rl/algorithms/dqn";
import { tree, type Array } from "vibe-rl/array";
import { listCheckpoints } from "vibe-rl/checkpoint";
import { DivergedError, sweep, trainDQN, trainSAC, type RunnerConfig } from "vibe-rl/runner";
import { dqnTrainer, sacTrainer, type RunOptions, type Trainer } from "../../src/runner/index.js";
import { isLong } from "../long.js";
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
  runBare,
  runnerConfig,
  sacConfig,
  waves,
} from "./small.js";

const plain = { hiddenSizes: [8], batchSize: 16 };
const hidden = <S>(trainer: Trainer<S>): Trainer<object> => trainer as unknown as Trainer<object>;
const algorithms = {
  DQN: (config: RunnerConfig) => hidden(dqnTrainer(cartPole, cartPoleParams, DQNConfig(plain), config)),
  // Prioritised, over several steps, with running statistics.
  "DQN with everything": (config: RunnerConfig) =>
    hidden(dqnTrainer(gridWorld, gridWorldParams, dqnConfig, config)),
  SAC: (config: RunnerConfig) => hidden(sacTrainer(pendulum, pendulumParams, sacConfig, config)),
};
type Name = keyof typeof algorithms;

/** A run of eight environments on so many devices. */
const settings = (devices: number, given: Partial<RunnerConfig> = {}): RunnerConfig =>
  runnerConfig({
    ...{ numDevices: devices, numEnvs: 8 / devices, totalTimesteps: 480, warmupSteps: 80 },
    ...{ evalEvery: 240, logInterval: 160 },
    ...given,
  });

const known = new Map<string, Trainer<object>>();

/** Trains; programs are compiled once for all tests. */
function train(
  name: Name,
  devices: number,
  given: Partial<RunnerConfig> = {},
  options: RunOptions<object> = {},
) {
  const key = `${name} ${devices}`;
  const config = settings(devices, given);
  const trainer = known.get(key) ?? algorithms[name](settings(devices));
  known.set(key, trainer);
  return runBare(trainer, config, options);
}

/** Stops a run after its first log. */
function stopped(): RunOptions<object> {
  const controller = new AbortController();
  return { signal: controller.signal, callback: () => controller.abort() };
}

/** The paths of arrays that differ: integers and flags at all, others by more than 1e-5. */
function differing(found: object, expected: object): string[] {
  const list: string[] = [];
  tree.mapWithPath(
    (path: string, a: unknown, b: unknown) => {
      const [x, y] = [(a as Array).data(), (b as Array).data()];
      const most = (a as Array).dtype === "float32" ? 1e-5 : 0;
      const isNear = (value: number, at: number) =>
        Math.abs(value - y[at]) <= most * Math.max(1, Math.abs(y[at]));
      if (x.length !== y.length || ![...x].every(isNear)) list.push(path);
      return 0;
    },
    found,
    expected,
  );
  return list;
}

describe.each<[Name, readonly number[]]>([
  ["DQN", isLong ? [2, 4] : [4]],
  ["DQN with everything", [4]],
  ["SAC", isLong ? [2, 4] : [2]],
])("%s", (name, counts) => {
  it.each(counts)("computes on %i devices what one computes with all environments", async (devices) => {
    const [alone, shared] = [await train(name, 1), await train(name, devices)];
    expect(differing(shared.state, alone.state)).toEqual([]);
    expect(shared.episodeLengths).toEqual(alone.episodeLengths);
    const steps = alone.metricsLog.map(({ step }) => step);
    expect(shared.metricsLog.map(({ step }) => step)).toEqual(steps);
    expect(shared.evalLog).toHaveLength(2);
  });

  it("gives the same bits in two runs, and in one that was stopped and went on", async () => {
    const devices = counts[0];
    const first = await train(name, devices);
    const second = await train(name, devices);
    expect(bitsOf(second.state)).toEqual(bitsOf(first.state));
    const files = { checkpointDir: temporaryFolder() };
    const part = await train(name, devices, files, stopped());
    expect([part.isStopped, part.step]).toEqual([true, 160]);
    const rest = await train(name, devices, { ...files, resume: true });
    expect(bitsOf(rest.state)).toEqual(bitsOf(first.state));
    expect(rest.metricsLog).toEqual(first.metricsLog);
    expect(rest.evalLog).toEqual(first.evalLog);
  });
});

describe("a run on several devices", () => {
  it("goes on with another number of them", async () => {
    const files = { checkpointDir: temporaryFolder() };
    await train("SAC", 4, files, stopped());
    expect(listCheckpoints(files.checkpointDir).length).toBeGreaterThan(0);
    const rest = await train("SAC", 2, { ...files, resume: true });
    expect(rest.isStopped).toBe(false);
    expect(differing(rest.state, (await train("SAC", 1)).state)).toEqual([]);
    const more = algorithms.SAC(settings(2, { numEnvs: 8 }));
    await expect(runBare(more, settings(2, { ...files, resume: true, numEnvs: 8 }))).rejects.toThrow(
      "was made with numEnvs = 8, this run has 16",
    );
  });

  it("has its environments and its ring in parts, and one copy of the rest", async () => {
    const { state } = await train("DQN", 4);
    const { buffer, obs, agentState } = state as Record<string, Record<string, Array>> & { obs: Array };
    const { data, next } = buffer as unknown as { data: Record<string, Array>; next: Array };
    const parts = (array: Array) => array.addressableShards.map((shard) => shard.data.shape);
    const four = <T>(x: T) => globalThis.Array.from({ length: 4 }, () => x);
    expect(parts(data.obs)).toEqual(four([64, 4]));
    expect(parts(data.done)).toEqual(four([64]));
    expect(parts(obs)).toEqual(four([2, 4]));
    for (const array of [next, agentState.step, agentState.rng]) expect(array.isFullyReplicated).toBe(true);
  });

  it("takes all devices where no number is given", async () => {
    const seen: number[] = [];
    const { agentState } = await trainDQN(cartPole, cartPoleParams, {
      dqnConfig: plain,
      runnerConfig: {
        ...settings(8, { totalTimesteps: 16, warmupSteps: 8 }),
        numDevices: null,
        evalEvery: 16,
      },
      callback: (step) => void seen.push(step),
    });
    expect(seen).toEqual([16]);
    expect(agentState.step.addressableShards).toHaveLength(8);
  });

  it("splits large parameters over fsdpDevices", async () => {
    const wide = mlp({ hiddenSizes: [1024, 1024], kernelInit: waves });
    const few = { totalTimesteps: 24, warmupSteps: 16, logInterval: 24, evalEvery: 24, evalEpisodes: 1 };
    const [shared, alone] = await Promise.all(
      [settings(2, { ...few, fsdpDevices: 2 }), settings(1, few)].map((config) =>
        trainDQN(cartPole, cartPoleParams, {
          dqnConfig: { batchSize: 8 },
          networks: { q: wide },
          runnerConfig: config,
        }),
      ),
    );
    const large = tree.leaves(shared.agentState.params).filter(({ size }) => size === 1024 ** 2);
    expect(large.map((w) => w.addressableShards.map((shard) => shard.data.size))).toEqual([
      [1024 ** 2 / 2, 1024 ** 2 / 2],
    ]);
    expect(differing(shared.agentState, alone.agentState)).toEqual([]);
  });

  it("stops where numbers are lost", async () => {
    const lost = trainDQN(cartPole, cartPoleParams, {
      dqnConfig: { ...plain, lr: 1e30, maxGradNorm: 1e30 },
      runnerConfig: settings(2),
    });
    await expect(lost).rejects.toThrow(DivergedError);
  });

  it("says which settings cannot be shared evenly, and when there are too few devices", async () => {
    const dqn = (config: Partial<RunnerConfig>, batchSize = 8) =>
      trainDQN(cartPole, cartPoleParams, {
        dqnConfig: { ...plain, batchSize },
        runnerConfig: { ...settings(4), ...config },
      });
    await expect(dqn({ bufferSize: 258 })).rejects.toThrow(
      "trainDQN: bufferSize 258 cannot be split over 4 devices; make it a multiple of 4, such as 256, or set numDevices",
    );
    await expect(dqn({}, 10)).rejects.toThrow("trainDQN: batchSize 10 cannot be split over 4 devices");
    await expect(dqn({ fsdpDevices: 3 })).rejects.toThrow("numDevices 4 is not divisible by fsdpDevices 3");
    await expect(dqn({ numDevices: 16 })).rejects.toThrow(
      "16 devices were requested, and there are 8; call setCpuDevices(16)",
    );
    await expect(
      trainSAC(pendulum, pendulumParams, {
        sacConfig: plain,
        runnerConfig: { ...settings(4), bufferSize: 2 },
      }),
    ).rejects.toThrow(
      "trainSAC: bufferSize 2 cannot be split over 4 devices; make it a multiple of 4, such as 4",
    );
  });

  it("is not for sweeps, whose runs go side by side on one", async () => {
    const options = { dqnConfig: plain, runnerConfig: settings(4) };
    await expect(sweep(trainDQN, cartPole, cartPoleParams, options, { seeds: [0, 1] })).rejects.toThrow(
      /sweep: runs on one device, got numDevices 4/,
    );
  });
});
