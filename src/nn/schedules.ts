// Schedules: what a number, such as a learning rate, is after so many updates.
import { Array, check, checkOptions, fail, np, rules, showValue, type ArrayLike } from "../array/index.js";
import { checkList, checkScalar } from "./check.js";

/** A scalar for a count of updates (an int32 scalar, 0 for the first update). */
export type Schedule = (count: Array) => Array;

/** How far count is on its way to `steps`, from 0 to 1. */
const progress = (count: Array, steps: number): Array => np.minimum(count.astype("float32").div(steps), 1);

/** Between two values; exact at both ends. */
const between = (from: ArrayLike, to: ArrayLike, share: Array): Array =>
  np.subtract(1, share).mul(from).add(share.mul(to));

/** Always the same. */
export function constantSchedule(value: number | Array): Schedule {
  checkScalar("constantSchedule", "value", value, rules.finite);
  return () => np.array(value);
}

/** From `init` to `end` along a line in `steps` updates, then `end`. */
export function linearSchedule(init: number | Array, end: number | Array, steps: number): Schedule {
  checkScalar("linearSchedule", "init", init, rules.finite);
  checkScalar("linearSchedule", "end", end, rules.finite);
  check("linearSchedule", "steps", steps, rules.whole(1));
  return (count) => between(init, end, progress(count, steps));
}

/** From `init` down to `alpha · init` along half a wave in `steps` updates. */
export function cosineSchedule(
  init: number | Array,
  steps: number,
  options: { readonly alpha?: number } = {},
): Schedule {
  checkOptions("cosineSchedule", options, ["alpha"]);
  const { alpha = 0 } = options;
  checkScalar("cosineSchedule", "init", init, rules.finite);
  check("cosineSchedule", "steps", steps, rules.whole(1));
  check("cosineSchedule", "alpha", alpha, rules.notNegative);
  return (count) => between(np.multiply(init, alpha), init, halfWave(progress(count, steps)));
}

/** `cosineSchedule` by its short name. */
export const cosine = cosineSchedule;

/** From 1 down to 0 while share goes from 0 to 1. */
const halfWave = (share: Array): Array => np.cos(share.mul(Math.PI)).add(1).mul(0.5);

/** From 0 to `peak` along a line in `steps` updates, then `peak`. */
export function warmup(peak: number | Array, steps: number): Schedule {
  checkScalar("warmup", "peak", peak, rules.finite);
  check("warmup", "steps", steps, rules.whole(1));
  return linearSchedule(0, peak, steps);
}

/** From `init` up to `peak` in `warmupSteps` updates, then along half a wave down to `end` at update `steps`. */
export function warmupCosine(
  peak: number | Array,
  warmupSteps: number,
  steps: number,
  options: { readonly init?: number; readonly end?: number } = {},
): Schedule {
  checkOptions("warmupCosine", options, ["init", "end"]);
  const { init = 0, end = 0 } = options;
  checkScalar("warmupCosine", "peak", peak, rules.finite);
  check("warmupCosine", "warmupSteps", warmupSteps, rules.whole(1));
  check("warmupCosine", "steps", steps, rules.whole(1));
  check("warmupCosine", "init", init, rules.finite);
  check("warmupCosine", "end", end, rules.finite);
  if (steps <= warmupSteps) {
    fail(
      "warmupCosine",
      `steps counts the warm-up too: it must be above warmupSteps ${warmupSteps}, got ${steps}`,
    );
  }
  const descend: Schedule = (count) => between(end, peak, halfWave(progress(count, steps - warmupSteps)));
  return joinSchedules([linearSchedule(init, peak, warmupSteps), descend], [warmupSteps]);
}

/** One schedule after the other: the next one starts, counting from 0, at each boundary. */
export function joinSchedules(schedules: readonly Schedule[], boundaries: readonly number[]): Schedule {
  checkList("joinSchedules", "boundaries", boundaries, rules.whole(0), { length: schedules.length - 1 });
  schedules.forEach((schedule, at) => {
    check("joinSchedules", `schedules[${at}]`, schedule, rules.callable);
  });
  if (boundaries.some((boundary, at) => at > 0 && boundary <= boundaries[at - 1])) {
    fail("joinSchedules", `boundaries must ascend, got ${showValue(boundaries)}`);
  }
  const [first, ...later] = schedules;
  return (count) =>
    later.reduce(
      (value, schedule, at) =>
        np.where(count.less(boundaries[at]), value, schedule(count.sub(boundaries[at]))),
      first(count),
    );
}

/** What may be given for a rate: a number, a scalar array (to sweep over by vmap), or a schedule. */
export type Rate = number | Array | Schedule;

/** Refuses what is no rate. */
export function checkRate(operation: string, name: string, rate: unknown): void {
  if (typeof rate !== "function") checkScalar(operation, name, rate, rules.notNegative);
}

/** The rate at a count. */
export function rateAt(operation: string, rate: Rate, count: Array): number | Array {
  if (typeof rate !== "function") return rate;
  const value: unknown = rate(count);
  if (!(value instanceof Array) || value.ndim > 0) {
    fail(operation, `the schedule must return a scalar array, got ${showValue(value)}`);
  }
  return value;
}

/** What a gradient is multiplied by to go downhill: minus the rate at a count. */
export function stepAt(operation: string, rate: Rate, count: Array): number | Array {
  const value = rateAt(operation, rate, count);
  return typeof value === "number" ? -value : value.neg();
}
