// An environment that is wrong is refused before training, with the words of checkEnv.
import { describe, expect, it } from "vitest";
import { DQNConfig } from "vibe-rl/algorithms/dqn";
import { PPOConfig } from "vibe-rl/algorithms/ppo";
import { SACConfig } from "vibe-rl/algorithms/sac";
import { np, type Array } from "vibe-rl/array";
import { make, type Environment } from "vibe-rl/env";
import { RunnerConfig, trainDQN, trainPPO, trainSAC } from "vibe-rl/runner";

const [cartPole, params] = make("CartPole-v1");
const [pendulum, pendulumParams] = make("Pendulum-v1");
type CartPole = typeof cartPole;

/** CartPole with another step, made of its own results. */
const stepping = (change: (results: unknown[]) => unknown): CartPole => ({
  ...cartPole,
  step: (...args) => change([...cartPole.step(...args)]) as ReturnType<CartPole["step"]>,
});

const runnerConfig = RunnerConfig({ totalTimesteps: 64, warmupSteps: 8 });
const ppo = (env: CartPole) =>
  trainPPO(env, params, { ppoConfig: PPOConfig({ nSteps: 16, nMinibatches: 1 }), runnerConfig });
const dqn = (env: CartPole) =>
  trainDQN(env, params, { dqnConfig: DQNConfig({ batchSize: 4 }), runnerConfig });

const wrong: Record<string, readonly [CartPole, RegExp]> = {
  "without info": [
    stepping(([obs, state, reward, done]) => [obs, state, reward, done, null]),
    /info of step must have terminated, a bool scalar, got nothing/,
  ],
  "with four results": [
    stepping((results) => results.slice(0, 4)),
    /step must return \[obs, state, reward, done, info\], got a list of 4/,
  ],
  "with a plain number as reward": [
    stepping(([obs, state, , done, info]) => [obs, state, 1, done, info]),
    /reward of step must be an array, got the number 1/,
  ],
  "with an integer reward": [
    stepping(([obs, state, , done, info]) => [obs, state, np.int32(1), done, info]),
    /reward of step must be a float32 scalar, got int32/,
  ],
  "with a reward of one element": [
    stepping(([obs, state, reward, done, info]) => [obs, state, (reward as Array).reshape([1]), done, info]),
    /reward of step must be a float32 scalar, got float32\[1\]/,
  ],
  "with another observation than it says": [
    stepping(([obs, ...rest]) => [(obs as Array).slice(":3"), ...rest]),
    /the observation of step is float32\[3\], but observationSpace says float32\[4\]/,
  ],
  "with a state that changes its type": [
    stepping(([obs, , ...rest]) => [obs, { other: np.float32(0) }, ...rest]),
    /the state that step returns must have the structure, shapes and dtypes of the one that reset returns/,
  ],
  "whose done is a number": [
    stepping(([obs, state, reward, done, info]) => [
      obs,
      state,
      reward,
      (done as Array).astype("float32"),
      info,
    ]),
    /done of step must be a bool scalar, got float32/,
  ],
  "whose step throws": [
    stepping(() => {
      throw new Error("the cart has left the building");
    }),
    /step throws: the cart has left the building/,
  ],
  "without spaces": [
    { ...cartPole, actionSpace: undefined } as unknown as CartPole,
    /it has no method actionSpace/,
  ],
};

describe.each(Object.entries(wrong))("an environment %s", (_, [env, message]) => {
  it("is refused by trainPPO and trainDQN", async () => {
    await expect(ppo(env)).rejects.toThrow(message);
    await expect(ppo(env)).rejects.toThrow(/^trainPPO: CartPole-v1 has /);
    await expect(dqn(env)).rejects.toThrow(message);
  });
});

it("is refused by trainSAC, too, and all problems are named at once", async () => {
  const env: Environment<unknown, typeof pendulumParams> = {
    ...pendulum,
    step: (key, state, action, p) => {
      const [obs, next, reward, done, info] = pendulum.step(key, state as never, action, p);
      return [obs.slice(":2"), next, reward.astype("int32"), done, info];
    },
  };
  const options = { sacConfig: SACConfig({ batchSize: 4 }), runnerConfig };
  await expect(trainSAC(env, pendulumParams, options)).rejects.toThrow(
    /^trainSAC: Pendulum-v1 has 2 problems:\n- the observation of step .*\n- reward of step/,
  );
});
