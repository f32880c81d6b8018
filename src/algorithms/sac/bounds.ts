// The bounds of SAC's actions: what the config says, or else what the action space says.
import type { ContinuousActions } from "../../agent/index.js";
import { fail, np, type Array } from "../../array/index.js";
import type { SACConfig } from "./config.js";

/** The least and the largest action, each (actionDim,). */
export interface ActionBounds {
  readonly actionLow: Array;
  readonly actionHigh: Array;
}

/** Bounds of a fresh agent. Those of the config must lie within the space; without either they are −1 and 1. */
export function boundsOf(actions: ContinuousActions, config: SACConfig): ActionBounds {
  const actionLow = oneBound(actions, "actionLow", config.actionLow);
  const actionHigh = oneBound(actions, "actionHigh", config.actionHigh);
  if (isKnown(actionLow) && isKnown(actionHigh)) {
    const [low, high] = [actionLow.data(), actionHigh.data()];
    const at = low.findIndex((least, component) => !(least < high[component]));
    if (at >= 0) {
      fail(
        "SAC.init",
        `component ${at} of actions goes from ${low[at]} to ${high[at]}; actionLow must be less than actionHigh`,
      );
    }
  }
  return { actionLow, actionHigh };
}

const isKnown = ({ tracer }: Array): boolean => tracer === null;

function oneBound(
  { size, space }: ContinuousActions,
  name: "actionLow" | "actionHigh",
  given: number | readonly number[] | null,
): Array {
  const isLow = name === "actionLow";
  const own = (isLow ? space?.low : space?.high) ?? null;
  if (given === null) {
    if (own !== null && isKnown(own) && !own.data().every(Number.isFinite)) {
      fail("SAC.init", `the actions of ${String(space)} have no bounds; say them: SACConfig({ ${name}: … })`);
    }
    return own ?? np.full([size], isLow ? -1 : 1);
  }
  if (typeof given === "object" && given.length !== size) {
    fail("SAC.init", `config.${name} has ${given.length} components, actions have ${size}`);
  }
  const bound = np.broadcastTo(np.array(given, { dtype: "float32" }), [size]);
  if (own !== null && isKnown(own)) {
    const limits = own.data();
    const isOutside = (value: number, at: number) => (isLow ? value < limits[at] : value > limits[at]);
    const at = bound.data().findIndex(isOutside);
    if (at >= 0) {
      fail(
        "SAC.init",
        `config.${name} is ${bound.data()[at]}, outside the actions of ${String(space)}, which ` +
          `${isLow ? "begin" : "end"} at ${limits[at]}; leave it out to take the space's bounds`,
      );
    }
  }
  return bound;
}
