// Evaluation against a loop written by hand.
import { expect, it } from "vitest";
import { PPO, PPOConfig } from "vibe-rl/algorithms/ppo";
import { np, random, vmap, type Array } from "vibe-rl/array";
import { AutoResetWrapper, Box, Discrete, make, type Environment } from "vibe-rl/env";
import { evaluate, jitEvaluate } from "vibe-rl/runner";

const [env, params] = make("CartPole-v1");
const config = PPOConfig({ hiddenSizes: [8] });
const agent = PPO.init(random.key(7), [4], env.actionSpace(params), config);
const act = (state: typeof agent, obs: Array) => PPO.act(state, obs, { config, explore: false })[0];

/** Returns and lengths of episodes, one after the other, with the keys that evaluation uses. */
function playByHand(rng: Array, nEpisodes: number, maxSteps: number) {
  const [resetKey, playKey] = random.split(rng);
  const starts = [...random.split(resetKey, nEpisodes)].map((key) => env.reset(key, params));
  return starts.map(([firstObs, firstState], episode) => {
    let [obs, state, key, total] = [firstObs, firstState, playKey, 0];
    for (let length = 1; ; length++) {
      const [next, stepKey] = random.split(key);
      key = next;
      const own = random.split(stepKey, nEpisodes).slice(episode);
      const [nextObs, nextState, reward, done] = env.step(own, state, act(agent, obs), params);
      total += reward.item();
      if (done.item<boolean>() || length === maxSteps) return { total, length };
      [obs, state] = [nextObs, nextState];
    }
  });
}

const mean = (list: readonly number[]) => list.reduce((sum, x) => sum + x, 0) / list.length;

it("evaluate and jitEvaluate play what a loop by hand plays", () => {
  const rng = random.key(3);
  for (const maxSteps of [500, 12]) {
    const played = playByHand(rng, 4, maxSteps);
    const returns = played.map(({ total }) => total);
    const spread = Math.sqrt(mean(returns.map((x) => (x - mean(returns)) ** 2)));
    for (const how of [evaluate, jitEvaluate]) {
      const result = how(act, agent, env, params, { nEpisodes: 4, maxSteps, rng });
      expect(result.meanReturn.item()).toBeCloseTo(mean(returns), 4);
      expect(result.stdReturn.item()).toBeCloseTo(spread, 4);
      expect(result.meanLength.item()).toBeCloseTo(mean(played.map(({ length }) => length)), 4);
    }
  }
});

it("evaluates environments that reset themselves alike: only the first episode counts", () => {
  const options = { nEpisodes: 4, maxSteps: 500, rng: random.key(3) };
  const plain = jitEvaluate(act, agent, env, params, options);
  const wrapped = jitEvaluate(act, agent, AutoResetWrapper(env), params, options);
  expect(wrapped.meanReturn.item()).toBe(plain.meanReturn.item());
  expect(wrapped.meanLength.item()).toBe(plain.meanLength.item());
});

it("passes over what an environment says after the end of an episode", () => {
  interface Count {
    readonly turn: Array;
  }
  // Ends after one or two steps; later rewards are NaN.
  const short: Environment<Count, null> = {
    name: "Short",
    defaultParams: () => null,
    observationSpace: () => Box({ low: 0, high: 1, shape: [1] }),
    actionSpace: () => Discrete(2),
    reset: (key) => {
      const turn = random.bernoulli(key, 0.5).astype("int32");
      return [np.zeros([1]), { turn }];
    },
    step: (_, { turn }) => {
      const next = turn.add(1);
      const reward = np.where(next.greater(2), NaN, 1);
      const terminated = next.greaterEqual(2);
      return [np.zeros([1]), { turn: next }, reward, terminated, { terminated, truncated: np.bool(false) }];
    },
  };
  const rng = random.key(0);
  const starts = vmap((key: Array) => short.reset(key, null)[1].turn)(
    random.split([...random.split(rng)][0], 8),
  );
  const lengths = (starts.toArray() as number[]).map((turn) => 2 - turn);
  expect(new Set(lengths)).toEqual(new Set([1, 2]));
  const act0 = () => np.int32(0);
  const result = jitEvaluate(act0, { none: np.int32(0) }, short, null, { nEpisodes: 8, maxSteps: 9, rng });
  expect(result.meanReturn.item()).toBeCloseTo(mean(lengths), 5);
  expect(result.meanLength.item()).toBeCloseTo(mean(lengths), 5);
});
