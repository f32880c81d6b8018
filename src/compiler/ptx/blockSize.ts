// How many threads the blocks of a program have.
import { sizeOf, subPrograms, type DotParams, type Program, type ScanParams } from "../../array/index.js";

/** More threads wait longer for each other and have fewer registers each, fewer have less under way. */
const [few, many] = [256, 512];
export const mostThreads = many;
/** Sums of a product that are enough for many threads. */
const manySums = 4096;

/** Threads for a program: many where its products are large, or it has none (measured: PPO with 64 environments is 7 % faster with few). */
export function threadsFor(program: Program): number {
  const { sums } = costliest(program, 1);
  return sums === 0 || sums > manySums ? many : few;
}

interface Product {
  readonly cost: number;
  /** Elements of its result. */
  readonly sums: number;
}

/** The products of one size that are most of what a program multiplies, in loops that run so often. */
function costliest(program: Program, turns: number): Product {
  const bySize = new Map<number, number>();
  const visit = ({ equations }: Program, around: number): void => {
    for (const { primitive, params, inputs, outputs, ...equation } of equations) {
      if (primitive.name === "dot") {
        const { contract } = params as DotParams;
        const sums = sizeOf(outputs[0].type.shape);
        const depth = sizeOf(contract[0].map((dimension) => inputs[0].type.shape[dimension]));
        bySize.set(sums, (bySize.get(sums) ?? 0) + around * sums * depth);
      }
      const inside = primitive.name === "scan" ? (params as ScanParams).length : 1;
      for (const inner of subPrograms({ primitive, params, inputs, outputs, ...equation }))
        visit(inner, around * inside);
    }
  };
  visit(program, turns);
  let best: Product = { cost: 0, sums: 0 };
  for (const [sums, cost] of bySize) if (cost > best.cost) best = { cost, sums };
  return best;
}
