// Adam (Kingma and Ba, https://arxiv.org/abs/1412.6980) and AdamW (https://arxiv.org/abs/1711.05101).
import { check, checkOptions, fail, np, rules, type Array } from "../../array/index.js";
import { checkScalar } from "../check.js";
import { mapLeaves, type Tree } from "../leaves.js";
import { checkRate, stepAt, type Rate } from "../schedules.js";
import { noUpdates, safeIncrement, type Optimizer } from "./optimizer.js";

export interface AdamOptions {
  /** How much of the mean gradient is kept in each update. Default 0.9. */
  readonly b1?: number;
  /** How much of the mean squared gradient is kept in each update. Default 0.999. */
  readonly b2?: number;
  /** Added to the root of the mean square, against division by 0. Default 1e-8. */
  readonly eps?: number | Array;
}

export interface AdamWOptions extends AdamOptions {
  /** Share of every weight that is taken away in each update, times the learning rate. Default 1e-4. */
  readonly weightDecay?: number | Array;
}

/** The number of updates (int32), the running means of the gradients and of their squares. */
export interface AdamState {
  readonly count: Array;
  readonly mu: Tree;
  readonly nu: Tree;
}

/** Adam's maths for a factor that may depend on the count: −lr, or 1 for the bare direction. */
function adamWith(
  operation: string,
  options: AdamOptions,
  factorAt: (count: Array) => number | Array,
  weightDecay: number | Array = 0,
): Optimizer<AdamState> {
  const { b1 = 0.9, b2 = 0.999, eps = 1e-8 } = options;
  check(operation, "b1", b1, rules.decayRate);
  check(operation, "b2", b2, rules.decayRate);
  checkScalar(operation, "eps", eps, rules.notNegative);
  const names = ["grads", "state"];
  return {
    init: (params) => {
      const zeros = () => mapLeaves(operation, ["params"], np.zerosLike, params);
      return { count: noUpdates(), mu: zeros(), nu: zeros() };
    },
    update: (grads, state, params) => {
      const count = safeIncrement(state.count);
      const mu = mapLeaves(
        operation,
        names,
        (g, m) => settled(m.mul(b1).add(g.mul(1 - b1))),
        grads,
        state.mu,
      );
      const nu = mapLeaves(
        operation,
        names,
        (g, v) => settled(v.mul(b2).add(g.mul(g).mul(1 - b2))),
        grads,
        state.nu,
      );
      // (m / c1) / (√(v / c2) + eps) = m · (√c2 / c1) / (√v + eps · √c2): the corrections are scalars.
      const root = np.sqrt(biasCorrection(b2, count));
      const factor = factorAt(state.count);
      const scale = root.div(biasCorrection(b1, count)).mul(factor);
      const floor = root.mul(eps);
      const direction = (m: Array, v: Array): Array => m.mul(scale).div(np.sqrt(v).add(floor));
      if (weightDecay === 0) return [mapLeaves(operation, names, direction, mu, nu), { count, mu, nu }];
      const decay = np.multiply(factor, weightDecay);
      const decayed = (m: Array, v: Array, p: Array): Array => direction(m, v).add(p.mul(decay));
      const weights = params ?? missingParams(operation);
      return [mapLeaves(operation, [...names, "params"], decayed, mu, nu, weights), { count, mu, nu }];
    },
  };
}

/** Means below this change nothing any more, not even through what they are multiplied by. */
const smallestMean = 1e-30;

/**
 * A running mean, 0 once it is as good as that. Units that are switched off leave means that shrink and shrink, until
 * they and all that is computed from them have lost precision, for which many processors take a hundred times as long.
 */
const settled = (mean: Array): Array => np.where(np.abs(mean).less(smallestMean), 0, mean);

const missingParams = (operation: string): never =>
  fail(operation, "weight decay needs the parameters: call update(grads, state, params)");

/** 1 − decay^count, the weight that a running mean started from 0 has got so far, without cancellation. */
const biasCorrection = (decay: number, count: Array): Array =>
  decay === 0 ? np.float32(1) : np.expm1(count.astype("float32").mul(Math.log(decay))).neg();

const adamOptions = ["b1", "b2", "eps"];

/** Adam with a learning rate: a number, a scalar array or a schedule. */
export function adam(lr: Rate, options: AdamOptions = {}): Optimizer<AdamState> {
  checkRate("adam", "lr", lr);
  checkOptions("adam", options, adamOptions);
  return adamWith("adam", options, (count) => stepAt("adam", lr, count));
}

/** Adam whose weights also shrink by lr · weightDecay in each update. */
export function adamw(lr: Rate, options: AdamWOptions = {}): Optimizer<AdamState> {
  checkRate("adamw", "lr", lr);
  checkOptions("adamw", options, [...adamOptions, "weightDecay"]);
  const { weightDecay = 1e-4, ...rest } = options;
  checkScalar("adamw", "weightDecay", weightDecay, rules.notNegative);
  return adamWith("adamw", rest, (count) => stepAt("adamw", lr, count), weightDecay);
}

/** Adam's direction without a learning rate, to be scaled by what follows in a chain. */
export function scaleByAdam(options: AdamOptions = {}): Optimizer<AdamState> {
  checkOptions("scaleByAdam", options, adamOptions);
  return adamWith("scaleByAdam", options, () => 1);
}
