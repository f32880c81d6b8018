// Kernels that only move elements from one place to another, whatever shape these have on either side.
import type { Address, CopyKernel, Kernel, LoopKernel, Place } from "../kernel.js";
import { planNest } from "./nest.js";

/** So many elements along each axis, and how far apart they lie on either side. */
export interface Transfer {
  readonly extents: readonly number[];
  readonly from: Place;
  readonly to: Place;
  readonly fromStrides: readonly number[];
  readonly toStrides: readonly number[];
}

export type MovingKernel = CopyKernel | LoopKernel;

const known = new WeakMap<Kernel, readonly Transfer[] | null>();

/** What a kernel moves; null where it does something else. */
export function transfersOf(kernel: Kernel): readonly Transfer[] | null {
  const found = known.get(kernel);
  if (found !== undefined) return found;
  const transfers =
    kernel.kind === "copy" ? [ofCopy(kernel)] : kernel.kind === "loop" ? ofLoop(kernel) : null;
  known.set(kernel, transfers);
  return transfers;
}

export const isMoving = (kernel: Kernel): kernel is MovingKernel => transfersOf(kernel) !== null;

function ofCopy({ from, to, size }: CopyKernel): Transfer {
  const side = [1];
  return { from, to, extents: [size], fromStrides: side, toStrides: side };
}

function ofLoop(kernel: LoopKernel): readonly Transfer[] | null {
  const { order, reductions, after, body } = kernel;
  if (order !== "free" || reductions.length > 0 || after.length > 0) return null;
  const { loops } = planNest(kernel, 1);
  const extents = loops.map(({ extent }) => extent);
  const along = ({ strides }: Address) => loops.map(({ axis }) => strides[axis]);
  const transfers: Transfer[] = [];
  for (const { address, value, combine, guard } of body) {
    if (combine !== "set" || guard !== null || address.computed.length > 0) return null;
    if (value.kind !== "load" || value.guard !== null || value.address.computed.length > 0) return null;
    // Bits are moved, whatever they mean.
    if (value.dtype !== address.buffer.dtype) return null;
    const [from, to] = [value.address, address];
    transfers.push({ from, to, extents, fromStrides: along(from), toStrides: along(to) });
  }
  return transfers;
}
