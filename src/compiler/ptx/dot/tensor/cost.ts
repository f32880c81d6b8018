// Roughly how many cycles a product takes in tensor cores, for ways to cut it up.
import type { DotKernel } from "../../../kernel.js";
import { extentOf, type Product, type ProductAxis } from "../../../schedule/product.js";
import { loadsIn, rootsOf } from "../../../walk.js";
import { lanesOfWarp } from "../../types.js";
import { fetchCycles, followingOf, latency, lineCycles, lonely, offsetAlong } from "../cost.js";
import { isAlongColumns } from "../layout.js";
import type { TilingNeeds } from "../tiling.js";
import { cacheLines, sectors, sectorsOf, wavefronts } from "../wavefronts.js";
import {
  axesOf,
  isWrittenOut,
  lanes,
  lineOf,
  octet,
  octetsOf,
  sides,
  spanOf,
  tilesAlong,
  widthOf,
  type Side,
  type TensorTiling,
} from "./layout.js";

/** Cycles of the instruction, and until the next one can go on with its sums (measured on an H200). */
const multiplication = { issue: 6.2, latency: 25 };
/** Cycles of choosing, which only half of the lanes can do at a time. */
const choice = 2;

/** What the cost depends on besides the tiling. */
export interface TensorNeeds extends Required<Pick<TilingNeeds, "threads" | "isShort" | "isFast">> {
  readonly kernel: DotKernel;
}

/** What the lanes of a warp do to have all of an operand: instructions, choices among these, and wavefronts. */
interface Reads {
  readonly issued: number;
  readonly chosen: number;
  readonly fronts: number;
}

/** Estimates for the tilings of one product. */
export class TensorCosts {
  private readonly reads = new Map<string, Reads>();
  private readonly ends = new Map<number, number>();
  private readonly following: number;
  private readonly steps: number;
  private readonly length: number;
  private readonly wait: number;

  constructor(
    private readonly product: Product,
    private readonly needs: TensorNeeds,
  ) {
    this.following = followingOf(needs.kernel);
    this.length = product.depth.at(-1)?.extent ?? 1;
    this.steps = (Math.ceil(this.length / octet) * extentOf(product.depth)) / this.length;
    this.wait = sides.every((side) => needs.isFast(product[side])) ? latency.fast : latency.slow;
  }

  /** Cycles of a block. */
  cyclesOf(tiling: TensorTiling): number {
    const { steps, needs, wait } = this;
    const { rows, columns, chains, isShort } = tiling;
    const tiles = extentOf(this.product.batch) * tilesAlong(tiling, "left") * tilesAlong(tiling, "right");
    const warps = needs.threads / lanesOfWarp;
    const turns = Math.ceil(tiles / warps);
    const active = Math.min(tiles, warps);
    const perScheduler = Math.ceil(active / 4);
    const products = steps * Math.ceil(rows / 2) * columns;
    const [left, right] = sides.map((side) => this.readsOf(tiling, side));
    const issued = products + left.issued + right.issued;
    const chosen = left.chosen + right.chosen;
    const chunks = Math.ceil(this.length / tiling.steps) * (steps / Math.ceil(this.length / octet));
    const isOut = isWrittenOut(chunks, tiling);
    const perStep = (products / steps) * multiplication.issue;
    const chain = steps * Math.max(multiplication.latency / chains, perStep);
    // A warp loads, chooses and multiplies in turn; others fill the time.
    const alone = (isOut ? 1 : chunks) * wait + lonely * issued + choice * chosen + chain;
    const together = perScheduler * Math.max(issued + chosen, choice * chosen, steps * perStep);
    const sums = 2 * rows * columns;
    const stores = Math.max(40, active * sums * this.endsOf(tiling));
    const around = 60 + 6 * (rows + columns) + (chains - 1 + this.following) * sums;
    const fronts = active * (left.fronts + right.fronts);
    const block = turns * (Math.max(alone, together, fronts) + around * perScheduler + stores);
    const instructions = (issued + chosen) / (isOut ? 1 : chunks) + around;
    return block + (isShort ? instructions * fetchCycles : 0);
  }

  private readsOf(tiling: TensorTiling, side: Side): Reads {
    const { isAlong, turns } = tiling[side];
    const octets = octetsOf(tiling, side);
    const key = [side, octets, tiling.beside, tiling.adjacent, isAlong, turns].join(" ");
    const known = this.reads.get(key);
    if (known !== undefined) return known;
    const values = octets * 2 * this.steps;
    const loads = isAlong ? values / tiling.adjacent : values;
    const fronts = loads * frontsOf(tiling, side, this.needs.isFast(this.product[side]));
    const reads = { issued: loads + values, chosen: values * Math.log2(turns), fronts };
    this.reads.set(key, reads);
    return reads;
  }

  /** Wavefronts of what follows a sum, for each of them. */
  private endsOf(tiling: TensorTiling): number {
    const { beside } = tiling;
    const known = this.ends.get(beside);
    if (known !== undefined) return known;
    const { product, needs } = this;
    const { stores } = needs.kernel;
    const most = widthOf(tiling);
    let fronts = 0;
    for (const address of [...stores.map((store) => store.address), ...loadsIn(rootsOf(stores))]) {
      const strideOf = ({ point }: ProductAxis) => address.strides[point] ?? 0;
      const elements = lanes.map(
        ({ group, place }) =>
          offsetAlong(product.rows, group, strideOf) +
          offsetAlong(product.columns, 2 * beside * place, strideOf),
      );
      const width = isAlongColumns(product, address) ? most : 1;
      fronts += needs.isFast(address)
        ? wavefronts(elements, width) / width
        : sectors(elements, width) / sectorsOf(lanes.length * width);
    }
    this.ends.set(beside, fronts);
    return fronts;
  }
}

/** Wavefronts of the first load of an operand. */
export function frontsOf(tiling: TensorTiling, side: Side, isFast: boolean): number {
  const { product, adjacent } = tiling;
  const { isAlong, turns } = tiling[side];
  const stride = product.depth.at(-1)?.[side] ?? 0;
  const elements = lanes.map(({ group, place }) => {
    const inner = isAlong || turns === 1 ? 0 : place % turns;
    const step = adjacent * place + (isAlong ? spanOf(tiling) * (group % turns) : 0);
    const line = lineOf(tiling, side, inner, group);
    return offsetAlong(axesOf(tiling, side), line, (axis) => axis[side]) + step * stride;
  });
  const width = isAlong ? adjacent : 1;
  return isFast ? wavefronts(elements, width) : cacheLines(elements, width) * lineCycles;
}
