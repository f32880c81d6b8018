// The learning rate of a class runner from iteration to iteration: constant, falling, or after the policy's movement.
import { fail } from "../../array/index.js";
import { knownValue, type Scalar } from "../../agent/index.js";

export type RateSchedule = "constant" | "linear" | "adaptive";

export interface RateOptions {
  /**
   * How the rate changes between updates: not at all, along a line to 0 at the end of `learn`, or so that an update
   * moves the policy by about `desiredKl`. Default: what `cfg.lrSchedule` says.
   */
  readonly lrSchedule?: RateSchedule;
  /** How far an update should move the policy, in nats, where the rate adapts. Default 0.01. */
  readonly desiredKl?: number;
}

const schedules: readonly RateSchedule[] = ["constant", "linear", "adaptive"];

/** Beyond these an adaptive rate does not go, nor faster than by this factor (as rsl_rl has them). */
const [least, most, factor] = [1e-5, 1e-2, 1.5];

export interface LearningRates {
  /** What the next update learns with. */
  current: number;
  /** Prepares for the iterations from one on. */
  begin(iteration: number, iterations: number): void;
  /** After an update that moved the policy so far; `next` is the iteration that comes. */
  adjust(kl: number, next: number, iterations: number): void;
}

export function learningRates(
  operation: string,
  config: { readonly lr: Scalar; readonly lrSchedule: "constant" | "linear" },
  { lrSchedule: schedule = config.lrSchedule, desiredKl = 0.01 }: RateOptions,
): LearningRates {
  if (!schedules.includes(schedule)) {
    fail(operation, `lrSchedule must be ${schedules.join(", ")}, got ${JSON.stringify(schedule)}`);
  }
  if (typeof desiredKl !== "number" || !(desiredKl > 0) || !Number.isFinite(desiredKl)) {
    fail(operation, `desiredKl must be a number greater than 0, got ${String(desiredKl)}`);
  }
  const first = knownValue(config.lr) ?? fail(operation, "cfg.lr must be a number, got a traced array");
  const linear = (iteration: number, iterations: number) => first * (1 - iteration / iterations);
  return {
    current: first,
    begin(iteration, iterations) {
      if (schedule === "linear") this.current = linear(iteration, iterations);
    },
    adjust(kl, next, iterations) {
      if (schedule === "linear") this.current = linear(next, iterations);
      if (schedule !== "adaptive") return;
      if (kl > 2 * desiredKl) this.current = Math.max(least, this.current / factor);
      else if (kl < desiredKl / 2) this.current = Math.min(most, this.current * factor);
    },
  };
}
