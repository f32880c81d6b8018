// Sweeps: every run of one is the run made alone, and bad grids are refused before anything is trained.
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { DQNConfig } from "vibe-rl/algorithms/dqn";
import { PPOConfig, type PPOState } from "vibe-rl/algorithms/ppo";
import { np } from "vibe-rl/array";
import { plotSweep } from "vibe-rl/plotting";
import {
  sweep,
  trainDQN,
  trainPPO,
  trainSAC,
  type SweepProgress,
  type SweepResult,
  type SweepRun,
} from "vibe-rl/runner";
import { numbersOf } from "../../src/runner/gathered.js";
import { expectClose } from "../closeness.js";
import {
  bitsOf,
  cartPole,
  cartPoleParams,
  dqnConfig,
  gridWorld,
  gridWorldParams,
  pendulum,
  pendulumParams,
  ppoConfig,
  runnerConfig,
  sacConfig,
} from "./small.js";

const short = runnerConfig({ totalTimesteps: 96, logInterval: 32, evalEvery: 96 });

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe("a sweep of PPO", () => {
  // gamma · gaeLambda is another float32 number than the product of their float64 values.
  const grid = { "algo.lr": [1e-3, 1e-2], "algo.gamma": [0.9, 0.99], seeds: [3, 4] } as const;
  const progress: SweepProgress[] = [];
  const told: number[] = [];
  let result: SweepResult<PPOState>;
  let compiled = 0;

  beforeAll(async () => {
    vi.stubEnv("VIBE_RL_LOG_COMPILES", "1");
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    result = await sweep(
      trainPPO,
      cartPole,
      cartPoleParams,
      {
        ...{ ppoConfig, runnerConfig: short },
        onProgress: (one) => void progress.push(one),
        onRun: ({ seed }) => void told.push(seed),
      },
      grid,
    );
    // Initialisers have programs of their own.
    const isOurs = (line: unknown) => /^vibe-rl: jit\((train\w*|evaluation)\) for/.test(String(line));
    compiled = log.mock.calls.filter(([line]) => isOurs(line)).length;
  });

  it("has a record for each run, setting by setting and seed by seed", () => {
    expect(result.runs.map(({ setting, seed }) => [...Object.values(setting), seed])).toEqual([
      ...[1e-3, 1e-2].flatMap((lr) =>
        [0.9, 0.99].flatMap((gamma) => [3, 4].map((seed) => [lr, gamma, seed])),
      ),
    ]);
    expect(result.isStopped).toBe(false);
    const [first] = result.runs;
    expect(first.name).toBe("lr 0.001, gamma 0.9");
    expect(first.curve.steps).toEqual([32, 64, 96]);
    expect(first.finalReturn).toBe(first.curve.returns[2]);
    expect(first.evalReturn).toBe(first.records[3].eval_return);
    expect(told).toEqual([3, 4, 3, 4, 3, 4, 3, 4]);
    const last = progress.at(-1);
    expect([last?.run, last?.runs, last?.step, last?.total, last?.name]).toEqual([
      ...[7, 8, 96, 96, "lr 0.01, gamma 0.99"],
    ]);
  });

  it("is one program for training and one for evaluation", () => {
    expect(compiled).toBe(2);
  });

  it("equals the runs made alone, bit for bit", async () => {
    for (const { setting, seed, agentState, records } of [result.runs[1]]) {
      const alone: object[] = [];
      const [state] = await trainPPO(cartPole, cartPoleParams, {
        ppoConfig: PPOConfig({
          ...ppoConfig,
          lr: setting["algo.lr"] as number,
          gamma: setting["algo.gamma"] as number,
        }),
        runnerConfig: runnerConfig({ ...short, seed }),
        logger: { log: (record) => alone.push(numbersOf(record)) },
      });
      expect(bitsOf(agentState)).toEqual(bitsOf(state.agentState));
      expect(records).toEqual(alone);
    }
  });

  it("is a table, with a line for each setting", () => {
    const lines = String(result).split("\n");
    expect(lines[0]).toBe("lr     gamma  runs  last return  evaluation");
    expect(lines).toHaveLength(5);
    expect(lines[1]).toMatch(/^0\.001 {2}0\.9 {4}2 {5}\d+\.\d ± \d+\.\d +\d+\.\d ± \d+\.\d$/);
  });

  it("is a plot, with a curve for each setting and a band over its seeds", () => {
    const svg = plotSweep(result).svg();
    for (const { name } of result.runs) expect(svg).toContain(`>${name}<`);
    expect(svg).toContain("mean ± std of 2 runs");
    expect(plotSweep(result, { yKey: "entropy" }).svg()).toContain("Entropy");
  });
});

describe("a sweep", () => {
  it("goes on where the numbers of a run are lost, and says so; side by side, too", async () => {
    const config = PPOConfig({ ...ppoConfig, maxGradNorm: 1e30 });
    const options = { ppoConfig: config, runnerConfig: short };
    const grid = { "algo.lr": [1e30, 1e-3], seeds: [3, 4] } as const;
    const alone = await sweep(trainPPO, pendulum, pendulumParams, options, grid);
    const [lost, , fine] = alone.runs;
    expect([lost.error?.name, lost.agentState]).toEqual(["DivergedError", null]);
    expect([fine.error, fine.records.length]).toEqual([null, 4]);
    expect(String(alone).split("\n")[1]).toMatch(/^1e\+30 {2}2 .* 2$/);
    expect(plotSweep(alone).svg()).not.toContain("1e+30");
    expect(() => plotSweep({ runs: [lost] })).toThrow("plotSweep: none of the 1 runs has come to its end");

    const told: string[] = [];
    const onRun = ({ name, seed }: SweepRun) => void told.push(`${name}, seed ${seed}`);
    const more = { ...options, sideBySide: 3, onRun };
    const together = await sweep(trainPPO, pendulum, pendulumParams, more, grid);
    expect(told).toEqual(alone.runs.map(({ name, seed }) => `${name}, seed ${seed}`));
    together.runs.forEach((run, at) => {
      const same = alone.runs[at];
      expect([run.name, run.seed, run.error?.update]).toEqual([same.name, same.seed, same.error?.update]);
      if (run.agentState === null) return;
      // Products of several networks add up in another order.
      expectClose(run.agentState.params, same.agentState?.params, { atol: 1e-4 });
      expectClose(np.array(run.curve.returns), np.array(same.curve.returns), { rtol: 1e-3 });
      expect(run.records.map(({ step }) => step)).toEqual(same.records.map(({ step }) => step));
    });
  });

  it("of DQN is what the runs are alone, one by one to the bit; what changes shapes is another program", async () => {
    const dqn = [trainDQN, gridWorld, gridWorldParams] as const;
    const options = { dqnConfig, runnerConfig: short };
    const grid = {
      "algo.epsilonEnd": [0.0137],
      "algo.batchSize": [4, 8],
      "runner.warmupSteps": [40],
      seeds: [1],
    };
    const result = await sweep(...dqn, options, grid);
    expect(result.runs.map(({ name }) => name)).toEqual([
      ...["epsilonEnd 0.0137, batchSize 4, warmupSteps 40", "epsilonEnd 0.0137, batchSize 8, warmupSteps 40"],
    ]);
    const config: DQNConfig = { ...dqnConfig, epsilonEnd: 0.0137, batchSize: 4 };
    const runner = runnerConfig({ ...short, seed: 1, warmupSteps: 40 });
    const alone = await trainDQN(gridWorld, gridWorldParams, { dqnConfig: config, runnerConfig: runner });
    expect(bitsOf(result.runs[0].agentState)).toEqual(bitsOf(alone.agentState));
    expect(result.runs[0].records.filter((record) => !("eval_return" in record))).toEqual(alone.metricsLog);
    const several = { ...grid, "algo.batchSize": [4], "algo.epsilonEnd": [0.0137, 0.3] };
    const together = await sweep(...dqn, { ...options, sideBySide: Infinity }, several);
    expectClose(together.runs[0].agentState?.params, alone.agentState.params, { atol: 1e-5 });
    expect(together.runs[0].curve).toEqual(result.runs[0].curve);
    const epsilons = together.runs.map(({ records }) => records[1].epsilon);
    expect(epsilons[1]).toBeGreaterThan(epsilons[0]);
  });

  it("of SAC is what the runs are alone, one by one to the bit", async () => {
    const sac = [trainSAC, pendulum, pendulumParams] as const;
    const options = { sacConfig, runnerConfig: short };
    const grid = { "algo.tau": [0.0137, 0.05], "algo.initAlpha": [0.3] };
    const result = await sweep(...sac, options, grid);
    const own = { ...sacConfig, tau: 0.0137, initAlpha: 0.3 };
    const alone = await trainSAC(pendulum, pendulumParams, { sacConfig: own, runnerConfig: short });
    expect(bitsOf(result.runs[0].agentState)).toEqual(bitsOf(alone.agentState));
    expect(result.runs.map(({ seed }) => seed)).toEqual([0, 0]);
    const together = await sweep(...sac, { ...options, sideBySide: 2 }, grid);
    expectClose(together.runs[0].agentState?.actorParams, alone.agentState.actorParams, { atol: 1e-3 });
    expect(together.runs[1].records.length).toBe(result.runs[1].records.length);
  });

  it("stops when it is told to, with the runs that are over", async () => {
    const stopping = new AbortController();
    const result = await sweep(
      trainPPO,
      cartPole,
      cartPoleParams,
      { ppoConfig, runnerConfig: short, signal: stopping.signal, onRun: () => stopping.abort() },
      { seeds: [0, 1, 2] },
    );
    expect([result.runs.length, result.isStopped]).toEqual([1, true]);
    expect(String(result)).toMatch(/^runs {2}last return {2}evaluation\n1 /);
    const later = new AbortController();
    const together = await sweep(
      ...([trainPPO, cartPole, cartPoleParams] as const),
      {
        ppoConfig,
        runnerConfig: short,
        signal: later.signal,
        sideBySide: 2,
        onProgress: () => later.abort(),
      },
      { seeds: [0, 1, 2] },
    );
    expect([together.runs, together.isStopped]).toEqual([[], true]);
  });

  const fine = { ppoConfig, runnerConfig: short };
  const refusals: [fact: string, options: object, grid: unknown, message: string][] = [
    [
      "an unknown field",
      fine,
      { "algo.lrr": [1] },
      "sweep: there is no setting algo.lrr; did you mean algo.lr?",
    ],
    ["a field without its part", fine, { lr: [1] }, "there is no setting lr; did you mean algo.lr?"],
    ["the seed as a setting", fine, { "runner.seed": [1] }, "runner.seed is given as seeds: […]"],
    ["no values", fine, { "algo.lr": [] }, "algo.lr must be a list of at least one value, got []"],
    [
      "a value that is no list",
      fine,
      { "algo.lr": 1e-3 },
      "algo.lr must be a list of at least one value, got 0.001",
    ],
    ["a value twice", fine, { "algo.lr": [1e-3, 1e-3] }, "algo.lr has 0.001 twice"],
    ["seeds that are none", fine, { seeds: [0.5] }, "seeds must be a list of whole numbers of at least 0"],
    [
      "a wrong value, with the combination it is part of",
      fine,
      { "algo.lr": [1e-3], "algo.gamma": [0.9, 1.5] },
      "sweep: ppoConfig with lr 0.001, gamma 1.5 is no PPOConfig: gamma must be a number from 0 to 1, got 1.5",
    ],
    ["half a run side by side", { ...fine, sideBySide: 0.5 }, {}, "sideBySide must be a whole number"],
    ["no grid", fine, [1], 'needs what to try as an object such as { "algo.lr": [1e-4, 1e-3] }, got [1]'],
    ["what it has no use for", { ...fine, callback: () => 0 }, {}, "there is no option `callback`"],
    [
      "a directory for all runs",
      { ...fine, runnerConfig: { ...short, checkpointDir: "x" } },
      {},
      "sweep: keeps no files: leave out checkpointDir and resume",
    ],
    [
      "what cannot run, before the first run",
      fine,
      { "runner.totalTimesteps": [96, 31] },
      "totalTimesteps is 31, less than the 32 steps of one update",
    ],
  ];
  for (const [fact, options, grid, message] of refusals) {
    it(`refuses ${fact}`, async () => {
      const onProgress = vi.fn();
      const asked = sweep(trainPPO, cartPole, cartPoleParams, { ...options, onProgress }, grid as never);
      await expect(asked).rejects.toThrow(message);
      expect(onProgress).not.toHaveBeenCalled();
    });
  }

  it("refuses what does not train", async () => {
    await expect(sweep((() => 0) as never, cartPole, cartPoleParams, fine, {})).rejects.toThrow(
      "sweep: needs trainPPO, trainDQN or trainSAC",
    );
  });
});
