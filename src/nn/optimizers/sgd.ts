// Stochastic gradient descent, with momentum if wanted.
import { check, checkOptions, np, rules, type Array } from "../../array/index.js";
import { mapLeaves, type Tree } from "../leaves.js";
import { checkRate, stepAt, type Rate } from "../schedules.js";
import { noUpdates, safeIncrement, type Optimizer } from "./optimizer.js";

export interface SGDOptions {
  /** How much of the last direction is kept. Default 0, none. */
  readonly momentum?: number;
  /** Whether to look ahead along the direction (Nesterov). Default false. */
  readonly nesterov?: boolean;
}

/** The number of updates (int32) and the direction; null without momentum. */
export interface SGDState {
  readonly count: Array;
  readonly trace: Tree | null;
}

/** Steps of lr against the gradient. */
export function sgd(lr: Rate, options: SGDOptions = {}): Optimizer<SGDState> {
  checkRate("sgd", "lr", lr);
  checkOptions("sgd", options, ["momentum", "nesterov"]);
  const { momentum = 0, nesterov = false } = options;
  check("sgd", "momentum", momentum, rules.decayRate);
  return {
    init: (params) => ({
      count: noUpdates(),
      trace: momentum === 0 ? null : mapLeaves("sgd", ["params"], np.zerosLike, params),
    }),
    update: (grads, state) => {
      const count = safeIncrement(state.count);
      const step = stepAt("sgd", lr, state.count);
      if (state.trace === null) {
        return [mapLeaves("sgd", ["grads"], (g) => g.mul(step), grads), { count, trace: null }];
      }
      const trace = advanceTrace("sgd", momentum, grads, state.trace);
      const ahead = nesterov ? advanceTrace("sgd", momentum, grads, trace) : trace;
      return [mapLeaves("sgd", ["grads"], (d) => d.mul(step), ahead), { count, trace }];
    },
  };
}

/** The direction after one more gradient: g + momentum · trace. */
export const advanceTrace = <T extends Tree>(operation: string, momentum: number, grads: T, trace: Tree): T =>
  mapLeaves(operation, ["grads", "state"], (g, t) => t.mul(momentum).add(g), grads, trace);
