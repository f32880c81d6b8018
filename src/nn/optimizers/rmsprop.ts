// RMSProp (Hinton's lectures): steps divided by the root of the mean squared gradient.
import { check, checkOptions, np, rules, type Array } from "../../array/index.js";
import { checkScalar } from "../check.js";
import { mapLeaves, type Tree } from "../leaves.js";
import { checkRate, stepAt, type Rate } from "../schedules.js";
import { noUpdates, safeIncrement, type Optimizer } from "./optimizer.js";
import { advanceTrace } from "./sgd.js";

export interface RMSPropOptions {
  /** How much of the mean squared gradient is kept in each update. Default 0.9. */
  readonly decay?: number;
  /** Added to the mean square inside the root, as optax does. Default 1e-8. */
  readonly eps?: number | Array;
  /** How much of the last step is kept. Default 0, none. */
  readonly momentum?: number;
  /** Whether the mean gradient is subtracted, which leaves the variance. Default false. */
  readonly centered?: boolean;
}

/** The number of updates (int32), the mean square, and what the options ask for; null where they do not. */
export interface RMSPropState {
  readonly count: Array;
  readonly nu: Tree;
  readonly mu: Tree | null;
  readonly trace: Tree | null;
}

/** Steps of lr against the gradient, each divided by the root of its mean square. */
export function rmsprop(lr: Rate, options: RMSPropOptions = {}): Optimizer<RMSPropState> {
  checkRate("rmsprop", "lr", lr);
  checkOptions("rmsprop", options, ["decay", "eps", "momentum", "centered"]);
  const { decay = 0.9, eps = 1e-8, momentum = 0, centered = false } = options;
  check("rmsprop", "decay", decay, rules.decayRate);
  checkScalar("rmsprop", "eps", eps, rules.notNegative);
  check("rmsprop", "momentum", momentum, rules.decayRate);
  const names = ["grads", "state"];
  return {
    init: (params) => {
      const zeros = () => mapLeaves("rmsprop", ["params"], np.zerosLike, params);
      return {
        count: noUpdates(),
        nu: zeros(),
        mu: centered ? zeros() : null,
        trace: momentum === 0 ? null : zeros(),
      };
    },
    update: <T extends Tree>(grads: T, state: RMSPropState): readonly [T, RMSPropState] => {
      const kept = 1 - decay;
      const nu = mapLeaves("rmsprop", names, (g, v) => v.mul(decay).add(g.mul(g).mul(kept)), grads, state.nu);
      const mu =
        state.mu === null
          ? null
          : mapLeaves("rmsprop", names, (g, m) => m.mul(decay).add(g.mul(kept)), grads, state.mu);
      const rate = stepAt("rmsprop", lr, state.count);
      const step = (g: Array, square: Array): Array => g.mul(rate).div(np.sqrt(square.add(eps)));
      // Rounding must not make the variance negative.
      const centredStep = (g: Array, v: Array, m: Array): Array => step(g, np.maximum(v.sub(m.mul(m)), 0));
      const steps =
        mu === null
          ? mapLeaves("rmsprop", names, step, grads, nu)
          : mapLeaves("rmsprop", [...names, "state"], centredStep, grads, nu, mu);
      const count = safeIncrement(state.count);
      if (state.trace === null) return [steps, { count, nu, mu, trace: null }];
      const trace = advanceTrace("rmsprop", momentum, steps, state.trace);
      return [trace, { count, nu, mu, trace }];
    },
  };
}
