// OnPolicyRunner: what it calls back with, what it logs, what it learns, when it stops.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { PPO, type PPORollout } from "vibe-rl";
import { np } from "vibe-rl/array";
import { readMetrics } from "vibe-rl/metrics";
import { CallbackError, OnPolicyRunner, type EventName, type Stats } from "vibe-rl/runner";
import { temporaryFolder, warningsOf } from "../../temporary.js";
import { Corridor, smallConfig } from "./corridor.js";

const events: EventName[] = [
  "pre_iteration",
  "pre_rollout",
  "post_rollout",
  "pre_update",
  "post_update",
  "post_iteration",
];

/** 16 steps of 2 environments. */
const iteration = 32;

const tags = [
  "train/policy_loss",
  "train/value_loss",
  "train/entropy_loss",
  "train/approx_kl",
  "train/learning_rate",
  "episode/mean_reward",
  "episode/mean_length",
  "rollout/mean_reward",
  "rollout/mean_value",
  "reward/progress",
  "reward/goal",
  "/corridor/place_mean",
];

const make = (options: object = {}): OnPolicyRunner =>
  new OnPolicyRunner({ env: new Corridor(), cfg: smallConfig, ...options });

describe("learn", () => {
  it("learns to walk along a corridor", async () => {
    const runner = make({ env: new Corridor({ numEnvs: 4 }) });
    const before = await runner.eval({ numEpisodes: 8 });
    await runner.learn({ totalTimesteps: 4096 });
    const after = await runner.eval(8);
    expect(before["eval/mean_reward"]).toBeLessThan(1);
    expect(after["eval/mean_reward"]).toBeGreaterThan(1.2);
    expect([runner.iteration, runner.totalTimesteps]).toEqual([64, 4096]);
  });

  it("learns to walk with continuous actions, which environments get within their bounds", async () => {
    const env = new Corridor({ continuous: true, isAsync: true });
    const given: number[] = [];
    const step = env.step.bind(env);
    env.step = (actions) => {
      given.push(...Array.from(actions));
      return step(actions);
    };
    const runner = make({ env });
    const rollouts: PPORollout[] = [];
    runner.addCallback("post_rollout", (_, rollout) => rollouts.push(rollout));
    await runner.learn(iteration * 4);
    expect(Math.max(...given.map(Math.abs))).toBe(1);
    const own = rollouts.flatMap(({ action }) => [...action.data()]);
    expect(rollouts[0].action.shape).toEqual([16, 2, 1]);
    expect(Math.max(...own)).toBeGreaterThan(1);
    expect(given).toEqual(own.map((action) => Math.fround(Math.min(1, Math.max(-1, action)))));
  });

  it("takes a number as well as an object, counts all steps, and says when nothing is left to do", async () => {
    const runner = make();
    await runner.learn(iteration);
    await runner.learn({ totalTimesteps: 3 * iteration + 5 });
    expect([runner.iteration, runner.totalTimesteps]).toEqual([3, 3 * iteration]);
    const [warning] = await warningsOf("RunWarning", () => runner.learn(3 * iteration));
    expect(warning).toMatch(
      /totalTimesteps is 96 in all, and 96 steps have been made: nothing is left to do/,
    );
    await expect(make().learn(31)).rejects.toThrow(
      /totalTimesteps is 31, less than the 32 steps of one iteration/,
    );
    await expect(make().learn({} as never)).rejects.toThrow(/totalTimesteps must be a whole number/);
  });

  it("is the same run for the same seed, with promises and without, and another for another seed", async () => {
    const run = async (seed: number, isAsync: boolean) => {
      const runner = make({ env: new Corridor({ isAsync }), seed });
      await runner.learn(3 * iteration);
      return JSON.stringify(runner.agent.state.params.actor);
    };
    const first = await run(1, false);
    expect(await run(1, true)).toBe(first);
    expect(await run(2, false)).not.toBe(first);
  });

  it("runs on the device that is asked for", async () => {
    const cfg = { hiddenSizes: [4], nSteps: 4, nMinibatches: 1, nEpochs: 1 };
    const [compiled, interpreted] = ["wasm", "interpreter"].map((device) => make({ cfg, device }));
    const [fast, slow] = [await compiled.learn(8), await interpreted.learn(8)];
    expect(fast["train/value_loss"]).toBeCloseTo(slow["train/value_loss"], 4);
  });

  it("refuses to be called while it is under way", async () => {
    const runner = make();
    let second: Promise<unknown> = Promise.resolve();
    runner.addCallback("pre_update", () => {
      second = expect(runner.learn(99)).rejects.toThrow(/learn: is under way already/);
    });
    await runner.learn(iteration);
    await second;
  });
});

describe("callbacks", () => {
  it("fire in order with the runner and what belongs to their event", async () => {
    const runner = make();
    const seen: [EventName, number, unknown][] = [];
    for (const event of events) {
      runner.addCallback(event, (...[given, what]: unknown[]) => {
        expect(given).toBe(runner);
        seen.push([event, runner.iteration, what]);
      });
    }
    await runner.learn(2 * iteration);
    expect(seen.map(([event, number]) => `${event} ${number}`)).toEqual(
      [0, 1].flatMap((number) => events.map((event) => `${event} ${number}`)),
    );
    const [, , rollout, , trained, all] = seen.map(([, , what]) => what);
    expect((rollout as PPORollout).obs.shape).toEqual([16, 2, 2]);
    expect(Object.keys(trained as Stats)).toContain("train/policy_loss");
    expect(Object.keys(all as Stats)).toEqual(expect.arrayContaining(tags));
    expect(seen[0][2]).toBeUndefined();
  });

  it("fire in the order in which they were added, each waited for", async () => {
    const runner = make();
    const order: string[] = [];
    runner
      .addCallback("pre_rollout", async () => {
        await new Promise((resolve) => setImmediate(resolve));
        order.push("first");
      })
      .addCallback("pre_rollout", () => order.push("second"))
      .addCallback("post_rollout", () => order.push("rollout"));
    await runner.learn(iteration);
    expect(order).toEqual(["first", "second", "rollout"]);
  });

  it("that throw are named, with what they threw", async () => {
    const cause = new Error("no more");
    const runner = make();
    runner.addCallback("post_update", () => undefined);
    runner.addCallback("post_update", function plotter() {
      throw cause;
    });
    const error: unknown = await runner.learn(iteration).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CallbackError);
    expect(error).toMatchObject({ cause, event: "post_update" });
    expect((error as Error).message).toBe(
      "the callback plotter of post_update (number 2 of 2) threw: no more",
    );
    const late = make();
    late.addCallback("pre_update", () => Promise.reject(cause));
    await expect(late.learn(iteration)).rejects.toMatchObject({ cause, event: "pre_update" });
  });

  it("of no event, and what is no function, are refused", () => {
    expect(() => make().addCallback("on_start" as never, (() => undefined) as never)).toThrow(
      /there is no event "on_start"; the events are pre_iteration, post_iteration, pre_rollout/,
    );
    expect(() => make().addCallback("pre_update", 3 as never)).toThrow(/must be a function, got number/);
  });

  it("can stop the run after the iteration under way", async () => {
    const runner = make();
    runner.addCallback("post_iteration", () => {
      if (runner.iteration === 2) runner.stop();
    });
    await runner.learn(100 * iteration);
    expect([runner.iteration, runner.totalTimesteps]).toEqual([3, 3 * iteration]);
    await runner.learn(4 * iteration);
    expect(runner.iteration).toBe(4);
  });
});

describe("figures", () => {
  it("are means of the rollout, and of the last episodes and their components", async () => {
    const runner = make();
    const rewards: number[] = [];
    const stats = await runner
      .addCallback("post_rollout", (_, { reward }) => rewards.push(...reward.data()))
      .learn(iteration);
    const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
    expect(stats["rollout/mean_reward"]).toBeCloseTo(mean, 5);
    expect(stats["reward/progress"] + stats["reward/goal"]).toBeCloseTo(stats["episode/mean_reward"], 5);
    expect(stats["episode/mean_length"]).toBeGreaterThan(2);
    expect(stats["train/learning_rate"]).toBe(smallConfig.lr);
  });

  it("leave out the components of rewards where they are not asked for", async () => {
    const stats = await make({ logRewardComponents: false }).learn(iteration);
    expect(Object.keys(stats).filter((tag) => tag.startsWith("reward/"))).toEqual([]);
  });

  it("are written to metrics.jsonl and for TensorBoard, every so many iterations and at the last", async () => {
    const logDir = temporaryFolder();
    await make({ logDir, logInterval: 2 }).learn(4 * iteration);
    const records = readMetrics(path.join(logDir, "metrics.jsonl"));
    expect(records.map(({ iteration: number, step }) => [number, step])).toEqual([
      [0, iteration],
      [2, 3 * iteration],
      [3, 4 * iteration],
    ]);
    expect(Object.keys(records[0])).toEqual(expect.arrayContaining(tags));
    const [file] = readdirSync(logDir).filter((name) => name.startsWith("events.out.tfevents"));
    const bytes = readFileSync(path.join(logDir, file));
    expect(tags.filter((tag) => !bytes.includes(tag))).toEqual([]);
  });
});

describe("the learning rate", () => {
  const ratesOf = async (options: object, cfg: object = smallConfig) => {
    const runner = make({ ...options, cfg });
    const rates: number[] = [];
    runner.addCallback("post_update", (_, stats) => rates.push(stats["train/learning_rate"]));
    await runner.learn(4 * iteration);
    return rates;
  };

  it("stays, or falls along a line", async () => {
    expect(await ratesOf({})).toEqual([1e-2, 1e-2, 1e-2, 1e-2]);
    const line = [1, 0.75, 0.5, 0.25].map((part) => expect.closeTo(part * 1e-2, 10) as number);
    expect(await ratesOf({ lrSchedule: "linear" })).toEqual(line);
    expect(await ratesOf({}, { ...smallConfig, lrSchedule: "linear" })).toEqual(line);
  });

  it("adapts to a desired KL, within bounds", async () => {
    const up = await ratesOf({ lrSchedule: "adaptive", desiredKl: 100 }, { ...smallConfig, lr: 1e-3 });
    expect(up).toEqual([1, 1.5, 2.25, 3.375].map((part) => expect.closeTo(part * 1e-3, 10) as number));
    const down = await ratesOf({ lrSchedule: "adaptive", desiredKl: 1e-9 });
    expect(down).toEqual([0, 1, 2, 3].map((power) => expect.closeTo(1e-2 / 1.5 ** power, 10) as number));
  });

  it("is what an update learns with", async () => {
    const params = async (lr: number) => {
      const runner = make({ cfg: { ...smallConfig, lr } });
      await runner.learn(iteration);
      return JSON.stringify(runner.agent.state.params);
    };
    expect(await params(1e-2)).not.toBe(await params(1e-3));
  });

  it("of a kind that there is not is refused", () => {
    expect(() => make({ lrSchedule: "cosine" })).toThrow(/lrSchedule must be constant, linear, adaptive/);
    expect(() => make({ desiredKl: 0 })).toThrow(/desiredKl must be a number greater than 0, got 0/);
  });
});

describe("rollouts", () => {
  it("carry the value of the last observation where an episode was cut off, 0 elsewhere", async () => {
    const env = new Corridor({ length: 3, limit: 5 });
    const finals: { at: number; env: number; obs: number[] }[] = [];
    let at = 0;
    env.alter = (step) => {
      const { timeOuts, terminated, finalObservation = [] } = step.extras;
      timeOuts.forEach((isOver, index) => {
        if (isOver === 0 || terminated?.[index] === 1) return;
        finals.push({ at, env: index, obs: [...finalObservation.slice(2 * index, 2 * index + 2)] });
      });
      at++;
      return step;
    };
    const runner = make({ env, cfg: { ...smallConfig, normalizeObs: true } });
    await runner.learn(iteration);
    const { state, options } = runner.agent;
    at = 0;
    finals.length = 0;
    const expected = new Map<number, number>();
    runner.addCallback("post_rollout", (_, { bootstrap }) => {
      for (const { at: step, env: index, obs } of finals) {
        const value = PPO.getValueBatch(state, np.array([obs]), options).data()[0];
        expected.set(step * 2 + index, value);
      }
      const wanted = Array.from({ length: 32 }, (__, place) => expected.get(place) ?? 0);
      expect([...bootstrap.data()]).toEqual(wanted.map((value) => expect.closeTo(value, 5) as number));
    });
    await runner.learn(2 * iteration);
    expect(expected.size).toBeGreaterThan(3);
  });

  it("take the value before the end where nobody tells the last observation", async () => {
    const env = new Corridor({ limit: 4, length: 9, tellsFinal: false });
    const runner = make({ env });
    runner.addCallback("post_rollout", (_, { bootstrap, value }) => {
      const values = value.data();
      const wanted = Array.from(values, (own, place) => (Math.floor(place / 2) % 4 === 3 ? own : 0));
      expect([...bootstrap.data()]).toEqual(wanted);
    });
    await runner.learn(iteration);
  });

  it("are the user's to keep", async () => {
    const kept: PPORollout[] = [];
    const runner = make().addCallback("post_rollout", (_, rollout) => kept.push(rollout));
    await runner.learn(iteration);
    const before = JSON.stringify(kept[0].obs);
    await runner.learn(3 * iteration);
    expect(JSON.stringify(kept[0].obs)).toBe(before);
    expect(JSON.stringify(kept[1].obs)).not.toBe(before);
  });
});
