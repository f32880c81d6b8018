// Products in tiles of 4 rows × 2 vectors of columns that stay in registers over the whole depth.
import { productRegimes } from "../../schedule/sums.js";
import { sumOver, type Repeat } from "../longSums.js";
import { packLeft, packRight } from "./packing.js";
import {
  blockRows,
  methodOf,
  packsLeft,
  panelColumns,
  rightPanels,
  tileRows,
  tileVectors,
  type Axis,
} from "./problem.js";
import type { Walk } from "./walk.js";

export class TiledProduct {
  private readonly isPacked: boolean;
  private readonly isLeftPacked: boolean;

  constructor(private readonly walk: Walk) {
    this.isPacked = methodOf(walk.problem) === "packed";
    this.isLeftPacked = packsLeft(walk.problem);
  }

  /** One batch. */
  render(): void {
    const { walk } = this;
    const { asm, row, problem } = walk;
    walk.over(problem.columns.slice(0, -1), () => {
      if (this.isPacked) packRight(walk, walk.scratch);
      walk.over(problem.rows.slice(0, -1), () => {
        const inBlocks = this.isPacked || this.isLeftPacked;
        const blocks = inBlocks ? Math.floor(row.extent / blockRows) : 0;
        const rest = row.extent - blocks * blockRows;
        asm.repeat(blocks, () => {
          this.panels(blockRows);
          walk.move(row, blockRows);
        });
        if (rest > 0) this.panels(rest);
        if (blocks > 0) walk.move(row, -blocks * blockRows);
      });
    });
  }

  /** Where the left operand's rows lie packed: behind the right one's panels. */
  private get leftScratch(): number {
    return this.walk.scratch + (this.isPacked ? rightPanels(this.walk.problem) * 4 : 0);
  }

  /** All panels of columns for some rows. */
  private panels(rows: number): void {
    const { walk } = this;
    const { asm, column } = walk;
    const whole = Math.floor(column.extent / panelColumns);
    const rest = column.extent % panelColumns;
    const panel = asm.local("i32");
    if (this.isPacked) asm.i32(walk.scratch).set(panel);
    if (this.isLeftPacked) packLeft(walk, this.leftScratch, Math.floor(rows / tileRows));
    const moveColumn = (count: number) => {
      walk.moveStores(column, count);
      if (!this.isPacked) asm.advance(walk.right, column.right * count);
    };
    asm.repeat(whole, () => {
      this.tilesDown(rows, tileVectors, 4, panel);
      moveColumn(panelColumns);
      if (this.isPacked) asm.advance(panel, walk.depth * panelColumns * 4);
    });
    if (rest > 0) this.tilesDown(rows, Math.ceil(rest / 4), ((rest - 1) % 4) + 1, panel);
    if (whole > 0) moveColumn(-whole * panelColumns);
    asm.release("i32", panel);
  }

  /** The tiles of one panel, from the first row to the last. */
  private tilesDown(rows: number, vectors: number, lastLanes: number, panel: number): void {
    const { asm, row, depth } = this.walk;
    const whole = Math.floor(rows / tileRows);
    const left = this.isLeftPacked ? asm.local("i32") : null;
    if (left !== null) asm.i32(this.leftScratch).set(left);
    asm.repeat(whole, () => {
      this.tile(tileRows, vectors, lastLanes, panel, left);
      this.walk.move(row, tileRows);
      if (left !== null) asm.advance(left, depth * tileRows * 4);
    });
    const rest = rows % tileRows;
    if (rest > 0) this.tile(rest, vectors, lastLanes, panel, null);
    if (whole > 0) this.walk.move(row, -whole * tileRows);
    if (left !== null) asm.release("i32", left);
  }

  /** One tile: the sums over the depth, then what becomes of them. */
  private tile(
    rows: number,
    vectors: number,
    lastLanes: number,
    panel: number,
    /** Where the left operand's rows lie packed, if they do. */
    left: number | null,
  ): void {
    const { walk } = this;
    const { asm, row } = walk;
    const sums = walk.newSums(rows, vectors);
    const [a, b] = [asm.local("i32"), asm.local("i32")];
    const [factor, ...columns] = Array.from({ length: vectors + 1 }, () => asm.local("v128"));
    asm.get(left ?? walk.left).set(a);
    asm.get(this.isPacked ? panel : walk.right).set(b);
    const step = () => {
      columns.forEach((column, at) =>
        asm
          .get(b)
          .op("v128.load", at * 16)
          .set(column),
      );
      sums.forEach((line, at) => {
        asm
          .get(a)
          .op("v128.load32_splat", at * (left === null ? row.left : 4))
          .set(factor);
        line.forEach((sum, vector) => walk.multiplyAdd(factor, columns[vector], sum));
      });
    };
    const depths = walk.problem.depth.map(({ extent }) => extent);
    sumOver(asm, sums.flat(), depths, productRegimes, (repeat) =>
      this.overDepth(a, b, left !== null, repeat, step),
    );
    asm.release("i32", a).release("i32", b);
    [factor, ...columns].forEach((local) => asm.release("v128", local));
    this.finish(sums, lastLanes);
  }

  /** Walks two pointers over the depth. What is packed is walked straight through. */
  private overDepth(a: number, b: number, isLeftPacked: boolean, repeat: Repeat, body: () => void): void {
    const { asm, problem } = this.walk;
    const over = (level: number): void => {
      const axis = problem.depth[level] as Axis | undefined;
      if (axis === undefined) {
        body();
        return;
      }
      const inner = problem.depth[level + 1] as Axis | undefined;
      const step = this.isPacked ? (inner === undefined ? panelColumns * 4 : 0) : axis.right;
      repeat(level, () => {
        over(level + 1);
        asm.advance(a, isLeftPacked ? tileRows * 4 : axis.left).advance(b, step);
        if (inner === undefined) return;
        // The next inner axis goes back to its start; those inside it have done so themselves.
        asm.advance(a, -inner.left * inner.extent);
        if (!this.isPacked) asm.advance(b, -inner.right * inner.extent);
      });
    };
    over(0);
  }

  private finish(sums: readonly (readonly number[])[], lastLanes: number): void {
    const { walk } = this;
    const { asm, epilogue, row, column } = walk;
    const vectors = sums[0].length;
    for (let vector = 0; vector < vectors; vector++) {
      walk.setAhead(column, vector * 4);
      sums.forEach((line, at) => {
        walk.setAhead(row, at);
        epilogue.store(line[vector], vector === vectors - 1 ? lastLanes : 4);
        asm.release("v128", line[vector]);
        epilogue.forget(row.point);
      });
      epilogue.forget(null);
    }
    walk.clearAhead();
  }
}
