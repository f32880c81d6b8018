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

/** Which boxes of operands and results of given shapes belong to each other. */
type Boxes = (from: Shape, to: Shape, params: object) => Box;

const wholeBoxes: Boxes = (from, to) => boxOf(from, from, to);
export const gatheredBoxes: Boxes = (from, to, params) =>
  boxOf(from, from, to, -1, (params as TiledParams).axis);
export const scatteredBoxes: Boxes = (from, to, params) => boxOf(to, from, to, (params as TiledParams).axis);
export const transposedBoxes: Boxes = (from, to, params) => {
  const { split, join, size } = params as AllToAllParams;
  const piece = from.map((extent, axis) => (axis === split ? extent / size : extent));
  return boxOf(piece, from, to, split, join);
};

/** How boxes are combined, which those are, and who sends to whom: by default all whole operands to all. */
interface Exchange {
  readonly combine?: ExchangeKernel["combine"];
  readonly boxes?: Boxes;
  readonly pairs?: (params: object) => ExchangeKernel["pairs"];
}

export const pairsGiven = (params: object): ExchangeKernel["pairs"] => (params as PermuteDevicesParams).pairs;

/** Builds the kernel of a collective. */
export const addExchange =
  ({ combine = null, boxes = wholeBoxes, pairs = () => null }: Exchange) =>
  (builder: RegionBuilder, { primitive, inputs, outputs, params }: Equation): void => {
    const pulls = inputs.flatMap((input, at): Pull[] => {
      const output = outputs[at];
      const [from, to] = [input.type.shape, output.type.shape];
      if (sizeOf(to) === 0 || !builder.isNeeded(output)) return [];
      const box = boxes(from, to, params);
      return [{ from: builder.operandPlace(input), to: builder.placeOf(output), ...box }];
    });
    if (pulls.length === 0) return;
    const { axes } = params as CollectiveParams;
    builder.push({ kind: "exchange", name: primitive.name, axes, combine, pairs: pairs(params), pulls });
  };

export function addAxisIndex(builder: RegionBuilder, { outputs: [output], params }: Equation): void {
  const { axes } = params as CollectiveParams;
  builder.push({ kind: "axisIndex", name: "axisIndex", axes, to: builder.placeOf(output) });
}
