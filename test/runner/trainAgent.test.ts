// trainAgent: agents that somebody else has written, trained as PPO, DQN and SAC are.
import { describe, expect, expectTypeOf, it } from "vitest";
import { AgentState, clippedAdam, discreteActions, mlp } from "vibe-rl/agent";
import type { Agent, OptState, ReplayBatch, SequelTransition } from "vibe-rl/agent";
import { DQN, DQNConfig } from "vibe-rl/algorithms/dqn";
import { nn, np, random, valueAndGrad, type Array, type Shape } from "vibe-rl/array";
import { make, type Space } from "vibe-rl/env";
import { applyUpdates, Categorical, type MLPParams } from "vibe-rl/nn";
import { RunDir } from "vibe-rl/runDir";
import { trainAgent, trainDQN, type TrainResult } from "vibe-rl/runner";
import { temporaryFolder } from "../temporary.js";
import { bitsOf } from "./small.js";

const [env, params] = make("CartPole-v1", { maxSteps: 30 });
const network = mlp({ hiddenSizes: [8] });
const optimizer = clippedAdam(1e-2, 1);
type State = AgentState<MLPParams, OptState>;

const common = {
  init(rng: Array, obsShape: Shape, actions: number | Space): State {
    const [networkKey, stateKey] = random.split(rng);
    const weights = network.init(networkKey, obsShape, discreteActions("init", actions));
    return AgentState.initial(weights, optimizer.init(weights), stateKey);
  },
  act(state: State, obs: Array, { explore = true }: { explore?: boolean } = {}): [Array, State] {
    const [rng, key] = random.split(state.rng);
    const policy = Categorical(network.apply(state.params, obs.slice(null)));
    return [(explore ? policy.sample(key) : policy.mode()).slice(0), { ...state, rng }];
  },
};

function descend(state: State, loss: (weights: MLPParams) => Array): [State, { loss: Array }] {
  const [value, gradients] = valueAndGrad(loss)(state.params);
  const [updates, optState] = optimizer.update(gradients, state.optState);
  const next = { params: applyUpdates(state.params, updates), optState, step: state.step.add(1) };
  return [{ ...state, ...next }, { loss: value }];
}

const shapes: (readonly number[])[] = [];
const onPolicy = {
  ...common,
  name: "Toy",
  learnsFrom: "rollouts",
  update(state: State, { obs, action, reward, nextObs, done, ended }: SequelTransition) {
    shapes.push(obs.shape, action.shape, reward.shape, nextObs.shape, done.shape, ended.shape);
    const rows = (x: Array) => x.reshape([-1, ...x.shape.slice(2)]);
    return descend(state, (weights) =>
      Categorical(network.apply(weights, rows(obs)))
        .logProb(rows(action))
        .mul(rows(reward))
        .mean()
        .neg(),
    );
  },
} satisfies Agent<State, object, SequelTransition>;

const offPolicy = {
  ...common,
  name: "ToyQ",
  update: (state: State, { obs, action, reward, nextObs, done }: ReplayBatch) =>
    descend(state, (weights) => {
      const following = np.where(done, 0, network.apply(weights, nextObs).max(-1));
      const taken = nn.oneHot(action, 2).mul(network.apply(weights, obs)).sum(-1);
      return np.square(taken.sub(reward.add(following.mul(0.9)))).mean();
    }),
} satisfies Agent<State, object, ReplayBatch>;

const agents = {
  rollouts: { agent: onPolicy as Agent<State, object, never>, config: { numEnvs: 2, nSteps: 16 } },
  replay: { agent: offPolicy as Agent<State, object, never>, config: { batchSize: 8, trainFreq: 2 } },
};
const runnerConfig = {
  ...{ totalTimesteps: 640, logInterval: 100, evalEvery: 200, evalEpisodes: 3, checkpointInterval: 150 },
  ...{ bufferSize: 256, warmupSteps: 60, plot: false },
};
const logsOf = ({ metricsLog, evalLog, episodeReturns, episodeLengths }: TrainResult<State>) => ({
  ...{ metricsLog, evalLog, episodeReturns, episodeLengths },
});

describe.each(Object.entries(agents))("an agent of one's own that learns from %s", (_, { agent, config }) => {
  it("has logs, evaluations, progress, a directory, and goes on bit for bit where it was stopped", async () => {
    const folder = temporaryFolder();
    const whole = await trainAgent(agent, env, params, { config, runnerConfig });
    expectTypeOf(whole.agentState).toEqualTypeOf<State>();
    expect(whole.evalLog.map(({ step }) => step)).toEqual(
      config === agents.replay.config ? [200, 400, 600, 640] : [224, 416, 608, 640],
    );
    expect(whole.metricsLog.every(({ loss }) => Number.isFinite(loss))).toBe(true);
    expect(whole.episodeReturns.length).toBeGreaterThan(10);

    const runDir = RunDir("toy", { baseDir: folder });
    const controller = new AbortController();
    const seen: number[] = [];
    await trainAgent(agent, env, params, {
      ...{ config, runnerConfig, runDir, signal: controller.signal },
      onProgress: ({ step }) => {
        seen.push(step);
        if (step >= 300) controller.abort();
      },
    });
    expect(seen.length).toBeGreaterThan(2);
    expect(runDir.latestCheckpoint?.step).toBe(seen.at(-1));
    expect(runDir.loadConfig().algo).toBe(agent.name?.toLowerCase());
    const started: number[] = [];
    const resumed = await trainAgent(agent, env, params, {
      ...{ config, runnerConfig: { ...runnerConfig, resume: true }, runDir },
      onStart: (step) => void started.push(step),
    });
    expect(started).toEqual([seen.at(-1)]);
    expect(bitsOf(resumed.agentState)).toEqual(bitsOf(whole.agentState));
    expect(logsOf(resumed)).toEqual(logsOf(whole));
  });
});

describe("trainAgent", () => {
  it("gives rollouts (T, N, …) to agents that learn from them", () => {
    const [obs, action, reward, nextObs, done, ended] = shapes.slice(-6);
    expect([obs, nextObs]).toEqual([
      [16, 2, 4],
      [16, 2, 4],
    ]);
    expect([action, reward, done, ended]).toEqual([0, 1, 2, 3].map(() => [16, 2]));
  });

  it("trains DQN as trainDQN does, bit for bit", async () => {
    const config = DQNConfig({ hiddenSizes: [8], batchSize: 8, prioritized: true, lrSchedule: "linear" });
    const own = await trainDQN(env, params, { dqnConfig: config, runnerConfig });
    const same = await trainAgent(DQN as Agent<ReturnType<typeof DQN.init>, DQNConfig>, env, params, {
      ...{ config, runnerConfig },
    });
    expect(bitsOf(same.agentState)).toEqual(bitsOf(own.agentState));
    expect(same.metricsLog).toEqual(own.metricsLog);
  });

  it("explores differently in each environment, though act knows one observation", async () => {
    const watching = {
      ...onPolicy,
      update: (state: State, batch: SequelTransition) => {
        const [next] = onPolicy.update(state, batch);
        const differ = batch.action.slice(":", 0).notEqual(batch.action.slice(":", 1));
        return [next, { loss: differ.astype("float32").mean() }] as const;
      },
    };
    const { metricsLog } = await trainAgent(watching as Agent<State, object, never>, env, params, {
      ...{ config: { numEnvs: 2, nSteps: 32 }, runnerConfig: { ...runnerConfig, totalTimesteps: 64 } },
    });
    expect(metricsLog[0].loss).toBeGreaterThan(0.2);
  });

  it("says what an agent lacks or returns wrongly", async () => {
    const train = (changes: object, config: object = { nSteps: 16 }) =>
      trainAgent({ ...onPolicy, ...changes }, env, params, {
        ...{ config, runnerConfig },
      });
    await expect(train({ update: undefined, learnsFrom: "books" })).rejects.toThrow(
      /trainAgent: not an agent: `update` is missing; `learnsFrom` must be "replay" or "rollouts", got "books"/,
    );
    await expect(train({ act: () => np.int32(0) })).rejects.toThrow(
      /trainAgent: agent.act must return \[action, state\], got/,
    );
    await expect(train({ update: (state: State) => [state, { loss: np.zeros([3]) }] })).rejects.toThrow(
      /agent.update: the metric loss must be a scalar array, got .*\[3\]/,
    );
    await expect(train({ init: () => ({ weights: np.zeros([2]) }) })).rejects.toThrow(
      /the agent needs actBatch, or a random key in state.rng/,
    );
    await expect(train({}, { nSteps: 0 })).rejects.toThrow(
      /config.nSteps must be a whole number of at least 1, got 0/,
    );
    await expect(train({ actionSpaces: ["Box"] })).rejects.toThrow(
      /trainAgent: needs actions in Box, CartPole-v1 has Discrete/,
    );
  });
});
