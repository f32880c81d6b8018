// Run directories: their layout, names, configs and checkpoints.
import fs from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { saveCheckpoint } from "vibe-rl/checkpoint";
import { MetricsLogger, readMetrics } from "vibe-rl/metrics";
import { findRuns, RunDir } from "vibe-rl/runDir";
import { mockDisk } from "../disk.js";
import { temporaryFolder } from "../temporary.js";

mockDisk("mkdirSync", "writeSync");

const failWith = (code: string) => () => {
  throw Object.assign(new Error("it failed"), { code });
};

afterEach(() => vi.useRealTimers());

describe("RunDir", () => {
  it("makes the documented layout", async () => {
    vi.useFakeTimers({ now: new Date(2026, 1, 16, 14, 30, 22), toFake: ["Date"] });
    const baseDir = path.join(temporaryFolder(), "runs");
    const run = RunDir("cartpole_ppo", { baseDir });
    expect(run.runId).toBe("cartpole_ppo_20260216_143022");
    expect(run.root).toBe(path.join(baseDir, run.runId));
    expect(fs.readdirSync(run.root)).toEqual(["artifacts", "checkpoints", "logs", "videos"]);
    expect(run.logPath()).toBe(path.join(run.root, "logs", "metrics.jsonl"));
    expect(run.logPath("run.log")).toBe(path.join(run.logs, "run.log"));
    expect(run.videoPath(50)).toBe(path.join(run.videos, "step_50.gif"));
    expect(run.videoPath(50, "mp4")).toBe(path.join(run.videos, "step_50.mp4"));
    expect(run.checkpointDir(7)).toBe(path.join(run.checkpoints, "step_7"));
    const logger = MetricsLogger(run.logPath());
    logger.log({ step: 1 });
    await logger.close();
    expect(readMetrics(run.logPath())).toHaveLength(1);
  });

  it("gives runs of the same second names of their own", () => {
    vi.useFakeTimers({ now: new Date(2026, 0, 2, 3, 4, 5), toFake: ["Date"] });
    const baseDir = temporaryFolder();
    const ids = Array.from({ length: 11 }, () => RunDir("a", { baseDir }).runId);
    expect(ids.slice(0, 3)).toEqual(["a_20260102_030405", "a_20260102_030405_2", "a_20260102_030405_3"]);
    expect(findRuns(baseDir, "a").map((run) => run.runId)).toEqual(ids);
  });

  it("keeps configs in snake_case on disk and camelCase in TypeScript", () => {
    const run = RunDir("a", { baseDir: temporaryFolder() });
    const config = { envId: "CartPole-v1", ppoConfig: { nSteps: 128, hiddenSizes: [64, 64] }, resume: null };
    run.saveConfig(config);
    expect(JSON.parse(fs.readFileSync(path.join(run.root, "config.json"), "utf8"))).toEqual({
      env_id: "CartPole-v1",
      ppo_config: { n_steps: 128, hidden_sizes: [64, 64] },
      resume: null,
    });
    expect(run.loadConfig()).toEqual(config);
  });

  it("keeps the older config when a new one cannot be written", () => {
    const run = RunDir("a", { baseDir: temporaryFolder() });
    run.saveConfig({ a: 1 });
    expect(() => run.saveConfig({ b: { c: NaN } })).toThrow(/saveConfig: config\.b\.c is NaN/);
    expect(() => run.saveConfig({ f: () => 1 })).toThrow(/config\.f is a function/);
    expect(() => run.saveConfig({ n: 10n })).toThrow(/config\.n is a bigint/);
    const round: { list: unknown[] } = { list: [] };
    round.list.push(round);
    expect(() => run.saveConfig(round)).toThrow(/config\.list\[0\] contains itself/);
    vi.mocked(fs.writeSync).mockImplementationOnce(failWith("ENOSPC"));
    expect(() => run.saveConfig({ a: 2 })).toThrow(/saveConfig: cannot write .*the disk is full/);
    expect(run.loadConfig()).toEqual({ a: 1 });
    expect(fs.readdirSync(run.root)).toEqual(["artifacts", "checkpoints", "config.json", "logs", "videos"]);
  });

  it("says what is wrong with a config", () => {
    const run = RunDir("a", { baseDir: temporaryFolder() });
    expect(() => run.loadConfig()).toThrow(/no such file.*saveConfig\?/);
    fs.writeFileSync(path.join(run.root, "config.json"), "{");
    expect(() => run.loadConfig()).toThrow(/is not JSON/);
    fs.writeFileSync(path.join(run.root, "config.json"), "[]");
    expect(() => run.loadConfig()).toThrow(/should hold a JSON object/);
  });

  it("lists checkpoints, marks the best and never cleans it up", () => {
    const run = RunDir("a", { baseDir: temporaryFolder() });
    expect([run.latestCheckpoint, run.bestCheckpoint, run.listCheckpoints()]).toEqual([null, null, []]);
    for (const step of [5, 10, 20, 100]) saveCheckpoint(run.checkpoints, { n: step }, { step });
    fs.mkdirSync(path.join(run.checkpoints, "step_x"));
    expect(run.listCheckpoints().map(({ step }) => step)).toEqual([5, 10, 20, 100]);
    expect(run.latestCheckpoint).toEqual({ step: 100, path: run.checkpointDir(100) });
    run.markBest(20);
    run.markBest(5);
    expect(fs.readlinkSync(path.join(run.checkpoints, "best"))).toBe("step_5");
    expect(run.bestCheckpoint).toEqual({ step: 5, path: run.checkpointDir(5) });
    expect(run.cleanupCheckpoints(2)).toEqual([10]);
    expect(run.cleanupCheckpoints(1)).toEqual([20]);
    expect(run.listCheckpoints().map(({ step }) => step)).toEqual([5, 100]);
    expect(() => run.markBest(10)).toThrow(/no checkpoint of step 10; it has steps 5, 100/);
    expect(() => run.cleanupCheckpoints(0)).toThrow(/keep must be a whole number of at least 1, got 0/);
    fs.rmSync(path.join(run.checkpoints, "best"));
    fs.mkdirSync(path.join(run.checkpoints, "best"));
    expect(() => run.markBest(5)).toThrow(/best is a directory of somebody else's/);
    expect(run.bestCheckpoint).toBe(null);
  });

  it("is found again by id or path, without anything being made", () => {
    const baseDir = temporaryFolder();
    const run = RunDir("a", { baseDir });
    fs.rmdirSync(run.videos);
    for (const reopened of [RunDir.open(run.runId, { baseDir }), RunDir.open(run.root)]) {
      expect(reopened.root).toBe(run.root);
      expect(fs.readdirSync(run.root)).toEqual(["artifacts", "checkpoints", "logs"]);
    }
    expect(() => RunDir.open("b_1", { baseDir })).toThrow(
      `there is no run "b_1"; ${baseDir} has ${run.runId}`,
    );
    expect(() => RunDir.open("b", { baseDir: path.join(baseDir, "none") })).toThrow(/none has no runs/);
    expect(() => RunDir.open(10n as unknown as string)).toThrow(/needs a run's path or id, got 10n/);
  });

  it("refuses names that are no names, and says where it cannot write", () => {
    const baseDir = temporaryFolder();
    for (const name of ["", "a/b", "..", "a\\b", "a:b", " a", "a\n", 10n]) {
      expect(() => RunDir(name as string, { baseDir })).toThrow(/RunDir: the name of a run must be/);
    }
    expect(fs.readdirSync(baseDir)).toEqual([]);
    vi.mocked(fs.mkdirSync).mockImplementationOnce(failWith("EACCES"));
    expect(() => RunDir("a", { baseDir })).toThrow(/cannot make a directory in .*permission denied/);
    const file = path.join(baseDir, "file");
    fs.writeFileSync(file, "");
    expect(() => RunDir("a", { baseDir: file })).toThrow(/cannot make a directory in/);
  });
});

describe("findRuns", () => {
  it("finds the runs of an experiment, oldest first, and nothing else", () => {
    const baseDir = temporaryFolder();
    const names = ["a_20260102_000000", "a_20251231_235959", "a_b_20260101_000000", "other", "a_2026"];
    for (const name of names) fs.mkdirSync(path.join(baseDir, name));
    fs.writeFileSync(path.join(baseDir, "a_20260103_000000"), "a file");
    const ids = (name?: string) => findRuns(baseDir, name).map((run) => run.runId);
    expect(ids("a")).toEqual(["a_20251231_235959", "a_20260102_000000"]);
    expect(ids("a_b")).toEqual(["a_b_20260101_000000"]);
    expect(ids()).toEqual(["a_20251231_235959", "a_b_20260101_000000", "a_20260102_000000"]);
    expect(ids("c")).toEqual([]);
    expect(findRuns(path.join(baseDir, "none"))).toEqual([]);
    fs.symlinkSync("b_20260101_000000", path.join(baseDir, "b_20260101_000000"));
    expect(ids("b")).toEqual([]);
    const file = path.join(baseDir, "a_20260103_000000");
    expect(() => findRuns(file)).toThrow(/cannot look for runs in .*: a file is where a directory should be/);
  });
});
