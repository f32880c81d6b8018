// Nothing that a run has reached is lost without a word: checkpoints that are gone, metrics that are gone, others who
// write to the same directory.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { listCheckpoints } from "vibe-rl/checkpoint";
import { RunDir } from "vibe-rl/runDir";
import type { RunnerConfig, RunOptions } from "vibe-rl/runner";
import { run } from "../../src/runner/index.js";
import { temporaryFolder, warningsOf } from "../temporary.js";
import { bitsOf, linesOf, runBare, runnerConfig, trainers, trainingOf } from "./small.js";

const config = runnerConfig();
const resuming = runnerConfig({ resume: true });
const trainer = trainers.PPO(config);

const runIn = (runDir: RunDir, settings: RunnerConfig, options: RunOptions<object> = {}) =>
  run(trainer, settings, { ...options, runDir });

/** Ends a run at the first record of a step. */
function stopAt(last: number): RunOptions<object> {
  const controller = new AbortController();
  return {
    signal: controller.signal,
    callback: (step) => {
      if (step >= last) controller.abort();
    },
  };
}

/** A run directory with a run that is over, or was stopped. */
async function trained(options: RunOptions<object> = {}, settings = config): Promise<RunDir> {
  const runDir = RunDir("run", { baseDir: temporaryFolder() });
  await runIn(runDir, settings, options);
  return runDir;
}

describe("resuming where the checkpoints are gone", () => {
  it.each<[string, (runDir: RunDir) => void]>([
    [
      "is empty",
      ({ checkpoints }) =>
        listCheckpoints(checkpoints).forEach((one) => rmSync(one.path, { recursive: true })),
    ],
    ["was deleted", ({ checkpoints }) => rmSync(checkpoints, { recursive: true })],
  ])("is refused, and the metrics stay: the directory %s", async (_, remove) => {
    const runDir = await trained();
    remove(runDir);
    const [metrics, files] = [readFileSync(runDir.logPath()), readdirSync(runDir.root)];
    await expect(runIn(runDir, resuming)).rejects.toThrow(
      /has no checkpoint, but this run has saved some.*its metrics reach step 640.*to begin again at step 0, move .*logs away/,
    );
    expect(readFileSync(runDir.logPath())).toEqual(metrics);
    expect(readdirSync(runDir.root)).toEqual(files);
    // The word how to force it is true.
    renameSync(runDir.logs, `${runDir.logs}-before`);
    expect((await runIn(runDir, resuming)).step).toBe(640);
  });

  it("is refused for a run that had saved only one, in the end", async () => {
    const settings = { checkpointInterval: 100_000, evalEvery: 100_000 };
    const runDir = await trained({}, runnerConfig(settings));
    expect(runDir.listCheckpoints().map(({ step }) => step)).toEqual([640]);
    rmSync(runDir.checkpoints, { recursive: true });
    await expect(runIn(runDir, runnerConfig({ ...settings, resume: true }))).rejects.toThrow(
      /has saved some/,
    );
  });

  it("is refused where another directory is given, with the one that has them", async () => {
    const runDir = await trained();
    const elsewhere = path.join(temporaryFolder(), "wrong", "place");
    await expect(runIn(runDir, { ...resuming, checkpointDir: elsewhere })).rejects.toThrow(
      `${elsewhere} has no checkpoint, but this run has saved some, in ${runDir.checkpoints},`,
    );
    expect(existsSync(path.dirname(elsewhere))).toBe(false);
  });

  it("is refused where only early ones are left", async () => {
    const runDir = await trained();
    for (const { step, path: folder } of runDir.listCheckpoints()) {
      if (step > 160) rmSync(folder, { recursive: true });
    }
    const metrics = readFileSync(runDir.logPath(), "utf8");
    await expect(runIn(runDir, resuming)).rejects.toThrow(
      /newest checkpoint in .* is of step 160, but the metrics of this run reach step 640.*move .*metrics\.jsonl away/,
    );
    expect(readFileSync(runDir.logPath(), "utf8")).toBe(metrics);
    renameSync(runDir.logPath(), `${runDir.logPath()}.before`);
    await runIn(runDir, resuming);
    expect(linesOf(runDir.logPath())).toEqual(linesOf(`${runDir.logPath()}.before`));
  });

  it("works for a run that was moved", async () => {
    const expected = await trained();
    const runDir = await trained(stopAt(300));
    const moved = path.join(temporaryFolder(), "elsewhere");
    renameSync(runDir.root, moved);
    await runIn(RunDir.open(moved), resuming);
    expect(linesOf(RunDir.open(moved).logPath())).toEqual(linesOf(expected.logPath()));
  });
});

describe("metrics that are gone before the step of the checkpoint", () => {
  it("come back from it, with the times at which they were logged", async () => {
    const expected = linesOf((await trained()).logPath());
    const damages: readonly ((file: string) => void)[] = [
      (file) => rmSync(path.dirname(file), { recursive: true }),
      (file) => writeFileSync(file, ""),
      (file) => writeFileSync(file, readFileSync(file).subarray(0, 150)),
      (file) => writeFileSync(file, "\0".repeat(500)),
      (file) => writeFileSync(file, readFileSync(file, "utf8").split("\n").slice(2).join("\n")),
    ];
    for (const damage of damages) {
      const runDir = await trained(stopAt(400));
      const before = readFileSync(runDir.logPath(), "utf8");
      damage(runDir.logPath());
      await warningsOf("MetricsWarning", () => runIn(runDir, resuming));
      expect(linesOf(runDir.logPath())).toEqual(expected);
      expect(readFileSync(runDir.logPath(), "utf8").startsWith(before)).toBe(true);
    }
  });
});

describe("the history beside the checkpoints", () => {
  it("is not part of them: they stay as small as they were", async () => {
    const settings = runnerConfig({ totalTimesteps: 32_000, checkpointInterval: 16_000, evalEvery: 16_000 });
    const runDir = RunDir("long", { baseDir: temporaryFolder() });
    await run(trainers.PPO(settings), settings, { runDir });
    const sizes = [16_000, 32_000].map((step) =>
      readdirSync(runDir.checkpointDir(step)).map(
        (name) => readFileSync(path.join(runDir.checkpointDir(step), name)).length,
      ),
    );
    // Ten times the digits of some counters.
    expect(Math.abs(sizes[1][0] - sizes[0][0])).toBeLessThan(32);
    expect(sizes[1][1]).toBe(sizes[0][1]);
  });

  it("is written again where somebody removes it while the run goes on", async () => {
    const expected = await runBare(trainer, config);
    const runDir = await trained(stopAt(200));
    const onStart = () => rmSync(path.join(runDir.checkpoints, "history.jsonl"));
    await runIn(runDir, resuming, { ...stopAt(400), onStart });
    const result = await runIn(runDir, resuming);
    expect(bitsOf(result.history)).toEqual(bitsOf(expected.history));
    expect(result.metricsLog).toEqual(expected.metricsLog);
  });

  it("that is damaged is refused; without it the run goes on, and says what is missing", async () => {
    const expected = await runBare(trainer, config);
    const runDir = await trained(stopAt(400));
    const file = path.join(runDir.checkpoints, "history.jsonl");
    const bytes = readFileSync(file);
    for (const damaged of [bytes.subarray(0, 300), Buffer.from(bytes).fill(0, 200, 210)]) {
      writeFileSync(file, damaged);
      await expect(runIn(runDir, resuming)).rejects.toThrow(
        /history\.jsonl is not what the checkpoint was saved with.*Put back the file.*or move it away/,
      );
      expect(readFileSync(file)).toEqual(damaged);
    }
    rmSync(file);
    const from = runDir.latestCheckpoint?.step ?? 0;
    const warnings = await warningsOf("RunWarning", async () => {
      const result = await runIn(runDir, resuming);
      expect(bitsOf(result.state)).toEqual(bitsOf(expected.state));
      expect(result.history.totalLoss.shape).toEqual([(640 - from) / 32]);
    });
    expect(warnings.join()).toContain(
      `is gone, so the results of this run have only what it measures after step ${from}`,
    );
    expect(trainingOf(linesOf(runDir.logPath()))).toEqual(expected.metricsLog);
  });
});

describe("a checkpoint that does not tell the truth about its run", () => {
  it.each<[string, (metadata: Record<string, Record<string, unknown>>) => void]>([
    ["another unit", ({ gathered }) => (gathered.unit = 1)],
    ["a unit that is none", ({ gathered }) => (gathered.unit = "x")],
    ["no sums", ({ gathered }) => (gathered.since = null)],
    ["a best one that is none", (metadata) => (metadata.best = { step: -1, evalReturn: 0 })],
    ["no history", (metadata) => delete metadata.history],
    ["a history of text", ({ history }) => (history.bytes = "many")],
    ["nothing gathered", (metadata) => (metadata.gathered = null as never)],
  ])("is refused: %s", async (_, forge) => {
    const runDir = await trained(stopAt(300));
    const file = path.join(runDir.latestCheckpoint?.path ?? "", "checkpoint.json");
    const { checksum: __, ...manifest } = JSON.parse(readFileSync(file, "utf8")) as {
      checksum: string;
      metadata: Record<string, Record<string, unknown>>;
    };
    forge(manifest.metadata);
    const checksum = createHash("sha256").update(JSON.stringify(manifest)).digest("hex");
    writeFileSync(file, JSON.stringify({ ...manifest, checksum }));
    const metrics = readFileSync(runDir.logPath(), "utf8");
    await expect(runIn(runDir, resuming)).rejects.toThrow(
      /resume: what .*step_\d+ says about its run does not fit together/,
    );
    expect(readFileSync(runDir.logPath(), "utf8")).toBe(metrics);
  });
});

describe("two at once", () => {
  it("in one process: the second is refused and the first goes on", async () => {
    const runDir = RunDir("run", { baseDir: temporaryFolder() });
    let second: Promise<unknown> | null = null;
    const callback = async (step: number) => {
      if (step < 200 || second !== null) return;
      second = runIn(runDir, resuming);
      await expect(second).rejects.toThrow(/is being written to by this very process/);
    };
    const result = await runIn(runDir, config, { callback });
    expect(second).not.toBe(null);
    expect(trainingOf(linesOf(runDir.logPath()))).toEqual(result.metricsLog);
    expect(readdirSync(runDir.checkpoints).filter((name) => name.startsWith("."))).toEqual([]);
    expect(readdirSync(runDir.logs)).toEqual(["checkpoint_dir.txt", "metrics.jsonl", "outcome.json"]);
  });

  it("with another process: it is named, and nothing of its run is touched, be it to resume or to overwrite", async () => {
    const runDir = await trained(stopAt(300));
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    const { hostname } = await import("node:os");
    try {
      const owner = { pid: child.pid, host: hostname(), began: null, since: "today" };
      writeFileSync(path.join(runDir.logs, ".lock"), JSON.stringify(owner));
      const files = readdirSync(runDir.checkpoints);
      for (const settings of [resuming, runnerConfig({ overwrite: true })]) {
        await expect(runIn(runDir, settings)).rejects.toThrow(`by process ${child.pid} since today`);
      }
      expect(readdirSync(runDir.checkpoints)).toEqual(files);
    } finally {
      child.kill("SIGKILL");
    }
  });
});

describe("what is left by killed processes", () => {
  it("is cleared away when a run goes on, wherever it is", async () => {
    const runDir = await trained(stopAt(300));
    const name = (of: string) => `.${of}.tmp-${process.ppid}-7`;
    mkdirSync(path.join(runDir.checkpoints, name("step_9")));
    for (const [folder, of] of [
      [runDir.logs, "metrics.jsonl"],
      [runDir.root, "config.json"],
      [runDir.artifacts, "reward_curve.png"],
    ]) {
      writeFileSync(path.join(folder, name(of)), "half");
    }
    await runIn(runDir, resuming);
    const all = readdirSync(runDir.root, { recursive: true, encoding: "utf8" });
    expect(all.filter((file) => path.basename(file).startsWith("."))).toEqual([]);
  });
});

describe("something else where a checkpoint should go", () => {
  const occupy = (runDir: RunDir, step: number): string => {
    const folder = runDir.checkpointDir(step);
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "thesis.tex"), "years of work");
    return folder;
  };

  it("stays, and the run goes on without that checkpoint", async () => {
    const expected = await trained();
    const runDir = RunDir("run", { baseDir: temporaryFolder() });
    const theirs = occupy(runDir, 320);
    const warnings = await warningsOf("RunWarning", () => runIn(runDir, runnerConfig({ overwrite: true })));
    expect(warnings).toEqual([
      expect.stringMatching(/no checkpoint of step 320 was saved.*thesis\.tex.*goes on/),
    ]);
    expect(readdirSync(theirs)).toEqual(["thesis.tex"]);
    expect(runDir.latestCheckpoint?.step).toBe(640);
    expect(linesOf(runDir.logPath())).toEqual(linesOf(expected.logPath()));
  });

  it("is an error in the end, and once it is moved away the run can be ended", async () => {
    const runDir = RunDir("run", { baseDir: temporaryFolder() });
    const theirs = occupy(runDir, 640);
    await warningsOf("RunWarning", async () => {
      await expect(runIn(runDir, runnerConfig({ overwrite: true }))).rejects.toThrow(
        /no checkpoint of step 640 was saved, since .*step_640 is a directory with other things.*move that away, then resume/,
      );
    });
    rmSync(theirs, { recursive: true });
    expect((await runIn(runDir, resuming)).step).toBe(640);
    expect(runDir.latestCheckpoint?.step).toBe(640);
  });
});

it("a run that is refused makes nothing", async () => {
  const runDir = await trained(stopAt(300));
  for (const { path: folder } of runDir.listCheckpoints()) rmSync(path.join(folder, "tensors.safetensors"));
  rmSync(runDir.logs, { recursive: true });
  const files = readdirSync(runDir.root, { recursive: true });
  await expect(runIn(runDir, resuming)).rejects.toThrow(/none of the \d+ checkpoints/);
  expect(readdirSync(runDir.root, { recursive: true })).toEqual(files);
});

it("a run cannot be made shorter than it is", async () => {
  const runDir = await trained(stopAt(300));
  const step = runDir.latestCheckpoint?.step ?? 0;
  const metrics = readFileSync(runDir.logPath(), "utf8");
  const shorter = runnerConfig({ totalTimesteps: 96, resume: true });
  await expect(run(trainers.PPO(shorter), shorter, { runDir })).rejects.toThrow(
    `trainPPO: totalTimesteps is 96, but the run is at step ${step} already; give at least that`,
  );
  expect(readFileSync(runDir.logPath(), "utf8")).toBe(metrics);
});

it("overwrite removes nothing where the new run cannot begin", async () => {
  const runDir = await trained(stopAt(300));
  const files = readdirSync(runDir.checkpoints);
  const broken = { ...trainer, prepare: () => Promise.reject(new Error("does not compile")) };
  await expect(run(broken, runnerConfig({ overwrite: true }), { runDir })).rejects.toThrow(
    "does not compile",
  );
  expect(readdirSync(runDir.checkpoints)).toEqual(files);
  appendFileSync(runDir.logPath(), "");
});

describe("promises of listeners that are not kept", () => {
  it.each(["logger", "onProgress", "onStart"])("are told once, and the run goes on: %s", async (name) => {
    const reject = () => Promise.reject(new Error("away"));
    const options = name === "logger" ? { logger: { log: reject } } : { [name]: reject };
    const warnings = await warningsOf("RunWarning", async () => {
      const result = await runBare(trainer, config, options);
      expect(result.step).toBe(640);
      await new Promise((resolve) => setTimeout(resolve, 0));
    });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(new RegExp(`${name} failed; the run goes on.*away`));
  });
});
