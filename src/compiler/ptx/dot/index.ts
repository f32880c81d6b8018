// Products as PTX: every thread, or a few of a warp, adds up a tile of sums in registers, then goes on with them.
import { sizeOf } from "../../../array/index.js";
import type { DotKernel } from "../../kernel.js";
import { extentOf, type ProductAxis } from "../../schedule/product.js";
import { divide, positionsOf } from "../indices.js";
import type { KernelText } from "../surroundings.js";
import { lanesOfWarp, wholeWarps } from "../types.js";
import { variantPlaces } from "../variants.js";
import type { Work } from "../work.js";
import { Depth } from "./depth.js";
import { choose, type DotNeeds } from "./choice.js";
import { describeTensor, describeTiling } from "./describe.js";
import { goOn } from "./epilogue.js";
import { join, type Bit } from "./join.js";
import { chunksAtOnce, lineOffset, registersOf, vector, type Tiling } from "./layout.js";
import { linesAt, range, type Line } from "./lines.js";
import { renderTensor, tensorShape } from "./tensor/index.js";
import { tensorRegisters } from "./tensor/layout.js";
import { steadyOf } from "./tensor/steady.js";

/** How a tile lies along rows, or columns. */
interface Extension {
  readonly axes: readonly ProductAxis[];
  /** Lines of a tile, lanes of a warp beside each other, and lines that lie side by side. */
  readonly count: number;
  readonly lanes: number;
  readonly unit: number;
}

/** A product, or several of one form as one, given which of their operands lie in shared memory. */
export function dotWork(kernels: readonly DotKernel[], needs: Omit<DotNeeds, "variants">): Work {
  const [kernel] = kernels;
  const { threads, isTf32 = false } = needs;
  const tiling = choose(kernel, { ...needs, variants: kernels.length });
  const variants =
    kernels.length === 1
      ? null
      : { from: kernels.map((_, at) => at), places: variantPlaces(kernels), pieces: null };
  if ("kind" in tiling) {
    const steady = variants === null ? steadyOf(tiling, threads) : null;
    return {
      ...(steady !== null && { steady: [steady.left, steady.right] }),
      registers: tensorRegisters(tiling),
      threads: wholeWarps(sizeOf(tensorShape(tiling)) * lanesOfWarp, threads),
      write: (text, held) =>
        renderTensor(text.of(variants), kernel, tiling, (side) =>
          steady === null ? null : (held.get(steady[side]) ?? null),
        ),
      describe: () => describeTensor(tiling),
    };
  }
  const { product, laneRows, laneColumns } = tiling;
  const rows = { axes: product.rows, count: tiling.rows, lanes: laneRows, unit: tiling.rowUnit };
  const columns = {
    axes: product.columns,
    count: tiling.columns,
    lanes: laneColumns,
    unit: tiling.columnUnit,
  };
  const tiles = [rows, columns].map(({ axes, count, lanes }) => Math.ceil(extentOf(axes) / (count * lanes)));
  const grid = { tiling, rows, columns, shape: [extentOf(product.batch), ...tiles] };
  return {
    registers: registersOf(tiling, chunksAtOnce(tiling, threads, true)),
    threads: wholeWarps(sizeOf(grid.shape) * lanesOfWarp, threads),
    write: (text) => renderTiles(text.of(variants), kernel, grid, isTf32),
    describe: () => describeTiling(tiling),
  };
}

/** A product cut up into tiles: so many for each batch, along rows and along columns. */
interface TileGrid {
  readonly tiling: Tiling;
  readonly rows: Extension;
  readonly columns: Extension;
  readonly shape: readonly number[];
}

function renderTiles(
  text: KernelText,
  kernel: DotKernel,
  { tiling, rows, columns, shape }: TileGrid,
  isRough: boolean,
): void {
  const { out, thread, threads } = text;
  const { product, laneRows, laneColumns, split } = tiling;
  const { remainder: lane } = divide(out, thread, lanesOfWarp, threads);
  const beside = laneRows * laneColumns;
  const parts = divide(out, lane, tiling.isSplitInside ? split : beside, lanesOfWarp);
  const [member, place] = tiling.isSplitInside
    ? [parts.remainder, parts.quotient]
    : [parts.quotient, parts.remainder];
  const { quotient: laneRow, remainder: laneColumn } = divide(out, place, laneColumns, beside);
  const rotation = tiling.rotation === null ? null : tiling.rotation === "rows" ? laneRow : laneColumn;

  const firstOf = ({ count, lanes, unit }: Extension, tile: string, own: string, bits: readonly Bit[]) => {
    const { register, constant } = text.sum([
      { operand: tile, factor: count * lanes },
      { operand: own, factor: unit },
      ...bits.map(({ bit, distance }) => ({ operand: bit, factor: distance })),
    ]);
    return register ?? String(constant);
  };
  /** The first so many lines of a tile that is shifted by some bits of the lane's number. */
  const lines = (
    extension: Extension,
    tile: string,
    own: string,
    count: number,
    bits: readonly Bit[] = [],
  ): Line[] =>
    linesAt(
      text,
      firstOf(extension, tile, own, bits),
      range(count).map((line) => lineOffset(line, extension.unit, extension.lanes)),
      extension.axes,
      {
        unit: extension.unit === vector && count >= vector ? vector : 1,
        isWhole: extentOf(extension.axes) % (extension.count * extension.lanes) === 0,
      },
    );

  const warps = threads / lanesOfWarp;
  out.stride(text.warp, sizeOf(shape), warps, warps, (index) => {
    const [batchIndex, row, column] = positionsOf(out, index, shape);
    const batch = positionsOf(
      out,
      batchIndex,
      product.batch.map(({ extent }) => extent),
    );
    const tile = {
      batch,
      rows: lines(rows, row, laneRow, rows.count),
      columns: lines(columns, column, laneColumn, columns.count),
      member,
      rotation,
    };
    const own = join(text, tiling, member, new Depth(text, tiling, tile).add());
    goOn(text, kernel, product, {
      batch,
      rows: lines(rows, row, laneRow, own.rows, own.rowBits),
      columns: lines(columns, column, laneColumn, own.columns, own.columnBits),
      unit: columns.unit === vector && own.columns >= vector ? vector : 1,
      sums: own.sums,
      condition: own.condition,
      isRough,
    });
  });
}
