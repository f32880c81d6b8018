// The manager of a run's checkpoints, and how a run meets those that are there.
import { existsSync, mkdirSync, readdirSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { np } from "vibe-rl/array";
import {
  bestCheckpoint,
  CheckpointManager,
  initializeCheckpointDir,
  loadMetadata,
  markBest,
  saveCheckpoint,
} from "vibe-rl/checkpoint";
import { temporaryFolder, warningsOf } from "../temporary.js";

describe("CheckpointManager", () => {
  it("writes in the background and restores the newest", async () => {
    const manager = CheckpointManager(temporaryFolder());
    const ring = Float32Array.of(1);
    expect(manager.save(1, { w: np.ones([3]), ring }, { metadata: { a: 1 } })).toBe(true);
    ring[0] = 99;
    expect(manager.allSteps()).toEqual([]);
    const restored = await manager.restore({ w: np.zeros([3]), ring });
    expect([restored.w.toArray(), restored.ring]).toEqual([[1, 1, 1], Float32Array.of(1)]);
    expect([manager.allSteps(), manager.latestStep()]).toEqual([[1], 1]);
    expect(loadMetadata(manager.directory)).toEqual({ a: 1 });
    await manager.close();
    expect(() => manager.save(2, {})).toThrow(/is closed; make a new one/);
  });

  it("writes large files in the background as well", async () => {
    const manager = CheckpointManager(temporaryFolder());
    const w = np.arange(2 ** 19).astype("float32");
    manager.save(1, { w });
    const restored = await manager.restore({ w: np.zeros([2 ** 19]) });
    // Element by element, `toEqual` takes seconds.
    expect(Buffer.from(restored.w.data().buffer).equals(Buffer.from(w.data().buffer))).toBe(true);
    await manager.close();
  });

  it("writes at once if told to", () => {
    const manager = CheckpointManager(temporaryFolder(), { asyncWrites: false, maxToKeep: 2 });
    for (const step of [1, 2, 3]) manager.save(step, { n: step });
    expect(manager.allSteps()).toEqual([2, 3]);
  });

  it("writes several saves in order and keeps the newest", async () => {
    const manager = CheckpointManager(temporaryFolder(), { maxToKeep: 3 });
    for (let step = 1; step <= 8; step++) manager.save(step, { n: step });
    await manager.wait();
    expect(manager.allSteps()).toEqual([6, 7, 8]);
    expect(await manager.restore({ n: 0 }, { step: 7 })).toEqual({ n: 7 });
    expect(readdirSync(manager.directory)).toEqual(["step_6", "step_7", "step_8"]);
  });

  it("keeps one checkpoint for good in every period, also off the multiples", () => {
    const manager = CheckpointManager(temporaryFolder(), {
      asyncWrites: false,
      maxToKeep: 1,
      keepPeriod: 100,
    });
    for (let step = 40; step <= 400; step += 40) manager.save(step, { n: step });
    expect(manager.allSteps()).toEqual([120, 200, 320, 400]);
  });

  it("saves once an interval, and the same steps after a resume", async () => {
    const dir = temporaryFolder();
    const run = (from: number, to: number, manager: CheckpointManager) => {
      const saved: number[] = [];
      for (let step = from + 40; step <= to; step += 40)
        if (manager.save(step, { n: step })) saved.push(step);
      return saved;
    };
    const options = { asyncWrites: false, saveIntervalSteps: 100, maxToKeep: null };
    const manager = CheckpointManager(dir, options);
    expect(run(0, 400, manager)).toEqual([120, 200, 320, 400]);
    expect(manager.save(401, { n: 401 }, { force: true })).toBe(true);
    const resumed = CheckpointManager(dir, options);
    await resumed.restore({ n: 0 }, { step: 200 });
    expect(run(200, 400, resumed)).toEqual([320, 400]);
  });

  it("keeps the best by a metric, and the newest", async () => {
    const dir = temporaryFolder();
    const options = {
      asyncWrites: false,
      maxToKeep: 2,
      bestFn: (metrics: Readonly<Record<string, number>>) => metrics.evalReturn,
    };
    const manager = CheckpointManager(dir, options);
    [5, 9, NaN, 7, 1].forEach((evalReturn, index) =>
      manager.save(index + 1, {}, { metrics: { evalReturn } }),
    );
    expect([manager.allSteps(), manager.bestStep()]).toEqual([[2, 4, 5], 2]);
    const reopened = CheckpointManager(dir, { ...options, bestMode: "min" });
    expect(reopened.bestStep()).toBe(5);
    reopened.save(6, {}, { metrics: { evalReturn: 0 } });
    expect(reopened.allSteps()).toEqual([5, 6]);
    await reopened.close();
  });

  it("never removes the marked best, nor what it has just written", () => {
    const manager = CheckpointManager(temporaryFolder(), { asyncWrites: false, maxToKeep: 1 });
    manager.save(1, {});
    markBest(manager.directory, 1);
    manager.save(9, {});
    manager.save(2, {});
    expect(manager.allSteps()).toEqual([1, 2, 9]);
    expect(manager.bestStep()).toBe(1);
  });

  it("reports a failed background write once, and goes on", async () => {
    const dir = temporaryFolder();
    const manager = CheckpointManager(dir);
    writeFileSync(path.join(dir, "step_1"), "in the way");
    manager.save(1, { n: 1 });
    await expect(manager.wait()).rejects.toThrow(/CheckpointManager\.save: .*step_1 is a file/);
    manager.save(2, { n: 2 });
    await manager.close();
    expect(manager.allSteps()).toEqual([2]);
  });

  it("refuses options that make no sense", () => {
    const make = (options: object) => () => CheckpointManager("unused", options);
    expect(make({ maxToKeep: 0 })).toThrow(/maxToKeep must be a whole number of at least 1, or null, got 0/);
    expect(make({ keepPeriod: 0.5 })).toThrow(/keepPeriod/);
    expect(make({ saveIntervalSteps: 0 })).toThrow(/saveIntervalSteps/);
    expect(make({ timeoutMs: 0 })).toThrow(/timeoutMs/);
    expect(make({ bestMode: "most" })).toThrow(/bestMode must be "max" or "min", got "most"/);
    expect(existsSync("unused")).toBe(false);
  });
});

describe("initializeCheckpointDir", () => {
  const withSteps = (): string => {
    const dir = temporaryFolder();
    for (const step of [10, 20]) saveCheckpoint(dir, { n: step }, { step });
    markBest(dir, 10);
    writeFileSync(path.join(dir, "notes.txt"), "mine");
    return dir;
  };

  it("starts afresh where there are no checkpoints, whatever is asked for", () => {
    for (const options of [{}, { resume: true }, { overwrite: true }]) {
      const dir = path.join(temporaryFolder(), "new");
      const { manager, resuming, step } = initializeCheckpointDir(dir, options);
      expect([resuming, step, manager.allSteps()]).toEqual([false, null, []]);
      expect(existsSync(dir)).toBe(true);
    }
  });

  it("goes on from the newest", async () => {
    const { manager, resuming, step } = initializeCheckpointDir(withSteps(), { resume: true });
    expect([resuming, step, await manager.restore({ n: 0 })]).toEqual([true, 20, { n: 20 }]);
  });

  it("goes on from the one before a damaged one, and counts intervals from there", async () => {
    const dir = withSteps();
    truncateSync(path.join(dir, "step_20", "checkpoint.json"), 10);
    const warnings = await warningsOf("CheckpointWarning", () => {
      const options = { resume: true, asyncWrites: false, saveIntervalSteps: 10, maxToKeep: 1 };
      const { manager, step } = initializeCheckpointDir(dir, options);
      expect([step, manager.save(15, {}), manager.save(20, { n: 20 })]).toEqual([10, false, true]);
    });
    expect(warnings).toHaveLength(1);
  });

  it("removes checkpoints and nothing else when it overwrites", () => {
    const dir = withSteps();
    mkdirSync(path.join(dir, ".step_30.tmp-999999999-1"));
    const { resuming } = initializeCheckpointDir(dir, { overwrite: true });
    expect([resuming, readdirSync(dir)]).toEqual([false, ["notes.txt"]]);
  });

  it("refuses to choose for you", () => {
    const dir = withSteps();
    expect(() => initializeCheckpointDir(dir)).toThrow(
      /has checkpoints already \(steps 10, 20\); give resume/,
    );
    expect(() => initializeCheckpointDir(dir, { resume: true, overwrite: true })).toThrow(/contradict/);
    expect(readdirSync(dir)).toEqual(["best", "notes.txt", "step_10", "step_20"]);
    expect(bestCheckpoint(dir)?.step).toBe(10);
  });
});
