// The right operand rearranged before a product, so that its innermost loop walks memory in order.
import type { CText } from "../text.js";
import { typeOf, type Width } from "../types.js";
import type { Panels } from "./tiling.js";
import type { Walk } from "./walk.js";

/** From where to where a thread packs steps of the depth. */
interface Bounds {
  readonly from: string;
  readonly to: string;
}

/**
 * Copies the right operand into panels: for each step of the depth, the panel's columns next to each other. Threads share
 * the panels, or each does its own steps of a depth along one axis.
 */
export function packRight(walk: Walk, scratch: string, own: Bounds | null = null): void {
  const { tiling, text } = walk;
  for (const panels of tiling.panels) {
    const size = panels.width * panels.vectors;
    const { from, to } = text.share((panels.to - panels.from) / size);
    text.out.block(`for (long unit = ${from}; unit < ${to}; ++unit)`, () => {
      text.out.line(`const long j = ${panels.from} + unit * ${size};`);
      text.out.line(`float *const panel = ${scratch} + j * ${tiling.depth};`);
      text.out.line(
        `const float *const source = ${walk.right} + ${walk.moved("right")} + j * ${tiling.column.right};`,
      );
      packPanel(walk, panels, own);
    });
  }
}

function packPanel(walk: Walk, { width, vectors }: Panels, own: Bounds | null): void {
  const { out } = walk.text;
  const { column } = walk.tiling;
  const { depth } = walk.product;
  const size = width * vectors;
  const inner = depth[depth.length - 1];
  const canTranspose = width > 1 && column.right !== 1 && inner?.right === 1 && inner.extent >= width;
  const over = (level: number): void => {
    const axis = depth[level];
    if (level < depth.length - 1) {
      out.loop(`k${level}`, 0, axis.extent, 1, () => over(level + 1));
      return;
    }
    if (axis === undefined) {
      packStep();
      return;
    }
    if (own !== null) {
      out.loop(`k${level}`, own.from, own.to, 1, packStep);
      return;
    }
    const whole = canTranspose ? Math.floor(axis.extent / width) * width : 0;
    out.loop(`k${level}`, 0, whole, width, () => packBlock(walk, width, vectors));
    out.loop(`k${level}`, whole, axis.extent, 1, packStep);
  };
  /** One step of the depth. */
  const packStep = (): void => {
    const place = `panel + (${walk.depthPosition}) * ${size}`;
    const from = `source + ${walk.depthTerms("right")}`;
    if (column.right === 1 && width > 1) {
      const type = `${typeOf("float32", width)}u`;
      for (let at = 0; at < vectors; at++)
        out.line(`*(${type} *)(${place} + ${at * width}) = *(const ${type} *)(${from} + ${at * width});`);
    } else {
      out.line(`for (int c = 0; c < ${size}; ++c) (${place})[c] = (${from})[c * (long)${column.right}];`);
    }
  };
  over(0);
}

/** As many steps of the depth as a vector has elements, which lie next to each other in each column. */
function packBlock(walk: Walk, width: Width, vectors: number): void {
  const { out } = walk.text;
  const { column } = walk.tiling;
  const type = typeOf("float32", width);
  for (let vector = 0; vector < vectors; vector++) {
    out.block("", () => {
      const lines = Array.from({ length: width }, (_, at) => `l${at}`);
      lines.forEach((line, at) =>
        out.line(
          `${type} ${line} = *(const ${type}u *)(source + ${walk.depthTerms("right")} + ${(vector * width + at) * column.right});`,
        ),
      );
      transpose(out, lines, width);
      lines.forEach((line, step) =>
        out.line(
          `*(${type}u *)(panel + (${walk.depthPosition} + ${step}) * ${width * vectors} + ${vector * width}) = ${line};`,
        ),
      );
    });
  }
}

/** Vectors as the rows of a square matrix, transposed in place: blocks off the diagonal change places, ever smaller. */
function transpose(out: CText, lines: readonly string[], width: Width): void {
  const type = typeOf("float32", width);
  for (let size = width / 2; size >= 1; size /= 2) {
    lines.forEach((line, at) => {
      if ((at & size) !== 0) return;
      const other = lines[at + size];
      const lanes = Array.from({ length: width }, (_, lane) => lane);
      const first = lanes.map((lane) => ((lane & size) === 0 ? lane : width + lane - size));
      const second = lanes.map((lane) => ((lane & size) === 0 ? lane + size : width + lane));
      const shuffle = (order: readonly number[]) =>
        `__builtin_shufflevector(${line}, ${other}, ${order.join(", ")})`;
      out.line(`{ const ${type} x = ${shuffle(first)}, y = ${shuffle(second)}; ${line} = x; ${other} = y; }`);
    });
  }
}
