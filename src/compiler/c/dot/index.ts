// Matrix products as C.
import type { DotKernel } from "../../kernel.js";
import { productOf } from "../../schedule/product.js";
import { productRegimes, reductionRegimes } from "../../schedule/sums.js";
import type { CTarget, KernelText } from "../surroundings.js";
import { sumText } from "../text.js";
import { typeOf, type Width } from "../types.js";
import { Epilogue } from "./epilogue.js";
import { packRight } from "./pack.js";
import { sumOver } from "./sums.js";
import { dotScratch, type Panels } from "./tiling.js";
import { Walk } from "./walk.js";

export const scratchOf = (kernel: DotKernel, target: CTarget): number =>
  dotScratch(productOf(kernel, 4), target);

export function renderDot(text: KernelText, kernel: DotKernel): void {
  const walk = new Walk(text, kernel, productOf(kernel, 4));
  const { batch } = walk.product;
  walk.over(batch, () => (walk.tiling.method === "deep" ? renderDeep(walk) : renderTiles(walk)));
}

function renderTiles(walk: Walk): void {
  const { text, product, tiling, kernel } = walk;
  const { out } = text;
  const isPacked = tiling.method === "packed";
  const epilogue = new Epilogue(walk);
  const scratch = text.scratch(kernel);
  walk.over(product.columns.slice(0, -1), () => {
    if (isPacked) packRight(walk, scratch);
    walk.over(product.rows.slice(0, -1), () => {
      for (const panels of tiling.panels) {
        out.loop("j", panels.from, panels.to, panels.width * panels.vectors, () => {
          const right = isPacked
            ? `${scratch} + j * ${tiling.depth}`
            : `${walk.right} + ${walk.moved("right")} + j * ${tiling.column.right}`;
          out.line(`const float *const b = ${right};`);
          const { extent } = tiling.row;
          const whole = Math.floor(extent / panels.rows) * panels.rows;
          out.loop("i", 0, whole, panels.rows, () => renderTile(walk, epilogue, panels, panels.rows));
          out.loop("i", whole, extent, extent - whole, () =>
            renderTile(walk, epilogue, panels, extent - whole),
          );
        });
      }
    });
  });
}

/** One tile: the sums over the depth, then what becomes of them. */
function renderTile(walk: Walk, epilogue: Epilogue, { width, vectors }: Panels, rows: number): void {
  const { text, product, tiling } = walk;
  const { out } = text;
  const { row } = tiling;
  const type = typeOf("float32", width);
  const isPacked = tiling.method === "packed";
  const names = Array.from({ length: rows }, (_, down) =>
    Array.from({ length: vectors }, (_, at) => `c${down}_${at}`),
  );
  out.line(
    `const float *const a = ${walk.left} + ${sumText(0, [
      { text: `(${walk.moved("left")})`, factor: 1 },
      { text: "i", factor: row.left },
    ])};`,
  );
  const loops = product.depth.map(({ extent }) => ({ extent, step: 1 }));
  sumOver(out, names.flat(), width, loops, productRegimes, () => {
    const step = isPacked ? `(${walk.depthPosition}) * ${width * vectors}` : walk.depthTerms("right");
    for (let at = 0; at < vectors; at++) {
      const load =
        width === 1
          ? `b[${step} + ${at * tiling.column.right}]`
          : `*(const ${type}u *)(b + ${step} + ${at * width})`;
      out.line(`const ${type} b${at} = ${load};`);
    }
    names.forEach((line, down) => {
      const x = `x${down}`;
      out.line(`const float ${x} = a[${walk.depthTerms("left")} + ${down * row.left}];`);
      out.line(line.map((sum, at) => `${sum} = ${sum} + ${x} * b${at};`).join(" "));
    });
  });
  if (epilogue.isShort) {
    epilogue.storeEach(names, width, "i", "j");
    return;
  }
  const size = width * vectors;
  out.line(`float tile[${rows * size}] __attribute__((aligned(64)));`);
  names.forEach((line, down) =>
    line.forEach((sum, at) => {
      const place = `tile + ${down * size + at * width}`;
      out.line(width === 1 ? `*(${place}) = ${sum};` : `*(${type}u *)(${place}) = ${sum};`);
    }),
  );
  out.loop("down", 0, rows, 1, () =>
    out.loop("across", 0, size, width, () => {
      const place = `tile + down * ${size} + across`;
      out.line(`const ${type} sum = ${width === 1 ? `*(${place})` : `*(const ${type}u *)(${place})`};`);
      epilogue.store("sum", width, "(i + down)", "(j + across)");
    }),
  );
}

/** Rows of a tile where vectors run along the depth. */
const deepRows = 4;

/** Few columns: each sum is a product of two vectors along the depth. */
function renderDeep(walk: Walk): void {
  const { text, tiling, product, kernel } = walk;
  const { out } = text;
  const { column, depth } = tiling;
  const [axis] = product.depth;
  const isInOrder = axis.right === 1;
  const scratch = text.scratch(kernel);
  const right = `(${walk.right} + ${walk.moved("right")})`;
  if (!isInOrder) {
    out.block(`for (int c = 0; c < ${column.extent}; ++c)`, () =>
      out.line(
        `for (long k = 0; k < ${depth}; ++k) ${scratch}[c * ${depth} + k] = ${right}[c * (long)${column.right} + k * ${axis.right}];`,
      ),
    );
  }
  const columns = isInOrder ? { base: right, stride: column.right } : { base: scratch, stride: depth };
  const epilogue = new Epilogue(walk);
  walk.over(product.rows.slice(0, -1), () => {
    const { extent } = tiling.row;
    const whole = Math.floor(extent / deepRows) * deepRows;
    out.loop("i", 0, whole, deepRows, () => deepTile(walk, epilogue, columns, deepRows));
    out.loop("i", whole, extent, extent - whole, () => deepTile(walk, epilogue, columns, extent - whole));
  });
}

function deepTile(
  walk: Walk,
  epilogue: Epilogue,
  right: { readonly base: string; readonly stride: number },
  rows: number,
): void {
  const { text, tiling } = walk;
  const { out } = text;
  const { row, column, depth } = tiling;
  const width: Width = text.widthFor(depth);
  const type = typeOf("float32", width);
  const whole = Math.floor(depth / width) * width;
  const names = Array.from({ length: rows }, (_, down) =>
    Array.from({ length: column.extent }, (_, at) => `c${down}_${at}`),
  );
  out.line(`const float *const a = ${walk.left} + ${walk.moved("left")} + i * ${row.left};`);
  sumOver(out, names.flat(), width, [{ extent: whole, step: width }], reductionRegimes, () => {
    for (let at = 0; at < column.extent; at++)
      out.line(`const ${type} b${at} = *(const ${type}u *)(${right.base} + ${at * right.stride} + k0);`);
    names.forEach((line, down) => {
      out.line(`const ${type} x${down} = *(const ${type}u *)(a + ${down * row.left} + k0);`);
      out.line(line.map((sum, at) => `${sum} = ${sum} + x${down} * b${at};`).join(" "));
    });
  });
  names.forEach((line, down) =>
    line.forEach((sum, at) => {
      out.block("", () => {
        out.line(`float sum = sumOf${width}f(${sum});`);
        if (whole < depth)
          out.line(
            `for (long k = ${whole}; k < ${depth}; ++k) sum += a[${down * row.left} + k] * (${right.base})[${at * right.stride} + k];`,
          );
        epilogue.store("sum", 1, `(i + ${down})`, String(at));
      });
    }),
  );
}
