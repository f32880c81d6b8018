// What devices do together, inside of what each of them runs on its own blocks.
import type {
  AllToAllParams,
  CollectiveParams,
  PermuteDevicesParams,
  TiledParams,
} from "../../array/index.js";
import { axes as deviceAxes } from "../../array/index.js";
import { groupOf } from "../collectives.js";
import { extreme } from "./numbers.js";
import { rules, type Context, type Rule } from "./rule.js";
import { tensor, tensorOf } from "./types.js";
import type { Value, Writer } from "./writer.js";

/** The devices that meet along some axes, each group once, in the order of their places. */
function groupsAlong({ axes }: Context, names: readonly string[]): number[][] {
  const groups = new Map<number, number[]>();
  for (let device = 0; device < deviceAxes.countAlong(axes); device++) {
    const members = [...groupOf(device, axes, names).members];
    groups.set(Math.min(...members), members);
  }
  return [...groups.values()];
}

const showTable = (rows: readonly (readonly number[])[]): string =>
  `dense<[${rows.map((row) => `[${row.join(", ")}]`).join(", ")}]> : tensor<${rows.length}x${rows[0].length}xi64>`;

/** What says who meets; every meeting of a program has a number of its own. */
function meeting(context: Context, names: readonly string[]): string {
  const groups = showTable(groupsAlong(context, names));
  return `channel_handle = #stablehlo.channel_handle<handle = ${context.nextChannel()}, type = 1>, replica_groups = ${groups}`;
}

type Combine = (writer: Writer, x: Value, y: Value) => Value;

const sum: Combine = (writer, x, y) => writer.elementwise("add", [x, y]);

function combining(writer: Writer, x: Value, combine: Combine) {
  const element = tensor([], x.dtype);
  return [
    {
      arguments: [element, element],
      write: ([a, b]: readonly Value[]) => [combine(writer, a, b)],
    },
  ];
}

/** Each of several arrays, combined over the group. */
const reduction =
  (combine: Combine): Rule =>
  (context, { params }, operands) => {
    const { axes } = params as CollectiveParams;
    return operands.map((x) => {
      const attributes = `${meeting(context, axes)}, use_global_device_ids`;
      const regions = combining(context.writer, x, combine);
      return context.writer.regions("all_reduce", [x], attributes, [tensor(x.shape, x.dtype)], regions)[0];
    });
  };

const allGather: Rule = (context, { params, outputs }, operands) => {
  const { axes, axis } = params as TiledParams;
  return operands.map((x, at) => {
    const attributes = `all_gather_dim = ${axis} : i64, ${meeting(context, axes)}, use_global_device_ids`;
    return context.writer.generic("all_gather", [x], attributes, tensorOf(outputs[at].type));
  });
};

const psumScatter: Rule = (context, { params, outputs }, operands) => {
  const { axes, axis } = params as TiledParams;
  return operands.map((x, at) => {
    const attributes = `${meeting(context, axes)}, scatter_dimension = ${axis} : i64, use_global_device_ids`;
    const regions = combining(context.writer, x, sum);
    return context.writer.regions(
      "reduce_scatter",
      [x],
      attributes,
      [tensorOf(outputs[at].type)],
      regions,
    )[0];
  });
};

const ppermute: Rule = (context, { params }, [x]) => {
  const { axes, pairs } = params as PermuteDevicesParams;
  const type = tensor(x.shape, x.dtype);
  if (pairs.length === 0) return [context.writer.constant(0, x.dtype, x.shape)];
  const all = groupsAlong(context, axes).flatMap((group) =>
    pairs.map(([from, to]) => [group[from], group[to]]),
  );
  const channel = `channel_handle = #stablehlo.channel_handle<handle = ${context.nextChannel()}, type = 1>`;
  const attributes = `${channel}, source_target_pairs = ${showTable(all)}`;
  return [context.writer.generic("collective_permute", [x], attributes, type)];
};

const allToAll: Rule = (context, { params, outputs }, [x]) => {
  const { axes, size, split, join } = params as AllToAllParams;
  const attributes =
    `${meeting(context, axes)}, concat_dimension = ${join} : i64, split_count = ${size} : i64, ` +
    `split_dimension = ${split} : i64`;
  return [context.writer.generic("all_to_all", [x], attributes, tensorOf(outputs[0].type))];
};

/** From the number of the device, whose last axis varies fastest. */
const axisIndex: Rule = (context, { params }) => {
  const { writer, axes } = context;
  const { axes: names } = params as CollectiveParams;
  const device = writer.convert(writer.op("partition_id", [], tensor([], "uint32")), "int32");
  const number = (value: number) => writer.constant(value, "int32");
  let index: Value = number(0);
  for (const wanted of names) {
    const at = axes.findIndex(({ name }) => name === wanted);
    const behind = deviceAxes.countAlong(axes.slice(at + 1));
    const place = writer.elementwise("remainder", [
      writer.elementwise("divide", [device, number(behind)]),
      number(axes[at].size),
    ]);
    index = writer.elementwise("add", [
      writer.elementwise("multiply", [index, number(axes[at].size)]),
      place,
    ]);
  }
  return [index];
};

export const collectives = rules({
  psum: reduction(sum),
  pmax: reduction((writer, x, y) => extreme(writer, true, x, y)),
  pmin: reduction((writer, x, y) => extreme(writer, false, x, y)),
  allGather,
  psumScatter,
  ppermute,
  allToAll,
  axisIndex,
});
