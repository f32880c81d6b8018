// A way to cut up a product: what of it each thread has, and how much of the machine that takes.
import type { DotKernel } from "../../kernel.js";
import { extentOf, type Product } from "../../schedule/product.js";
import { productRegimes, type Regime } from "../../schedule/sums.js";

/** Elements that one instruction loads at most. */
export const vector = 4;

export interface Tiling {
  readonly product: Product;
  /** Sums of a thread. */
  readonly rows: number;
  readonly columns: number;
  /** Lanes of a warp beside each other along rows and columns, and those that share a tile by parts of its depth. */
  readonly laneRows: number;
  readonly laneColumns: number;
  readonly split: number;
  /** Whether lanes that share a tile are neighbours; else those of neighbouring columns, then rows are. */
  readonly isSplitInside: boolean;
  /** How many lines of a tile lie side by side; behind them come those of the other lanes. */
  readonly rowUnit: number;
  readonly columnUnit: number;
  /** Steps of depth at a time. */
  readonly steps: number;
  /** The axis along which each operand is read four elements at a time; null for none. */
  readonly left: "depth" | "rows" | null;
  readonly right: "depth" | "columns" | null;
  /**
   * Lanes of other rows, or columns, begin at other places of the depth and go round, so that what they read at a time
   * lies in different banks of shared memory; null where all go the same way.
   */
  readonly rotation: "rows" | "columns" | null;
  /** Whether the code should be short rather than save instructions. */
  readonly isShort: boolean;
}

/** Whether so many chunks are written out one after the other. */
export const isWrittenOut = (chunks: number, { isShort }: Pick<Tiling, "isShort">): boolean =>
  chunks <= (isShort ? 1 : 4);

/** Lanes that are told apart by a rotation: those that a load of vectors serves together. */
export const rotations = 8;

/** How far apart lines of a tile are: neighbours within a unit, beyond it those of all lanes lie between. */
export const lineOffset = (line: number, unit: number, lanes: number): number =>
  (line % unit) + Math.floor(line / unit) * unit * lanes;

/** Which row, column and part of the depth a lane of a warp has. */
export function placeOfLane(
  lane: number,
  { laneRows, laneColumns, split, isSplitInside }: Tiling,
): { readonly row: number; readonly column: number; readonly member: number } {
  const [inside, rest] = isSplitInside
    ? [lane % split, Math.floor(lane / split)]
    : [Math.floor(lane / (laneRows * laneColumns)), lane % (laneRows * laneColumns)];
  return { member: inside, column: rest % laneColumns, row: Math.floor(rest / laneColumns) };
}

/** How the sums of a product are cut, by its depth: however many threads share it, long sums are as accurate. */
export const regimeOf = ({ product }: Pick<Tiling, "product">): Regime => {
  const depth = extentOf(product.depth);
  return productRegimes.find(({ upTo }) => depth <= upTo) ?? productRegimes[productRegimes.length - 1];
};

export const isLong = (tiling: Pick<Tiling, "product" | "split">): boolean =>
  Math.ceil(extentOf(tiling.product.depth) / tiling.split) > regimeOf(tiling).block;

/** Registers that places take. */
export const placeRegisters = 32;

/** Registers that sums and two chunks of operands take, and some for places. */
export function registersOf(
  tiling: Pick<Tiling, "product" | "rows" | "columns" | "split" | "steps">,
  chunks: number,
): number {
  const { rows, columns, steps } = tiling;
  const copies = isLong(tiling) ? (regimeOf(tiling).isCompensated ? 3 : 2) : 1;
  return rows * columns * copies + chunks * steps * (rows + columns) + placeRegisters;
}

/** Registers that a thread can have, for so many threads of a block. */
export const registerLimit = (threads: number): number => Math.min(255, Math.floor(65536 / threads));

/**
 * Chunks whose operands a thread has registers for: those that are multiplied, and others on their way. More of them
 * where they come from far.
 */
export function chunksAtOnce(tiling: Tiling, threads: number, isFast: boolean): number {
  const wanted = isFast ? (tiling.isShort ? 1 : 2) : 4;
  if (wanted === 1) return 1;
  return [wanted, 2].find((chunks) => registersOf(tiling, chunks) <= registerLimit(threads)) ?? 1;
}

/** Whether an address of what follows a product can be a vector along the columns. */
export function isAlongColumns(
  product: Product,
  { offset, counters, strides, computed, buffer }: DotKernel["stores"][number]["address"],
): boolean {
  const axis = product.columns.at(-1);
  if (axis === undefined || axis.extent % vector !== 0 || strides[axis.point] !== 1) return false;
  const others = [...product.batch, ...product.rows, ...product.columns].filter((other) => other !== axis);
  return (
    buffer.dtype === "float32" &&
    computed.length === 0 &&
    [
      offset,
      ...counters.map(({ stride }) => stride),
      ...others.map(({ point }) => strides[point] ?? 0),
    ].every((stride) => stride % vector === 0)
  );
}
