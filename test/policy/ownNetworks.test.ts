// Policies of runs with networks of one's own: these are given again, and must be the ones of the run.
import path from "node:path";
import { describe, expect, expectTypeOf, it } from "vitest";
import { mlp, type Network } from "vibe-rl/agent";
import { DQN, DQNConfig } from "vibe-rl/algorithms/dqn";
import { PPO, PPOConfig } from "vibe-rl/algorithms/ppo";
import { SAC, SACConfig } from "vibe-rl/algorithms/sac";
import { nn, np, random, type Array } from "vibe-rl/array";
import { Box, make } from "vibe-rl/env";
import { loadPolicy, type Policy } from "vibe-rl/policy";
import { RunDir } from "vibe-rl/runDir";
import { OffPolicyRunner, OnPolicyRunner, trainDQN, trainPPO, trainSAC } from "vibe-rl/runner";
import { temporaryFolder } from "../temporary.js";

interface Linear {
  readonly slope: Array;
  readonly offset: Array;
}

/** A network whose parameters look like nothing that the algorithms have. */
const linear = (scale: number): Network<Linear> => ({
  init: (rng, inputShape, outputSize) => ({
    slope: random.normal(rng, [inputShape[0], outputSize]),
    offset: np.zeros([outputSize]),
  }),
  apply: ({ slope, offset }, x) => x.matmul(slope).add(offset).mul(scale),
});

const critic = mlp({ hiddenSizes: [4] });
const [cartPole, cartPoleParams] = make("CartPole-v1");
const [pendulum, pendulumParams] = make("Pendulum-v1");
const runnerConfig = { totalTimesteps: 64, evalEpisodes: 1, warmupSteps: 32, bufferSize: 64 };
const observations = globalThis.Array.from({ length: 8 }, (_, at) =>
  Float32Array.from({ length: 4 }, (_, i) => Math.sin(3 * at + i)),
);
const batch = np.stack(observations.map((obs) => np.array(obs)));
const newRun = () => RunDir("own", { baseDir: temporaryFolder() });

describe("loadPolicy with networks of one's own", () => {
  const ppoConfig = PPOConfig({ nSteps: 32, nMinibatches: 1, nEpochs: 1, normalizeObs: true });

  it("acts as the agent of the run does, from a directory and from bytes", async () => {
    const [runDir, networks] = [newRun(), { actor: linear(1), critic }];
    const [{ agentState }] = await trainPPO(cartPole, cartPoleParams, {
      ...{ ppoConfig, networks, runnerConfig, runDir },
    });
    const options = { config: ppoConfig, networks, explore: false };
    const expected = PPO.actBatch(agentState, batch, options)[0].toArray();
    const policy = await loadPolicy(runDir, { networks, actions: "discrete", step: 64 });
    expectTypeOf(policy).toEqualTypeOf<Policy<number>>();
    expect(policy).toMatchObject({ algorithm: "ppo", kind: "discrete", actionSize: 2, obsShape: [4] });
    expect(policy.actBatch(observations)).toEqual(expected);
    const again = await loadPolicy(policy.toSafetensors(), { networks });
    expect(again.actBatch(observations)).toEqual(expected);
    await expect(loadPolicy(policy.toSafetensors())).rejects.toThrow(
      /this policy was trained with networks of its program's own, .*; give them as the option networks: \{ actor, critic \}/,
    );
  });

  it("knows dueling DQN and SAC", async () => {
    const dqn = { networks: { q: linear(1) }, runDir: newRun() };
    const dqnConfig = DQNConfig({ batchSize: 8, dueling: true });
    const { agentState } = await trainDQN(cartPole, cartPoleParams, { ...dqn, dqnConfig, runnerConfig });
    const policy = await loadPolicy(dqn.runDir, { networks: dqn.networks });
    const options = { config: dqnConfig, networks: dqn.networks, explore: false };
    expect([policy.actionSize, policy.actBatch(observations)]).toEqual([
      2,
      DQN.actBatch(agentState, batch, options)[0].toArray(),
    ]);

    const sac = { networks: { actor: linear(0.1), critic }, runDir: newRun() };
    const sacConfig = SACConfig({ batchSize: 8 });
    const result = await trainSAC(pendulum, pendulumParams, { ...sac, sacConfig, runnerConfig });
    const torques = await loadPolicy(sac.runDir, { networks: sac.networks, actions: "continuous" });
    const three = np.array([0.1, 0.9, -2]);
    const [own] = SAC.act(result.agentState, three, {
      ...{ config: sacConfig, networks: sac.networks, explore: false },
    });
    expect([...torques.act([0.1, 0.9, -2])]).toEqual(own.toArray());
  });

  it("takes the checkpoints of class runners, and the actions of a Gaussian", async () => {
    const networks = { actor: linear(1), critic };
    const runner = new OnPolicyRunner({
      ...{ env: pendulum, cfg: { nSteps: 16 }, actorClass: networks.actor, criticClass: critic },
    });
    await runner.learn(16);
    const folder = await runner.saveCheckpoint(path.join(temporaryFolder(), "model"));
    const actionSpace = Box({ low: -0.5, high: 0.5, shape: [1] });
    const policy = await loadPolicy(folder, { networks, actionSpace, actions: "continuous" });
    const [own] = PPO.act(runner.agent.state, np.array([0.1, 0.9, -2]), {
      ...runner.agent.options,
      explore: false,
    });
    expect([...policy.act([0.1, 0.9, -2])]).toEqual(np.clip(own, -0.5, 0.5).toArray());

    const q = mlp({ hiddenSizes: [4], activation: nn.silu });
    const learner = new OffPolicyRunner({ env: cartPole, qClass: q, learningStarts: 50 });
    await learner.learn(100);
    const saved = await learner.saveCheckpoint(path.join(temporaryFolder(), "model"));
    await expect(loadPolicy(saved)).rejects.toThrow(/the option networks: \{ q \}/);
    expect((await loadPolicy(saved, { networks: { q } })).actBatch(observations)).toEqual(
      DQN.actBatch(learner.agent.state as never, batch, { networks: { q }, explore: false })[0].toArray(),
    );
  });

  it("refuses other networks than those of the run, and any for a run that has none", async () => {
    const [runDir, plain] = [newRun(), newRun()];
    const networks = { actor: linear(1), critic };
    await trainPPO(cartPole, cartPoleParams, { ppoConfig, networks, runnerConfig, runDir });
    await trainPPO(cartPole, cartPoleParams, { ppoConfig, runnerConfig, runDir: plain });
    const load = (given: unknown, from = runDir) => loadPolicy(from, { networks: given as typeof networks });
    await expect(load({ actor: linear(2), critic })).rejects.toThrow(
      /networks\.actor is 2 arrays of 10 numbers, computing \w{8}; .* was trained with 2 arrays of 10 numbers, computing \w/,
    );
    await expect(load({ actor: mlp(), critic })).rejects.toThrow(
      /networks\.actor cannot compute with the parameters of the run; give the network that it was trained with: /,
    );
    await expect(load({ q: critic })).rejects.toThrow("loadPolicy: there is no network `q`");
    await expect(load({ actor: linear(1) })).rejects.toThrow("loadPolicy: networks.critic is missing");
    await expect(load(networks, plain)).rejects.toThrow(
      /has networks of PPO's own kind, .*: leave out networks/,
    );
  });
});
