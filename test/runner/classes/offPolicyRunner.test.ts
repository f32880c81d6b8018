// OffPolicyRunner: DQN and SAC on environments that are objects, and on functional ones.
import path from "node:path";
import { describe, expect, it } from "vitest";
import { make } from "vibe-rl/env";
import { readMetrics } from "vibe-rl/metrics";
import { DQNAgent, MLPActor, MLPCritic, OffPolicyRunner, SACAgent, type EventName } from "vibe-rl/runner";
import { temporaryFolder } from "../../temporary.js";
import { Corridor } from "./corridor.js";

const dqn = {
  ...{ hiddenSizes: [8], batchSize: 8, lr: 1e-2, targetUpdateFreq: 20, explorationFraction: 0.5 },
  ...{ normalizeObs: true, prioritized: true, nSteps: 2, trainFreq: 4, gradientSteps: 2 },
} as const;
const sac = {
  hiddenSizes: [8],
  batchSize: 8,
  normalizeObs: true,
  normalizeReward: true,
  trainFreq: 3,
} as const;
const common = { bufferSize: 256, learningStarts: 40, stepsPerIteration: 20 };

const [grid, gridParams] = make("GridWorld-v0", { maxSteps: 20 });
const [pendulum, pendulumParams] = make("Pendulum-v1", { maxSteps: 25 });

const makers: Readonly<Record<string, (options?: object) => OffPolicyRunner>> = {
  "DQN on objects": (options) =>
    new OffPolicyRunner({ env: new Corridor(), cfg: dqn, ...common, ...options }),
  "SAC on objects": (options) =>
    new OffPolicyRunner({ env: new Corridor({ continuous: true }), cfg: sac, ...common, ...options }),
  "DQN on a functional environment": (options) =>
    new OffPolicyRunner({ env: grid, envParams: gridParams, numEnvs: 2, cfg: dqn, ...common, ...options }),
  "SAC on a functional environment": (options) =>
    new OffPolicyRunner({
      ...{ env: pendulum, envParams: pendulumParams, numEnvs: 2, cfg: sac, ...common, ...options },
    }),
};

const figures = {
  DQN: ["train/q_loss", "train/mean_q", "exploration/epsilon"],
  SAC: ["train/actor_loss", "train/critic_loss", "train/alpha", "train/entropy"],
} as const;

const outcome = (runner: OffPolicyRunner, stats: object): unknown =>
  JSON.parse(JSON.stringify([runner.agent.state, runner.iteration, runner.totalTimesteps, stats]));

describe.each(Object.keys(makers))("%s", (name) => {
  const create = makers[name];

  it("goes on from a checkpoint bit for bit, replay and all", async () => {
    const saveDir = temporaryFolder();
    const whole = create();
    const expected = outcome(whole, await whole.learn(160));
    const interrupted = create({ saveDir, saveInterval: 4 });
    interrupted.addCallback("post_iteration", (runner) => {
      if (runner.iteration === 5) runner.stop();
    });
    await interrupted.learn(160);
    const resumed = create({ saveDir });
    await resumed.loadCheckpoint("checkpoint_4");
    expect([resumed.iteration, resumed.totalTimesteps]).toEqual([5, 100]);
    expect(outcome(resumed, await resumed.learn(160))).toEqual(expected);
  });

  it("logs its figures once it learns, and the size of its buffer from the beginning", async () => {
    const logDir = temporaryFolder();
    await create({ logDir, logInterval: 1 }).learn(80);
    const [first, , , last] = readMetrics(path.join(logDir, "metrics.jsonl"));
    const own = figures[name.startsWith("DQN") ? "DQN" : "SAC"];
    for (const tag of [...own, "rollout/mean_reward", "buffer/size"]) {
      expect(last[tag], tag).toEqual(expect.any(Number));
    }
    expect([first["buffer/size"], last["buffer/size"]]).toEqual([20, 80]);
    expect(first).not.toHaveProperty(own[0]);
    if (own[0] === "train/q_loss") expect(first["exploration/epsilon"]).toBe(1);
  });

  it("evaluates", async () => {
    const stats = await create().eval({ numEpisodes: 4 });
    expect(stats["eval/mean_length"]).toBeGreaterThan(0);
  });
});

describe("OffPolicyRunner", () => {
  it("plays trainFreq steps, then learns, with the events in order", async () => {
    const runner = makers["DQN on objects"]();
    const seen: string[] = [];
    const events: EventName[] = ["pre_iteration", "post_iteration", "pre_rollout", "pre_update"];
    for (const event of events) runner.addCallback(event, () => seen.push(event));
    runner.addCallback("post_rollout", (_, { reward }) => seen.push(`played ${reward.shape.join("×")}`));
    runner.addCallback("post_update", (_, stats) => seen.push("train/q_loss" in stats ? "learned" : "kept"));
    await runner.learn(60);
    const pair = (end: string) => ["pre_rollout", "played 2×2", "pre_update", end];
    const iteration = (...ends: string[]) => ["pre_iteration", ...ends.flatMap(pair), "post_iteration"];
    expect(seen).toEqual([
      ...iteration("kept", "kept", "kept", "kept", "kept"),
      // The last of 40 random steps is learned from already.
      ...iteration("kept", "kept", "kept", "kept", "learned"),
      ...iteration("learned", "learned", "learned", "learned", "learned"),
    ]);
    expect(runner.agent.state.step.item()).toBe(6 * dqn.gradientSteps);
  });

  it("learns to walk along a corridor", async () => {
    const runner = new OffPolicyRunner({
      env: new Corridor({ numEnvs: 4 }),
      cfg: { ...dqn, prioritized: false, normalizeObs: false, batchSize: 32, gamma: 0.9 },
      ...{ bufferSize: 2000, learningStarts: 200 },
    });
    await runner.learn(4000);
    expect((await runner.eval(8))["eval/mean_reward"]).toBeGreaterThan(1.1);
  });

  it("remembers the last observation of an episode, and whether it ended by itself", async () => {
    const env = new Corridor({ length: 3, limit: 5 });
    const finals: number[][] = [];
    env.alter = (step) => {
      step.dones.forEach((isOver, at) => {
        if (isOver === 1) finals.push([...(step.extras.finalObservation ?? []).slice(2 * at, 2 * at + 2)]);
      });
      return step;
    };
    const kept: number[][] = [];
    const runner = makers["DQN on objects"]({ env });
    runner.addCallback("post_rollout", (_, { nextObs, done, ended, obs }) => {
      const [next, own] = [nextObs.data(), obs.data()];
      done.data().forEach((isDone, at) => {
        if (ended.data()[at] === 1) {
          kept.push([...next.slice(2 * at, 2 * at + 2)]);
          expect(isDone).toBe(next[2 * at] >= 3 ? 1 : 0);
        } else expect(next[2 * at + 1]).toBeCloseTo(own[2 * at + 1] + 0.1, 5);
      });
    });
    await runner.learn(100);
    expect(kept).toEqual(finals);
    expect(kept.length).toBeGreaterThan(10);
  });

  it("takes networks by class, and agents that are made beforehand", async () => {
    const env = () => new Corridor();
    const { hiddenSizes: _, ...cfg } = dqn;
    const own = new OffPolicyRunner({
      env: env(),
      cfg,
      ...common,
      qClass: MLPCritic,
      qCfg: { hiddenDims: [5] },
    });
    await own.learn(60);
    const agent = new DQNAgent({ env: env(), cfg, qClass: MLPCritic, qCfg: { hiddenDims: [5] } });
    const runner = new OffPolicyRunner({ agent, env: env(), ...common });
    await runner.learn(60);
    expect(JSON.stringify(agent.state)).toBe(JSON.stringify(own.agent.state));
    const { hiddenSizes: __, ...sacCfg } = sac;
    const walker = new Corridor({ continuous: true });
    const actor = { actorClass: MLPActor, actorCfg: { hiddenDims: [4], activation: "relu" } as const };
    const soft = new OffPolicyRunner({ env: walker, cfg: sacCfg, ...common, ...actor });
    await soft.learn(60);
    expect(soft.agent).toBeInstanceOf(SACAgent);
  });

  it("refuses what does not fit", () => {
    const refuse = (options: object) => () => new OffPolicyRunner({ env: new Corridor(), ...options });
    expect(refuse({ algorithm: "ppo" })).toThrow(
      /algorithm must be "dqn" or "sac", got "ppo"; PPO has OnPolicyRunner/,
    );
    expect(refuse({ algorithm: "sac" })).toThrow(
      /SACAgent: needs actions in Box, the environments have Discrete\(2\)/,
    );
    expect(refuse({ actorClass: MLPActor })).toThrow(/actorClass is not for dqn/);
    expect(refuse({ bufferSize: 0 })).toThrow(/bufferSize must be a whole number of at least 1/);
    expect(refuse({ learningStarts: -1 })).toThrow(
      /learningStarts must be a whole number of at least 0, got -1/,
    );
    expect(refuse({ agent: {} })).toThrow(/agent must be a DQNAgent for dqn/);
    expect(refuse({ warmupSteps: 3 })).toThrow(/there is no option `warmupSteps`/);
  });
});
