// The stores of a group's nodes, and the expressions behind them.
import type { Variable } from "../../array/index.js";
import type { Address, Store } from "../kernel.js";
import type { RegionBuilder } from "./builder.js";
import type { ExpressionBuilder, Index } from "./expressions.js";
import type { Lowering } from "./lower.js";
import { valueOf, type PointNode } from "./nodes.js";

/** Names that tell a kernel apart in dumps and profiles: what its nodes define. */
export function nameOf(
  builder: RegionBuilder,
  variables: readonly (Variable | null)[],
  kind: string,
): string {
  const names = variables.flatMap((variable) => {
    const name =
      variable === null ? "store" : builder.block.definitions.get(variable)?.equation.primitive.name;
    return name === undefined ? [] : [name];
  });
  return [kind, ...new Set(names)].slice(0, 5).join("_");
}

/** Expressions of a kernel in which the group's own variables are written out instead of read. */
export const loweringWithin = (
  builder: RegionBuilder,
  build: ExpressionBuilder,
  members: ReadonlySet<Variable>,
  reductions: readonly Variable[],
): Lowering =>
  builder.lowering(build, (variable) => {
    const reduction = reductions.indexOf(variable);
    if (reduction >= 0) return build.reduced(reduction, variable.type.dtype);
    return members.has(variable) ? null : undefined;
  });

function addressOf(
  builder: RegionBuilder,
  { target, shape }: PointNode,
  build: ExpressionBuilder,
  indices: readonly Index[],
): Address {
  switch (target.kind) {
    case "whole":
      return build.address(builder.placeOf(target.variable), shape, indices);
    case "part": {
      const { of, axis, start } = target;
      const moved = indices.map((index, at) =>
        at === axis ? { ...index, offset: index.offset + start } : index,
      );
      return build.address(builder.placeOf(of), of.type.shape, moved);
    }
    case "place":
      return build.address(target.place, shape, indices);
  }
}

export const storeOf = (
  builder: RegionBuilder,
  node: PointNode,
  lowering: Lowering,
  indices: readonly Index[],
): Store => ({
  address: addressOf(builder, node, lowering.build, indices),
  value: valueOf(node, lowering, indices),
  combine: "set",
  guard: null,
});

/**
 * The stores of a group's nodes, those left out that nobody outside needs. All are written out in order, so that
 * each finds what it reads of the others written out already.
 */
export function storesOf(
  builder: RegionBuilder,
  nodes: readonly PointNode[],
  write: (node: PointNode) => readonly Store[],
): Store[] {
  return nodes
    .map((node) => ({ node, stores: write(node) }))
    .flatMap(({ node, stores }) => (builder.isNeeded(node.variable) ? stores : []));
}
