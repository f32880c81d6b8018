// Products whose vectors run along the depth: each sum is a product of two vectors, whose lanes are added in the end. For
// few columns, and for few rows where the columns would have to be packed.
import { reductionRegimes } from "../../schedule/sums.js";
import type { CText } from "../text.js";
import { typeOf, type Width } from "../types.js";
import { Epilogue } from "./epilogue.js";
import { sumOver } from "./sums.js";
import type { Walk } from "./walk.js";

/** Where the columns lie, each in order along the depth. */
interface Columns {
  readonly base: string;
  readonly stride: number;
}

/** Columns of a tile where there are many. */
const tileColumns = 4;

export function renderDeep(walk: Walk): void {
  const { text, tiling, product } = walk;
  const { out } = text;
  const columns = columnsInOrder(walk);
  const epilogue = new Epilogue(walk);
  const width = text.widthFor(tiling.depth);
  // As many sums as a vector has lanes, which is what the lanes of all sums are added into.
  const tileRows = Math.max(1, width / tileColumns);
  const wide = Math.min(tileColumns, tiling.column.extent);
  const groups = Math.floor(tiling.column.extent / wide);
  const restColumns = tiling.column.extent % wide;
  const { extent } = tiling.row;
  const tiles = Math.floor(extent / tileRows);
  const restRows = extent % tileRows;
  const tile = (rows: number, across: number) =>
    out.block("", () => renderTile(walk, epilogue, columns, rows, across));
  const whole = tiles * tileRows;
  walk.over(product.rows.slice(0, -1), () => {
    const own = walk.boundsOf(tiling.row);
    const isWhole = own.to === extent;
    const end = isWhole ? whole : `(${own.to} < ${whole} ? ${own.to} : ${whole})`;
    if (text.sharesUnits) {
      const { from, to } = text.share(tiles * groups);
      out.block(`for (long unit = ${from}; unit < ${to}; ++unit)`, () => {
        out.line(`const long i = unit / ${groups} * ${tileRows}, j = unit % ${groups} * ${wide};`);
        tile(tileRows, wide);
      });
    } else {
      out.loop("i", own.from, end, tileRows, () =>
        out.loop("j", 0, groups * wide, wide, () => tile(tileRows, wide)),
      );
    }
    // What is left over is little.
    const rest = () => {
      if (restColumns > 0)
        out.loop("i", own.from, end, tileRows, () => {
          out.line(`const long j = ${groups * wide};`);
          tile(tileRows, restColumns);
        });
      if (restRows === 0) return;
      out.loop(
        "i",
        isWhole ? whole : `(${own.to} < ${extent} ? ${extent} : ${whole})`,
        extent,
        restRows,
        () => {
          out.loop("j", 0, groups * wide, wide, () => tile(restRows, wide));
          out.loop("j", groups * wide, tiling.column.extent, restColumns, () => tile(restRows, restColumns));
        },
      );
    };
    if (restRows + restColumns === 0) return;
    if (text.sharesUnits) out.block("if (part == parts - 1)", rest);
    else rest();
  });
}

/** The columns as they lie, or copied so that each is in order. */
function columnsInOrder(walk: Walk): Columns {
  const { text, tiling, product, kernel } = walk;
  const { column, depth } = tiling;
  const [axis] = product.depth;
  const right = `(${walk.right} + ${walk.moved("right")})`;
  if (axis.right === 1) return { base: right, stride: column.right };
  const scratch = text.scratch(kernel);
  text.out.block(`for (int c = 0; c < ${column.extent}; ++c)`, () =>
    text.out.line(
      `for (long k = 0; k < ${depth}; ++k) ${scratch}[c * ${depth} + k] = ${right}[c * (long)${column.right} + k * ${axis.right}];`,
    ),
  );
  return { base: scratch, stride: depth };
}

function renderTile(walk: Walk, epilogue: Epilogue, columns: Columns, rows: number, across: number): void {
  const { text, tiling } = walk;
  const { out } = text;
  const { row, depth } = tiling;
  const width: Width = text.widthFor(depth);
  const type = typeOf("float32", width);
  const whole = Math.floor(depth / width) * width;
  const names = Array.from({ length: rows }, (_, down) =>
    Array.from({ length: across }, (_, at) => `c${down}_${at}`),
  );
  out.line(`const float *const a = ${walk.left} + ${walk.moved("left")} + i * ${row.left};`);
  out.line(`const float *const b = ${columns.base} + j * ${columns.stride};`);
  sumOver(out, names.flat(), width, [{ extent: whole, step: width }], reductionRegimes, () => {
    for (let at = 0; at < across; at++)
      out.line(`const ${type} b${at} = *(const ${type}u *)(b + ${at * columns.stride} + k0);`);
    names.forEach((line, down) => {
      out.line(`const ${type} x${down} = *(const ${type}u *)(a + ${down * row.left} + k0);`);
      out.line(line.map((sum, at) => `${sum} = ${sum} + x${down} * b${at};`).join(" "));
    });
  });
  if (rows * across === width && across === tileColumns && whole === depth) {
    const sums = addLanes(out, names.flat(), width);
    names.forEach((_, down) => {
      const lanes = Array.from({ length: across }, (_, at) => down * across + at);
      const line = width === across ? sums : `__builtin_shufflevector(${sums}, ${sums}, ${lanes.join(", ")})`;
      out.block("", () => {
        out.line(`const vf4 sum = ${line};`);
        epilogue.store("sum", tileColumns, `(i + ${down})`, "j");
      });
    });
    return;
  }
  names.forEach((line, down) =>
    line.forEach((sum, at) => {
      out.block("", () => {
        out.line(`float sum = sumOf${width}f(${sum});`);
        if (whole < depth)
          out.line(
            `for (long k = ${whole}; k < ${depth}; ++k) sum += a[${down * row.left} + k] * b[${at * columns.stride} + k];`,
          );
        epilogue.store("sum", 1, `(i + ${down})`, `(j + ${at})`);
      });
    }),
  );
}

/** As many vectors as they have lanes, to one vector with the sum of each vector's lanes; returns its name. */
function addLanes(out: CText, names: readonly string[], width: Width): string {
  const type = typeOf("float32", width);
  let current = [...names];
  for (let size = width / 2; size >= 1; size /= 2) {
    const half = current.length / 2;
    const lanes = Array.from({ length: width }, (_, lane) => lane);
    // The lower halves of all blocks of one vector stand beside those of the other, and the upper ones likewise.
    const part = (upper: number) =>
      lanes.map((lane) => {
        const block = Math.floor(lane / (2 * size)) * 2 * size;
        const within = lane - block;
        return within < size ? block + within + upper : width + block + within - size + upper;
      });
    current = Array.from({ length: half }, (_, at) => {
      const [x, y] = [current[at], current[at + half]];
      const name = out.name("lanes");
      const shuffle = (order: readonly number[]) =>
        `__builtin_shufflevector(${x}, ${y}, ${order.join(", ")})`;
      out.line(`const ${type} ${name} = ${shuffle(part(0))} + ${shuffle(part(size))};`);
      return name;
    });
  }
  return current[0];
}
