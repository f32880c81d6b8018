// eval: the figures of episodes that are played greedily.
import { describe, expect, it } from "vitest";
import { make } from "vibe-rl/env";
import { OnPolicyRunner } from "vibe-rl/runner";
import { warningsOf } from "../../temporary.js";
import { Corridor, smallConfig } from "./corridor.js";

describe("eval", () => {
  it("gives mean, deviation, extremes and mean length, the same each time", async () => {
    const runner = new OnPolicyRunner({ env: new Corridor({ numEnvs: 3 }), cfg: smallConfig });
    await runner.learn(48 * 20);
    const stats = await runner.eval({ numEpisodes: 7 });
    expect(Object.keys(stats)).toEqual([
      "eval/mean_reward",
      "eval/std_reward",
      "eval/min_reward",
      "eval/max_reward",
      "eval/mean_length",
    ]);
    expect(await runner.eval(7)).toEqual(stats);
    const { "eval/min_reward": least, "eval/mean_reward": mean, "eval/max_reward": most } = stats;
    expect(least).toBeLessThanOrEqual(mean);
    expect(mean).toBeLessThanOrEqual(most);
  });

  it("counts an equal share of episodes of every environment, not those that end first", async () => {
    // The first environment has episodes of 1 step, the second of 10.
    const env = new Corridor({ length: 100, limit: 100 });
    const ends = [1, 10];
    const steps = [0, 0];
    env.alter = (step) => {
      const dones = step.dones.map((_, at) => (++steps[at] % ends[at] === 0 ? 1 : 0));
      return { ...step, rewards: new Float32Array([1, 1]), dones };
    };
    const runner = new OnPolicyRunner({ env, cfg: smallConfig });
    expect(await runner.eval(4)).toMatchObject({
      ...{ "eval/mean_reward": 5.5, "eval/std_reward": 4.5, "eval/min_reward": 1, "eval/max_reward": 10 },
      "eval/mean_length": 5.5,
    });
  });

  it("ends episodes that do not end, and still plays as many as it was asked for", async () => {
    const env = new Corridor({ length: 1000, limit: 1000 });
    const runner = new OnPolicyRunner({ env, cfg: smallConfig });
    const stats = await runner.eval({ numEpisodes: 5, maxSteps: 7 });
    expect(stats["eval/mean_length"]).toBe(7);
    expect(new Set(env.seeds).size).toBe(3);
  });

  it("plays a functional environment in a compiled program", async () => {
    const [env, params] = make("CartPole-v1", { maxSteps: 50 });
    const runner = new OnPolicyRunner({ env, envParams: params, cfg: { ...smallConfig, numEnvs: 2 } });
    const stats = await runner.eval({ numEpisodes: 20 });
    expect(stats["eval/mean_length"]).toBe(stats["eval/mean_reward"]);
    expect(stats["eval/max_reward"]).toBeLessThanOrEqual(50);
    expect(stats["eval/min_reward"]).toBeGreaterThan(4);
  });

  it("takes environments of its own; without them those without a state begin anew, which is said", async () => {
    const env = new Corridor({ hasState: false });
    const own = new Corridor({ numEnvs: 3 });
    const runner = new OnPolicyRunner({ env, evalEnv: own, cfg: smallConfig });
    runner.addCallback("post_iteration", () => runner.eval(2));
    expect(await warningsOf("RunWarning", () => runner.learn(64))).toEqual([]);
    expect([env.seeds.length, own.seeds.length]).toEqual([1, 2]);
    const alone = new OnPolicyRunner({ env: new Corridor({ hasState: false }), cfg: smallConfig });
    alone.addCallback("post_iteration", () => alone.eval(2));
    const warnings = await warningsOf("RunWarning", () => alone.learn(96));
    expect(warnings).toEqual([
      expect.stringMatching(/begins new episodes in all of them; give the runner an evalEnv/),
    ]);
  });

  it("refuses environments of its own that are not like the others", () => {
    const build = (evalEnv: Corridor) =>
      new OnPolicyRunner({ env: new Corridor(), cfg: smallConfig, evalEnv });
    expect(() => build(new Corridor({ continuous: true }))).toThrow(
      /evalEnv has observations .* and actions Box/,
    );
    expect(() => build({} as never)).toThrow(/evalEnv must be a vector of environments/);
    const [env] = make("CartPole-v1");
    expect(() => new OnPolicyRunner({ env, evalEnv: new Corridor() })).toThrow(
      /evalEnv is for environments that are/,
    );
  });

  it("closes environments that fail", async () => {
    const env = new Corridor();
    env.before = () => {
      throw new Error("broken");
    };
    const runner = new OnPolicyRunner({ env, cfg: smallConfig });
    await expect(runner.eval(2)).rejects.toThrow(/step 1: the environments failed: broken/);
    expect(env.isClosed).toBe(true);
  });

  it("refuses what is no number of episodes", async () => {
    const runner = new OnPolicyRunner({ env: new Corridor(), cfg: smallConfig });
    await expect(runner.eval(0)).rejects.toThrow(/numEpisodes must be a whole number of at least 1, got 0/);
  });
});
