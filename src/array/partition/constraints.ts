// Equations that say themselves where their operands and results lie.
import type { Equation, Program } from "../core/program.js";
import type { Layout, NamedAxis } from "../sharding/axes.js";

/** The parameters of `shardingConstraint`. */
export interface ConstraintParams {
  readonly axes: readonly NamedAxis[];
  readonly layout: Layout;
}

/** The parameters of `shardMap`. */
export interface ShardMapParams {
  readonly axes: readonly NamedAxis[];
  readonly body: Program;
  readonly inLayouts: readonly Layout[];
  readonly outLayouts: readonly Layout[];
}

interface Constraint {
  readonly inputs: readonly Layout[];
  readonly outputs: readonly Layout[];
}

/** The layouts that an equation asks for, or null if it leaves them open. */
export function constraintOf({ primitive, params, inputs }: Equation): Constraint | null {
  switch (primitive.name) {
    case "shardingConstraint": {
      const { layout } = params as ConstraintParams;
      return { inputs: [layout], outputs: [layout] };
    }
    case "shardMap": {
      const { inLayouts, outLayouts } = params as ShardMapParams;
      return { inputs: inLayouts, outputs: outLayouts };
    }
    case "debugPrint":
      return { inputs: inputs.map(({ type }) => type.shape.map(() => [])), outputs: [] };
    default:
      return null;
  }
}
