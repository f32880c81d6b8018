// Stopped and resumed equals undisturbed, bit for bit.
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { np } from "vibe-rl/array";
import { bestCheckpoint, listCheckpoints, loadMetadata, saveCheckpoint } from "vibe-rl/checkpoint";
import { make } from "vibe-rl/env";
import { RunDir } from "vibe-rl/runDir";
import { trainPPO, type RunnerConfig, type RunOptions } from "vibe-rl/runner";
import { ppoTrainer, run, type Trainer } from "../../src/runner/index.js";
import { temporaryFolder, warningsOf } from "../temporary.js";
import {
  bitsOf,
  cartPole,
  cartPoleParams,
  linesOf,
  ppoConfig,
  runBare,
  runnerConfig,
  trainers,
  trainingOf,
} from "./small.js";

/** Runs with the files of a run directory. */
const runIn = (
  runDir: RunDir,
  trainer: Trainer<object>,
  config: RunnerConfig,
  options: RunOptions<object> = {},
) => run(trainer, config, { ...options, runDir });

/** Ends a run after so many calls of the compiled program. */
function stopAfter(calls: number): RunOptions<object> {
  const controller = new AbortController();
  let left = calls;
  return {
    signal: controller.signal,
    onProgress: () => {
      if (--left === 0) controller.abort();
    },
  };
}

describe.each(Object.keys(trainers))("a run of %s", (algorithm) => {
  it("can be stopped after any call and goes on as if nothing had happened", async () => {
    const base = temporaryFolder();
    const config = runnerConfig();
    const trainer = trainers[algorithm](config);
    const whole = RunDir("whole", { baseDir: base });
    const expected = await runIn(whole, trainer, config);
    expect(expected.isStopped).toBe(false);

    for (const pieces of [[1], [2, 3], [5, 1, 4], [9]]) {
      const parts = RunDir("parts", { baseDir: base });
      let done = 0;
      for (const calls of pieces) {
        const settings = { ...config, resume: true };
        const started: number[] = [];
        const options = { ...stopAfter(calls), onStart: (step: number) => void started.push(step) };
        const part = await runIn(parts, trainer, settings, options);
        expect(started).toEqual([done]);
        expect([part.isStopped, part.step > done]).toEqual([true, true]);
        done = part.step;
        // Where it was stopped there is a checkpoint.
        expect(parts.latestCheckpoint?.step).toBe(done);
      }
      const result = await runIn(parts, trainer, { ...config, resume: true });
      expect(bitsOf(result.state)).toEqual(bitsOf(expected.state));
      for (const list of ["metricsLog", "evalLog", "episodeReturns", "episodeLengths"] as const) {
        expect(result[list]).toEqual(expected[list]);
      }
      expect(bitsOf(result.history)).toEqual(bitsOf(expected.history));
      expect(linesOf(parts.logPath())).toEqual(linesOf(whole.logPath()));
      expect(parts.bestCheckpoint?.step).toBe(whole.bestCheckpoint?.step);
      // A run that is over stays so.
      const again = await runIn(parts, trainer, { ...config, resume: true });
      expect(bitsOf(again.state)).toEqual(bitsOf(expected.state));
      expect(linesOf(parts.logPath())).toEqual(linesOf(whole.logPath()));
    }
  });
});

describe("resuming", () => {
  const config = runnerConfig({ totalTimesteps: 320 });
  const trainer = trainers.PPO(config);

  it("begins anew where no checkpoint was reached, and drops what was logged", async () => {
    const base = temporaryFolder();
    const whole = RunDir("whole", { baseDir: base });
    await runIn(whole, trainer, config);
    const broken = RunDir("broken", { baseDir: base });
    // As a process leaves it that was killed in the second line of its log.
    writeFileSync(broken.logPath(), readFileSync(whole.logPath(), "utf8").slice(0, 400));
    const warnings = await warningsOf("RunWarning", () =>
      runIn(broken, trainer, { ...config, resume: true }),
    );
    expect(warnings.join()).toMatch(/has no checkpoint to go on from; the run begins at step 0/);
    expect(linesOf(broken.logPath())).toEqual(linesOf(whole.logPath()));
  });

  it("mends a metrics file that was cut in the middle of a line", async () => {
    const base = temporaryFolder();
    const whole = RunDir("whole", { baseDir: base });
    await runIn(whole, trainer, config);
    const parts = RunDir("parts", { baseDir: base });
    const { step } = await runIn(parts, trainer, config, stopAfter(4));
    expect(step).toBeLessThan(256);
    appendFileSync(parts.logPath(), '{"step":256,"total_loss":1}\n{"step":288,"tot');
    await runIn(parts, trainer, { ...config, resume: true });
    expect(linesOf(parts.logPath())).toEqual(linesOf(whole.logPath()));
  });

  it("uses the checkpoint before one that is damaged, with a warning", async () => {
    const base = temporaryFolder();
    const parts = RunDir("parts", { baseDir: base });
    const expected = await runIn(parts, trainer, config);
    const last = parts.latestCheckpoint?.path ?? "";
    truncateSync(path.join(last, "tensors.safetensors"), 100);
    const warnings = await warningsOf("CheckpointWarning", async () => {
      const result = await runIn(parts, trainer, { ...config, resume: true });
      expect(bitsOf(result.state)).toEqual(bitsOf(expected.state));
    });
    expect(warnings.join()).toMatch(/step_320/);
    expect(loadMetadata(parts.checkpoints, { step: 320 })).toHaveProperty("identity.algorithm", "PPO");
  });

  it("refuses checkpoints of which none is whole, and those of something else, and leaves them", async () => {
    const damaged = temporaryFolder();
    await runBare(trainer, { ...config, checkpointDir: damaged });
    for (const { path: folder } of listCheckpoints(damaged)) rmSync(path.join(folder, "tensors.safetensors"));
    const before = readdirSync(damaged);
    await expect(runBare(trainer, { ...config, checkpointDir: damaged, resume: true })).rejects.toThrow(
      /none of the \d+ checkpoints in .* is whole/,
    );
    expect(readdirSync(damaged)).toEqual(before);

    const foreign = temporaryFolder();
    saveCheckpoint(foreign, { w: np.zeros([3]) }, { step: 100, metadata: { note: "mine" } });
    await expect(runBare(trainer, { ...config, checkpointDir: foreign, resume: true })).rejects.toThrow(
      /step_100 is no checkpoint of a training run; choose another directory/,
    );
    expect(loadMetadata(foreign)).toEqual({ note: "mine" });

    const garbage = temporaryFolder();
    saveCheckpoint(garbage, { w: np.zeros([3]) }, { step: 100 });
    writeFileSync(path.join(garbage, "step_100", "checkpoint.json"), "not JSON");
    await expect(runBare(trainer, { ...config, checkpointDir: garbage, resume: true })).rejects.toThrow(
      /step_100/,
    );
  });

  it("refuses another config, environment or seed by name, before anything is touched", async () => {
    const parts = RunDir("parts", { baseDir: temporaryFolder() });
    await runIn(parts, trainer, config, stopAfter(3));
    const lines = readFileSync(parts.logPath(), "utf8");
    const [moon, moonParams] = make("CartPole-v1", { maxSteps: 30, gravity: 1.6 });
    const [plain, plainParams] = make("CartPole-v1", { maxSteps: 30 });
    const other = { ...config, resume: true };
    const refused: [Trainer<object>, RegExp][] = [
      [
        ppoTrainer(plain, plainParams, {
          ppoConfig: { ...ppoConfig, hiddenSizes: [9] },
          runnerConfig: other,
        }),
        /step_\d+ was made with config\.hiddenSizes = \[8\], this run has \[9\]; that cannot be changed, since/,
      ],
      [ppoTrainer(moon, moonParams, { ppoConfig, runnerConfig: other }), /envParams\.gravity = "9\.8/],
      [
        ppoTrainer(plain, plainParams, { ppoConfig, runnerConfig: { ...other, seed: 5 } }),
        /seed = 0, this run has 5/,
      ],
      [trainers.DQN(other), /algorithm = "PPO", this run has "DQN"/],
    ].map(([one, message]) => [one as unknown as Trainer<object>, message as RegExp]);
    for (const [one, message] of refused) await expect(runIn(parts, one, other)).rejects.toThrow(message);
    expect(readFileSync(parts.logPath(), "utf8")).toBe(lines);
  });

  it("wants to be told what to do with checkpoints that are there", async () => {
    const parts = RunDir("parts", { baseDir: temporaryFolder() });
    await runIn(parts, trainer, config, stopAfter(3));
    await expect(runIn(parts, trainer, config)).rejects.toThrow(
      /give resume to go on .* overwrite to remove/,
    );
    const result = await runIn(parts, trainer, { ...config, overwrite: true });
    expect(result.metricsLog).toEqual(trainingOf(linesOf(parts.logPath())));
  });

  it("can make a run longer", async () => {
    const checkpointDir = temporaryFolder();
    await runBare(trainer, { ...config, checkpointDir });
    const longer = runnerConfig({ totalTimesteps: 480, checkpointDir, resume: true });
    const result = await runBare(trainers.PPO(longer), longer);
    expect([result.step, result.history.totalLoss.shape]).toEqual([480, [15]]);
  });
});

it("a run over several seeds is resumed with its history, too", async () => {
  const seeds = [4, 7];
  const settings = runnerConfig({ totalTimesteps: 320 });
  const options = { ppoConfig, seeds, runnerConfig: settings };
  const [expected, history] = await trainPPO(cartPole, cartPoleParams, options);
  const runDir = RunDir("sweep", { baseDir: temporaryFolder() });
  await trainPPO(cartPole, cartPoleParams, { ...options, ...stopAfter(4), runDir });
  expect(runDir.latestCheckpoint?.step).toBeLessThan(320);
  const again = { ...options, runDir, runnerConfig: runnerConfig({ totalTimesteps: 320, resume: true }) };
  const [state, resumed] = await trainPPO(cartPole, cartPoleParams, again);
  expect(bitsOf(state)).toEqual(bitsOf(expected));
  expect(resumed.totalLoss.shape).toEqual([2, 10]);
  expect(bitsOf(resumed)).toEqual(bitsOf(history));
});

describe("checkpoints of a run", () => {
  it("mark the best evaluation, of the very step that was evaluated, even where few are kept", async () => {
    const checkpointDir = temporaryFolder();
    const config = runnerConfig({ evalEvery: 96, checkpointInterval: 32, maxCheckpoints: 1, checkpointDir });
    const { evalLog: evals } = await runBare(trainers.PPO(config), config);
    const most = Math.max(...evals.map((record) => record.eval_return));
    const best = evals.findLast((record) => record.eval_return === most)?.step;
    expect(bestCheckpoint(checkpointDir)?.step).toBe(best);
    expect(listCheckpoints(checkpointDir).map(({ step }) => step)).toEqual([...new Set([best, 640])]);
  });

  it("are kept where they were marked before a process was killed, and marked where they were not", async () => {
    const checkpointDir = temporaryFolder();
    const config = runnerConfig({ checkpointDir });
    const trainer = trainers.PPO(config);
    await runBare(trainer, config);
    const best = bestCheckpoint(checkpointDir)?.step;
    rmSync(path.join(checkpointDir, "best"));
    await runBare(trainer, { ...config, resume: true });
    expect(bestCheckpoint(checkpointDir)?.step).toBe(best);
  });

  it.skipIf(process.getuid?.() === 0)("need a directory that can be written", async () => {
    const folder = temporaryFolder();
    const readOnly = path.join(folder, "no");
    const { mkdirSync } = await import("node:fs");
    mkdirSync(readOnly, { mode: 0o500 });
    const config = runnerConfig({ checkpointDir: path.join(readOnly, "checkpoints") });
    await expect(runBare(trainers.PPO(config), config)).rejects.toThrow(/cannot write to .*permission/i);
    expect(existsSync(path.join(readOnly, "checkpoints"))).toBe(false);
  });

  it("need a directory, not a file", async () => {
    const file = path.join(temporaryFolder(), "file");
    writeFileSync(file, "");
    const config = runnerConfig({ checkpointDir: file });
    await expect(runBare(trainers.PPO(config), config)).rejects.toThrow(/cannot write to .*file/);
  });
});
