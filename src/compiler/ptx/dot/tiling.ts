// Which way to cut up a product is best: all are tried, by an estimate of what they cost.
import type { DotKernel, DotOperand, Place } from "../../kernel.js";
import { extentOf, productOf, type Product, type ProductAxis } from "../../schedule/product.js";
import { TileCosts } from "./cost.js";
import { variantAxis } from "../surroundings.js";
import { isAlongColumns, registerLimit, registersOf, vector, type Tiling } from "./layout.js";
import { lanesOfWarp } from "../types.js";

/** Whether an operand's elements lie side by side along an axis, and every four of them begin where vectors can. */
export function runsAlong(
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

const powers = (most: number): number[] => [1, 2, 4, 8, 16, 32].filter((power) => power <= most);

/** A tiling, and how many cycles it takes at the least, whichever of its variants it is. */
interface Candidate {
  readonly tiling: Tiling;
  readonly least: number;
}

/** The ways in which lanes can go through a product that is cut up in one way. */
function variantsOf(tiling: Tiling, chunks: number): Tiling[] {
  const { split, laneRows, laneColumns } = tiling;
  const insides = split === 1 ? [false] : [false, true];
  const canTurn = { rows: laneRows > 1 && chunks > 1, columns: laneColumns > 1 && chunks > 1 };
  const turns = ([null, "rows", "columns"] as const).filter((turn) => turn === null || canTurn[turn]);
  return insides.flatMap((isSplitInside) =>
    turns.map((rotation) => ({ ...tiling, isSplitInside, rotation })),
  );
}

/** The one that takes the fewest cycles; those that take more in any case are not looked at. */
function bestOf(
  candidates: Candidate[],
  costs: TileCosts,
  chunksOf: (split: number) => number,
): Cost<Tiling> {
  candidates.sort((a, b) => a.least - b.least);
  let best = { tiling: candidates[0].tiling, cycles: Infinity, least: Infinity };
  for (const { tiling, least } of candidates) {
    if (least > best.cycles) break;
    for (const variant of variantsOf(tiling, chunksOf(tiling.split))) {
      const own = costs.least(variant);
      // Of those that take equally long, the one that promised most.
      if (own > best.cycles || (own === best.cycles && own >= best.least)) continue;
      const cycles = costs.exact(variant);
      if (cycles < best.cycles || (cycles === best.cycles && own < best.least))
        best = { tiling: variant, cycles, least: own };
    }
  }
  return best;
}

/** A way to do a product, and the cycles of a block that it should take. */
export interface Cost<T> {
  readonly tiling: T;
  readonly cycles: number;
}

/** What a tiling depends on besides the product. */
export interface TilingNeeds {
  /** Threads of the block. */
  readonly threads: number;
  /** How many products of the kernel's form are done as one. */
  readonly variants?: number;
  /** Whether the code should be short. */
  readonly isShort?: boolean;
  readonly isFast?: (place: Place) => boolean;
}

/** The product of a kernel, or of so many of its form as one. */
export function productFor(kernel: DotKernel, { variants = 1 }: Pick<TilingNeeds, "variants">): Product {
  const one = productOf(kernel, 8);
  const around = { extent: variants, point: variantAxis, left: 0, right: 0 };
  return variants === 1 ? one : { ...one, batch: [around, ...one.batch] };
}

/** The tiling that should take the fewest cycles of a block. */
export function tilingOf(kernel: DotKernel, needs: TilingNeeds): Cost<Tiling> {
  const { threads, isShort = false, isFast = () => true } = needs;
  const product = productFor(kernel, needs);
  const [down, across] = [extentOf(product.rows), extentOf(product.columns)];
  const all = [...product.batch, ...product.rows, ...product.columns, ...product.depth];
  const last = product.depth.at(-1);
  const lastExtent = last?.extent ?? 1;
  const steps = lastExtent >= vector ? vector : 1;
  const along = {
    leftDepth: steps === vector && runsAlong(last, "left", product.left, all),
    leftRows: runsAlong(product.rows.at(-1), "left", product.left, all),
    rightDepth: steps === vector && runsAlong(last, "right", product.right, all),
    rightColumns: runsAlong(product.columns.at(-1), "right", product.right, all),
  };
  const isStoredAlong = kernel.stores.some(({ address }) => isAlongColumns(product, address));
  const costs = new TileCosts(product, { kernel, threads, isFast });
  const candidates: Candidate[] = [];
  for (const rows of powers(8).filter((count) => count < 2 * down)) {
    for (const columns of powers(8).filter((count) => count < 2 * across)) {
      const left = along.leftDepth ? "depth" : along.leftRows && rows >= vector ? "rows" : null;
      const right = along.rightDepth ? "depth" : along.rightColumns && columns >= vector ? "columns" : null;
      const isWide = columns >= vector && across % vector === 0;
      const rowUnit = left === "rows" ? vector : 1;
      const columnUnit = right === "columns" || (isStoredAlong && isWide) ? vector : 1;
      const tile = { product, rows, columns, rowUnit, columnUnit, steps, left, right } as const;
      for (const split of powers(32)) {
        if (split > 1 && lastExtent < split * steps) continue;
        if (registersOf({ ...tile, split }, 1) > registerLimit(threads)) continue;
        for (const laneRows of powers(lanesOfWarp / split)) {
          const laneColumns = lanesOfWarp / split / laneRows;
          // Half as many lines do where the lanes beside each other have that many.
          if (rows > 1 && rows * laneRows >= 2 * down) continue;
          if (columns > 1 && columns * laneColumns >= 2 * across) continue;
          const tiling = {
            ...tile,
            laneRows,
            laneColumns,
            split,
            isSplitInside: false,
            rotation: null,
            isShort,
          };
          candidates.push({ tiling, least: costs.least(tiling) });
        }
      }
    }
  }
  return bestOf(candidates, costs, (split) => Math.floor(lastExtent / (split * steps)));
}
