// How a product is cut up: the tile of sums that one thread keeps in registers, and how many threads share its depth.
import type { DotKernel, DotOperand } from "../../kernel.js";
import { extentOf, productOf, type Product, type ProductAxis } from "../../schedule/product.js";

export interface Tiling {
  readonly product: Product;
  readonly rows: number;
  readonly columns: number;
  /** Threads, side by side, that each take every so many-th step of the depth. */
  readonly split: number;
  /** Steps of depth at a time. */
  readonly steps: number;
  /** The axis along which each operand is read four elements at a time; null for none. */
  readonly left: "depth" | "rows" | null;
  readonly right: "depth" | "columns" | null;
}

/** Elements that one instruction loads at most. */
export const vector = 4;

/** Whether an operand's elements lie side by side along an axis, and every four of them begin where vectors can. */
function runsAlong(
  axis: ProductAxis | undefined,
  side: "left" | "right",
  operand: DotOperand,
  others: readonly ProductAxis[],
): boolean {
  if (axis?.[side] !== 1 || axis.extent % vector !== 0) return false;
  const strides = [
    operand.offset,
    ...operand.counters.map(({ stride }) => stride),
    ...others.filter((other) => other !== axis).map((other) => other[side]),
  ];
  return strides.every((stride) => stride % vector === 0);
}

/** Rough cycles of a product for a block of threads, for each tile; the best is taken. */
export function tilingOf(kernel: DotKernel, threads: number): Tiling {
  const product = productOf(kernel, 8);
  const { batch, rows, columns, depth, left, right } = product;
  const [down, across, deep] = [extentOf(rows), extentOf(columns), extentOf(depth)];
  const all = [...batch, ...rows, ...columns, ...depth];
  const last = depth.at(-1);
  const lastExtent = last?.extent ?? 1;
  const along = {
    leftDepth: runsAlong(last, "left", left, all),
    leftRows: runsAlong(rows.at(-1), "left", left, all),
    rightDepth: runsAlong(last, "right", right, all),
    rightColumns: runsAlong(columns.at(-1), "right", right, all),
  };
  let best: Tiling | null = null;
  let least = Infinity;
  for (const tileRows of [1, 2, 4, 8]) {
    for (const tileColumns of [1, 2, 4, 8]) {
      if (tileRows * tileColumns > 32) continue;
      if (tileRows >= 2 * down || tileColumns >= 2 * across) continue;
      for (let split = 1; split <= 32; split *= 2) {
        if (split > 1 && lastExtent < split * vector) continue;
        const steps = lastExtent >= vector ? vector : 1;
        const leftAlong =
          steps === vector && along.leftDepth
            ? "depth"
            : along.leftRows && tileRows % vector === 0
              ? "rows"
              : null;
        const rightAlong =
          steps === vector && along.rightDepth
            ? "depth"
            : along.rightColumns && tileColumns % vector === 0
              ? "columns"
              : null;
        const loads =
          (tileRows * steps) / (leftAlong === null ? 1 : vector) +
          (tileColumns * steps) / (rightAlong === null ? 1 : vector);
        const tiles = extentOf(batch) * Math.ceil(down / tileRows) * Math.ceil(across / tileColumns);
        const units = tiles * split;
        const turns = Math.ceil(units / threads);
        const warps = Math.ceil(Math.min(units, threads) / 32);
        const sums = tileRows * tileColumns;
        // Four schedulers with a warp's instruction each, one unit that loads a warp's words at a time.
        const chunk = Math.max(40, Math.ceil(warps / 4) * (steps * sums + loads + 4), warps * loads * 1.5);
        const joining = Math.log2(split) * (20 + 4 * sums);
        const cycles =
          turns * (Math.ceil(deep / (steps * split)) * chunk + joining + 60 + (10 * sums) / split);
        if (cycles >= least) continue;
        least = cycles;
        best = {
          product,
          rows: tileRows,
          columns: tileColumns,
          split,
          steps,
          left: leftAlong,
          right: rightAlong,
        };
      }
    }
  }
  return best as Tiling;
}
