// Products with few columns: each sum is a product of two vectors along the depth, four rows at a time.
import { laneMask } from "../assembler.js";
import { reductionRegimes } from "../../schedule/sums.js";
import { sumOver } from "../longSums.js";
import { transpose } from "../transpose.js";
import { packColumns } from "./packing.js";
import type { Walk } from "./walk.js";

export class DeepProduct {
  /** Bytes from column to column of the packed right operand. */
  private readonly stride: number;

  constructor(private readonly walk: Walk) {
    this.stride = Math.ceil(walk.depth / 4) * 16;
  }

  /** One batch. */
  render(): void {
    const { walk } = this;
    const { asm, row, problem } = walk;
    packColumns(walk, walk.scratch, this.stride);
    walk.over(problem.rows.slice(0, -1), () => {
      const whole = Math.floor(row.extent / 4);
      asm.repeat(whole, () => {
        this.tile(4);
        walk.move(row, 4);
      });
      const rest = row.extent % 4;
      if (rest > 0) this.tile(rest);
      if (whole > 0) walk.move(row, -whole * 4);
    });
  }

  private tile(rows: number): void {
    const { walk } = this;
    const { asm, row, column, epilogue } = walk;
    const sums = walk.newSums(column.extent, 4);
    const [a, b, x] = [asm.local("i32"), asm.local("i32"), asm.local("v128")];
    const weights = sums.map(() => asm.local("v128"));
    asm.get(walk.left).set(a).i32(walk.scratch).set(b);
    const step = (lanes: number) => {
      weights.forEach((weight, at) =>
        asm
          .get(b)
          .op("v128.load", at * this.stride)
          .set(weight),
      );
      for (let line = 0; line < rows; line++) {
        asm.get(a).op("v128.load", line * row.left);
        // Beyond the end stands something else, which must not meet even a zero: it may be NaN.
        if (lanes < 4) asm.constant(laneMask(lanes)).op("v128.and");
        asm.set(x);
        sums.forEach((lines, at) => walk.multiplyAdd(x, weights[at], lines[line]));
      }
    };
    sumOver(asm, sums.flat(), [Math.floor(walk.depth / 4)], reductionRegimes, (repeat) => {
      repeat(0, () => {
        step(4);
        asm.advance(a, 16).advance(b, 16);
      });
      if (walk.depth % 4 > 0) step(walk.depth % 4);
    });
    asm.release("i32", a).release("i32", b).release("v128", x);
    weights.forEach((weight) => asm.release("v128", weight));
    sums.forEach((lines, at) => {
      transpose(asm, lines);
      const [first, ...others] = lines;
      others.forEach((line) => asm.get(first).get(line).op("f32x4.add").set(first));
      walk.setAhead(column, at);
      epilogue.store(first, rows);
      epilogue.forget(null);
      lines.forEach((line) => asm.release("v128", line));
    });
    walk.clearAhead();
  }
}
