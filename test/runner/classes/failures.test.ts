// What a class runner refuses, and what is left when environments fail.
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { EnvironmentError, OnPolicyRunner } from "vibe-rl/runner";
import { temporaryFolder } from "../../temporary.js";
import { Corridor, smallConfig } from "./corridor.js";

const make = (env: Corridor, options: object = {}) =>
  new OnPolicyRunner({ env, cfg: smallConfig, ...options });

describe("environments that fail", () => {
  it.each([false, true])(
    "are closed, and the last checkpoint is kept and named (promises: %s)",
    async (isAsync) => {
      const saveDir = temporaryFolder();
      const env = new Corridor({ isAsync });
      const cause = new Error("environment 1: the motor is on fire");
      env.before = (step) => {
        if (step === 20) throw cause;
      };
      const error: unknown = await make(env, { saveDir })
        .learn(96)
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(EnvironmentError);
      expect(error).toMatchObject({ cause });
      expect((error as Error).message).toMatch(
        /OnPolicyRunner: step 21: the environments failed: environment 1: the motor is on fire. The last checkpoint is /,
      );
      expect(env.isClosed).toBe(true);
      expect(existsSync(path.join(saveDir, "checkpoint_0", "checkpoint.json"))).toBe(true);
    },
  );

  it.each([
    [
      "a reward that is no number",
      (env: Corridor) => (env.alter = (step) => ({ ...step, rewards: new Float32Array([0, NaN]) })),
      /step 1: rewards of environment 1 must be finite, got NaN/,
    ],
    [
      "an observation that is no number",
      (env: Corridor) => (env.alter = (step) => ({ ...step, obs: new Float32Array([0, 0, Infinity, 0]) })),
      /obs of environment 1 must be finite, got Infinity in place 0/,
    ],
    [
      "a last observation that is no number",
      (env: Corridor) =>
        (env.alter = (step) => ({
          ...step,
          dones: new Uint8Array([0, 1]),
          extras: { ...step.extras, finalObservation: new Float32Array([NaN, NaN, 0, NaN]) },
        })),
      /extras.finalObservation of environment 1 must be finite, got NaN in place 1/,
    ],
    [
      "too few numbers",
      (env: Corridor) => (env.alter = (step) => ({ ...step, obs: new Float32Array(3) })),
      /obs must be a Float32Array of 4: 2 observations \[2\], got Float32Array of 3/,
    ],
    [
      "another kind of numbers",
      (env: Corridor) => (env.alter = (step) => ({ ...step, obs: new Uint8Array(4) })),
      /obs must be a Float32Array of 4: 2 observations \[2\], got Uint8Array of 4/,
    ],
    [
      "too few ends",
      (env: Corridor) => (env.alter = (step) => ({ ...step, dones: new Uint8Array(1) })),
      /dones must be a typed array with an element for each of 2 environments, got 1 elements/,
    ],
    [
      "no extras",
      (env: Corridor) => (env.alter = (step) => ({ ...step, extras: undefined as never })),
      /extras is no object/,
    ],
  ])("by giving %s are named", async (_, spoil, message) => {
    const env = new Corridor();
    spoil(env);
    await expect(make(env).learn(32)).rejects.toThrow(message);
    expect(env.isClosed).toBe(true);
  });

  it("do not hide what a callback throws, and are not closed by that", async () => {
    const env = new Corridor();
    const runner = make(env);
    runner.addCallback("pre_update", () => {
      throw new Error("mine");
    });
    await expect(runner.learn(32)).rejects.toThrow(/the callback of pre_update threw: mine/);
    expect(env.isClosed).toBe(false);
  });
});

describe("a runner refuses", () => {
  const refuse = (options: object) => () => new OnPolicyRunner({ env: new Corridor(), ...options });

  it.each([
    [{ logDirectory: "x" }, /there is no option `logDirectory`; did you mean `logDir`/],
    [{ algorithm: "dqn" }, /algorithm must be "ppo", got "dqn"; DQN and SAC have OffPolicyRunner/],
    [{ env: { reset: 1, step: 1 } }, /put it into a vector: new SyncVecEnv/],
    [{ env: null }, /env must be a vector of environments/],
    [{ envParams: {} }, /envParams are for functional environments/],
    [{ numEnvs: 3 }, /numEnvs is 3, env has 2; leave it out/],
    [{ cfg: { numEnvs: 3, nMinibatches: 1 } }, /cfg.numEnvs is 3, env has 2/],
    [{ cfg: { nSteps: 3 } }, /nMinibatches is 4, which does not divide the 6 steps of a rollout/],
    [{ cfg: { learningRate: 1 } }, /cfg is no PPOConfig: .*learningRate/],
    [{ logInterval: 0 }, /logInterval must be a whole number of at least 1, got 0/],
    [{ saveInterval: 1.5 }, /saveInterval must be a whole number of at least 1, got 1.5/],
    [{ logRewardComponents: 1 }, /logRewardComponents must be true or false, got 1/],
    [{ seed: -1 }, /seed must be a whole number of at least 0, got -1/],
    [{ logDir: 3 }, /logDir must be a text, or null, got number/],
    [{ device: "abacus" }, /there is no device "abacus"; there are /],
  ])("%o", (options, message) => {
    expect(refuse(options)).toThrow(message);
  });
});
