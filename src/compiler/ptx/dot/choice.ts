// How a product is done: by every thread for itself or in tensor cores, whichever should take fewer cycles.
import type { Address, DotKernel, Place } from "../../kernel.js";
import { turned, type Product } from "../../schedule/product.js";
import { loadsIn, rootsOf } from "../../walk.js";
import { followingCycles, followingOf } from "./cost.js";
import { vector, type Tiling } from "./layout.js";
import type { TensorTiling } from "./tensor/layout.js";
import { tensorTilingOf } from "./tensor/tiling.js";
import { productFor, tilingOf, type TilingNeeds } from "./tiling.js";

/** What the code of products depends on besides them. */
export interface DotNeeds extends TilingNeeds {
  /** Whether tensor cores may do them, in TF32. */
  readonly isTf32?: boolean;
}

interface Choice {
  readonly tiling: Tiling | TensorTiling;
  /** Whether its rows are the product's columns. */
  readonly isTurned: boolean;
}

/** What was chosen for products that differ only in where their arrays lie: a program has many of few kinds. */
const known = new Map<string, Choice>();
const mostKnown = 4096;

/** The best way to do a product, or several of one form as one. */
export function choose(kernel: DotKernel, needs: DotNeeds): Tiling | TensorTiling {
  const product = productFor(kernel, needs);
  const key = keyOf(kernel, product, needs);
  let choice = known.get(key);
  if (choice === undefined) {
    const tiling = find(kernel, needs);
    choice = { tiling, isTurned: tiling.product.left !== product.left };
    if (known.size >= mostKnown) known.clear();
    known.set(key, choice);
  }
  return { ...choice.tiling, product: choice.isTurned ? turned(product) : product };
}

/** All that the choice depends on. */
function keyOf(kernel: DotKernel, product: Product, needs: DotNeeds): string {
  const { threads, isShort = false, isFast = () => true, isTf32 = false } = needs;
  const place = (one: Place) => [
    one.offset % vector,
    ...one.counters.map(({ stride }) => stride % vector),
    isFast(one),
  ];
  const address = (one: Address) => [place(one), one.strides, one.computed.length, one.buffer.dtype];
  const { batch, rows, columns, depth, left, right } = product;
  return JSON.stringify([
    [batch, rows, columns, depth, place(left), place(right)],
    kernel.stores.map((store) => address(store.address)),
    loadsIn(rootsOf(kernel.stores)).map(address),
    [followingOf(kernel), threads, isShort, isTf32],
  ]);
}

function find(kernel: DotKernel, needs: DotNeeds): Tiling | TensorTiling {
  const { tiling, cycles } = tilingOf(kernel, needs);
  if (needs.isTf32 !== true) return tiling;
  const tensor = tensorTilingOf(kernel, needs);
  const isFaster = tensor !== null && tensor.cycles < cycles + followingCycles(kernel, tiling, needs.threads);
  return isFaster ? tensor.tiling : tiling;
}
