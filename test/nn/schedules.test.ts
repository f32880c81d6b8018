// Schedules: the figures of optax at every count, compiled too.
import { describe, expect, it } from "vitest";
import { jit, np, vmap, type Array } from "vibe-rl/array";
import {
  constantSchedule,
  cosine,
  cosineSchedule,
  joinSchedules,
  linearSchedule,
  warmup,
  warmupCosine,
  type Schedule,
} from "vibe-rl/nn";
import { expectClose } from "../closeness.js";

// By optax 0.2.8 for the counts 0 to 11.
const cases: Record<string, readonly [Schedule, number[]]> = {
  "linearSchedule(0.1, 0.02, 3)": [
    linearSchedule(0.1, 0.02, 3),
    [0.1, 0.073333323, 0.046666663, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02],
  ],
  "cosineSchedule(0.1, 10, { alpha: 0.1 })": [
    cosineSchedule(0.1, 10, { alpha: 0.1 }),
    [
      0.1, 0.097797543, 0.091405764, 0.081450336, 0.068905763, 0.054999996, 0.041094232, 0.028549656,
      0.018594233, 0.012202458, 0.01, 0.01,
    ],
  ],
  "warmupCosine(0.3, 4, 10, { end: 0.05 })": [
    warmupCosine(0.3, 4, 10, { end: 0.05 }),
    [0, 0.075, 0.15, 0.225, 0.3, 0.28325319, 0.2375, 0.175, 0.1125, 0.066746816, 0.05, 0.05],
  ],
  "joinSchedules of a constant and a line": [
    joinSchedules([constantSchedule(1), linearSchedule(1, 0, 4)], [3]),
    [1, 1, 1, 1, 0.75, 0.5, 0.25, 0, 0, 0, 0, 0],
  ],
  "warmup(2, 4)": [warmup(2, 4), [0, 0.5, 1, 1.5, 2, 2, 2, 2, 2, 2, 2, 2]],
};

describe("schedules", () => {
  for (const [name, [schedule, expected]] of Object.entries(cases)) {
    it(name, () => {
      const counts = np.arange(12);
      expectClose(vmap(schedule)(counts), np.array(expected), { atol: 1e-7 });
      expectClose(jit(vmap(schedule))(counts), np.array(expected), { atol: 1e-7 });
      expect([schedule(np.int32(3)).shape, schedule(np.int32(3)).dtype]).toEqual([[], "float32"]);
    });
  }

  it("end exactly where they should", () => {
    for (const steps of [3, 7, 49, 1000]) {
      expect(linearSchedule(0.7, 0.1, steps)(np.int32(steps)).item()).toBe(Math.fround(0.1));
      expect(linearSchedule(0.7, 0.1, steps)(np.int32(0)).item()).toBe(Math.fround(0.7));
      expect(cosine(0.7, steps)(np.int32(steps)).item()).toBe(0);
    }
  });

  it("take arrays for their values, so that vmap sweeps over them", () => {
    const ends = vmap((peak: Array) => warmup(peak, 10)(np.int32(5)))(np.array([1, 2]));
    expect(ends.toArray()).toEqual([0.5, 1]);
  });

  it("refuse what makes no schedule, by name", () => {
    expect(() => linearSchedule(1, 0, 0)).toThrow(
      /linearSchedule: steps must be a whole number of at least 1, got 0/,
    );
    expect(() => linearSchedule(1, NaN, 5)).toThrow(/end must be a finite number, got NaN/);
    expect(() => cosineSchedule(1, 5, { alfa: 0 } as object)).toThrow(
      /there is no option `alfa`; did you mean `alpha`\?/,
    );
    expect(() => warmupCosine(1, 10, 10)).toThrow(/it must be above warmupSteps 10, got 10/);
    expect(() => joinSchedules([constantSchedule(1)], [3])).toThrow(
      /boundaries must have 0 entries, got \[3\]/,
    );
    expect(() => joinSchedules([warmup(1, 1), warmup(1, 1), warmup(1, 1)], [3, 3])).toThrow(
      /boundaries must ascend, got \[3, 3\]/,
    );
  });
});
