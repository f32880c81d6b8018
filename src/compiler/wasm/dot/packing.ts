// Operands rearranged before a product, so that its innermost loop walks memory in order.
import { transpose } from "../transpose.js";
import { panelColumns, tileRows, type Axis } from "./problem.js";
import type { Walk } from "./walk.js";

/** Copies the right operand into panels: for each step of the depth, eight columns next to each other. */
export function packRight(walk: Walk, to: number): void {
  const { asm, column } = walk;
  const [source, target, from] = [asm.local("i32"), asm.local("i32"), asm.local("i32")];
  asm.i32(to).set(target).get(walk.right).set(from);
  const panel = (columns: number) => {
    asm.get(from).set(source);
    packPanel(walk, source, target, columns);
    asm.advance(from, column.right * columns);
  };
  asm.repeat(Math.floor(column.extent / panelColumns), () => panel(panelColumns));
  const rest = column.extent % panelColumns;
  if (rest > 0) panel(rest);
  [source, target, from].forEach((local) => asm.release("i32", local));
}

function packPanel(walk: Walk, source: number, target: number, columns: number): void {
  const { asm, column, problem } = walk;
  const over = ([axis, ...rest]: readonly Axis[]): void => {
    if (axis === undefined) {
      packStep(walk, source, target, columns);
      asm.advance(target, panelColumns * 4);
      return;
    }
    const inFours =
      rest.length === 0 && axis.right === 4 && column.right !== 4 ? Math.floor(axis.extent / 4) : 0;
    asm.repeat(inFours, () => {
      packFourSteps(walk, source, target, columns);
      asm.advance(source, 16).advance(target, panelColumns * 16);
    });
    asm.repeat(axis.extent - inFours * 4, () => {
      over(rest);
      asm.advance(source, axis.right);
      // The next inner axis goes back to its start; those inside it have done so themselves.
      const [inner] = rest;
      if (inner !== undefined) asm.advance(source, -inner.right * inner.extent);
    });
  };

  over(problem.depth);
}

/** One step of the depth. */
function packStep({ asm, column }: Walk, source: number, target: number, columns: number): void {
  for (let vector = 0; vector * 4 < columns; vector++) {
    const lanes = Math.min(4, columns - vector * 4);
    const first = vector * 4 * column.right;
    asm.get(target);
    if (column.right === 4) asm.get(source).op("v128.load", first);
    else {
      const value = asm.local("v128");
      asm.get(source).op("v128.load32_zero", first).set(value);
      for (let lane = 1; lane < lanes; lane++) {
        asm
          .get(source)
          .get(value)
          .op("v128.load32_lane", first + lane * column.right, lane)
          .set(value);
      }
      asm.get(value).release("v128", value);
    }
    asm.op("v128.store", vector * 16);
  }
}

/** Four steps of the depth at once, which lie next to each other in each column. */
function packFourSteps({ asm, column }: Walk, source: number, target: number, columns: number): void {
  for (let vector = 0; vector * 4 < columns; vector++) {
    const lines = [0, 1, 2, 3].map((lane) => {
      const line = asm.local("v128");
      const at = Math.min(vector * 4 + lane, columns - 1);
      asm
        .get(source)
        .op("v128.load", at * column.right)
        .set(line);
      return line;
    });
    transpose(asm, lines);
    lines.forEach((line, step) => {
      asm
        .get(target)
        .get(line)
        .op("v128.store", step * panelColumns * 4 + vector * 16)
        .release("v128", line);
    });
  }
}

/** Copies tiles of rows of the left operand: for each step of the depth, four rows next to each other. */
export function packLeft({ asm, left, problem }: Walk, to: number, tiles: number): void {
  const [axis] = problem.depth;
  const [first, source, target] = [asm.local("i32"), asm.local("i32"), asm.local("i32")];
  asm.get(left).set(first).i32(to).set(target);
  asm.repeat(tiles, () => {
    asm.get(first).set(source);
    asm.repeat(axis.extent, () => {
      asm.get(target).get(source).op("v128.load").op("v128.store");
      asm.advance(source, axis.left).advance(target, tileRows * 4);
    });
    asm.advance(first, tileRows * 4);
  });
  [first, source, target].forEach((local) => asm.release("i32", local));
}

/** Copies the columns of the right operand one after the other, each with zeros up to the next whole vector. */
export function packColumns({ asm, column, right, problem }: Walk, to: number, stride: number): void {
  const [axis] = problem.depth;
  const [source, target] = [asm.local("i32"), asm.local("i32")];
  for (let at = 0; at < column.extent; at++) {
    asm
      .get(right)
      .i32(at * column.right)
      .op("i32.add")
      .set(source);
    asm.i32(to + at * stride).set(target);
    asm.repeat(axis.extent, () => {
      asm.get(target).get(source).op("f32.load").op("f32.store");
      asm.advance(source, axis.right).advance(target, 4);
    });
    for (let rest = axis.extent; rest % 4 !== 0; rest++) {
      asm.get(target).op("f32.const", 0).op("f32.store");
      asm.advance(target, 4);
    }
  }
  asm.release("i32", source).release("i32", target);
}
