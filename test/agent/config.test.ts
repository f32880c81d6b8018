// Configs are frozen, complete and checked; what is wrong is refused by name.
import { describe, expect, it } from "vitest";
import { DQN, DQNConfig } from "vibe-rl/algorithms/dqn";
import { PPO, PPOConfig } from "vibe-rl/algorithms/ppo";
import { SAC, SACConfig } from "vibe-rl/algorithms/sac";
import { random } from "vibe-rl/array";
import { Box, Discrete, MultiBinary } from "vibe-rl/env";

const key = random.key(0);

describe("configs", () => {
  it("have the defaults of the documentation", () => {
    expect(PPOConfig()).toEqual({
      ...{ hiddenSizes: [64, 64], network: "auto", lr: 2.5e-4, maxGradNorm: 0.5, gamma: 0.99 },
      ...{ gaeLambda: 0.95, clipEps: 0.2, clipValueLoss: true, vfCoef: 0.5, entCoef: 0.01 },
      ...{ normalizeAdvantage: true, targetKl: null, nSteps: 128, nMinibatches: 4, nEpochs: 4 },
      ...{ numEnvs: 1, sharedBackbone: false },
      ...{ lrSchedule: "constant", clipSchedule: "constant", scheduleUpdates: null },
      ...{ normalizeObs: false, clipObs: 10, normalizeReward: false, clipReward: 10 },
    });
    expect(DQNConfig()).toEqual({
      ...{ hiddenSizes: [128, 128], network: "auto", lr: 1e-3, gamma: 0.99, batchSize: 64, maxGradNorm: 10 },
      ...{ targetUpdateFreq: 1000, epsilonStart: 1, epsilonEnd: 0.01, epsilonDecaySteps: 50_000 },
      ...{ double: false, dueling: false, loss: "mse", normalizeObs: false, clipObs: 10 },
      ...{ trainFreq: 1, gradientSteps: 1, tau: 1, explorationFraction: null, nSteps: 1 },
      ...{ prioritized: false, priorityAlpha: 0.6, priorityBeta: 0.4 },
      ...{ lrSchedule: "constant", scheduleUpdates: null },
    });
    expect(SACConfig()).toEqual({
      ...{
        hiddenSizes: [256, 256],
        network: "auto",
        actorLr: 3e-4,
        criticLr: 3e-4,
        alphaLr: 3e-4,
        gamma: 0.99,
      },
      ...{ batchSize: 256, maxGradNorm: 10, tau: 0.005, initAlpha: 1, autotuneAlpha: true },
      ...{ targetEntropyScale: 1, actionLow: null, actionHigh: null, logStdMin: -20, logStdMax: 2 },
      ...{ trainFreq: 1, gradientSteps: 1, lrSchedule: "constant", scheduleUpdates: null, nSteps: 1 },
      ...{ normalizeObs: false, clipObs: 10, normalizeReward: false, clipReward: 10 },
    });
  });

  it("cannot be changed, nor can their lists", () => {
    const sizes = [32, 32];
    const config = PPOConfig({ hiddenSizes: sizes });
    sizes.push(1);
    expect(config.hiddenSizes).toEqual([32, 32]);
    expect(() => Object.assign(config, { lr: 1 })).toThrow(TypeError);
    expect(() => (config.hiddenSizes as number[]).push(8)).toThrow(TypeError);
  });

  it("can be made from another config", () => {
    const config = PPOConfig({ lr: 1e-3 });
    expect(PPOConfig({ ...config, gamma: 0.9 })).toEqual({ ...config, gamma: 0.9 });
    // exactOptionalPropertyTypes is not everybody's setting: undefined is a field left out.
    expect(PPOConfig({ lr: undefined } as object).lr).toBe(2.5e-4);
  });

  const refusals: [fact: string, make: () => unknown, message: string][] = [
    [
      "a negative learning rate",
      () => PPOConfig({ lr: -1 }),
      "PPOConfig: lr must be a number greater than 0, got -1",
    ],
    ["a learning rate that is no number", () => DQNConfig({ lr: NaN }), "DQNConfig: lr must be"],
    [
      "a text for a number",
      () => SACConfig({ tau: "0.1" } as object),
      'tau must be a number from 0 to 1, got "0.1"',
    ],
    ["a discount above 1", () => DQNConfig({ gamma: 1.5 }), "gamma must be a number from 0 to 1, got 1.5"],
    ["half a step", () => PPOConfig({ nSteps: 1.5 }), "nSteps must be a whole number of at least 1, got 1.5"],
    [
      "no width",
      () => PPOConfig({ hiddenSizes: [0] }),
      "hiddenSizes must be a list of whole numbers of at least 1, got [0]",
    ],
    [
      "a target KL of 0",
      () => PPOConfig({ targetKl: 0 }),
      "targetKl must be a number greater than 0, or null, got 0",
    ],
    ["an unknown loss", () => DQNConfig({ loss: "l1" } as object), 'loss must be "mse" or "huber", got "l1"'],
    [
      "minibatches that do not divide the rollout",
      () => PPOConfig({ nSteps: 10, numEnvs: 3, nMinibatches: 4 }),
      "nMinibatches is 4, which does not divide the 30 steps of a rollout (nSteps 10 × numEnvs 3)",
    ],
    [
      "bounds the wrong way round",
      () => SACConfig({ actionLow: 2, actionHigh: -2 }),
      "actionLow must be less than actionHigh, got 2 and -2",
    ],
    [
      "bounds of different sizes",
      () => SACConfig({ actionLow: [0, 0, 0], actionHigh: [1, 1] }),
      "actionLow has 3 components, actionHigh 2",
    ],
    [
      "a misspelt field",
      () => PPOConfig({ gaeLamda: 0.9 } as object),
      "there is no field `gaeLamda`; did you mean `gaeLambda`?",
    ],
    ["a field in snake_case", () => DQNConfig({ batch_size: 8 } as object), "did you mean `batchSize`?"],
    [
      "a field of another world",
      () => SACConfig({ zzzzzzzz: 1 } as object),
      "The fields are hiddenSizes, network, actorLr",
    ],
    ["what is no object", () => PPOConfig([1] as object), "takes an object with the fields that differ"],
  ];
  for (const [fact, make, message] of refusals) {
    it(`refuse ${fact}`, () => {
      expect(make).toThrow(message);
    });
  }
});

describe("action spaces", () => {
  const box = Box({ low: -2, high: 2, shape: [1] });

  it("must be discrete for DQN", () => {
    expect(() => DQN.init(key, [3], box, DQNConfig())).toThrow(
      "DQN.init: needs a Discrete action space, got Box(float32[1] from -2 to 2)",
    );
  });

  it("must be continuous and bounded for SAC", () => {
    expect(() => SAC.init(key, [3], Discrete(4), SACConfig())).toThrow(
      "SAC.init: needs a Box action space, got Discrete(4)",
    );
    const unbounded = Box({ shape: [1] });
    expect(() => SAC.init(key, [3], unbounded, SACConfig())).toThrow(
      "have no bounds; say them: SACConfig({ actionLow: … })",
    );
    const own = SACConfig({ actionLow: -3, actionHigh: 3 });
    expect(SAC.init(key, [3], unbounded, own).actionHigh.toArray()).toEqual([3]);
    expect(() => SAC.init(key, [3], box, own)).toThrow(
      "config.actionLow is -3, outside the actions of Box(float32[1] from -2 to 2), which begin at -2",
    );
    expect(() => SAC.init(key, [3], box, SACConfig({ actionLow: 2.5 }))).toThrow(
      "component 0 of actions goes from 2.5 to 2",
    );
    expect(() => SAC.init(key, [3], 2, SACConfig({ actionLow: [0, 0, 0] }))).toThrow(
      "config.actionLow has 3 components, actions have 2",
    );
  });

  it("must be Discrete or a vector for PPO", () => {
    expect(() => PPO.init(key, [3], MultiBinary(2), PPOConfig())).toThrow("must be Discrete or Box");
    expect(() => PPO.init(key, [3], Box({ shape: [2, 2] }), PPOConfig())).toThrow("float32 vectors");
    expect(() => PPO.init(key, [3], 0, PPOConfig())).toThrow("the number of actions must be");
  });
});
