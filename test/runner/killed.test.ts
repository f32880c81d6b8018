// A training process that is killed again and again ends where an undisturbed one ends.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { loadMetadata } from "vibe-rl/checkpoint";
import { RunDir } from "vibe-rl/runDir";
import { isLong } from "../long.js";
import { temporaryFolder } from "../temporary.js";
import { History } from "../../src/runner/history.js";
import { bitsOf, linesOf } from "./small.js";
import { unhurried } from "../unhurried.js";

const script = fileURLToPath(new URL("trainChild.mjs", import.meta.url));

/** Another number from 0 to 1 each time, the same ones in every run of the tests. */
function* chances(seed: number): Generator<number, never> {
  for (let x = seed; ;) {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    yield x / 2 ** 32;
  }
}

/** Trains in a process. After so many calls, and a moment, it is killed. Returns how it ended. */
function train(args: readonly string[], calls = Infinity, waitMs = 0): Promise<number | string | null> {
  const child = spawn(process.execPath, [...unhurried, script, ...args, String(calls + 40)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let seen = 0;
  child.stdout.on("data", (text: Buffer) => {
    const before = seen;
    seen += text.length;
    if (before < calls && seen >= calls) setTimeout(() => child.kill("SIGKILL"), waitMs);
  });
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => resolve(signal ?? code));
  });
}

/** Everything in a run's history, whatever pieces it was written in. */
function measuredIn(checkpoints: string): Readonly<Record<string, unknown>> {
  const history = new History(null);
  const [, ...entries] = readFileSync(path.join(checkpoints, "history.jsonl"), "utf8").trimEnd().split("\n");
  for (const entry of entries) {
    expect(history.addEntry(JSON.parse(entry) as Record<string, unknown>)).toBe(true);
  }
  const { records } = history;
  return { records, updates: bitsOf(history.arrays()) };
}

const kills = isLong ? { PPO: 2, DQN: 1 } : { PPO: 1 };

describe.skipIf(process.platform === "win32")("a process killed with SIGKILL", { timeout: 120_000 }, () => {
  it.each(Object.entries(kills))("%s, %i times, is resumed to the same bits", async (algorithm, times) => {
    const baseDir = temporaryFolder();
    const [whole, broken] = ["whole", "broken"].map((name) => RunDir(name, { baseDir }));
    const argsOf = ({ runId }: RunDir) => [algorithm, baseDir, runId];
    expect(await train(argsOf(whole))).toBe(0);

    const chance = chances(algorithm.charCodeAt(0));
    const steps = new Set<number>();
    for (let kill = 0; kill < times; kill++) {
      // At last anywhere behind the next checkpoints; at first soon, even before the first one.
      const calls =
        kill < times - 1 ? 1 + Math.floor(3 * chance.next().value) : 8 + Math.floor(9 * chance.next().value);
      expect(await train(argsOf(broken), calls, chance.next().value * 10)).toBe("SIGKILL");
      steps.add(broken.latestCheckpoint?.step ?? 0);
    }
    // It went on from different places, and was never done.
    expect(steps.size).toBe(times);
    expect(Math.max(...steps)).toBeLessThan(1400);

    expect(await train(argsOf(broken))).toBe(0);
    const [expected, result] = [whole, broken].map(({ latestCheckpoint, checkpoints, bestCheckpoint }) => {
      // The history is divided as the checkpoints were, and has the times of its records.
      const { history: _, ...metadata } = loadMetadata(checkpoints);
      return {
        ...{ step: latestCheckpoint?.step, best: bestCheckpoint?.step, metadata },
        ...{ history: measuredIn(checkpoints), files: readdirSync(checkpoints) },
        tensors: readFileSync(path.join(latestCheckpoint?.path ?? "", "tensors.safetensors"), "hex"),
      };
    });
    expect(result).toEqual(expected);
    expect(linesOf(broken.logPath())).toEqual(linesOf(whole.logPath()));
  });
});
