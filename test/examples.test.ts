// Every example runs and does what it says.
import { readdirSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { itLong } from "./long.js";

afterEach(() => {
  vi.restoreAllMocks();
});

/** What an example prints. */
async function run(name: string): Promise<string[]> {
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  await import(`../examples/${name}.ts`);
  return log.mock.calls.map((call) => call.join(" "));
}

const numbers = (lines: readonly string[]) => lines.map((line) => Number(/[\d.]+$/.exec(line)?.[0]));

const checks: Record<string, (lines: string[]) => void> = {
  customAgent: (lines) => {
    // A random policy balances for some 22 steps.
    const returns = numbers(lines);
    expect(lines).toHaveLength(5);
    expect(returns[0]).toBeGreaterThan(60);
    expect(returns[4]).toBeGreaterThan(400);
  },
  customEnv: (lines) => {
    const [, random, braking] = lines.map((line) => Number(/-?[\d.]+$/.exec(line)?.[0]));
    expect(lines[0]).toBe("Probe-v0 is sound");
    expect(random).toBeLessThan(0);
    expect(braking).toBeGreaterThan(0.8);
  },
  fitSine: (lines) => {
    const [first, , , last] = numbers(lines);
    expect(first).toBeGreaterThan(0.5);
    expect(last).toBeLessThan(0.001);
  },
  invertedPendulum: (lines) => {
    const lengths = lines.map((line) => Number(/for (\d+) steps/.exec(line)?.[1]));
    expect(lengths).toHaveLength(3);
    expect(lengths[2]).toBeGreaterThan(950);
  },
  serve: ([about, one, several, refused]) => {
    expect(JSON.parse(about)).toMatchObject({
      metadata: { algorithm: "ppo", environment: "CartPole-v1", step: 8_192 },
      space: { kind: "Discrete", n: 2 },
      observationSpace: { kind: "Box", shape: [4] },
    });
    expect([one, several]).toEqual(['200 {"action":1}', '200 {"actions":[1,0]}']);
    expect(refused).toMatch(/^400 .*an observation has shape \[4\], 4 numbers; got 3/);
  },
  sweep: (lines) => {
    const [head, slow, , fast] = lines;
    expect(head).toBe("lr       runs  last return  evaluation");
    const [slowReturn, fastReturn] = [slow, fast].map((line) => Number(line.split(/ {2,}/)[2].split(" ")[0]));
    expect(fastReturn).toBeGreaterThan(3 * slowReturn);
    expect(lines[4]).toMatch(/^best: lr [\d.]+, seed [01]$/);
  },
  swingUp: (lines) => {
    const [before, after] = numbers(lines);
    expect(before).toBeGreaterThan(0.9);
    expect(after).toBeLessThan(0.05);
  },
  trainSnake: (lines) => {
    // A random player ends near -1: it meets a wall before it meets an apple.
    const [first, , , best] = lines.map((line) => Number(/reward (-?[\d.]+)/.exec(line)?.[1]));
    expect(lines).toHaveLength(4);
    expect(best).toBeGreaterThan(first);
    expect(best).toBeGreaterThan(5);
  },
};

/** Their parts have tests of their own, which are quicker. */
const long = ["invertedPendulum", "trainSnake"];

describe("examples", () => {
  it("are all checked", () => {
    const files = readdirSync(new URL("../examples", import.meta.url))
      .filter((file) => file.endsWith(".ts"))
      .map((file) => file.replace(/\.ts$/, ""));
    expect(Object.keys(checks).sort()).toEqual(files.sort());
  });
  for (const [name, check] of Object.entries(checks)) {
    (long.includes(name) ? itLong : it)(name, async () => {
      check(await run(name));
    });
  }
});
