// Small links for chains: scaling, scheduled scaling, weight decay.
import { check, fail, rules, type Array } from "../../array/index.js";
import { checkScalar } from "../check.js";
import { mapLeaves, type Tree } from "../leaves.js";
import { rateAt, type Schedule } from "../schedules.js";
import {
  noUpdates,
  safeIncrement,
  stateless,
  type CountState,
  type EmptyState,
  type Optimizer,
} from "./optimizer.js";

/** Multiplies the updates; give −lr to go downhill. */
export function scale(by: number | Array): Optimizer<EmptyState> {
  checkScalar("scale", "by", by, rules.finite);
  return stateless((grads) => mapLeaves("scale", ["grads"], (g) => g.mul(by), grads));
}

/** Multiplies the updates by what a schedule says for their count; give a negative one to go downhill. */
export function scaleBySchedule(schedule: Schedule): Optimizer<CountState> {
  check("scaleBySchedule", "schedule", schedule, rules.callable);
  return {
    init: () => ({ count: noUpdates() }),
    update: (grads, { count }) => {
      const by = rateAt("scaleBySchedule", schedule, count);
      const updates = mapLeaves("scaleBySchedule", ["grads"], (g) => g.mul(by), grads);
      return [updates, { count: safeIncrement(count) }];
    },
  };
}

/** Adds weightDecay · params, so that what follows takes a share of the weights away. */
export function addDecayedWeights(weightDecay: number | Array): Optimizer<EmptyState> {
  const operation = "addDecayedWeights";
  checkScalar(operation, "weightDecay", weightDecay, rules.notNegative);
  return stateless(<T extends Tree>(grads: T, params?: T): T =>
    mapLeaves(
      operation,
      ["grads", "params"],
      (g, p) => g.add(p.mul(weightDecay)),
      grads,
      params ?? fail(operation, "needs the parameters: call update(grads, state, params)"),
    ),
  );
}
