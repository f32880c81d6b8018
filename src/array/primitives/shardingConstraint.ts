// The identity that says how an array shall lie on devices.
import type { Primitive } from "../core/primitive.js";
import { bindOne } from "../core/trace.js";
import type { Layout, NamedAxis } from "../sharding/axes.js";
import { linearPrimitive } from "./linear.js";

export interface ShardingConstraintParams {
  readonly layout: Layout;
  /** How the devices are arranged, outermost axis first. */
  readonly axes: readonly NamedAxis[];
}

/** The same values, split over the devices as `layout` says. Its derivatives lie as it does. */
export const shardingConstraint: Primitive<ShardingConstraintParams> = linearPrimitive({
  name: "shardingConstraint",
  infer: ([x]) => [x],
  evaluate: ([x]) => [x.elements],
  transpose: (ct, _known, _types, params) => [bindOne(shardingConstraint, [ct], params)],
  batch: (inputs, batched, { layout, axes }) => ({
    outputs: [bindOne(shardingConstraint, inputs, { layout: [[], ...layout], axes })],
    batched,
  }),
});
