// How a product is cut up, in words.
import { extentOf } from "../../schedule/product.js";
import type { Tiling } from "./layout.js";
import { octet, type Reading, type TensorTiling } from "./tensor/layout.js";

/** The tiling of a product, and along what its operands are read. */
export function describeTiling({ product, ...tiling }: Tiling): string {
  const { rows, columns, laneRows, laneColumns, split, steps, left, right, rotation } = tiling;
  const batch = extentOf(product.batch);
  const extents = [product.rows, product.columns, product.depth].map(extentOf).join(" x ");
  const reading = (along: string | null) => (along === null ? "singly" : `along ${along}`);
  return [
    `product ${extents}${batch === 1 ? "" : `, ${batch} times`}`,
    `tiles ${rows} x ${columns}, lanes ${laneRows} x ${laneColumns}`,
    `split ${split}`,
    `steps ${steps}`,
    `left ${reading(left)}, right ${reading(right)}`,
    ...(rotation === null ? [] : [`turned by ${rotation}`]),
  ].join(", ");
}

/** The same of a product that tensor cores do. */
export function describeTensor({ product, ...tiling }: TensorTiling): string {
  const { rows, columns, adjacent, chains } = tiling;
  const batch = extentOf(product.batch);
  const extents = [product.rows, product.columns, product.depth].map(extentOf).join(" x ");
  const reading = ({ isAlong, turns }: Reading) =>
    `${isAlong ? "along depth" : "singly"}${turns === 1 ? "" : `, ${turns} in turn`}`;
  return [
    `product of TF32 ${extents}${batch === 1 ? "" : `, ${batch} times`}`,
    `tiles ${rows * octet} x ${columns * octet} of a warp`,
    `left ${reading(tiling.left)}, right ${reading(tiling.right)}`,
    ...(adjacent === 1 ? [] : [`steps in ${adjacent === 2 ? "pairs" : "quads"}`]),
    ...(chains === 1 ? [] : [`${chains} sums apart`]),
  ].join(", ");
}
