// What the values of a loop kernel depend on, how often and where they are needed, and how many vectors to work on at
// once.
import type { Expression, LoopKernel } from "../kernel.js";
import { expressionsBelow, operandsOf, reductionRoots, rootsOf } from "../walk.js";
import { kernelRoots, type Nest } from "./nest.js";

export class LoopAnalysis {
  /** All values, operands before their users. */
  readonly order: readonly Expression[];
  readonly uses = new Map<Expression, number>();
  /** The innermost loop in which the body needs a value; missing for what only comes after reductions. */
  readonly neededIn = new Map<Expression, number>();
  /** How many vectors are worked on at once. */
  readonly unroll: number;
  /** The loops that a value depends on, as bits. */
  private readonly depends = new Map<Expression, number>();

  constructor(
    private readonly kernel: LoopKernel,
    private readonly nest: Nest,
    private readonly lanes: number,
  ) {
    this.order = expressionsBelow(kernelRoots(kernel));
    const { order, neededIn } = this;
    for (const expression of order) {
      this.depends.set(expression, this.dependsOf(expression));
      for (const operand of operandsOf(expression)) this.count(operand);
    }
    kernelRoots(kernel).forEach((root) => this.count(root));
    const innermost = nest.loops.length - 1;
    for (const root of [...rootsOf(kernel.body), ...reductionRoots(kernel)]) neededIn.set(root, innermost);
    for (let index = order.length - 1; index >= 0; index--) {
      const user = order[index];
      if (!neededIn.has(user)) continue;
      const level = this.level(user);
      for (const operand of operandsOf(user)) {
        neededIn.set(operand, Math.max(neededIn.get(operand) ?? -1, level));
      }
    }
    this.unroll = this.chooseUnroll();
  }

  /** The innermost loop that a value depends on; -1 for none. */
  level(expression: Expression): number {
    return 31 - Math.clz32(this.depends.get(expression) ?? 0);
  }

  isUniform(expression: Expression): boolean {
    const { vector } = this.nest;
    return vector < 0 || ((this.depends.get(expression) ?? 0) & (1 << vector)) === 0;
  }

  /** How many vectors to work on at once: more where each step would wait for the one before. */
  private chooseUnroll(): number {
    const { kernel, order } = this;
    const { loops, vector } = this.nest;
    if (vector < 0 || kernel.order !== "free") return 1;
    // Large kernels have enough to do meanwhile, and too few registers.
    const operations = order.filter((expression) => expression.kind === "operation");
    const isRandom = operations.length <= 24 && operations.some(({ name }) => name === "threefry2x32");
    const isReducing = operations.length <= 12 && [1, 2].includes(kernel.reductions.length);
    const wanted = isRandom || (isReducing && operations.length <= 4) ? 4 : isReducing ? 2 : 1;
    const vectors = Math.floor(loops[vector].extent / this.lanes);
    const fits = [4, 2].find((count) => count <= wanted && (vectors % count === 0 || vectors >= 4 * count));
    return vectors === 0 ? 1 : (fits ?? 1);
  }

  private count(expression: Expression): void {
    this.uses.set(expression, (this.uses.get(expression) ?? 0) + 1);
  }

  private dependsOf(expression: Expression): number {
    let bits = 0;
    // The result of a reduction is another one at every point of the loops around it.
    if (expression.kind === "reduced")
      this.nest.loops.forEach(({ isReduced }, index) => {
        if (!isReduced) bits |= 1 << index;
      });
    for (const operand of operandsOf(expression)) bits |= this.depends.get(operand) ?? 0;
    this.nest.loops.forEach(({ axis }, index) => {
      if (expression.kind === "axis" && expression.axis === axis) bits |= 1 << index;
      if (expression.kind === "load" && expression.address.strides[axis] !== 0) bits |= 1 << index;
    });
    return bits;
  }
}
