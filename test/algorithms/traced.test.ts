// Hyper-parameters as scalar arrays: the same bits as numbers, one program for many values, checked where known.
import { afterEach, describe, expect, it, vi } from "vitest";
import { DQN, DQNConfig } from "vibe-rl/algorithms/dqn";
import { PPO, PPOConfig } from "vibe-rl/algorithms/ppo";
import { SAC, SACConfig } from "vibe-rl/algorithms/sac";
import type { Transition } from "vibe-rl/agent";
import { jit, np, precompile, random, tree, vmap, type Array } from "vibe-rl/array";
import { expectClose } from "../closeness.js";

const key = random.key(0);
const normal = (seed: number, shape: number[]) => random.normal(random.key(seed), shape);

const bits = (value: unknown): string =>
  tree
    .leaves(value)
    .map((leaf) => Buffer.from((leaf as Array).data().buffer).toString("hex"))
    .join();

/** Values that float64 and float32 arithmetic round differently, for all traceable fields. */
const ppoValues = {
  ...{ lr: 3.3e-4, maxGradNorm: 0.37, gamma: 0.9, gaeLambda: 0.95, clipEps: 0.0037, vfCoef: 0.7 },
  ...{ entCoef: 0.013, targetKl: 0.03, clipObs: 1.7, clipReward: 1.3 },
};
const dqnValues = {
  ...{ lr: 3.3e-4, gamma: 0.93, maxGradNorm: 0.37, epsilonStart: 0.87, epsilonEnd: 0.0137 },
  ...{ epsilonDecaySteps: 7, explorationFraction: 0.37, tau: 0.0137, clipObs: 1.7 },
  ...{ priorityAlpha: 0.63, priorityBeta: 0.41 },
};
const sacValues = {
  ...{ actorLr: 3.3e-4, criticLr: 2.7e-4, alphaLr: 1.1e-3, gamma: 0.93, maxGradNorm: 0.37, tau: 0.0137 },
  ...{ initAlpha: 0.3, targetEntropyScale: 0.7, logStdMin: -3.3, logStdMax: 0.7 },
  ...{ clipObs: 1.7, clipReward: 1.3 },
};
const asArrays = <T extends Record<string, number>>(values: T): Record<keyof T, Array> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, np.float32(value)])) as Record<
    keyof T,
    Array
  >;

const ppoShape = {
  ...{ hiddenSizes: [8], nSteps: 8, numEnvs: 2, nMinibatches: 2, nEpochs: 2 },
  ...{ normalizeObs: true, normalizeReward: true },
};
const steps = {
  ...{ obs: normal(1, [8, 2, 3]), action: random.randint(random.key(2), [8, 2], 0, 2) },
  ...{ logProb: np.full([8, 2], -0.7), value: normal(4, [8, 2]), reward: normal(5, [8, 2]).mul(3) },
  ...{ done: random.bernoulli(random.key(6), 0.2, [8, 2]), bootstrap: normal(7, [8, 2]) },
};
const ppoUpdate = (config: PPOConfig) =>
  PPO.update(PPO.init(key, [3], 2, config), steps, normal(8, [2]), { config });

const batch = (action: Array): Transition => ({
  ...{ obs: normal(1, [8, 3]), action, reward: normal(3, [8]).mul(3), nextObs: normal(4, [8, 3]) },
  done: random.bernoulli(random.key(5), 0.3, [8]),
});
const small = { hiddenSizes: [8], batchSize: 8, normalizeObs: true };
const dqnStep = (config: DQNConfig) => {
  const seen = DQN.observe(DQN.init(key, [3], 2, config), { obs: normal(9, [4, 3]) });
  const [learned, metrics] = DQN.update(seen, batch(random.randint(key, [8], 0, 2)), { config });
  return [metrics, DQN.actBatch(learned, normal(2, [64, 3]), { config })];
};
const sacStep = (config: SACConfig) => {
  const fresh = SAC.init(key, [3], 2, config);
  const seen = { obs: normal(9, [1, 3]), reward: np.array([2]), ended: np.array([false]) };
  const state = SAC.observe(fresh, seen, { config });
  return SAC.update(state, batch(random.uniform(key, [8, 2])), { config });
};

describe("a value as a number and as an array", () => {
  it("gives the same bits, for every field of PPO, DQN and SAC that may be traced", () => {
    for (const [builder, values] of [
      [PPOConfig, ppoValues],
      [DQNConfig, dqnValues],
      [SACConfig, sacValues],
    ] as const) {
      expect([...builder.traceable].sort()).toEqual(Object.keys(values).sort());
    }
    const ppo = { ...ppoShape, ...ppoValues };
    expect(bits(ppoUpdate(PPOConfig({ ...ppo, ...asArrays(ppoValues) })))).toBe(
      bits(ppoUpdate(PPOConfig(ppo))),
    );
    const dqn = {
      ...small,
      ...dqnValues,
      lrSchedule: "linear",
      scheduleUpdates: 11,
      targetUpdateFreq: 1,
    } as const;
    // Exploration ends after a number of updates, or after a part of all.
    for (const other of [{}, { explorationFraction: null }]) {
      const traced = { ...dqn, ...asArrays(dqnValues), ...other };
      expect(bits(dqnStep(DQNConfig(traced)))).toBe(bits(dqnStep(DQNConfig({ ...dqn, ...other }))));
    }
    const sac = { ...small, normalizeReward: true, ...sacValues };
    expect(bits(sacStep(SACConfig({ ...sac, ...asArrays(sacValues) })))).toBe(bits(sacStep(SACConfig(sac))));
  });

  it("differs where the value differs", () => {
    const traced = (lr: number) => ppoUpdate(PPOConfig({ ...ppoShape, ...ppoValues, lr: np.float32(lr) }));
    expect(bits(traced(1e-3))).not.toBe(bits(traced(2e-3)));
  });
});

describe("vmap", () => {
  it("over rates and seeds makes one program of them, each as it is alone", () => {
    const train = (lr: Array, clipEps: Array, seed: Array) => {
      const config = PPOConfig({ ...ppoShape, lr, clipEps });
      return PPO.update(PPO.init(seed, [3], 2, config), steps, normal(8, [2]), { config })[0].params;
    };
    const grid = [0, 1].flatMap((seed) => [1e-3, 1e-2, 1e-1].map((lr) => ({ seed, lr })));
    const [lrs, clips] = [grid.map(({ lr }) => lr), grid.map(({ lr }) => 0.1 + lr)].map((x) => np.array(x));
    const keys = np.stack(grid.map(({ seed }) => random.key(seed)));
    const together = jit(vmap(train))(lrs, clips, keys);
    const alone = jit(train);
    grid.forEach((_, at) => {
      const row = tree.map((x) => x.slice(at), together);
      expectClose(row, alone(lrs.slice(at), clips.slice(at), keys.slice(at)), { atol: 1e-5 });
    });
  });
});

describe("an array in a config", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  it("is compiled once, whatever its value, ahead of time if wanted", async () => {
    const state = DQN.init(key, [3], 2, DQNConfig(small));
    const transitions = batch(random.randint(key, [8], 0, 2));
    const optionsOf = (lr: number) => ({ config: DQNConfig({ ...small, lr: np.float32(lr) }) });
    vi.stubEnv("VIBE_RL_LOG_COMPILES", "1");
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    await precompile(DQN.update, state, transitions, optionsOf(0.1));
    expect(log).toHaveBeenCalledTimes(1);
    for (const lr of [1e-3, 1e-2, 1e-1]) DQN.update(state, transitions, optionsOf(lr));
    expect(log).toHaveBeenCalledTimes(1);
  });

  const refusals: [fact: string, make: () => unknown, message: string][] = [
    [
      "a concrete one that would be wrong as a number",
      () => PPOConfig({ gamma: np.float32(1.5) }),
      "PPOConfig: gamma must be a number from 0 to 1, got float32 1.5",
    ],
    ["NaN", () => SACConfig({ tau: np.float32(NaN) }), "tau must be a number from 0 to 1, got float32 NaN"],
    [
      "several values",
      () => PPOConfig({ lr: np.array([1e-3, 1e-2]) }),
      "lr must be a number greater than 0 or a scalar array (vmap is for several), got float32[2] [",
    ],
    [
      "a truth value",
      () => PPOConfig({ lr: np.bool(true) }),
      "or a scalar array (vmap is for several), got bool",
    ],
    [
      "a bound above the other",
      () => SACConfig({ logStdMin: np.float32(3) }),
      "logStdMin must be less than logStdMax, got 3 and 2",
    ],
    [
      "what decides shapes",
      () => PPOConfig({ nSteps: np.int32(8) as never }),
      "nSteps must be a whole number of at least 1, got int32 8; it decides shapes or control flow, so it is a " +
        "plain value and never an array",
    ],
    [
      "a width",
      () => DQNConfig({ hiddenSizes: [np.int32(8) as never] }),
      "hiddenSizes must be a list of whole numbers of at least 1, got [int32 8]; it decides shapes",
    ],
    [
      "a flag",
      () =>
        jit((double: Array) => DQN.init(key, [3], 2, { ...DQNConfig(), double: double as never }))(
          np.bool(true),
        ),
      "double must be true or false, got Traced<bool>; it decides shapes or control flow",
    ],
  ];
  for (const [fact, make, message] of refusals) {
    it(`is refused: ${fact}`, () => {
      expect(make).toThrow(message);
    });
  }

  it("may be traced, whole, or null where a number may", () => {
    const f = jit((lr: Array) => np.multiply(PPOConfig({ lr, targetKl: null }).lr, 2));
    expect(f(np.float32(-1)).item()).toBe(-2);
    expect(DQNConfig({ epsilonDecaySteps: np.int32(100) }).epsilonDecaySteps).toBeInstanceOf(
      np.int32(0).constructor,
    );
  });
});
