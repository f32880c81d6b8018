// How a product is cut up, in words.
import type { DotKernel, DotOperand } from "../../kernel.js";
import { extentOf } from "../../schedule/product.js";
import { tilingOf } from "./tiling.js";

/** The tiling of a product, and along what its operands are read. */
export function describeDot(
  kernel: DotKernel,
  threads: number,
  isFast: (operand: DotOperand) => boolean,
): string {
  const tiling = tilingOf(kernel, threads, isFast);
  const { product, rows, columns, laneRows, laneColumns, split, steps, left, right, rotation } = tiling;
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
