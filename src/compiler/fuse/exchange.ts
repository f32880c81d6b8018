// Collectives as kernels: which part of each device's operand becomes which part of the result.
import {
  sizeOf,
  type AllToAllParams,
  type CollectiveParams,
  type Equation,
  type PermuteDevicesParams,
  type Shape,
  type TiledParams,
} from "../../array/index.js";
import type { ExchangeKernel, Pull } from "../kernel.js";
import type { RegionBuilder } from "./builder.js";

type Box = Omit<Pull, "from" | "to">;

/** Elements between neighbours along each axis of a row-major array. */
const stridesOf = (shape: Shape): number[] => shape.map((_, axis) => sizeOf(shape.slice(axis + 1)));

/** A box in operands and results of given shapes, all of both where nothing else is said. */
function boxOf(extents: Shape, from: Shape, to: Shape, receiver = -1, sender = -1): Box {
  const [fromStrides, toStrides] = [stridesOf(from), stridesOf(to)];
  return {
    extents,
    fromStrides,
    toStrides,
    perReceiver: receiver < 0 ? 0 : extents[receiver] * fromStrides[receiver],
    perSender: sender < 0 ? 0 : extents[sender] * toStrides[sender],
  };
}

const boxes: Record<string, (from: Shape, to: Shape, params: object) => Box> = {
  allGather: (from, to, params) => boxOf(from, from, to, -1, (params as TiledParams).axis),
  psumScatter: (from, to, params) => boxOf(to, from, to, (params as TiledParams).axis),
  allToAll: (from, to, params) => {
    const { split, join, size } = params as AllToAllParams;
    const piece = from.map((extent, axis) => (axis === split ? extent / size : extent));
    return boxOf(piece, from, to, split, join);
  },
};

const combines: Record<string, ExchangeKernel["combine"]> = {
  psum: "add",
  psumScatter: "add",
  pmax: "max",
  pmin: "min",
};

export function addExchange(builder: RegionBuilder, { primitive, inputs, outputs, params }: Equation): void {
  const { name } = primitive;
  const pulls = inputs.flatMap((input, at): Pull[] => {
    const output = outputs[at];
    const [from, to] = [input.type.shape, output.type.shape];
    if (sizeOf(to) === 0 || !builder.isNeeded(output)) return [];
    const box = boxes[name]?.(from, to, params) ?? boxOf(from, from, to);
    return [{ from: builder.operandPlace(input), to: builder.placeOf(output), ...box }];
  });
  if (pulls.length === 0) return;
  builder.push({
    kind: "exchange",
    name,
    axes: (params as CollectiveParams).axes,
    combine: combines[name] ?? null,
    pairs: name === "ppermute" ? (params as PermuteDevicesParams).pairs : null,
    pulls,
  });
}

export function addAxisIndex(builder: RegionBuilder, { outputs: [output], params }: Equation): void {
  const { axes } = params as CollectiveParams;
  builder.push({ kind: "axisIndex", name: "axisIndex", axes, to: builder.placeOf(output) });
}
