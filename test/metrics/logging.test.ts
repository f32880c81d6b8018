// Messages for people.
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { np } from "vibe-rl/array";
import { getLogger, logStepProgress, setupLogging } from "vibe-rl/metrics";
import { temporaryFolder } from "../temporary.js";

afterEach(() => {
  vi.useRealTimers();
  setupLogging();
});

const collector = () => {
  const lines: string[] = [];
  return { lines, stream: { write: (text: string) => lines.push(text) } };
};

describe("setupLogging and logStepProgress", () => {
  it("write the documented line", () => {
    vi.useFakeTimers({ now: new Date(2026, 1, 15, 14, 30, 22, 123) });
    const { lines, stream } = collector();
    setupLogging({ stream });
    logStepProgress(5000, 100_000, { loss: np.float32(0.42), reward: 195 });
    expect(lines).toEqual([
      "I 2026-02-15 14:30:22.123 [vibe_rl] step 5000/100000 (5.0%) | loss=0.42 reward=195\n",
    ]);
  });

  it("shorten numbers without losing whole ones, and name nested ones", () => {
    const { lines, stream } = collector();
    setupLogging({ stream });
    const values = { a: 123456789, b: 1234.56, c: -0.000123456, d: NaN, e: { f: 2 / 3 }, text: "left out" };
    logStepProgress(3, 3, values);
    logStepProgress(0, 0);
    expect(lines[0]).toContain("step 3/3 (100.0%) | a=123456789 b=1234.6 c=-0.0001235 d=NaN e/f=0.6667\n");
    expect(lines[1]).toMatch(/step 0\/0 \(100\.0%\)\n$/);
  });

  it("show what is important enough, also in a file", () => {
    const file = path.join(temporaryFolder(), "deep", "run.log");
    const { lines, stream } = collector();
    const logger = setupLogging({ level: "warning", file, stream });
    logger.debug("a");
    logger.info("b");
    getLogger().warning("c");
    logger.error("d");
    expect(lines.map((line) => line[0] + line.slice(-2, -1))).toEqual(["Wc", "Ed"]);
    expect(readFileSync(file, "utf8")).toBe(lines.join(""));
    setupLogging({ level: "debug", file, stream: null }).debug("e");
    expect(readFileSync(file, "utf8")).toMatch(/^W .*\nE .*\nD .*e\n$/s);
  });

  it("refuse an unknown level and a file that cannot be written", () => {
    expect(() => setupLogging({ level: "loud" as "info" })).toThrow(/debug, info, warning, error, got loud/);
    expect(() => setupLogging({ file: temporaryFolder() })).toThrow(
      /setupLogging: cannot write .*directory is where/,
    );
  });
});
