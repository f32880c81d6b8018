// Every episode of a run is told, not only their means; and what a run hands back is the environment's own.
import { describe, expect, expectTypeOf, it } from "vitest";
import { jit, np, random, vmap, type Array } from "vibe-rl/array";
import { AutoResetWrapper, make, type CartPoleState } from "vibe-rl/env";
import { RunDir } from "vibe-rl/runDir";
import { trainDQN, trainPPO, type EpisodeLists, type LoggedRecord } from "vibe-rl/runner";
import { temporaryFolder } from "../temporary.js";
import {
  cartPole,
  cartPoleParams,
  dqnConfig,
  linesOf,
  ppoConfig,
  runBare,
  runnerConfig,
  trainers,
} from "./small.js";

const listIn = (record: EpisodeLists, name: keyof EpisodeLists) => record[name] ?? [];
const meanOf = (list: readonly number[]) => list.reduce((sum, one) => sum + one, 0) / list.length;

describe.each(Object.keys(trainers))("a run of %s", (algorithm) => {
  it("logs every episode beside the means, with the step at which it ended", async () => {
    const config = runnerConfig();
    const logged: LoggedRecord[] = [];
    const logger = { log: (record: LoggedRecord) => void logged.push(record) };
    const result = await runBare(trainers[algorithm](config), config, { logger });
    const training = logged.filter((record) => !("eval_return" in record));
    let before = 0;
    for (const record of training) {
      const [returns, lengths, steps] = (["returns", "lengths", "steps"] as const).map((name) =>
        listIn(record, `episode_${name}`),
      );
      expect([lengths.length, steps.length]).toEqual([returns.length, returns.length]);
      expect([...steps].sort((a, b) => a - b)).toEqual(steps);
      for (const step of steps) expect([step > before, step <= record.step]).toEqual([true, true]);
      if (returns.length === 0) expect(record).not.toHaveProperty("episode_return");
      else expect(record.episode_return).toBeCloseTo(meanOf(returns), 10);
      if (returns.length > 0) expect(record.episode_length).toBeCloseTo(meanOf(lengths), 10);
      before = record.step;
    }
    expect(training.flatMap((record) => listIn(record, "episode_returns"))).toEqual(result.episodeReturns);
    expect(training.flatMap((record) => listIn(record, "episode_lengths"))).toEqual(result.episodeLengths);
    expect(result.episodeReturns.length).toBeGreaterThan(10);
    // Records that programs read have numbers only.
    for (const record of [...result.metricsLog, ...result.evalLog]) {
      for (const value of Object.values(record)) expect(typeof value).toBe("number");
    }
  });
});

it("the episodes of one environment follow each other: their lengths add up to the steps at which they end", async () => {
  const runDir = RunDir("run", { baseDir: temporaryFolder() });
  const [env, params] = make("GridWorld-v0", { maxSteps: 7 });
  const result = await trainDQN(env, params, { dqnConfig, runnerConfig: runnerConfig(), runDir });
  const lines = linesOf(runDir.logPath());
  const ends = result.episodeLengths.map((_, at, all) =>
    all.slice(0, at + 1).reduce((sum, one) => sum + one),
  );
  expect(lines.flatMap((record) => listIn(record, "episode_steps"))).toEqual(ends);
});

it("of PPO, a return is the sum of the rewards and a length the steps: in CartPole they are the same", async () => {
  const logged: LoggedRecord[] = [];
  const log = (record: LoggedRecord) => void logged.push(record);
  const options = { ppoConfig, runnerConfig: runnerConfig(), logger: { log } };
  await trainPPO(cartPole, cartPoleParams, options);
  const all = (name: keyof EpisodeLists) => logged.flatMap((record) => listIn(record, name));
  expect(all("episode_returns")).toEqual(all("episode_lengths"));
  // Two environments side by side: what is not in an episode that ended is in one under way, of at most 30 steps.
  const steps = all("episode_lengths").reduce((sum, one) => sum + one, 0);
  expect(640 - steps).toBeLessThan(60);
});

describe("the state that trainPPO returns", () => {
  const step = jit(
    vmap((key: Array, now: CartPoleState, action: Array) => cartPole.step(key, now, action, cartPoleParams)),
  );

  it.each([
    ["raw", cartPole],
    ["wrapped", AutoResetWrapper(cartPole)],
  ])("has the environments' own states, which env.step takes: %s", async (_, env) => {
    const config = runnerConfig({ totalTimesteps: 64 });
    const [state] = await trainPPO(env, cartPoleParams, { ppoConfig, runnerConfig: config });
    expectTypeOf(state.envState).toEqualTypeOf<CartPoleState>();
    expect(Object.keys(state)).toEqual(["agentState", "envObs", "envState", "rng"]);
    expect(state.envState.position.shape).toEqual([2]);
    const [obs, next] = step(
      random.split(random.key(0), 2),
      state.envState,
      np.array([0, 1], { dtype: "int32" }),
    );
    expect(obs.shape).toEqual([2, 4]);
    expect(next.position.toArray()).not.toEqual(state.envState.position.toArray());
    expect(state.envObs.T.slice(0).toArray()).toEqual(state.envState.position.toArray());
  });
});
