// How products are computed here: in tiles or along the depth, and what is packed beforehand.
import type { DotKernel } from "../../kernel.js";
import { extentOf, lastOf, productOf, type Product, type ProductAxis } from "../../schedule/product.js";

/** Rows and vectors of a tile. */
export const tileRows = 4;
export const tileVectors = 2;
export const panelColumns = tileVectors * 4;
/** Rows of the left operand that stay in the cache while all panels pass. */
export const blockRows = 96;

/** A product and its axes, with their steps in bytes. */
export type Problem = Product;
export type Axis = ProductAxis;

/** Elements of float32 that a product's panels take. */
export function dotScratch(kernel: DotKernel): number {
  const problem = problemOf(kernel);
  const method = methodOf(problem);
  const depth = extentOf(problem.depth);
  const columns = lastOf(problem.columns)?.extent ?? 1;
  if (method === "deep") return columns * Math.ceil(depth / 4) * 4;
  return (method === "packed" ? rightPanels(problem) : 0) + (packsLeft(problem) ? depth * blockRows : 0);
}

/** Elements of the right operand in panels, and what is read beyond them. */
export const rightPanels = ({ depth, columns }: Problem): number =>
  extentOf(depth) * Math.ceil((lastOf(columns)?.extent ?? 1) / panelColumns) * panelColumns + 8;

/** Whether rows that lie next to each other are far apart from step to step, so that they fall out of the cache. */
export function packsLeft({ rows, columns, depth }: Problem): boolean {
  const [row, column] = [lastOf(rows), lastOf(columns)];
  if (depth.length !== 1 || row === undefined || column === undefined) return false;
  return (
    row.left === 4 && row.extent >= tileRows && depth[0].left >= 256 && column.extent >= 4 * panelColumns
  );
}

/** How a product is computed: in tiles from where the operands are, from packed panels, or along the depth. */
export function methodOf({ rows, columns, depth }: Problem): "direct" | "packed" | "deep" {
  const isNarrow = extentOf(columns) < 4;
  // Few columns and a depth in order: vectors run along the depth instead.
  if (isNarrow && columns.length <= 1 && depth.length === 1 && depth[0].left === 4 && depth[0].extent >= 16) {
    return "deep";
  }
  const isInOrder = columns.length === 0 || lastOf(columns).right === 4;
  const step = lastOf(depth)?.right ?? 0;
  const collides = !isNarrow && extentOf(rows) >= 8 && step >= 512;
  return isInOrder && !collides ? "direct" : "packed";
}

/** The problem that a kernel poses. */
export function problemOf(kernel: DotKernel): Problem {
  const { batch, rows, columns, depth, left, right } = productOf(kernel, 4);
  const inBytes = (axes: readonly ProductAxis[]): Axis[] =>
    axes.map((axis) => ({ ...axis, left: axis.left * 4, right: axis.right * 4 }));
  return {
    batch: inBytes(batch),
    rows: inBytes(rows),
    columns: inBytes(columns),
    depth: inBytes(depth),
    left,
    right,
  };
}
