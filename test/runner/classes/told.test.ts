// Parts of rewards and figures of its own that a functional environment tells: logged as those of objects are.
import path from "node:path";
import { describe, expect, it } from "vitest";
import { np, type Array } from "vibe-rl/array";
import { Box, Discrete, type Environment } from "vibe-rl/env";
import { OffPolicyRunner, OnPolicyRunner, type Stats } from "vibe-rl/runner";
import { FunctionalVecEnv, type VecEnv } from "vibe-rl/vecEnv";
import { temporaryFolder } from "../../temporary.js";
import { smallConfig } from "./corridor.js";

interface Beat {
  readonly count: Array;
}

/** Episodes of five steps whatever is done, with rewards that have two parts. */
const metronome = (extra: (count: Array) => object): Environment<Beat, object> => ({
  name: "Metronome",
  defaultParams: () => ({}),
  observationSpace: () => Box({ low: 0, high: 5, shape: [1] }),
  actionSpace: () => Discrete(2),
  reset: () => [np.zeros([1]), { count: np.int32(0) }],
  step(_key, state) {
    const count = state.count.add(1);
    const done = count.equal(5);
    const info = { terminated: done, truncated: np.array(false), ...extra(count) };
    return [count.astype("float32").reshape([1]), { count }, count.mul(0.5).sub(1), done, info];
  },
});

const telling = metronome((count) => ({
  rewardComponents: { beat: count.mul(0.5), cost: np.float32(-1) },
  log: { "/metronome/late": count.greater(3), count },
}));

/** The environment as an object, which is stepped on the host. */
function asObjects(env: Environment<Beat, object>, numEnvs: number): VecEnv {
  const { env: _, params: __, ...vec } = FunctionalVecEnv(env, {}, numEnvs);
  return vec;
}

const own = (stats: Stats): Stats =>
  Object.fromEntries(
    Object.entries(stats).filter(([tag]) => !/^(train|rollout|exploration|buffer)\//.test(tag)),
  );

const runners = {
  OnPolicyRunner: (env: VecEnv | Environment, options: object = {}) =>
    new OnPolicyRunner({ ...{ env, numEnvs: 3, cfg: smallConfig }, ...options }),
  OffPolicyRunner: (env: VecEnv | Environment, options: object = {}) =>
    new OffPolicyRunner({
      ...{ env, numEnvs: 3, cfg: { hiddenSizes: [8], batchSize: 8 }, learningStarts: 24 },
      ...{ stepsPerIteration: 48, bufferSize: 64 },
      ...options,
    }),
};

describe.each(Object.entries(runners))("%s with a functional environment that tells more", (name, runner) => {
  it("logs the same tags and figures as with the environment as an object", async () => {
    const compiled = await runner(telling).learn(96);
    const onHost = await runner(asObjects(telling, 3)).learn(96);
    expect(Object.keys(compiled).toSorted()).toEqual(Object.keys(onHost).toSorted());
    expect(own(compiled)).toEqual(own(onHost));
    // 0.5 + 1 + … + 2.5, and five times −1. Steps 17 to 32 are the second to the fifth of an episode, and so on.
    expect(own(compiled)).toMatchObject({
      ...{ "reward/beat": 7.5, "reward/cost": -5, "episode/mean_reward": 2.5, "episode/mean_length": 5 },
      ...{ count: (2 + 3 + 4 + 5 + 15 + 15 + 1 + 2) / 16, "/metronome/late": 6 / 16 },
    });
  });

  it("adds up an episode that goes on after a checkpoint, and leaves parts out if asked to", async () => {
    const folder = path.join(temporaryFolder(), "model");
    const first = runner(telling);
    await first.learn(48);
    await first.saveCheckpoint(folder);
    const resumed = runner(telling);
    await resumed.loadCheckpoint(folder);
    expect(own(await resumed.learn(96))).toEqual(own(await runner(telling).learn(96)));
    const without = await runner(telling, { logRewardComponents: false }).learn(48);
    expect(Object.keys(own(without)).toSorted()).toEqual(
      ["/metronome/late", "count", "episode/mean_length", "episode/mean_reward"].toSorted(),
    );
  });

  it("refuses parts that are not one number each", async () => {
    const learn = (extra: object) => runner(metronome(() => extra)).learn(48);
    await expect(learn({ rewardComponents: { legs: np.zeros([4]) } })).rejects.toThrow(
      `${name}: info.rewardComponents["legs"] must be a scalar array, got shape [4]`,
    );
    await expect(learn({ log: np.zeros([]) })).rejects.toThrow(
      `${name}: info.log must be an object with a scalar array for each name, got an array`,
    );
  });
});
