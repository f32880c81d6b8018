// What runs from TypeScript have in common with those of the command line, and with the original's options.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { PPOConfig } from "vibe-rl/algorithms/ppo";
import { loadMetadata } from "vibe-rl/checkpoint";
import { AutoResetWrapper, make, TimeLimit } from "vibe-rl/env";
import { RunDir } from "vibe-rl/runDir";
import { RunnerConfig, trainDQN, trainPPO, trainSAC, type Change } from "vibe-rl/runner";
import { ppoTrainer } from "../../src/runner/index.js";
import { call } from "../cli/host.js";
import { temporaryFolder, warningsOf } from "../temporary.js";
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

const newRun = (): RunDir => RunDir("run", { baseDir: temporaryFolder() });
const short = runnerConfig({ totalTimesteps: 128, checkpointInterval: 64, evalEpisodes: 2 });

describe("environments side by side", () => {
  it("can be said by either config, and are the same", async () => {
    const { numEnvs: _, ...alone } = ppoConfig;
    const [byRunner] = await trainPPO(cartPole, cartPoleParams, {
      ppoConfig: PPOConfig(alone),
      runnerConfig: runnerConfig({ totalTimesteps: 128, numEnvs: 2 }),
    });
    const [byAlgorithm] = await trainPPO(cartPole, cartPoleParams, { ppoConfig, runnerConfig: short });
    expect(byRunner.envObs.shape).toEqual([2, 4]);
    expect(bitsOf(byRunner)).toEqual(bitsOf(byAlgorithm));
  });

  it("that are two numbers are refused with both", async () => {
    const options = { ppoConfig, runnerConfig: runnerConfig({ numEnvs: 3 }) };
    await expect(trainPPO(cartPole, cartPoleParams, options)).rejects.toThrow(
      /ppoConfig\.numEnvs is 2 and runnerConfig\.numEnvs is 3: .* give one of them/,
    );
  });
});

describe("null", () => {
  it("is nothing, wherever the original has None", async () => {
    const nothing = { runDir: null, callback: null, obsShape: null, logger: null, onProgress: null };
    const more = { signal: null, onStart: null, runnerConfig: runnerConfig({ totalTimesteps: 64 }) };
    const common = { ...nothing, ...more };
    await trainPPO(cartPole, cartPoleParams, { ...common, ppoConfig, nActions: null, seeds: null });
    await trainDQN(gridWorld, gridWorldParams, { ...common, dqnConfig, nActions: null });
    const { metricsLog } = await trainSAC(pendulum, pendulumParams, {
      ...common,
      sacConfig,
      actionDim: null,
    });
    expect(metricsLog.at(-1)?.step).toBe(64);
  });
});

describe("a run directory without checkpoints", () => {
  it("has metrics and a config, and nothing to resume from", async () => {
    const runDir = newRun();
    const none = runnerConfig({ totalTimesteps: 128, checkpointInterval: null });
    await trainPPO(cartPole, cartPoleParams, { ppoConfig, runnerConfig: none, runDir });
    expect(runDir.listCheckpoints()).toEqual([]);
    expect(readFileSync(runDir.logPath(), "utf8").trim().split("\n").length).toBeGreaterThan(1);
    expect(runDir.loadConfig()).toMatchObject({ runner: { checkpointInterval: null } });
    const told = await call(["resume", runDir.root]);
    expect([told.code, told.errors.join()]).toEqual([
      2,
      expect.stringMatching(/resume goes on from checkpoints, but checkpointInterval is null/),
    ]);
    expect(() => runnerConfig({ checkpointInterval: null, checkpointDir: "x" })).toThrow(
      /leave one of them out/,
    );
  });

  it("does not mix with the checkpoints of another run", async () => {
    const runDir = newRun();
    await trainPPO(cartPole, cartPoleParams, { ppoConfig, runnerConfig: short, runDir });
    const none = runnerConfig({ totalTimesteps: 128, checkpointInterval: null });
    await expect(
      trainPPO(cartPole, cartPoleParams, { ppoConfig, runnerConfig: none, runDir }),
    ).rejects.toThrow(/has checkpoints already/);
  });
});

describe("a run of trainX with a directory", () => {
  it("draws its curve unless it is told not to, or was stopped", async () => {
    const pictureOf = async (settings: Partial<RunnerConfig>, signal?: { aborted: boolean }) => {
      const runDir = newRun();
      const options = { dqnConfig, runnerConfig: RunnerConfig({ ...short, ...settings }), runDir };
      await trainDQN(gridWorld, gridWorldParams, signal === undefined ? options : { ...options, signal });
      return existsSync(path.join(runDir.artifacts, "reward_curve.png"));
    };
    expect(await pictureOf({ plot: true })).toBe(true);
    expect(await pictureOf({ plot: false })).toBe(false);
    expect(await pictureOf({ plot: true }, { aborted: true })).toBe(false);
  });

  it("does not end for want of a picture, but says so", async () => {
    const runDir = newRun();
    writeFileSync(path.join(runDir.root, "other"), "");
    const blocked = { ...runDir, artifacts: path.join(runDir.root, "other") };
    const warnings = await warningsOf("RunWarning", () =>
      trainPPO(cartPole, cartPoleParams, {
        ...{ ppoConfig, runnerConfig: RunnerConfig({ ...short, plot: true }), runDir: blocked },
      }),
    );
    expect(warnings.join()).toMatch(/the curve was not drawn: .*other/);
  });

  it("can be looked at and resumed from the command line, wrapped and with parameters of its own", async () => {
    const runDir = newRun();
    const env = AutoResetWrapper(cartPole);
    await trainPPO(env, cartPoleParams, { ppoConfig, runnerConfig: short, runDir });
    expect(runDir.loadConfig()).toMatchObject({
      ...{ preset: null, envId: "CartPole-v1", envParams: { maxSteps: 30 }, algo: "ppo" },
      ...{ algoConfig: { ...ppoConfig }, runner: { ...short } },
    });
    const evaluated = await call(["eval", runDir.root]);
    expect([evaluated.code, evaluated.errors]).toEqual([0, []]);
    // Episodes of 30 steps at most: the parameters are the run's.
    expect(Number(/length ([\d.]+)/.exec(evaluated.lines.join())?.[1])).toBeLessThanOrEqual(30);
    expect((await call(["video", runDir.root])).code).toBe(0);
    const resumed = await call(["resume", runDir.root, "--runner.total_timesteps", "192"]);
    expect([resumed.code, resumed.errors]).toEqual([0, []]);
    expect(runDir.latestCheckpoint?.step).toBe(192);

    const whole = newRun();
    const longer = runnerConfig({ ...short, totalTimesteps: 192 });
    const [expected] = await trainPPO(env, cartPoleParams, {
      ppoConfig,
      runnerConfig: longer,
      runDir: whole,
    });
    const [state] = await trainPPO(env, cartPoleParams, {
      ...{ ppoConfig, runnerConfig: RunnerConfig({ ...longer, resume: true }), runDir },
    });
    expect(bitsOf(state)).toEqual(bitsOf(expected));
  });

  it("says why it cannot, where the environment is not one that `make` has made", async () => {
    const runDir = newRun();
    const options = { ppoConfig, runnerConfig: short, runDir };
    await trainPPO(TimeLimit(cartPole, 9), cartPoleParams, options);
    for (const command of ["eval", "video", "resume"]) {
      const { code, errors } = await call([command, runDir.root]);
      expect([command, code, errors.join()]).toEqual([
        ...[command, 2],
        expect.stringMatching(/by a program on TimeLimit\(CartPole-v1\).*cannot be set up from here/),
      ]);
    }
  });

  it("leaves a config.json of one's own alone", async () => {
    const runDir = newRun();
    runDir.saveConfig({ mine: 1 });
    await trainPPO(cartPole, cartPoleParams, { ppoConfig, runnerConfig: short, runDir });
    expect(runDir.loadConfig()).toEqual({ mine: 1 });
  });
});

describe("a run that goes on", () => {
  const longer = runnerConfig({ ...short, totalTimesteps: 256, resume: true });

  it("may have another learning rate and the like, which is told and recorded", async () => {
    const runDir = newRun();
    await trainPPO(cartPole, cartPoleParams, { ppoConfig, runnerConfig: short, runDir });
    const told: (readonly [number, readonly Change[]])[] = [];
    const changed = PPOConfig({ ...ppoConfig, lr: 5e-4, lrSchedule: "linear", nEpochs: 1 });
    const [state] = await trainPPO(cartPole, cartPoleParams, {
      ...{ ppoConfig: changed, runnerConfig: longer, runDir },
      onStart: (step, changes) => void told.push([step, changes]),
    });
    expect(state.agentState.step.item()).toBe(8);
    const changes = [
      { step: 128, setting: "algo_config.lr", from: 1e-3, to: 5e-4 },
      { step: 128, setting: "algo_config.lr_schedule", from: "constant", to: "linear" },
      { step: 128, setting: "algo_config.n_epochs", from: 2, to: 1 },
      { step: 128, setting: "runner.total_timesteps", from: 128, to: 256 },
    ];
    expect(told).toEqual([[128, changes]]);
    expect(loadMetadata(runDir.checkpoints)).toMatchObject({ changes, identity: { config: { lr: 5e-4 } } });
    expect(runDir.loadConfig()).toMatchObject({ changes, algoConfig: { lr: 5e-4 } });

    const { code, lines } = await call(["resume", runDir.root, "--algo.lr", "1e-4"]);
    expect([code, lines]).toEqual([
      0,
      expect.arrayContaining(["from step 256 on: algo_config.lr 0.0001 (it was 0.0005)"]),
    ]);
    expect((runDir.loadConfig().changes as Change[]).map(({ setting }) => setting)).toEqual([
      ...changes.map(({ setting }) => setting),
      "algo_config.lr",
    ]);
  });

  it.each([
    [{ hiddenSizes: [4] }, /config\.hiddenSizes = \[8\].*the parameters in the checkpoint have its shapes/],
    [{ nSteps: 32 }, /config\.nSteps = 16.*counted in rollouts, or its buffer/],
    [{ numEnvs: 4 }, /config\.numEnvs = 2.*so many environments are under way/],
    [{ normalizeObs: false }, /config\.normalizeObs = true.*kept its statistics from the beginning/],
  ])("may not have another state: %o", async (given, message) => {
    const checkpointDir = temporaryFolder();
    const saved = runnerConfig({ totalTimesteps: 64, checkpointDir });
    await trainPPO(cartPole, cartPoleParams, { ppoConfig, runnerConfig: saved });
    const changed = {
      ppoConfig: PPOConfig({ ...ppoConfig, ...given }),
      runnerConfig: { ...saved, resume: true },
    };
    await expect(trainPPO(cartPole, cartPoleParams, changed)).rejects.toThrow(message);
  });
});

it("an environment of `make` is known by its id, with the parameters that differ", () => {
  const [grid, params] = make("GridWorld-v0", { size: 7, stepReward: -0.5 });
  const originOf = (env: typeof grid, given: typeof params) =>
    ppoTrainer(env, given, { ppoConfig, runnerConfig: short }).origin;
  expect(originOf(grid, params)).toEqual({
    envId: "GridWorld-v0",
    envParams: { size: 7, stepReward: -0.5 },
  });
  expect(originOf(AutoResetWrapper(grid), grid.defaultParams())).toEqual({
    envId: "GridWorld-v0",
    envParams: {},
  });
  expect(originOf({ ...grid }, params)).toBe(null);
});
