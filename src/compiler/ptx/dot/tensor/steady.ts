// What warps read of a side of a product, weights of a network, say: where it stays the same in a loop, they can have it in
// registers, since each of them has the same tile every time.
import { sizeOf } from "../../../../array/index.js";
import { lanesOfWarp } from "../../types.js";
import type { Held, Steady } from "../../work.js";
import { range } from "../lines.js";
import { Operand } from "./fragments.js";
import { laneOf, tensorShape, tileAt } from "./index.js";
import { isWrittenOut, octet, octetsOf, type Side, type TensorTiling } from "./layout.js";
import type { KernelText } from "../../surroundings.js";

/**
 * Both sides, where each warp has one tile at most and all its depth is written out; null elsewhere. Loops whose code is short
 * have much in them, and no registers to spare.
 */
export function steadyOf(tiling: TensorTiling, threads: number): Readonly<Record<Side, Steady>> | null {
  const { product, steps } = tiling;
  const { batch, rows, columns, depth } = product;
  const shape = tensorShape(tiling);
  const chunks = (depth.at(-1)?.extent ?? 1) / steps;
  const isOneEach = sizeOf(shape) <= threads / lanesOfWarp && depth.length === 1;
  if (tiling.isShort || !isOneEach || !Number.isInteger(chunks) || !isWrittenOut(chunks, tiling)) return null;
  const { product: _, ...manner } = tiling;
  const of = (side: Side): Steady => {
    const place = product[side];
    const { buffer, offset, counters } = place;
    const axes = [...batch, ...rows, ...columns, ...depth].map((axis) => [axis.extent, axis[side]]);
    const strides = counters.map(({ counter, stride }) => [counter.id, stride]);
    return {
      place,
      words: (octet * octetsOf(tiling, side) * chunks * steps) / lanesOfWarp,
      key: JSON.stringify([side, buffer.id, offset, strides, axes, manner]),
      load: (text) => load(text, tiling, side, chunks),
    };
  };
  return { left: of("left"), right: of("right") };
}

/** Reads a side. Warps without a tile read nothing. */
function load(text: KernelText, tiling: TensorTiling, side: Side, chunks: number): Held {
  const { out, warp } = text;
  const shape = tensorShape(tiling);
  const tiles = sizeOf(shape);
  let held: Held = [];
  const isBusy = text.isBelow(tiles * lanesOfWarp);
  out.when(isBusy, () => {
    const operand = new Operand(text, tiling, side, tileAt(text, tiling, warp, shape), laneOf(text), []);
    held = range(chunks).map((at) => operand.load(String(at * tiling.steps), tiling.steps));
  });
  return held;
}
