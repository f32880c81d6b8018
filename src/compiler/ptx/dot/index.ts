// Products as PTX: every thread, or a few of a warp, adds up a tile of sums in registers, then goes on with them.
import type { DotKernel } from "../../kernel.js";
import { extentOf, type ProductAxis } from "../../schedule/product.js";
import { divide, positionsOf } from "../indices.js";
import type { KernelText } from "../surroundings.js";
import { Depth } from "./depth.js";
import { goOn } from "./epilogue.js";
import { join, type Bit } from "./join.js";
import { lineOffset, vector } from "./layout.js";
import { linesAt, range, type Line } from "./lines.js";
import { tilingOf } from "./tiling.js";
import { lanesOfWarp } from "../types.js";

/** How a tile lies along rows, or columns. */
interface Extension {
  readonly axes: readonly ProductAxis[];
  /** Lines of a tile, lanes of a warp beside each other, and lines that lie side by side. */
  readonly count: number;
  readonly lanes: number;
  readonly unit: number;
}

export function renderDot(text: KernelText, kernel: DotKernel): void {
  const { out, thread, threads } = text;
  const tiling = tilingOf(kernel, threads, ({ buffer }) => text.isFast(buffer));
  const { product, laneRows, laneColumns, split } = tiling;
  const rows: Extension = {
    axes: product.rows,
    count: tiling.rows,
    lanes: laneRows,
    unit: tiling.rowUnit,
  };
  const columns: Extension = {
    axes: product.columns,
    count: tiling.columns,
    lanes: laneColumns,
    unit: tiling.columnUnit,
  };
  const shape = [
    extentOf(product.batch),
    ...[rows, columns].map(({ axes, count, lanes }) => Math.ceil(extentOf(axes) / (count * lanes))),
  ];
  const { quotient: warp, remainder: lane } = divide(out, thread, lanesOfWarp, threads);
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
        isVector: extension.unit === vector && count >= vector,
        isWhole: extentOf(extension.axes) % (extension.count * extension.lanes) === 0,
      },
    );

  const warps = threads / lanesOfWarp;
  const tiles = shape[0] * shape[1] * shape[2];
  text.occupy(tiles * lanesOfWarp);
  out.stride(warp, tiles, warps, warps, (index) => {
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
      areColumnsVectors: columns.unit === vector && own.columns >= vector,
      sums: own.sums,
      condition: own.condition,
    });
  });
}
