// SyncVecEnv: objects side by side in one thread.
import { describe, expect, it } from "vitest";
import { Box, Discrete, Image, MultiBinary } from "vibe-rl/env";
import { SyncVecEnv, VecEnvError, type HostAction, type HostEnv, type VecStep } from "vibe-rl/vecEnv";
import { copyStep, slowly, Walk, walking } from "./games.js";

const walks = (count: number, limit?: number) =>
  SyncVecEnv(Array.from({ length: count }, () => () => new Walk(limit)));
const now = <T>(value: T | Promise<T>): T => {
  if (value instanceof Promise) throw new Error("a promise where none was expected");
  return value;
};
const ones = (count: number) => new Int32Array(count).fill(1);

/** The error of a call, whether it is thrown or rejected. */
async function failureOf(call: () => unknown): Promise<Error> {
  try {
    await call();
  } catch (error) {
    return error as Error;
  }
  throw new Error("nothing was thrown");
}

describe("SyncVecEnv", () => {
  it("starts environment i with the seed plus i", () => {
    const together = now(walks(3).reset(7));
    const alone = [7, 8, 9].flatMap((seed) => [...now(walks(1).reset(seed))]);
    expect([...together]).toEqual(alone);
    expect(new Set(alone).size).toBeGreaterThan(3);
  });

  it("gives rewards, ends, and the first observation of the next episode with the last one beside it", () => {
    const env = walks(2);
    const obs = now(env.reset(0));
    const start = obs[0];
    for (let step = 1; step < 3; step++) expect([...now(env.step(ones(2))).dones]).toEqual([0, 0]);
    expect(obs[0]).toBe(Math.fround(start + 2));
    const { rewards, dones, extras } = now(env.step(ones(2)));
    expect(dones[0]).toBe(1);
    expect(extras.terminated?.[0]).toBe(1);
    expect(extras.timeOuts[0]).toBe(0);
    expect(rewards[0]).toBeCloseTo(start + 2.5, 5);
    expect(extras.finalObservation?.[0]).toBeCloseTo(start + 3, 5);
    // A new episode: its place is between 0 and 1, and it has no steps.
    expect(obs[0]).toBeLessThan(1);
    expect(obs[1]).toBe(0);
  });

  it("tells episodes that were cut off from those that came to their end", () => {
    const env = SyncVecEnv([() => new Walk(2), () => new Walk(), () => walking({ step: both })]);
    function both() {
      return [[0, 0], 0, true, true];
    }
    now(env.reset(0));
    now(env.step(new Int32Array(3)));
    const { dones, extras } = now(env.step(new Int32Array(3)));
    expect([...dones]).toEqual([1, 0, 1]);
    expect([...extras.timeOuts]).toEqual([1, 0, 0]);
    expect([...(extras.terminated ?? [])]).toEqual([0, 0, 1]);
    expect(extras.truncated).toEqual(extras.timeOuts);
  });

  it("cuts episodes off after maxEpisodeSteps", () => {
    const env = SyncVecEnv([() => new Walk(1000)], { maxEpisodeSteps: 3 });
    now(env.reset(0));
    const ends = Array.from({ length: 7 }, () => now(env.step(new Int32Array(1))).extras.timeOuts[0]);
    expect(ends).toEqual([0, 0, 1, 0, 0, 1, 0]);
  });

  it("gathers the parts of rewards by environment, and means of logged figures over those that give them", () => {
    const telling = (info: object) => () => walking({ step: () => [[0, 0], 0, false, false, info] });
    const env = SyncVecEnv([
      telling({ rewardComponents: { speed: 1.5 }, log: { height: 1, "/robot/x": 7 } }),
      telling({ log: { height: 2 } }),
      telling({ rewardComponents: { energy: -1 } }),
    ]);
    now(env.reset());
    const { extras } = now(env.step(ones(3)));
    const parts = Object.entries(extras.rewardComponents ?? {}).map(([name, values]) => [
      name,
      Array.from(values),
    ]);
    expect(Object.fromEntries(parts)).toEqual({ speed: [1.5, 0, 0], energy: [0, 0, -1] });
    expect(extras.log).toEqual({ height: 1.5, "/robot/x": 7 });
    const silent = SyncVecEnv([telling({})]);
    now(silent.reset());
    expect(Object.keys(now(silent.step(ones(1))).extras)).not.toContain("log");
  });

  it("gives the same whether environments answer at once or later, in whatever order", async () => {
    const factories = [5, 0, 3].map((turns) => () => (turns === 0 ? new Walk() : slowly(new Walk(), turns)));
    const [plain, later] = [walks(3), SyncVecEnv(factories)];
    expect(later.reset(3)).toBeInstanceOf(Promise);
    await expect(failureOf(() => later.reset(3))).resolves.toMatchObject({
      message: expect.stringContaining("reset() comes before reset() has ended") as string,
    });
    await Promise.resolve();
    const other = SyncVecEnv(factories);
    expect(await other.reset(3)).toEqual(now(plain.reset(3)));
    for (let step = 0; step < 20; step++) {
      const actions = Int32Array.from([step % 2, 1, step % 3 === 0 ? 1 : 0]);
      expect(copyStep(await other.step(actions))).toEqual(copyStep(now(plain.step(actions))));
    }
  });

  it("goes on from a state as from the moment it was taken, also through JSON", async () => {
    const env = walks(3);
    now(env.reset(5));
    for (let step = 0; step < 4; step++) now(env.step(ones(3)));
    const state = await env.getState?.();
    const follow = (vec: typeof env) => Array.from({ length: 9 }, () => copyStep(now(vec.step(ones(3)))));
    const first = follow(env);
    await env.setState?.(state);
    expect(follow(env)).toEqual(first);
    const fresh = walks(3);
    await fresh.setState?.(JSON.parse(JSON.stringify(state)));
    expect(follow(fresh).map((step) => (step as VecStep).rewards)).toEqual(
      first.map((step) => (step as VecStep).rewards),
    );
    const without = SyncVecEnv([
      () => new Walk(),
      () => walking({ getState: undefined, setState: undefined }),
    ]);
    expect("getState" in without).toBe(false);
  });

  it("hands actions over that an environment may keep", () => {
    const kept: HostAction[] = [];
    const step = (action: HostAction) => {
      kept.push(action);
      return [[0, 0], 0, false, false];
    };
    const env = SyncVecEnv([() => walking({ step, actionSpace: Box({ low: -1, high: 1, shape: [2] }) })]);
    now(env.reset());
    now(env.step(Float32Array.of(0.5, -1)));
    now(env.step(Float32Array.of(0, 1)));
    expect(kept.map((action) => [...(action as Float32Array)])).toEqual([
      [0.5, -1],
      [0, 1],
    ]);
  });

  it("takes observations in rows, in one list, in a typed array, or as a number", () => {
    const image = Image({ height: 2, width: 2, channels: 1 });
    const forms: (readonly [HostEnv["observationSpace"], unknown])[] = [
      [
        Box({ shape: [2, 2] }),
        [
          [1, 2],
          [3, 4],
        ],
      ],
      [Box({ shape: [2, 2] }), [Float32Array.of(1, 2), [3, 4]]],
      [Box({ shape: [2, 2] }), [1, 2, 3, 4]],
      [Box({ shape: [2, 2] }), Float64Array.of(1, 2, 3, 4)],
      [
        image,
        [
          [[1], [2]],
          [[3], [4]],
        ],
      ],
      [image, Uint8Array.of(1, 2, 3, 4)],
    ];
    for (const [observationSpace, obs] of forms) {
      expect([...now(SyncVecEnv([() => walking({ observationSpace, reset: () => [obs] })]).reset())]).toEqual(
        [1, 2, 3, 4],
      );
    }
    const number = SyncVecEnv([() => walking({ observationSpace: Discrete(9), reset: () => [7] })]);
    expect(now(number.reset())).toEqual(Int32Array.of(7));
    const bits = SyncVecEnv([() => walking({ observationSpace: MultiBinary(2), reset: () => [[1, 0]] })]);
    expect(now(bits.reset())).toEqual(Uint8Array.of(1, 0));
  });

  it("closes every environment once, also when one of them fails at it", async () => {
    const envs = [new Walk(), walking({ close: () => Promise.reject(new Error("stuck")) }), new Walk()];
    const env = SyncVecEnv(envs.map((each) => () => each));
    await expect(failureOf(() => env.close())).resolves.toMatchObject({ index: 1 });
    await expect(failureOf(() => env.close())).resolves.toMatchObject({ index: 1 });
    expect([envs[0], envs[2]].map((each) => (each as Walk).closed)).toEqual([1, 1]);
    expect((await failureOf(() => env.reset())).message).toContain("reset() comes after close()");
  });
});

const stepping = (result: unknown) => walking({ step: () => result });
const good = [[0, 0], 0, false, false];
const withPart = (at: number, value: unknown) =>
  stepping(good.map((part, index) => (index === at ? value : part)));

const mistakes: Record<string, readonly [env: HostEnv, words: string]> = {
  "a reward that is NaN": [withPart(1, NaN), "the reward of step must be a finite number, got NaN"],
  "a reward beyond float32": [withPart(1, 1e39), "the reward of step must be a finite number, got 1e+39"],
  "a reward that is a text": [withPart(1, "1"), 'the reward of step must be a finite number, got "1"'],
  "an observation with NaN": [
    withPart(0, [0, NaN]),
    "the observation of step holds NaN at element 1; Box(float32[2] from -100 to 100) takes finite numbers",
  ],
  "an observation with NaN in a typed array": [
    withPart(0, Float32Array.of(NaN, 0)),
    "the observation of step holds NaN at element 0",
  ],
  "an observation of another size": [
    withPart(0, [0, 0, 0]),
    "the observation of step has 3 elements, Box(float32[2] from -100 to 100) has 2",
  ],
  "an observation in rows that the space has not": [
    withPart(0, [[0], [0]]),
    "the observation of step holds a list of 1 in the place of a number",
  ],
  "an observation of texts": [withPart(0, ["0", "0"]), 'the observation of step holds "0" at element 0'],
  "an observation of another kind": [
    withPart(0, { x: 1 }),
    "the observation of step is an object of class Object; Box(float32[2] from -100 to 100) takes numbers in a list",
  ],
  "ends that are numbers": [withPart(2, 1), "terminated of step must be true or false, got 1"],
  "ends that are missing": [withPart(3, undefined), "truncated of step must be true or false, got undefined"],
  "too few results": [
    stepping([[0, 0], 0, true]),
    "step must give [obs, reward, terminated, truncated, info], got a list of 3",
  ],
  "no results": [
    stepping(undefined),
    "step must give [obs, reward, terminated, truncated, info], got undefined",
  ],
  "an info that is a text": [stepping([...good, "won"]), 'the info of step must be an object, got "won"'],
  "a logged figure that is NaN": [
    stepping([...good, { log: { height: NaN } }]),
    'info.log["height"] must be a finite number, got NaN; leave it out where there is none',
  ],
  "a part of the reward that is none": [
    stepping([...good, { rewardComponents: { speed: "fast" } }]),
    'info.rewardComponents["speed"] must be a finite number, got "fast"',
  ],
  "fractions where whole numbers belong": [
    walking({
      observationSpace: Box({ low: 0, high: 255, shape: [2], dtype: "uint8" }),
      reset: () => [[0, 0]],
      step: () => [[0, 0.5], 0, false, false],
    }),
    "the observation of step holds 0.5 at element 1; Box(uint8[2] from 0 to 255) takes whole numbers from 0 to 255",
  ],
  "a choice that there is not": [
    walking({ observationSpace: Discrete(3), reset: () => [0], step: () => [3, 0, false, false] }),
    "the observation of step holds 3 at element 0; Discrete(3) takes whole numbers from 0 to 2",
  ],
  "a next episode that starts with nothing": [
    walking({
      step: () => [[0, 0], 0, true, false],
      reset: (seed?: number) => (seed === undefined ? undefined : [[0, 0]]),
    }),
    "reset must give [obs, info], got undefined",
  ],
};

describe("SyncVecEnv says which environment is wrong, and how:", () => {
  it.each(Object.entries(mistakes))("%s", async (_, [env, words]) => {
    for (const bad of [env, promised(env)]) {
      const vec = SyncVecEnv([() => still(env), () => bad, () => still(env)]);
      await vec.reset(0);
      const error = await failureOf(() => vec.step(ones(3)));
      expect(error).toBeInstanceOf(VecEnvError);
      expect(error.message).toContain("SyncVecEnv: environment 1");
      expect(error.message).toContain(words);
      expect((await failureOf(() => vec.step(ones(3)))).message).toContain("step() comes after a failure");
    }
  });

  /** An environment with the same spaces where nothing happens. */
  const still = (env: HostEnv): HostEnv => {
    const reset = () => env.reset(0);
    const step = async () => [(await reset())[0], 0, false, false] as const;
    return { observationSpace: env.observationSpace, actionSpace: env.actionSpace, reset, step };
  };

  /** The environment with promises. */
  const promised = (env: HostEnv): HostEnv => ({
    observationSpace: env.observationSpace,
    actionSpace: env.actionSpace,
    reset: (seed) => Promise.resolve(env.reset(seed)),
    step: (action) => Promise.resolve(env.step(action)),
  });

  it("an exception, with the original as its cause", async () => {
    const cause = new TypeError("no such field");
    const bad = walking({
      step: () => {
        throw cause;
      },
    });
    const vec = SyncVecEnv([() => new Walk(), () => bad]);
    now(vec.reset());
    const error = await failureOf(() => vec.step(ones(2)));
    expect(error).toMatchObject({ index: 1, environment: "Walk", cause });
    expect(error.message).toBe("SyncVecEnv: environment 1 (Walk): step threw: no such field");
  });

  it("what makes no environment, or others than the first", async () => {
    const words = async (...factories: unknown[]) =>
      (await failureOf(() => SyncVecEnv(factories as (() => HostEnv)[]))).message;
    expect(await words()).toContain("takes a list of functions that make an environment each");
    expect(await words(new Walk())).toContain("element 0 must be a function that makes an environment");
    expect(await words(() => ({}))).toContain("environment 0: must have observationSpace");
    expect(await words(() => Promise.resolve(new Walk()))).toContain("is a promise; await");
    expect(await words(() => walking({ step: 3 }))).toContain("must have a method step, got 3");
    expect(await words(() => walking({ setState: undefined }))).toContain("has getState without setState");
    expect(
      await words(
        () => new Walk(),
        () => walking({ actionSpace: Discrete(3) }),
      ),
    ).toContain("environment 1 (Walk): its actionSpace is Discrete(3), that of environment 0 is Discrete(2)");
    const one = new Walk();
    expect(
      await words(
        () => one,
        () => one,
      ),
    ).toContain("environments 0 and 1 are one object");
    const throwing = () => {
      throw new Error("no licence");
    };
    expect(await words(() => new Walk(), throwing)).toContain("environment 1: its factory threw: no licence");
  });

  it("actions, seeds, options and calls that do not fit", async () => {
    const vec = walks(2);
    const words = async (call: () => unknown) => (await failureOf(call)).message;
    expect(await words(() => vec.step(ones(2)))).toContain("step() comes before reset()");
    now(vec.reset(0));
    expect(await words(() => vec.step(ones(3)))).toContain(
      "step takes actions as a Int32Array of 2 (2 × Discrete(2)), got a Int32Array of 3",
    );
    expect(await words(() => vec.step(new Float32Array(2)))).toContain("got a Float32Array of 2");
    expect(await words(() => vec.step(Int32Array.of(0, 2)))).toContain(
      "the action of environment 1 is 2, not in Discrete(2)",
    );
    expect(await words(() => vec.reset(0.5))).toContain("the seed of reset must be a whole number");
    expect(await words(() => vec.render?.(2))).toContain(
      "render takes the index of an environment, 0 to 1, got 2",
    );
    expect(await words(() => vec.setState?.([1]))).toContain("setState takes what getState gives for 2");
    expect(await words(() => SyncVecEnv([() => new Walk()], { maxSteps: 1 } as object))).toContain(
      "there is no option `maxSteps`",
    );
    // None of it has broken anything.
    expect([...now(vec.step(ones(2))).dones]).toEqual([0, 0]);
    expect(await vec.render?.(1)).toContain("<svg>");
  });
});
