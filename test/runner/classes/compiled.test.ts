// A functional environment in a class runner: compiled, with callbacks between the compiled pieces.
import { describe, expect, it } from "vitest";
import { AutoResetWrapper, make } from "vibe-rl/env";
import { OnPolicyRunner, PPOAgent, trainPPO, type Stats } from "vibe-rl/runner";
import { FunctionalVecEnv } from "vibe-rl/vecEnv";
import { Corridor, smallConfig } from "./corridor.js";

const [env, envParams] = make("CartPole-v1", { maxSteps: 20 });
const cfg = { ...smallConfig, normalizeObs: true };
const total = 4 * 32;

describe("a functional environment", () => {
  it("is trained as trainPPO does, callbacks firing in between", async () => {
    const runner = new OnPolicyRunner({ env, envParams, numEnvs: 2, cfg, seed: 3 });
    const losses: number[] = [];
    const fired: string[] = [];
    runner.addCallback("post_update", (_, stats: Stats) => losses.push(stats["train/value_loss"]));
    runner.addCallback("post_rollout", (_, { obs }) => fired.push(obs.shape.join()));
    const stats = await runner.learn(total);
    const ppoConfig = { ...cfg, numEnvs: 2 };
    const [{ agentState }, { criticLoss }] = await trainPPO(env, envParams, {
      ...{ ppoConfig, runnerConfig: { totalTimesteps: total, seed: 3 } },
    });
    expect(losses).toEqual([...criticLoss.data()].map((loss) => expect.closeTo(loss, 4) as number));
    const [own, theirs] = [runner.agent.state, agentState].map((state) => state.rng.toArray());
    expect(own).toEqual(theirs);
    expect(fired).toEqual(Array.from({ length: 4 }, () => "16,2,4"));
    expect(stats["episode/mean_length"]).toBeLessThanOrEqual(20);
    expect(stats["episode/mean_reward"]).toBe(stats["episode/mean_length"]);
  });

  it("may be given as a vector, which is compiled all the same", async () => {
    const vector = new OnPolicyRunner({ env: FunctionalVecEnv(env, envParams, 2), cfg, seed: 3 });
    const plain = new OnPolicyRunner({ env, envParams, numEnvs: 2, cfg, seed: 3 });
    await vector.learn(total);
    await plain.learn(total);
    expect(JSON.stringify(vector.agent.state)).toBe(JSON.stringify(plain.agent.state));
  });

  it("takes its own parameters where none are given, and may reset itself", async () => {
    const runner = new OnPolicyRunner({ env: AutoResetWrapper(env), numEnvs: 2, cfg });
    await runner.learn(32);
    expect(runner.totalTimesteps).toBe(32);
  });
});

describe("an agent that is made before its runner", () => {
  it("is trained by it, as the runner's own would be", async () => {
    const corridor = () => new Corridor();
    const agent = new PPOAgent({ env: corridor(), cfg });
    const runner = new OnPolicyRunner({ agent, env: corridor(), cfg });
    expect(runner.agent).toBe(agent);
    const own = new OnPolicyRunner({ env: corridor(), cfg });
    await runner.learn(total);
    await own.learn(total);
    expect(JSON.stringify(agent.state)).toBe(JSON.stringify(own.agent.state));
  });

  it("must be one, with its own networks, its own config and the same environments", () => {
    const corridor = new Corridor();
    const agent = new PPOAgent({ env: corridor, cfg });
    const refuse = (options: object) => () => new OnPolicyRunner({ agent, env: corridor, ...options });
    expect(refuse({ agent: {} })).toThrow(/agent must be a PPOAgent/);
    expect(refuse({ actorClass: Object })).toThrow(/actorClass is for agents that the runner makes/);
    expect(refuse({ cfg: { gamma: 0.5 } })).toThrow(/cfg.gamma is 0.5, the agent was made with 0.99/);
    expect(refuse({ env: new Corridor({ numEnvs: 3 }) })).toThrow(/the agent was made for 2 environments.*3/);
    expect(refuse({ env: new Corridor({ continuous: true }) })).toThrow(
      /the agent was made for .*Discrete\(2\)/,
    );
  });
});
