// Roughly how many cycles a product takes, for a way to cut it up.
import type { Address, DotKernel, Place } from "../../kernel.js";
import { extentOf, type Product, type ProductAxis } from "../../schedule/product.js";
import { loadsIn, rootsOf } from "../../walk.js";
import {
  chunksAtOnce,
  isAlongColumns,
  isLong,
  isWrittenOut,
  placeOfLane,
  rotations,
  vector,
  type Tiling,
} from "./layout.js";
import { lanesOfWarp } from "../types.js";
import { costBelow } from "../values.js";
import { cacheLines, leastOfVectors, wavefronts } from "./wavefronts.js";

/** Cycles until what was loaded is there, from shared and from global memory (measured on Hopper: 30, 250 and more). */
export const latency = { fast: 30, slow: 250 };
/** Cycles of a cache line of global memory, which comes 64 bytes at a time. */
export const lineCycles = 2;

/** Cycles until an instruction comes that is not in the nearest cache (what suits loops of 60 to 200 KB on an H200 best). */
export const fetchCycles = 1.5;

/** How much longer instructions take that no other warp's are between: a guess. */
export const lonely = 1.15;

/** What the cost depends on besides the tiling. */
export interface Surroundings {
  readonly kernel: DotKernel;
  readonly threads: number;
  readonly isFast: (place: Place) => boolean;
}

/** Wavefronts that each load of an operand takes, and what follows each sum. */
interface Fronts {
  readonly left: number;
  readonly right: number;
  readonly end: number;
}

/** Estimates for the tilings of one product. */
export class TileCosts {
  /** What was found out about layouts of lanes, by their names. */
  private readonly known = new Map<string, number>();
  private readonly batch: number;
  private readonly down: number;
  private readonly across: number;
  private readonly deep: number;
  /** Instructions that follow each sum, roughly. */
  private readonly following: number;
  private readonly accesses: readonly Address[];
  private readonly isNear: boolean;

  constructor(
    product: Product,
    private readonly surroundings: Surroundings,
  ) {
    const { kernel, isFast } = surroundings;
    const { batch, rows, columns, depth, left, right } = product;
    [this.batch, this.down, this.across, this.deep] = [batch, rows, columns, depth].map(extentOf);
    this.following = followingOf(kernel);
    this.accesses = [...kernel.stores.map(({ address }) => address), ...loadsIn(rootsOf(kernel.stores))];
    this.isNear = isFast(left) && isFast(right);
  }

  /** Cycles of a block at the least, whatever its lanes read together. */
  least(tiling: Tiling): number {
    const of = (along: string | null) => (along === null ? 1 : leastOfVectors);
    return this.cycles(tiling, {
      left: of(tiling.left),
      right: of(tiling.right),
      end: this.accesses.length,
    });
  }

  /** Cycles of a block. */
  exact(tiling: Tiling): number {
    const { product, rowUnit, columnUnit, laneRows, split, isSplitInside, rotation } = tiling;
    const lanes = [rowUnit, columnUnit, laneRows, split, isSplitInside, rotation].join(" ");
    const of = (side: "left" | "right") =>
      this.remembered(`${side} ${tiling[side]} ${lanes}`, () =>
        frontsOf(tiling, side, this.surroundings.isFast(product[side])),
      );
    const end = this.remembered(lanes, () => endsOf(tiling, this.accesses));
    return this.cycles(tiling, { left: of("left"), right: of("right"), end });
  }

  private remembered(key: string, find: () => number): number {
    const found = this.known.get(key) ?? find();
    this.known.set(key, found);
    return found;
  }

  private cycles(tiling: Tiling, fronts: Fronts): number {
    const { isNear } = this;
    const { threads } = this.surroundings;
    const { rows, columns, laneRows, laneColumns, split, steps, left, right } = tiling;
    const tiles =
      this.batch *
      Math.ceil(this.down / (rows * laneRows)) *
      Math.ceil(this.across / (columns * laneColumns));
    const warps = threads / lanesOfWarp;
    const turns = Math.ceil(tiles / warps);
    const active = Math.min(tiles, warps);
    const perScheduler = Math.ceil(active / 4);
    const sums = rows * columns;
    const chunks = Math.ceil(this.deep / (steps * split));
    const leftLoads = (rows * steps) / (left === null ? 1 : vector);
    const rightLoads = (columns * steps) / (right === null ? 1 : vector);
    const issued = steps * sums + leftLoads + rightLoads + (tiling.rotation === null ? 4 : 8);
    const isOut = isWrittenOut(chunks, tiling);
    const wait = isNear ? latency.fast : latency.slow;
    const ahead = chunksAtOnce(tiling, threads, isNear) - 1;
    const together = leftLoads * fronts.left + rightLoads * fronts.right;
    const alone = isOut
      ? Math.max(issued * lonely, together)
      : ahead > 0
        ? Math.max(issued * lonely, wait / ahead + together)
        : issued + wait + together;
    const chunk = Math.max(alone, perScheduler * issued, active * together);
    const joining = Math.log2(split) * (30 + 2 * sums * perScheduler);
    const ending = 60 + (isLong(tiling) ? (chunks * steps * sums) / 128 : 0);
    const stores = Math.max(40, (active * sums * fronts.end) / split);
    const written = isOut ? chunks : Math.min(chunks, ahead + 1);
    const instructions = written * issued + (split > 1 ? 3 * sums : 0) + (sums / split) * this.following + 60;
    const fetching = tiling.isShort ? instructions * fetchCycles : 0;
    return turns * (chunks * chunk + wait + joining + ending + stores) + fetching;
  }
}

/** Instructions that follow each sum, roughly. */
export const followingOf = ({ stores }: DotKernel): number => costBelow(rootsOf(stores)) + stores.length;

/** Cycles of what follows the sums, which a tiling's own do not count. */
export function followingCycles(kernel: DotKernel, tiling: Tiling, threads: number): number {
  const { product, rows, columns, laneRows, laneColumns, split } = tiling;
  const down = Math.ceil(extentOf(product.rows) / (rows * laneRows));
  const tiles =
    extentOf(product.batch) * down * Math.ceil(extentOf(product.columns) / (columns * laneColumns));
  const warps = threads / lanesOfWarp;
  const perScheduler = Math.ceil(Math.min(tiles, warps) / 4);
  return (Math.ceil(tiles / warps) * perScheduler * rows * columns * followingOf(kernel)) / split;
}

/** Wavefronts of what follows a sum, for each of them. */
function endsOf(tiling: Tiling, accesses: readonly Address[]): number {
  const { product } = tiling;
  const ends = accesses.map((address) => {
    const isWide = tiling.columnUnit === vector && isAlongColumns(product, address);
    const strideOf = ({ point }: ProductAxis) => address.strides[point] ?? 0;
    const rows = lineOffsets(tiling, "left", strideOf);
    const columns = lineOffsets(tiling, "right", strideOf);
    const elements = lanesAt(tiling, ({ row, column }) => rows[row] + columns[column]);
    return isWide ? wavefronts(elements, vector) / vector : wavefronts(elements, 1);
  });
  return ends.reduce((sum, fronts) => sum + fronts, 0);
}

const lanesAt = (tiling: Tiling, element: (place: ReturnType<typeof placeOfLane>) => number): number[] =>
  Array.from({ length: lanesOfWarp }, (_, lane) => element(placeOfLane(lane, tiling)));

/** How far it is to the first line of each lane beside another along rows, or columns. */
function lineOffsets(
  { product, rowUnit, columnUnit, laneRows, laneColumns }: Tiling,
  side: "left" | "right",
  strideOf: (axis: ProductAxis) => number,
): number[] {
  const [axes, unit, lanes] =
    side === "left" ? [product.rows, rowUnit, laneRows] : [product.columns, columnUnit, laneColumns];
  return Array.from({ length: lanes }, (_, lane) => offsetAlong(axes, lane * unit, strideOf));
}

/** How far it is along axes to a number, which stays at the last one where it is too large. */
export function offsetAlong(
  axes: readonly ProductAxis[],
  index: number,
  strideOf: (axis: ProductAxis) => number,
): number {
  let rest = Math.min(index, extentOf(axes) - 1);
  return axes.reduceRight((sum, axis) => {
    const position = rest % axis.extent;
    rest = Math.floor(rest / axis.extent);
    return sum + position * strideOf(axis);
  }, 0);
}

/** Wavefronts of the first load of an operand. */
export function frontsOf(tiling: Tiling, side: "left" | "right", isFast: boolean): number {
  const { product, split, steps, rotation } = tiling;
  const last = product.depth.at(-1);
  const depthStride = last?.[side] ?? 0;
  const chunks = Math.max(1, Math.floor((last?.extent ?? 1) / (steps * split)));
  const lines = lineOffsets(tiling, side, (axis) => axis[side]);
  const elements = lanesAt(tiling, ({ row, column, member }) => {
    const turned = rotation === null ? 0 : (rotation === "rows" ? row : column) % Math.min(rotations, chunks);
    return lines[side === "left" ? row : column] + (turned * split + member) * steps * depthStride;
  });
  const width = tiling[side] === null ? 1 : vector;
  return isFast ? wavefronts(elements, width) : cacheLines(elements, width) * lineCycles;
}
