// Products of TF32 as PTX: warps add up tiles of sums in tensor cores, then go on with them.
import { sizeOf } from "../../../../array/index.js";
import type { DotKernel } from "../../../kernel.js";
import { extentOf } from "../../../schedule/product.js";
import { divide, positionsOf } from "../../indices.js";
import type { KernelText } from "../../surroundings.js";
import type { Held } from "../../work.js";
import { lanesOfWarp } from "../../types.js";
import { goOn } from "../epilogue.js";
import { isAlongColumns, vector } from "../layout.js";
import { linesAt, range, type Line } from "../lines.js";
import { Operand, type Fragments, type Lane, type WarpTile } from "./fragments.js";
import {
  axesOf,
  besideOf,
  groupLanes,
  isWrittenOut,
  octet,
  octetsOf,
  sides,
  tilesAlong,
  widthOf,
  type Side,
  type TensorTiling,
} from "./layout.js";

const zero = "0f00000000";

/** How many tiles there are: batches, along rows, along columns. */
export const tensorShape = (tiling: TensorTiling): number[] => [
  extentOf(tiling.product.batch),
  ...sides.map((side) => tilesAlong(tiling, side)),
];

/** Where a thread is in its warp. */
export function laneOf({ out, thread, threads }: KernelText): Lane {
  const { remainder } = divide(out, thread, lanesOfWarp, threads);
  const { quotient: group, remainder: place } = divide(out, remainder, groupLanes, lanesOfWarp);
  return { group, place };
}

/** Whose product a tile of a number is. */
export function tileAt(
  { out }: KernelText,
  { product }: TensorTiling,
  index: string,
  shape: readonly number[],
): WarpTile {
  const [batchIndex, left, right] = positionsOf(out, index, shape);
  const extents = product.batch.map(({ extent }) => extent);
  return { batch: positionsOf(out, batchIndex, extents), left, right };
}

/** What lanes have of a side already, chunk by chunk of the depth; null where they read it. */
type HeldOf = (side: Side) => Held | null;

export function renderTensor(
  text: KernelText,
  kernel: DotKernel,
  tiling: TensorTiling,
  heldOf: HeldOf,
): void {
  const { out, threads } = text;
  const { product } = tiling;
  const shape = tensorShape(tiling);
  const lane = laneOf(text);
  const warps = threads / lanesOfWarp;
  out.stride(text.warp, sizeOf(shape), warps, warps, (index) => {
    const tile = tileAt(text, tiling, index, shape);
    const sums = new Sums(text, tiling);
    const add = (outer: readonly string[]) => {
      const [left, right] = sides.map((side) =>
        readerOf(text, tiling, side, tile, lane, outer, heldOf(side)),
      );
      addAlong(text, tiling, left, right, sums);
    };
    addUp(text, tiling, add);
    const [rows, columns] = sides.map((side) => sumLines(text, kernel, tiling, side, tile, lane));
    goOn(text, kernel, product, {
      ...{ batch: tile.batch, rows: rows.lines, columns: columns.lines, condition: null, isRough: true },
      ...{ unit: columns.unit, sums: sums.all() },
    });
  });
}

/** The rows or columns of a lane's sums. */
function sumLines(
  text: KernelText,
  kernel: DotKernel,
  tiling: TensorTiling,
  side: Side,
  tile: WarpTile,
  { group, place }: Lane,
): { readonly lines: Line[]; readonly unit: number } {
  const axes = axesOf(tiling, side);
  const octets = octetsOf(tiling, side);
  const beside = side === "left" ? 1 : besideOf(tiling, side);
  const own = side === "left" ? { operand: group, factor: 1 } : { operand: place, factor: 2 * beside };
  const { register, constant } = text.sum([{ operand: tile[side], factor: octet * octets }, own]);
  const areVectors =
    side === "right" &&
    extentOf(axes) % vector === 0 &&
    kernel.stores.some(({ address }) => isAlongColumns(tiling.product, address));
  const unit = areVectors ? widthOf(tiling) : 1;
  const offsets = range(octets / beside).flatMap((which) =>
    range(side === "left" ? 1 : 2 * beside).map((at) => which * octet * beside + at),
  );
  const isWhole = extentOf(axes) === tilesAlong(tiling, side) * octet * octets;
  const first = register ?? String(constant);
  return {
    lines: linesAt(text, first, offsets, axes, { unit, isWhole }),
    unit,
  };
}

/** The sums of a lane, in several chains. */
class Sums {
  /** `[chain][pair of row octets][column octet]`: two neighbours of a row, then the two of the octet behind. */
  private readonly chains: readonly (readonly (readonly (readonly string[])[])[])[];
  private next = 0;

  constructor(
    private readonly text: KernelText,
    private readonly tiling: TensorTiling,
  ) {
    const four = () => range(4).map(() => text.variable("float32", zero));
    this.chains = range(tiling.chains).map(() =>
      range(Math.ceil(tiling.rows / 2)).map(() => range(tiling.columns).map(four)),
    );
  }

  /** Adds the products of so many steps, of which each lane has one word or two. */
  add(left: Fragments, right: Fragments, at: number, words: 1 | 2): void {
    const { out } = this.text;
    const chain = this.chains[this.next++ % this.chains.length];
    const depth = words === 1 ? 4 : 8;
    const nothing = () => out.pure("mov.b32", "b32", "0");
    const of = (fragments: Fragments, which: number) =>
      range(words).map((word) => (which < fragments.length ? fragments[which][at + word] : nothing()));
    chain.forEach((rows, pair) =>
      rows.forEach((sums, column) => {
        const [upper, lower] = [of(left, 2 * pair), of(left, 2 * pair + 1)];
        const a = upper.flatMap((word, which) => [word, lower[which]]);
        const d = sums.join(", ");
        out.line(
          `mma.sync.aligned.m16n8k${depth}.row.col.f32.tf32.tf32.f32 {${d}}, {${a.join(", ")}}, ` +
            `{${of(right, column).join(", ")}}, {${d}};`,
        );
      }),
    );
  }

  /** All sums, row by row, as lines have them. */
  all(): string[] {
    const { out } = this.text;
    const { rows, columns } = this.tiling;
    const sum = (pair: number, column: number, which: number) =>
      this.chains
        .map((chain) => chain[pair][column][which])
        .reduce((total, one) => out.effect("add.f32", "f32", total, one));
    return range(rows).flatMap((row) =>
      range(columns).flatMap((column) =>
        range(2).map((neighbour) => sum(Math.floor(row / 2), column, 2 * (row % 2) + neighbour)),
      ),
    );
  }
}

/** Does something for all positions along the outer axes of depth. */
function addUp(
  { out }: KernelText,
  { product }: TensorTiling,
  add: (outer: readonly string[]) => void,
): void {
  const outer = product.depth.slice(0, -1);
  const extents = outer.map(({ extent }) => extent);
  if (outer.length === 0) add([]);
  else out.loop("0", String(extentOf(outer)), "1", (index) => add(positionsOf(out, index, extents)));
}

/** What a lane has of a side from a position on, of which there are no more than so many steps. */
type Reader = (position: string, steps: number) => Fragments;

function readerOf(
  text: KernelText,
  tiling: TensorTiling,
  side: Side,
  tile: WarpTile,
  lane: Lane,
  outer: readonly string[],
  held: Held | null,
): Reader {
  if (held !== null) return (position) => held[Number(position) / tiling.steps];
  const operand = new Operand(text, tiling, side, tile, lane, outer);
  return (position, steps) => operand.load(position, steps);
}

/** Adds up all steps of the innermost axis of depth. */
function addAlong({ out }: KernelText, tiling: TensorTiling, left: Reader, right: Reader, sums: Sums): void {
  const length = tiling.product.depth.at(-1)?.extent ?? 1;
  const chunk = tiling.steps;
  const add = (position: string, steps: number) => {
    const [rows, columns] = [left(position, steps), right(position, steps)];
    const words = rows[0].length;
    for (let at = 0; at < words; at += 2) sums.add(rows, columns, at, at + 1 < words ? 2 : 1);
  };
  const chunks = Math.floor(length / chunk);
  if (isWrittenOut(chunks, tiling))
    range(chunks).forEach((at) => out.scope(() => add(String(at * chunk), chunk)));
  else out.loop("0", String(chunks * chunk), String(chunk), (position) => add(position, chunk));
  const rest = length - chunks * chunk;
  if (rest > 0) out.scope(() => add(String(chunks * chunk), rest));
}
