// Runs whose numbers are lost, and runs that are told to stop.
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { DQNConfig } from "vibe-rl/algorithms/dqn";
import { PPOConfig } from "vibe-rl/algorithms/ppo";
import { np, type Array } from "vibe-rl/array";
import { listCheckpoints, loadCheckpoint } from "vibe-rl/checkpoint";
import { make, type Environment } from "vibe-rl/env";
import { RunDir } from "vibe-rl/runDir";
import { DivergedError, trainDQN, trainPPO } from "vibe-rl/runner";
import { dqnTrainer, ppoTrainer, type Trainer } from "../../src/runner/index.js";
import { temporaryFolder } from "../temporary.js";
import { bitsOf, dqnConfig, linesOf, ppoConfig, runBare, runnerConfig, trainers } from "./small.js";

const hidden = <S>(trainer: Trainer<S>): Trainer<object> => trainer as unknown as Trainer<object>;

interface Aged<S> {
  readonly inner: S;
  readonly age: Array;
}

/** An environment whose rewards are NaN after so many steps in all. */
function brokenAfter<S, P>(env: Environment<S, P>, steps: number): Environment<Aged<S>, P> {
  return {
    name: "Broken",
    defaultParams: () => env.defaultParams(),
    observationSpace: (params) => env.observationSpace(params),
    actionSpace: (params) => env.actionSpace(params),
    reset: (key, params) => {
      const [obs, inner] = env.reset(key, params);
      return [obs, { inner, age: np.int32(0) }];
    },
    restart: (key, { age }, params) => {
      const [obs, inner] = env.reset(key, params);
      return [obs, { inner, age }];
    },
    step: (key, { inner, age }, action, params) => {
      const [obs, next, reward, done, info] = env.step(key, inner, action, params);
      const state = { inner: next, age: age.add(1) };
      return [obs, state, np.where(age.greaterEqual(steps), NaN, reward), done, info];
    },
  };
}

/** What a run fails with. */
async function failureOf(result: Promise<unknown>): Promise<DivergedError> {
  const error: unknown = await result.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof DivergedError)) throw error;
  return error;
}

describe("numbers that are not finite", () => {
  it("stop PPO with the update, the metric, the parameter and the last good checkpoint", async () => {
    const [env, params] = make("CartPole-v1", { maxSteps: 30 });
    // Two environments, 16 steps an update: the rewards of the 7th update are broken.
    const broken = brokenAfter(env, 100);
    const runDir = RunDir("broken", { baseDir: temporaryFolder() });
    const config = runnerConfig({ checkpointInterval: 64 });
    const error = await failureOf(trainPPO(broken, params, { ppoConfig, runnerConfig: config, runDir }));
    expect(error.message).toMatch(
      /^trainPPO: \w+ is NaN, and the parameter actor\[\S+ and \d+ other parameters are not finite after update 7 \(step 224\)/,
    );
    expect(error.message).toContain(`the last good checkpoint is that of step 192 in ${runDir.checkpoints}`);
    expect([error.update, error.step]).toEqual([7, 224]);
    expect(error.metric).toBe("actorLoss");
    expect(error.params).toContain("critic[0].w");
    // It is on the disk, finite, and the log is whole.
    const trainer = hidden(ppoTrainer(broken, params, { ppoConfig, runnerConfig: config }));
    expect(runDir.latestCheckpoint?.step).toBe(192);
    const state = loadCheckpoint(runDir.checkpoints, trainer.start());
    for (const leaf of bitsOf(trainer.paramsOf(state))) expect(leaf).not.toMatch(/0000c07f/);
    expect(linesOf(runDir.logPath()).map(({ step }) => step)).toEqual([128]);
    expect(readdirSync(runDir.checkpoints).filter((name) => name.startsWith("."))).toEqual([]);
  });

  it("stop DQN with the update that was the first, counted after the warm-up", async () => {
    const [env, params] = make("GridWorld-v0", { maxSteps: 1000, size: 30 });
    const config = runnerConfig({ warmupSteps: 50 });
    // A batch is as large as what there is to draw from, so that the broken one is drawn soon.
    const dqn = DQNConfig({ ...dqnConfig, batchSize: 256 });
    const options = { dqnConfig: dqn, runnerConfig: config };
    const error = await failureOf(trainDQN(brokenAfter(env, 80), params, options));
    expect(error.message).toMatch(/^trainDQN: loss is NaN, and the parameter \S+ and \d+ other/);
    expect(error.update).toBe(error.step - 49);
    expect(error.step).toBeGreaterThan(80);
    expect(error.step).toBeLessThan(90);
    expect(error.message).toContain(`after update ${error.update} (step ${error.step})`);
  });

  it("stop a run before its first update, too", async () => {
    const [env, params] = make("GridWorld-v0", { maxSteps: 10, size: 30 });
    const config = runnerConfig({ warmupSteps: 200 });
    const trainer = hidden(dqnTrainer(brokenAfter(env, 15), params, dqnConfig, config));
    const error = await failureOf(runBare(trainer, config));
    expect(error.message).toMatch(/^trainDQN: episodeReturn is NaN before the first update/);
    expect(error.params).toEqual([]);
  });

  it("stop a run with an absurd learning rate", async () => {
    const [env, params] = make("Pendulum-v1", { maxSteps: 25 });
    const config = runnerConfig({ totalTimesteps: 3200 });
    const wild = PPOConfig({ ...ppoConfig, lr: 1e30, maxGradNorm: 1e30 });
    const error = await failureOf(trainPPO(env, params, { ppoConfig: wild, runnerConfig: config }));
    expect(error.message).toMatch(/not finite after update \d+ .*Try a lower learning rate/);
    expect(error.message).not.toContain("checkpoint");
  });
});

describe.each(Object.keys(trainers))("a run of %s that is told to stop", (algorithm) => {
  it("stops after the work in hand, with a checkpoint", async () => {
    const checkpointDir = temporaryFolder();
    const config = runnerConfig({ checkpointDir, checkpointInterval: 100_000, evalEvery: 100_000 });
    const trainer = trainers[algorithm](config);
    const controller = new AbortController();
    let calls = 0;
    // As a signal of the system comes: between two calls.
    const onProgress = () => {
      if (++calls === 3) setImmediate(() => controller.abort());
    };
    const result = await runBare(trainer, config, { signal: controller.signal, onProgress });
    expect(result.isStopped).toBe(true);
    expect([3, 4]).toContain(calls);
    expect(listCheckpoints(checkpointDir).map(({ step }) => step)).toEqual([result.step]);
  });

  it("does nothing if it was told so before", async () => {
    const checkpointDir = temporaryFolder();
    const config = runnerConfig({ checkpointDir });
    const result = await runBare(trainers[algorithm](config), config, { signal: AbortSignal.abort() });
    expect([result.step, result.isStopped]).toEqual([0, true]);
    expect(listCheckpoints(checkpointDir)).toEqual([]);
  });
});

it("a disk that no longer takes checkpoints ends the run with the place", async () => {
  const checkpointDir = path.join(temporaryFolder(), "checkpoints");
  const config = runnerConfig({ checkpointDir, checkpointInterval: 32 });
  const callback = (step: number) => {
    if (step < 200) return;
    rmSync(checkpointDir, { recursive: true, force: true });
    writeFileSync(checkpointDir, "");
  };
  const training = runBare(trainers.PPO(config), config, { callback });
  await expect(training).rejects.toThrow(new RegExp(`cannot write ${checkpointDir}/step_\\d+: `));
});

it("an error of a callback ends the run, and what was saved stays", async () => {
  const checkpointDir = temporaryFolder();
  const config = runnerConfig({ checkpointDir, checkpointInterval: 32 });
  const callback = (step: number) => {
    if (step > 200) throw new Error("enough");
  };
  await expect(runBare(trainers.PPO(config), config, { callback })).rejects.toThrow("enough");
  expect(listCheckpoints(checkpointDir).at(-1)?.step).toBe(192);
});
