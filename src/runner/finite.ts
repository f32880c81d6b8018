// A run that has lost its numbers is stopped, with the place where it happened.
import { fail } from "../array/index.js";
import type { UpdateMetrics } from "./loop.js";

/** Refuses metrics that are not finite, naming the update and the metric. */
export function checkFinite(
  algorithm: string,
  updates: readonly UpdateMetrics[],
  from: number,
  stepsPerUnit: number,
): void {
  updates.forEach((metrics, index) => {
    const bad = Object.entries(metrics).find(([, value]) => ![value].flat().every(Number.isFinite));
    if (bad === undefined) return;
    const unit = from + index + 1;
    fail(
      `train${algorithm}`,
      `${bad[0]} is ${String(bad[1])} after update ${unit} (step ${unit * stepsPerUnit}), so the run was stopped; the last ` +
        "checkpoint is from before that. Try a lower learning rate, a lower maxGradNorm, or scaled rewards",
    );
  });
}
