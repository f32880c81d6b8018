// FunctionalVecEnv: functional environments as a VecEnv.
import { describe, expect, it } from "vitest";
import { np, random, type Array as NDArray } from "vibe-rl/array";
import { AutoResetWrapper, Box, Discrete, make, type Environment } from "vibe-rl/env";
import { FunctionalVecEnv, VecEnvError } from "vibe-rl/vecEnv";
import { copyStep } from "./games.js";

/** Actions that differ between steps and environments. */
const actionsAt = (step: number, count: number) =>
  Int32Array.from({ length: count }, (_, index) => ((step >> (index % 3)) + index) % 2);
const play = (vec: FunctionalVecEnv, steps: number, from = 0) =>
  Array.from({ length: steps }, (_, step) => copyStep(vec.step(actionsAt(from + step, vec.numEnvs))));

/** Counts to a number: the episode is cut off there, or ends one step before where the action is 1. */
const counting: Environment<{ readonly time: NDArray }, { readonly limit: NDArray }> = {
  name: "Counting-v0",
  defaultParams: () => ({ limit: np.int32(3) }),
  observationSpace: () => Box({ low: 0, high: 100, shape: [1] }),
  actionSpace: () => Discrete(2),
  reset: () => [np.zeros([1]), { time: np.int32(0) }],
  step(_key, state, action, { limit }) {
    const time = state.time.add(1);
    const truncated = time.greaterEqual(limit);
    const terminated = action.equal(1).and(time.greaterEqual(limit.sub(1)));
    const seen = time.astype("float32");
    const info = { terminated, truncated, rewardComponents: { time: seen }, log: { time: seen } };
    return [seen.reshape([1]), { time }, seen.mul(2), terminated.or(truncated), info];
  },
};

describe("FunctionalVecEnv", () => {
  it("plays environment i from the seed plus i, however many there are", () => {
    const [env, params] = make("CartPole-v1");
    const [many, one] = [FunctionalVecEnv(env, params, 3), FunctionalVecEnv(env, params, 1)];
    const obs = many.reset(4);
    for (let index = 0; index < 3; index++) {
      expect(one.reset(4 + index)).toEqual(obs.slice(4 * index, 4 * index + 4));
    }
    const last = one.step(Int32Array.of(1));
    expect(many.step(Int32Array.of(0, 0, 1)).obs.slice(8)).toEqual(last.obs);
  });

  it("gives the same episodes for the same seed, and goes on with others without one", () => {
    const vec = FunctionalVecEnv(...make("CartPole-v1"), 4);
    const first = vec.reset(1).slice();
    const steps = play(vec, 40);
    expect(vec.reset(1)).toEqual(first);
    expect(play(vec, 40)).toEqual(steps);
    expect(vec.reset()).not.toEqual(first);
    expect(FunctionalVecEnv(...make("CartPole-v1"), 4).reset()).toEqual(vec.reset(0));
  });

  it("begins the next episode by itself, with the last observation of the one before beside it", () => {
    for (const env of [counting, AutoResetWrapper(counting)]) {
      const vec = FunctionalVecEnv(env, env.defaultParams(), 2);
      expect([...vec.reset(0)]).toEqual([0, 0]);
      vec.step(Int32Array.of(0, 0));
      const second = vec.step(Int32Array.of(0, 1));
      expect([...second.obs]).toEqual([2, 0]);
      expect([...second.rewards]).toEqual([4, 4]);
      expect([...second.dones]).toEqual([0, 1]);
      expect([...(second.extras.terminated ?? [])]).toEqual([0, 1]);
      expect(second.extras.finalObservation?.[1]).toBe(2);
      const third = vec.step(Int32Array.of(1, 0));
      // On its last permitted step it came to its own end.
      expect([...third.extras.timeOuts]).toEqual([0, 0]);
      vec.reset(0);
      const ends = Array.from({ length: 4 }, () => vec.step(Int32Array.of(0, 0)).extras.timeOuts[0]);
      expect(ends).toEqual([0, 0, 1, 0]);
    }
  });

  it("hands on parts of rewards and figures to log", () => {
    const vec = FunctionalVecEnv(counting, counting.defaultParams(), 2);
    vec.reset(0);
    vec.step(Int32Array.of(0, 0));
    vec.step(Int32Array.of(0, 1));
    const { rewardComponents, log } = vec.step(Int32Array.of(0, 0)).extras;
    expect(Array.from(rewardComponents?.time ?? [])).toEqual([3, 1]);
    expect(log).toEqual({ time: 2 });
  });

  it("goes on from a state bit for bit, also in another vector and through JSON", () => {
    for (const id of ["CartPole-v1", "Breakout-MinAtar"] as const) {
      const [env, params] = make(id);
      const vec = FunctionalVecEnv(env as Environment, params, 3);
      vec.reset(2);
      play(vec, 10);
      const state = JSON.stringify(vec.getState());
      const steps = play(vec, 30, 10);
      const other = FunctionalVecEnv(env as Environment, params, 3);
      other.setState(JSON.parse(state));
      expect(JSON.stringify(other.getState())).toBe(state);
      expect(play(other, 30, 10)).toEqual(steps);
    }
  });

  it("takes real actions, and draws pictures of each environment", () => {
    const vec = FunctionalVecEnv(...make("Pendulum-v1"), 2);
    vec.reset(0);
    expect(vec.step(Float32Array.of(-1, 1)).rewards[0]).toBeLessThan(0);
    const pictures = [0, 1].map((index) => vec.render?.(index));
    expect(pictures[0]).toContain("<svg");
    expect(pictures[1]).not.toEqual(pictures[0]);
  });

  it("says which environment's numbers are not finite", () => {
    const bursting: typeof counting = {
      ...counting,
      reset: (key) => {
        const time = random.randint(key, [], 0, 2).mul(50);
        return [time.astype("float32").reshape([1]), { time }];
      },
      step(key, state, action, params) {
        const [obs, next, reward, done, info] = counting.step(key, state, action, params);
        return [obs, next, np.where(state.time.greater(40), np.float32(NaN), reward), done, info];
      },
    };
    const vec = FunctionalVecEnv(bursting, { limit: np.int32(80) }, 8);
    const index = vec.reset(5).indexOf(50);
    expect(index).toBeGreaterThan(0);
    let error: unknown;
    try {
      vec.step(new Int32Array(8));
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(VecEnvError);
    expect(error).toMatchObject({ index });
    expect(String(error)).toContain(
      `environment ${index} (Counting-v0): the reward of step is NaN; it must be finite`,
    );
  });

  it("refuses what does not fit", () => {
    const [env, params] = make("CartPole-v1");
    expect(() => FunctionalVecEnv(env, params, 0)).toThrow(
      "the number of environments must be a whole number of at least 1, got 0",
    );
    const vec = FunctionalVecEnv(env, params, 2);
    expect(() => vec.step(new Int32Array(2))).toThrow("step() comes before reset()");
    vec.reset(0);
    expect(() => vec.step(new Int32Array(3))).toThrow("takes actions as a Int32Array of 2 (2 × Discrete(2))");
    const state = vec.getState() as object;
    expect(() => vec.setState({ ...state, count: 3 })).toThrow(
      "setState takes what getState gives for 2 × CartPole-v1",
    );
    expect(() => vec.setState({ ...state, arrays: "AAAA" })).toThrow("setState takes what getState gives");
    vec.close();
    expect(() => vec.reset()).toThrow("reset() comes after close()");
  });
});
