// How arrays lie on devices, as annotations that XLA's partitioner reads.
import {
  axes as deviceAxes,
  type Layout,
  type NamedAxis,
  type ShardMapParams,
  type ShardingConstraintParams,
} from "../../array/index.js";
import { rules, type Rule } from "./rule.js";
import { tensorOf, type TensorType } from "./types.js";
import type { Value, Writer } from "./writer.js";

/**
 * The layout of an array on devices that are numbered with the last axis fastest, as XLA writes it: how many parts each
 * dimension has, and the devices in the order of the parts, those that have the same part last.
 */
export function showSharding(layout: Layout, axes: readonly NamedAxis[]): string {
  const used = layout.flat();
  if (used.length === 0) return "{replicated}";
  const sizeOf = (name: string): number => axes.find((axis) => axis.name === name)?.size ?? 1;
  const parts = layout.map((names) => names.reduce((product, name) => product * sizeOf(name), 1));
  const others = axes.map(({ name }) => name).filter((name) => !used.includes(name));
  const copies = others.reduce((product, name) => product * sizeOf(name), 1);
  const order: number[] = [];
  const names = [...used, ...others];
  for (let device = 0; device < deviceAxes.countAlong(axes); device++)
    order[deviceAxes.indexAlong(device, axes, names)] = device;
  const tile = copies === 1 ? parts : [...parts, copies];
  const rest = copies === 1 ? "" : " last_tile_dim_replicate";
  return `{devices=[${tile.join(",")}]${order.join(",")}${rest}}`;
}

/** `mhlo.sharding = "…"`. */
export const shardingAttribute = (layout: Layout, axes: readonly NamedAxis[]): string =>
  `mhlo.sharding = ${JSON.stringify(showSharding(layout, axes))}`;

/** An operation that only the partitioner knows. */
function annotate(writer: Writer, target: string, x: Value, sharding: string, type: TensorType): Value {
  const text = `@${target}(${x.name}) {${sharding}}`;
  return writer.define([type], text, "stablehlo.custom_call", writer.signature([x], type))[0];
}

const manual = 'mhlo.sharding = "{manual}"';

/** Blocks of whole arrays, what every device does with its own, and the whole arrays that the blocks make up. */
const shardMap: Rule = (context, { params, outputs }, operands) => {
  const { writer } = context;
  const { axes, body, inLayouts, outLayouts } = params as ShardMapParams;
  const blocks = operands.map((x, at) => {
    const placed = annotate(writer, "Sharding", x, shardingAttribute(inLayouts[at], axes), x);
    return annotate(writer, "SPMDFullToShardShape", placed, manual, tensorOf(body.inputs[at].type));
  });
  const results = context.inline({ ...context, axes }, body, blocks);
  return results.map((result, at) => {
    const block = annotate(writer, "Sharding", result, manual, result);
    const sharding = shardingAttribute(outLayouts[at], axes);
    return annotate(writer, "SPMDShardToFullShape", block, sharding, tensorOf(outputs[at].type));
  });
};

const shardingConstraint: Rule = ({ writer }, { params }, [x]) => {
  const { layout, axes } = params as ShardingConstraintParams;
  return [annotate(writer, "Sharding", x, shardingAttribute(layout, axes), x)];
};

export const shardings = rules({ shardMap, shardingConstraint });
