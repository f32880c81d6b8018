// Walking through a product: pointers to both operands and to whatever is stored, which move along its axes together.
import type { DotKernel, DotOperand } from "../../kernel.js";
import type { Assembler } from "../assembler.js";
import { pointLoop, TileEpilogue } from "../epilogue.js";
import type { Features } from "../math.js";
import { addCounters, type Surroundings } from "../pointers.js";
import { extentOf, lastOf } from "../../schedule/product.js";
import type { Axis, Problem } from "./problem.js";

const single: Axis = { extent: 1, point: -2, left: 0, right: 0 };

export class Walk {
  /** The innermost axes of rows and columns. */
  readonly row: Axis;
  readonly column: Axis;
  /** Steps of the depth. */
  readonly depth: number;
  /** Locals with the addresses of the operands' first elements for the current batch, rows and columns. */
  readonly left: number;
  readonly right: number;
  /** What becomes of the sums. */
  readonly epilogue: TileEpilogue;
  /** Where the product's working memory begins. */
  readonly scratch: number;
  private readonly loops: readonly Axis[];

  constructor(
    readonly asm: Assembler,
    kernel: DotKernel,
    readonly problem: Problem,
    /** Which of the points' axes vectors run along. */
    vectors: "rows" | "columns",
    private readonly surroundings: Surroundings,
    private readonly features: Features,
  ) {
    const { batch, rows, columns, depth } = problem;
    this.row = lastOf(rows) ?? single;
    this.column = lastOf(columns) ?? single;
    this.depth = extentOf(depth);
    this.left = asm.local("i32");
    this.right = asm.local("i32");
    this.loops = [...batch, ...rows, ...columns];
    this.scratch = surroundings.scratchOf(kernel);
    this.epilogue = new TileEpilogue(
      asm,
      kernel.stores,
      this.loops.map(({ point, extent }) => pointLoop(point, extent)),
      (vectors === "rows" ? this.row : this.column).point,
      surroundings,
      features,
    );
  }

  /** Runs a body for every batch, from the first. */
  overBatches(body: () => void): void {
    const { asm, problem } = this;
    this.pushBase(problem.left);
    asm.set(this.left);
    this.pushBase(problem.right);
    asm.set(this.right);
    this.epilogue.pointers.start();
    this.over(problem.batch, body);
  }

  /** Pushes the address of an operand's first element. */
  private pushBase({ buffer, offset, counters }: DotOperand): void {
    const { asm, surroundings } = this;
    asm.i32(surroundings.addressOf(buffer) + offset * 4);
    addCounters(asm, { buffer, counters }, surroundings);
  }

  /** Loops over axes, moving along. */
  over([axis, ...rest]: readonly Axis[], body: () => void): void {
    if (axis === undefined) {
      body();
      return;
    }
    this.asm.repeat(axis.extent, () => {
      this.over(rest, body);
      this.move(axis, 1);
    });
    this.move(axis, -axis.extent);
  }

  /** Moves everything along an axis. */
  move(axis: Axis, count: number): void {
    this.moveStores(axis, count);
    this.asm.advance(this.left, axis.left * count).advance(this.right, axis.right * count);
  }

  /** Moves what is stored alone. */
  moveStores(axis: Axis, count: number): void {
    const loop = this.loops.indexOf(axis);
    if (loop >= 0) this.epilogue.pointers.advance(loop, count);
  }

  /** Says how far along an axis the next sums are ahead of the pointers. */
  setAhead(axis: Axis, steps: number): void {
    const loop = this.loops.indexOf(axis);
    if (loop >= 0) this.epilogue.pointers.ahead[loop] = steps;
  }

  /** The next sums are where the pointers are. */
  clearAhead(): void {
    this.epilogue.pointers.ahead.fill(0);
  }

  /** sum += x · y. */
  multiplyAdd(x: number, y: number, sum: number): void {
    const { asm } = this;
    if (this.features.fma) asm.get(x).get(y).get(sum).op("f32x4.relaxed_madd").set(sum);
    else asm.get(sum).get(x).get(y).op("f32x4.mul").op("f32x4.add").set(sum);
  }

  /** Locals for sums, in rows of so many vectors, all zero. */
  newSums(rows: number, vectors: number): number[][] {
    const { asm } = this;
    const sums = Array.from({ length: rows }, () => Array.from({ length: vectors }, () => asm.local("v128")));
    for (const sum of sums.flat()) asm.vector([0, 0, 0, 0]).set(sum);
    return sums;
  }
}
