// Loading an optional package, and the random numbers that episodes start with.
import { describe, expect, it } from "vitest";
import { loadMujoco } from "vibe-rl/mujoco";
import { generatorFrom, seeded } from "../../src/mujoco/generator.js";

describe("loadMujoco", () => {
  it("says what to install where the package is missing, and keeps the cause", async () => {
    const cause = new Error("Cannot find package '@mujoco/mujoco'");
    await expect(loadMujoco(() => Promise.reject(cause))).rejects.toMatchObject({
      name: "MujocoError",
      message: expect.stringMatching(
        /^loadMujoco: the optional package @mujoco\/mujoco cannot be loaded; install it with `npm install @mujoco\/mujoco`/,
      ) as string,
      cause,
    });
  });

  it("refuses a package that is another one", async () => {
    await expect(loadMujoco(() => Promise.resolve({ default: 3 }))).rejects.toThrow(
      "@mujoco/mujoco should export a function that loads it, but exports number",
    );
  });
});

describe("the generator of starts", () => {
  const draws = (seed: number, count: number, of: "uniform" | "normal"): number[] => {
    const random = generatorFrom(seeded(seed));
    return Array.from({ length: count }, () => (of === "normal" ? random.normal() : random.uniform(-1, 3)));
  };
  const mean = (list: readonly number[]): number => list.reduce((sum, value) => sum + value, 0) / list.length;

  it("is xoshiro128**: its first words from the state 1, 2, 3, 4 are the published ones", () => {
    // From the reference implementation: rotl(s[1] * 5, 7) * 9 and so on, 11520, 0, 5927040, 70819200.
    const random = generatorFrom([1, 2, 3, 4]);
    const pair = (high: number, low: number) => ((high >>> 5) * 2 ** 26 + (low >>> 6)) / 2 ** 53;
    expect(random.uniform(0, 1)).toBe(pair(11520, 0));
    expect(random.uniform(0, 1)).toBe(pair(5927040, 70819200));
  });

  it("draws evenly, and normally, from seeds side by side too", () => {
    const uniform = draws(0, 20_000, "uniform");
    expect(Math.min(...uniform)).toBeGreaterThanOrEqual(-1);
    expect(Math.max(...uniform)).toBeLessThan(3);
    expect(mean(uniform)).toBeCloseTo(1, 1);
    const normal = draws(1, 20_000, "normal");
    expect(mean(normal)).toBeCloseTo(0, 1);
    expect(mean(normal.map((value) => value ** 2))).toBeCloseTo(1, 1);
    const firsts = Array.from({ length: 5000 }, (_, seed) => draws(seed, 1, "uniform")[0]);
    expect(mean(firsts)).toBeCloseTo(1, 1);
    const products = firsts.slice(1).map((value, at) => (value - 1) * (firsts[at] - 1));
    expect(mean(products)).toBeCloseTo(0, 1);
  });

  it("differs for seeds that differ only above 32 bits", () => {
    expect(draws(2 ** 32 + 5, 1, "uniform")).not.toEqual(draws(5, 1, "uniform"));
  });

  it("goes on from its state", () => {
    const random = generatorFrom(seeded(9));
    random.normal();
    const copy = generatorFrom(random.getState());
    expect(copy.normal()).toBe(random.normal());
  });
});
