// Which way to cut up a product for tensor cores is best: all are tried, by an estimate of what they cost.
import type { DotKernel } from "../../../kernel.js";
import { extentOf, turned, type Product } from "../../../schedule/product.js";
import { regimeOf, registerLimit } from "../layout.js";
import { productFor, runsAlong, type Cost, type TilingNeeds } from "../tiling.js";
import { TensorCosts, type TensorNeeds } from "./cost.js";
import {
  besideOf,
  octet,
  octetsOf,
  sides,
  spanOf,
  type Reading,
  type Side,
  type TensorTiling,
} from "./layout.js";

/** The tiling for tensor cores that should take the fewest cycles of a block; null where there is none. */
export function tensorTilingOf(kernel: DotKernel, given: TilingNeeds): Cost<TensorTiling> | null {
  const product = productFor(kernel, given);
  if (extentOf(product.depth) > regimeOf({ product }).block) return null;
  const needs = { isShort: false, isFast: () => true, ...given, kernel };
  let best: Cost<TensorTiling> | null = null;
  for (const way of [product, turned(product)]) {
    const costs = new TensorCosts(way, needs);
    for (const tiling of candidates(way, needs)) {
      const cycles = costs.cyclesOf(tiling);
      if (best === null || cycles < best.cycles) best = { tiling, cycles };
    }
  }
  return best;
}

/** Octets of a tile, no more than there are lines for. */
const octetsFor = (lines: number): number[] =>
  [1, 2, 4, 8].filter((octets) => octets === 1 || (octets - 1) * octet < lines);

/** How many octets of columns alternate, of so many. */
const besides: Readonly<Record<number, readonly number[]>> = {
  ...{ 1: [1], 2: [1, 2], 4: [1, 2, 4], 8: [1, 2, 4] },
};

const plain: Reading = { isAlong: false, turns: 1 };

function* candidates(product: Product, { isShort, threads }: TensorNeeds): Iterable<TensorTiling> {
  const all = [...product.batch, ...product.rows, ...product.columns, ...product.depth];
  const canBeAlong = (side: Side) => runsAlong(product.depth.at(-1), side, product[side], all);
  const along = { left: canBeAlong("left"), right: canBeAlong("right") };
  for (const rows of octetsFor(extentOf(product.rows)))
    for (const columns of octetsFor(extentOf(product.columns))) {
      const manyChains = [1, 2, 4].filter((chains) => 4 * rows * columns * chains <= registerLimit(threads));
      for (const beside of besides[columns])
        for (const adjacent of [1, 2, 4]) {
          const shape = { product, rows, columns, beside, adjacent, isShort, steps: octet, chains: 1 };
          const tiling: TensorTiling = { kind: "tensor", ...shape, left: plain, right: plain };
          const [lefts, rights] = sides.map((side) => readings(tiling, side, along[side]));
          const manners = lefts.flatMap((left) =>
            rights.flatMap((right) => {
              const steps = stepsOf(tiling, left, right);
              return steps === null ? [] : [{ left, right, steps }];
            }),
          );
          for (const chains of manyChains)
            for (const manner of manners) yield { ...tiling, chains, ...manner };
        }
    }
}

/** Steps that are loaded at a time, at most: so many that lanes need not wait for each. */
const mostSteps = 32;

/** How many steps are loaded at a time; null where depth is not made up of as many, or nobody reads several at once. */
function stepsOf(tiling: TensorTiling, left: Reading, right: Reading): number | null {
  const { extent } = tiling.product.depth.at(-1) ?? { extent: 1 };
  if (tiling.adjacent === 1) return Math.max(octet, Math.min(mostSteps, extent - (extent % octet)));
  const along = [left, right].filter(({ isAlong }) => isAlong);
  if (along.length === 0) return null;
  const turn = spanOf(tiling) * Math.max(...along.map(({ turns }) => turns));
  for (let steps = Math.max(turn, mostSteps); steps >= turn; steps -= turn)
    if (extent % steps === 0) return steps;
  return null;
}

function readings(tiling: TensorTiling, side: Side, canBeAlong: boolean): Reading[] {
  if (tiling.adjacent > 1 && canBeAlong) return [1, 2].map((turns) => ({ isAlong: true, turns }));
  const most = side === "right" ? besideOf(tiling, side) : Math.min(4, octetsOf(tiling, side));
  return [1, ...(most > 1 ? [most] : [])].map((turns) => ({ isAlong: false, turns }));
}
