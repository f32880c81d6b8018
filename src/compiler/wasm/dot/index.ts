// Matrix products.
//
// What matters to V8 (measured): eight accumulators and no unrolling of the depth, one splat-load per row and
// step, constant distances in the instructions' offsets. Columns that do not lie next to each other in memory,
// or whose rows would collide in the cache, are packed into panels first.
import type { DotKernel } from "../../kernel.js";
import type { Assembler } from "../assembler.js";
import type { Features } from "../math.js";
import type { Surroundings } from "../pointers.js";
import { DeepProduct } from "./deep.js";
import { methodOf, problemOf } from "./problem.js";
import { TiledProduct } from "./tiles.js";
import { Walk } from "./walk.js";

export { dotScratch } from "./problem.js";

/** Renders a product into a function's body. */
export function renderDot(
  asm: Assembler,
  kernel: DotKernel,
  surroundings: Surroundings,
  features: Features,
): void {
  const problem = problemOf(kernel);
  const isDeep = methodOf(problem) === "deep";
  const walk = new Walk(asm, kernel, problem, isDeep ? "rows" : "columns", surroundings, features);
  const product = isDeep ? new DeepProduct(walk) : new TiledProduct(walk);
  walk.overBatches(() => product.render());
}
