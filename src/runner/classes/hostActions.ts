// Actions on their way from a policy to environments that are objects: continuous ones are kept within their bounds.
import type { Space } from "../../env/index.js";
import type { TypedArray } from "../../array/index.js";
import type { HostArray } from "../../vecEnv/index.js";

/** Writes the actions that environments are given; the storage is the same at every step. */
export type ActionWriter = (actions: TypedArray) => HostArray;

/** Actions for so many environments. The policy's own ones are learned from, as the density is theirs. */
export function actionWriter(space: Space, numEnvs: number): ActionWriter {
  if (space.kind !== "Box") {
    const given = new Int32Array(numEnvs);
    return (actions) => {
      given.set(actions);
      return given;
    };
  }
  const [low, high] = [space.low.data(), space.high.data()];
  const width = low.length;
  const given = new Float32Array(numEnvs * width);
  return (actions) => {
    for (let at = 0; at < given.length; at++) {
      given[at] = Math.min(Math.max(actions[at], low[at % width]), high[at % width]);
    }
    return given;
  };
}
