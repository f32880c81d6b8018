// checkpoint: a function whose derivative computes again what it would otherwise keep.
import { checked } from "../core/checked.js";
import { bind, isTracing } from "../core/trace.js";
import { markEntry } from "../core/userCode.js";
import { checkpoint as checkpointPrimitive } from "../control/checkpoint.js";
import { rebuild } from "../lax/leaves.js";
import { flattenArguments, nameOf, traceCall } from "./functions.js";

/**
 * The same function, whose gradient keeps its arguments only and computes everything else again on the way back:
 * less memory for more work. `jax.checkpoint`, also known as `remat`.
 */
export const checkpoint = checked(
  "checkpoint",
  1,
  <A extends readonly unknown[], R>(f: (...args: A) => R): ((...args: A) => R) => {
    const operation = nameOf("checkpoint", f);
    const run = (...args: A): R => {
      if (!isTracing()) return f(...args);
      const { arrays, structure } = flattenArguments(operation, args);
      const traced = traceCall(
        operation,
        f,
        structure,
        arrays.map((array) => array.type),
      );
      const outputs = bind(checkpointPrimitive, [...traced.captures, ...arrays], { body: traced.program });
      return rebuild<R>(traced.structure, outputs);
    };
    return markEntry(run, operation);
  },
);

/** Another name of `checkpoint`. */
export const remat = checkpoint;
