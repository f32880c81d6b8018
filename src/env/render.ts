// Pictures of environments.
import { fail } from "../array/index.js";
import type { Environment } from "./environment.js";

/** A picture of one environment's state as SVG, through all wrappers. */
export function render<S, P>(env: Environment<S, P>, state: S, params: P = env.defaultParams()): string {
  if (env.render === undefined) {
    fail("render", `${env.name} has no picture; give it a method render(state, params) that returns SVG`);
  }
  return env.render(state, params);
}
