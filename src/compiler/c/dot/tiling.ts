// How a product is cut: tiles of rows × vectors that stay in registers over the whole depth.
import { extentOf, lastOf, type Product, type ProductAxis } from "../../schedule/product.js";
import { grainOf, type CTarget } from "../surroundings.js";
import { vectorWidths, type Width } from "../types.js";

export const single: ProductAxis = { extent: 1, point: -2, left: 0, right: 0 };

/** Columns that are computed alike: panels of so many vectors. */
export interface Panels {
  readonly from: number;
  readonly to: number;
  readonly vectors: number;
  readonly width: Width;
  /** Rows of a tile. */
  readonly rows: number;
}

export type Method = "direct" | "packed" | "deep";

export interface Tiling {
  readonly method: Method;
  readonly row: ProductAxis;
  readonly column: ProductAxis;
  readonly depth: number;
  readonly panels: readonly Panels[];
}

/** From so many elements on the rows of an operand fall onto each other in the cache. */
const collidingStride = 128;
/** Fewer rows are not worth packing for. */
const rowsToPack = 16;

export function tilingOf(product: Product, target: CTarget): Tiling {
  const { rows, columns, depth } = product;
  const row = lastOf(rows) ?? single;
  const column = lastOf(columns) ?? single;
  const steps = extentOf(depth);
  const base = { row, column, depth: steps };
  const [inner] = depth;
  const isNarrow = extentOf(columns) < 4;
  // For few rows, vectors along the depth are cheaper than packing.
  const isFlat = !isNarrow && column.right !== 1 && inner?.right === 1 && extentOf(rows) < rowsToPack;
  const isInDepth = columns.length <= 1 && depth.length === 1 && inner.left === 1 && inner.extent >= 16;
  if (isInDepth && (isNarrow || isFlat)) return { ...base, method: "deep", panels: [] };
  const panels = panelsOf(extentOf(rows), column.extent, target);
  const isVector = column.extent >= 4;
  const collides = extentOf(rows) >= rowsToPack && (lastOf(depth)?.right ?? 0) >= collidingStride;
  const isInOrder = columns.length === 0 || column.right === 1;
  return { ...base, method: isVector && (!isInOrder || collides) ? "packed" : "direct", panels };
}

function panelsOf(rows: number, columns: number, target: CTarget): Panels[] {
  const { lanes } = target;
  const found: Panels[] = [];
  let from = 0;
  const add = (width: Width, vectors: number, tileRows: number) => {
    const step = width * vectors;
    const count = step === 0 ? 0 : Math.floor((columns - from) / step);
    if (count === 0) return;
    found.push({ from, to: from + count * step, vectors, width, rows: tileRows });
    from += count * step;
  };
  for (const width of vectorWidths) {
    if (width > lanes) continue;
    const best = bestTile(rows, Math.floor((columns - from) / width), target);
    if (best === null) continue;
    add(width, best.vectors, best.rows);
    const rest = Math.floor((columns - from) / width);
    if (rest > 0) add(width, rest, bestRows(rows, rest, target).rows);
  }
  const rest = columns - from;
  if (rest > 0) add(1, rest, bestRows(rows, rest, target).rows);
  return found;
}

/** Chains of additions that the processor works on at a time: fewer leave it waiting. */
const chains = 8;
const mostVectors = 4;

/** What a step of the depth costs: multiplications, or waiting; and loads, of which there can be two at a time. */
const stepCost = (rows: number, vectors: number): number =>
  Math.max(rows * vectors, chains) + 0.15 * (rows + vectors);

/** The height of tiles. Where there are rows for several threads it divides the grain by which these are dealt out. */
function bestRows(rows: number, vectors: number, target: CTarget): { rows: number; cost: number } {
  const { registers } = target;
  const grain = grainOf(target);
  const most = Math.max(1, Math.floor((registers - 1 - vectors) / vectors));
  let best = { rows: 1, cost: Infinity };
  for (let tile = Math.min(most, rows); tile >= 1; tile--) {
    if (rows >= 2 * grain && grain % tile !== 0) continue;
    const rest = rows % tile;
    const cost = Math.floor(rows / tile) * stepCost(tile, vectors) + (rest > 0 ? stepCost(rest, vectors) : 0);
    if (cost < best.cost) best = { rows: tile, cost };
  }
  return best;
}

function bestTile(rows: number, vectors: number, target: CTarget): { rows: number; vectors: number } | null {
  let best: { rows: number; vectors: number; cost: number } | null = null;
  for (let wide = 1; wide <= Math.min(mostVectors, vectors); wide++) {
    const own = bestRows(rows, wide, target);
    const rest = vectors % wide;
    const cost = Math.floor(vectors / wide) * own.cost + (rest > 0 ? bestRows(rows, rest, target).cost : 0);
    if (best === null || cost < best.cost) best = { rows: own.rows, vectors: wide, cost };
  }
  return best;
}

/** Words of working memory. */
export function tilingScratch(product: Product, target: CTarget): number {
  const { method, column, depth } = tilingOf(product, target);
  return method === "direct" ? 0 : depth * column.extent;
}
