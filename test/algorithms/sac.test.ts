// SAC: actions, targets, temperature.
import { describe, expect, it } from "vitest";
import type { Transition } from "vibe-rl/agent";
import { SAC, SACConfig, type SACState } from "vibe-rl/algorithms/sac";
import { jit, lax, np, random, tree, type Array } from "vibe-rl/array";
import { Box, make } from "vibe-rl/env";
import { RunnerConfig, trainSAC } from "vibe-rl/runner";
import { expectClose } from "../closeness.js";
import { offPolicyLoop, sacAgent } from "./loops.js";
import { imageProbe, paintSign, probes } from "./probes.js";

const key = random.key(0);
const config = SACConfig({ hiddenSizes: [16], actionLow: [-2, 0], actionHigh: [2, 1], tau: 0.25 });
const space = Box({ low: [-2, 0], high: [2, 1] });
const fresh = (given: Partial<SACConfig> = {}): SACState =>
  SAC.init(key, [3], space, SACConfig({ ...config, ...given }));

const batch: Transition = {
  obs: random.normal(random.key(1), [32, 3]),
  action: random.uniform(random.key(2), [32, 2]),
  reward: random.normal(random.key(3), [32]),
  nextObs: random.normal(random.key(4), [32, 3]),
  done: random.bernoulli(random.key(5), 0.3, [32]),
};

describe("SAC.act", () => {
  const obs = random.normal(random.key(6), [500, 3]).mul(3);

  it("stays within the bounds of each component", () => {
    const [actions, next] = SAC.actBatch(fresh(), obs, { config });
    const [first, second] = actions.T;
    for (const [component, low, high] of [
      [first, -2, 2],
      [second, 0, 1],
    ] as [Array, number, number][]) {
      expect(component.min().item()).toBeGreaterThanOrEqual(low);
      expect(component.max().item()).toBeLessThanOrEqual(high);
      // A fresh policy is wide: it uses most of the range.
      expect(component.max().item() - component.min().item()).toBeGreaterThan((high - low) * 0.8);
    }
    expect(next.rng.toArray()).not.toEqual(fresh().rng.toArray());
  });

  it("takes the middle of the policy where it does not explore", () => {
    const options = { config, explore: false };
    const [action] = SAC.act(fresh(), obs.slice(0), options);
    const [again] = SAC.act({ ...fresh(), rng: random.key(9) }, obs.slice(0), options);
    expect(action.shape).toEqual([2]);
    expect(again.toArray()).toEqual(action.toArray());
    // A fresh policy's mean is near 0 before it is rescaled.
    expectClose(action, np.array([0, 0.5]), { atol: 0.1 });
  });
});

describe("the bounds of actions", () => {
  const wide = random.normal(random.key(6), [500, 3]).mul(3);
  const reach = (state: SACState, given: SACConfig) => {
    const [actions] = SAC.actBatch(state, wide, { config: given });
    return [actions.min(0), actions.max(0)].map((x) => x.toArray() as number[]);
  };

  it("are the space's, whatever config acts", () => {
    const own = SACConfig({ hiddenSizes: [16] });
    const state = SAC.init(key, [3], space, own);
    expect([state.actionLow.toArray(), state.actionHigh.toArray()]).toEqual([
      [-2, 0],
      [2, 1],
    ]);
    const [least, most] = reach(state, own);
    expect(most[0] - least[0]).toBeGreaterThan(3.2);
    expect(reach(state, config)).toEqual([least, most]);
  });

  it("are the config's where it has any, within the space", () => {
    const own = SACConfig({ hiddenSizes: [16], actionLow: -1, actionHigh: [0.5, 1] });
    expect(() => SAC.init(key, [3], space, own)).toThrow("config.actionLow is -1, outside the actions of");
    const narrow = SACConfig({ ...own, actionLow: [-1, 0.5] });
    const state = SAC.init(key, [3], space, narrow);
    expect(state.actionLow.toArray()).toEqual([-1, 0.5]);
    const [least, most] = reach(state, SACConfig());
    expect([least[0] >= -1, most[0] <= 0.5, least[1] >= 0.5, most[1] <= 1]).toEqual([true, true, true, true]);
  });

  it("are -1 and 1 where nothing is known but their number", () => {
    const state = SAC.init(key, [3], 2, SACConfig());
    expect([state.actionLow.toArray(), state.actionHigh.toArray()]).toEqual([
      [-1, -1],
      [1, 1],
    ]);
  });

  it("of a trained agent are those it was trained with", async () => {
    const [env, params] = make("Pendulum-v1");
    const own = SACConfig({ hiddenSizes: [8], batchSize: 8 });
    const { agentState } = await trainSAC(env, params, {
      sacConfig: own,
      runnerConfig: RunnerConfig({ totalTimesteps: 60, warmupSteps: 20, bufferSize: 100 }),
    });
    expect(agentState.actionHigh.toArray()).toEqual([2]);
    const [actions] = SAC.actBatch(agentState, wide, { config: own });
    expect(actions.max().item() - actions.min().item()).toBeGreaterThan(2.5);
  });
});

describe("SAC.update", () => {
  it("counts up to the largest int32 and stays there", () => {
    const late = { ...fresh(), step: np.int32(2 ** 31 - 2) };
    const [once] = SAC.update(late, batch, { config });
    const [twice] = SAC.update(once, batch, { config });
    expect([once.step.item(), twice.step.item()]).toEqual([2 ** 31 - 1, 2 ** 31 - 1]);
  });

  it("changes everything that learns, and measures", () => {
    const before = fresh();
    const [after, metrics] = SAC.update(before, batch, { config });
    expect(after.step.item()).toBe(1);
    for (const name of ["actorParams", "criticParams", "targetCriticParams", "logAlpha", "rng"] as const) {
      expect([name, tree.allClose<unknown>(after[name], before[name], { rtol: 0, atol: 0 })]).toEqual([
        name,
        false,
      ]);
    }
    expect(Object.keys(metrics).sort()).toEqual(
      "actorLoss alpha alphaLoss criticLoss entropy qMean".split(" "),
    );
    expect(metrics.alpha.item()).toBeCloseTo(Math.exp(after.logAlpha.item()), 6);
  });

  it("does the same interpreted", () => {
    const interpreted = jit(SAC.update, { staticArgnums: 2, device: "interpreter" });
    expectClose(interpreted(fresh(), batch, { config }), SAC.update(fresh(), batch, { config }), {
      rtol: 1e-3,
      atol: 1e-5,
    });
  });

  it("moves the target critics a part of the way", () => {
    const before = fresh();
    const [{ criticParams, targetCriticParams }] = SAC.update(before, batch, { config });
    const mixed = tree.map(
      (old, now) => old.mul(0.75).add(now.mul(0.25)),
      before.targetCriticParams,
      criticParams,
    );
    expectClose(targetCriticParams, mixed, { atol: 1e-6 });
  });

  it("lowers all learning rates to nothing", () => {
    const falling = SACConfig({ ...config, lrSchedule: "linear", scheduleUpdates: 4 });
    const at = (step: number) =>
      SAC.update({ ...fresh(), step: np.int32(step) }, batch, { config: falling })[0];
    const half = (rate: SACConfig["actorLr"]) => Number(rate) / 2;
    const { actorLr, criticLr, alphaLr } = config;
    const rates = { actorLr: half(actorLr), criticLr: half(criticLr), alphaLr: half(alphaLr) };
    const [slower] = SAC.update(fresh(), batch, { config: SACConfig({ ...config, ...rates }) });
    const learned = ({ actorParams, criticParams, logAlpha }: SACState) => ({
      ...{ actorParams, criticParams, logAlpha },
    });
    expectClose(learned(at(2)), learned(slower), { atol: 1e-6 });
    expectClose(learned(at(4)), learned(fresh()), { atol: 0 });
  });

  it("leaves the temperature alone if told so", () => {
    const fixed = SACConfig({ ...config, autotuneAlpha: false, initAlpha: 0.3 });
    const [after, { alpha, alphaLoss }] = SAC.update(fresh(fixed), batch, { config: fixed });
    expect(after.logAlpha.item()).toBeCloseTo(Math.log(0.3), 6);
    expect(alpha.item()).toBeCloseTo(0.3, 6);
    expect(alphaLoss.item()).toBe(0);
    expect(after.alphaOptState[1].count.item()).toBe(0);
  });

  it("brings the entropy to its target", () => {
    const quick = SACConfig({
      ...{ ...config, actorLr: 3e-3, criticLr: 3e-3, alphaLr: 1e-2, targetEntropyScale: 0.5, gamma: 0.9 },
    });
    const run = jit((start: SACState) =>
      lax.scan((state: SACState) => SAC.update(state, batch, { config: quick }), start, null, {
        length: 2000,
      }),
    );
    const [, { entropy }] = run(fresh(quick));
    expect(Math.abs(entropy.slice("-100:").mean().item() - -1)).toBeLessThan(0.1);
  });
});

describe("SAC in a compiled loop", () => {
  it("learns from images that are kept as bytes", () => {
    const probe = probes.find(({ params }) => params.fitsSign.item() === 1) ?? probes[0];
    const learning = SACConfig({
      ...{ hiddenSizes: [16, 16], batchSize: 32, actorLr: 1e-3, criticLr: 2e-3, initAlpha: 0.01 },
      ...{ autotuneAlpha: false },
    });
    const agent = jit(offPolicyLoop(imageProbe("continuous"), sacAgent(learning), 150))(key, probe.params);
    const images = np.stack([-1, 1].map((sign) => paintSign(np.float32(sign))));
    const [actions] = SAC.actBatch(agent, images, { config: learning, explore: false });
    const [left, right] = actions.data();
    expect(left).toBeLessThan(-0.25);
    expect(right).toBeGreaterThan(0.25);
  });
});
