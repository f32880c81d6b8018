// The identity that the compiler does not see through: what is computed from its result is computed again.
import type { Primitive } from "../core/primitive.js";
import { bindOne } from "../core/trace.js";
import { linearPrimitive } from "./linear.js";

/** The same values; equal computations on both sides of it are not shared. */
export const barrier: Primitive = linearPrimitive({
  name: "barrier",
  infer: ([x]) => [x],
  evaluate: ([x]) => [x.elements],
  transpose: (ct) => [bindOne(barrier, [ct], {})],
  batch: (inputs, batched) => ({ outputs: [bindOne(barrier, inputs, {})], batched }),
});
