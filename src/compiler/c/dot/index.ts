// Matrix products as C.
import type { DotKernel, DotOperand } from "../../kernel.js";
import { productOf } from "../../schedule/product.js";
import { productRegimes } from "../../schedule/sums.js";
import type { CTarget, KernelText } from "../surroundings.js";
import { sumText } from "../text.js";
import { typeOf } from "../types.js";
import { renderDeep } from "./deep.js";
import { Epilogue } from "./epilogue.js";
import { packRight } from "./pack.js";
import { sumOver } from "./sums.js";
import { tilingScratch, type Panels } from "./tiling.js";
import { Walk } from "./walk.js";

export const dotScratch = (kernel: DotKernel, target: CTarget): number =>
  tilingScratch(productOf(kernel, 4), target);

export { canShareRows, canShareTiles, packedRows, packs, worksInOwn } from "./sharing.js";

/** What is packed of a product. */
export const packedOperand = (kernel: DotKernel): DotOperand => productOf(kernel, 4).right;

/** Packs what a product reads; threads share the panels, or each packs its own steps of the depth. */
export function renderPacking(text: KernelText, kernel: DotKernel): void {
  const own = text.rows === null ? null : text.shareRows(1);
  packRight(new Walk(text, kernel, productOf(kernel, 4)), text.scratch(kernel), own);
}

/** `state` says whether the right operand has been packed already. */
export function renderDot(text: KernelText, kernel: DotKernel, state: "packed" | null = null): void {
  const walk = new Walk(text, kernel, productOf(kernel, 4));
  const { batch } = walk.product;
  walk.over(batch, () => (walk.tiling.method === "deep" ? renderDeep(walk) : renderTiles(walk, state)));
}

function renderTiles(walk: Walk, state: "packed" | null): void {
  const { text, product, tiling, kernel } = walk;
  const { out } = text;
  const isPacked = tiling.method === "packed";
  const epilogue = new Epilogue(walk);
  const scratch = text.scratch(kernel);
  walk.over(product.columns.slice(0, -1), () => {
    if (isPacked && state === null) packRight(walk, scratch);
    walk.over(product.rows.slice(0, -1), () => {
      for (const panels of tiling.panels) {
        const size = panels.width * panels.vectors;
        const { extent } = tiling.row;
        const tiles = Math.ceil(extent / panels.rows);
        const rest = extent % panels.rows;
        const over = (body: () => void) => {
          if (!text.sharesUnits) {
            const { from, to } = walk.boundsOf(tiling.row);
            out.loop("j", panels.from, panels.to, size, () => out.loop("i", from, to, panels.rows, body));
            return;
          }
          const { from, to } = text.share(((panels.to - panels.from) / size) * tiles);
          out.block(`for (long unit = ${from}; unit < ${to}; ++unit)`, () => {
            out.line(
              `const long j = ${panels.from} + unit / ${tiles} * ${size}, i = unit % ${tiles} * ${panels.rows};`,
            );
            body();
          });
        };
        over(() => {
          const right = isPacked
            ? `${scratch} + j * ${tiling.depth}`
            : `${walk.right} + ${walk.moved("right")} + j * ${tiling.column.right}`;
          out.line(`const float *const b = ${right};`);
          const tile = (rows: number) => () => renderTile(walk, epilogue, panels, rows);
          if (rest === 0) out.block("", tile(panels.rows));
          else if (tiles === 1) out.block("", tile(rest));
          else {
            out.block(`if (i < ${extent - rest})`, tile(panels.rows));
            out.block("else", tile(rest));
          }
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
          ? `b[${step} + ${at * (isPacked ? 1 : tiling.column.right)}]`
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
