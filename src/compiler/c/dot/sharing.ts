// How threads can share a product: its tiles, or its rows; and what of its right operand they rearrange before.
import { sizeOf } from "../../../array/index.js";
import type { DotKernel } from "../../kernel.js";
import { productOf, type Product, type ProductAxis } from "../../schedule/product.js";
import { depthAccess, type RowAccess, type Rows } from "../../schedule/rows.js";
import type { CTarget } from "../surroundings.js";
import { tilingOf, tilingScratch } from "./tiling.js";

/** Working memory of up to so many words each thread has for itself: to fill it takes less time than a meeting. */
const mostOwnWords = 8192;

/** What is asked of products again and again, found once. */
function remembered<T>(
  find: (product: Product, target: CTarget) => T,
): (kernel: DotKernel, target: CTarget) => T {
  const known = new WeakMap<DotKernel, { readonly target: CTarget; readonly found: T }>();
  return (kernel, target) => {
    const before = known.get(kernel);
    if (before?.target === target) return before.found;
    const found = find(productOf(kernel, 4), target);
    known.set(kernel, { target, found });
    return found;
  };
}

/** Whether the right operand of a product is packed once, before all of its tiles. */
export const packs = remembered(
  (product, target) =>
    tilingOf(product, target).method === "packed" &&
    product.batch.length === 0 &&
    product.columns.length <= 1,
);

/** Whether threads can share the tiles of a product: what they pack must be packed for all of them at once. */
export function canShareTiles(kernel: DotKernel, target: CTarget): boolean {
  const product = productOf(kernel, 4);
  const { method } = tilingOf(product, target);
  return method === "direct" || packs(kernel, target) || (method === "deep" && product.depth[0].right === 1);
}

/** Whether threads can share the rows of a product. */
export function canShareRows(kernel: DotKernel, rows: Rows, target: CTarget): boolean {
  const product = productOf(kernel, 4);
  if (rowAxis(product, kernel, rows) === null) return false;
  return canShareTiles(kernel, target) || worksInOwn(kernel, target);
}

/** Whether each thread that has rows of a product works in memory of its own. */
export const worksInOwn = remembered((product, target) => {
  const words = tilingScratch(product, target);
  return words > 0 && words <= mostOwnWords;
});

/**
 * The axis of a product that goes over rows, with all that lies together in a row; null where vectors run along it, or
 * where it is only a part of an axis.
 */
export function rowAxis(product: Product, kernel: DotKernel, { axis }: Rows): ProductAxis | null {
  const extents = [...kernel.batch, ...kernel.rows];
  const found = [...product.batch, ...product.rows]
    .filter(({ point }) => point >= axis && point < extents.length)
    .sort((a, b) => a.point - b.point);
  const [first] = found as (ProductAxis | undefined)[];
  if (first === undefined) return null;
  return first.extent === sizeOf(extents.slice(axis, first.point + 1)) ? first : null;
}

/** The steps of the depth as rows of what is packed, where these lie one after the other; null where they do not. */
export function packedRows(
  kernel: DotKernel,
  target: CTarget,
): (Rows & { readonly access: RowAccess }) | null {
  const product = productOf(kernel, 4);
  const { column } = tilingOf(product, target);
  const [axis, ...others] = product.depth;
  if (others.length > 0 || axis === undefined || column.right !== 1) return null;
  const rows = { axis: 0, count: axis.extent };
  const access = depthAccess(product.right, axis.right, rows.count, [{ extent: column.extent, stride: 1 }]);
  return access.layout === null ? null : { ...rows, access };
}
