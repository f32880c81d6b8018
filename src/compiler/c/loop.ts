// Loop kernels as C: nested loops, one of them several elements at a time, everything computed at the outermost level
// where it is known.
import type { Expression, LoopKernel } from "../kernel.js";
import { LoopAnalysis } from "../schedule/loopAnalysis.js";
import { planNest, type Nest } from "../schedule/nest.js";
import { rowsAlong } from "../schedule/rows.js";
import { cutOf, reductionRegimes, type Cut } from "../schedule/sums.js";
import { reductionRoots, rootsOf } from "../walk.js";
import { Accumulator } from "./accumulators.js";
import { rowLoop } from "./rows.js";
import { writeStores } from "./stores.js";
import { grainOf, type KernelText } from "./surroundings.js";
import { vectorWidths, type Width } from "./types.js";
import { computeTogether, Values } from "./values.js";

export const renderLoop = (text: KernelText, kernel: LoopKernel): void =>
  new LoopRenderer(text, kernel).render();

/** A stretch of the vectors' loop that goes so many elements at a time, as several vectors or one. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly width: Width;
  readonly copies: number;
}

class LoopRenderer {
  private readonly nest: Nest;
  private readonly analysis: LoopAnalysis;
  private readonly stretches: readonly Stretch[];
  private readonly values: readonly Values[];
  private width: Width = 1;
  private copies = 1;
  /** Totals by the width of their vectors, for each copy, one for each reduction. */
  private accumulators = new Map<Width, readonly (readonly Accumulator[])[]>();
  private cut: Cut | null = null;

  constructor(
    private readonly text: KernelText,
    private readonly kernel: LoopKernel,
  ) {
    const { lanes } = text.target;
    // However threads share it: what is computed must not depend on that.
    this.nest = planNest(kernel, 4, rowsAlong(kernel, 2 * grainOf(text.target))?.axis ?? null);
    this.analysis = new LoopAnalysis(kernel, this.nest, lanes);
    const { vector, loops } = this.nest;
    this.stretches = vector < 0 ? [] : this.stretchesOf(loops[vector].extent);
    const { analysis } = this;
    const mostCopies = Math.max(1, ...this.stretches.map(({ copies }) => copies));
    this.values = Array.from({ length: mostCopies }, (_, copy) => {
      const values = new Values(text, {
        width: 1,
        axis: vector < 0 ? null : loops[vector].axis,
        position: (axis) => this.position(axis, copy),
        isUniform: (expression) => this.width === 1 || analysis.isUniform(expression),
      });
      values.expect(analysis.order);
      return values;
    });
  }

  private get out() {
    return this.text.out;
  }

  /** How the vectors' loop is cut into stretches of vectors, shorter vectors, and single elements. */
  private stretchesOf(extent: number): Stretch[] {
    const found: Stretch[] = [];
    const { lanes } = this.text.target;
    let from = 0;
    const add = (width: Width, copies: number) => {
      const count = Math.floor((extent - from) / (width * copies));
      if (count === 0) return;
      const to = from + count * width * copies;
      found.push({ from, to, width, copies });
      from = to;
    };
    for (const width of vectorWidths) {
      if (width > lanes) continue;
      if (this.analysis.unroll > 1 && from === 0) add(width, this.analysis.unroll);
      add(width, 1);
    }
    add(1, 1);
    return found;
  }

  private position(axis: number, copy: number): string | null {
    const depth = this.nest.loops.findIndex((loop) => loop.axis === axis);
    if (depth < 0) return null;
    return depth === this.nest.vector && copy > 0 ? `(i${depth} + ${copy * this.width})` : `i${depth}`;
  }

  private setStretch(width: Width, copies: number): void {
    this.width = width;
    this.copies = copies;
    for (const values of this.values) values.points = { ...values.points, width };
  }

  private eachCopy(code: (values: Values, copy: number) => void): void {
    for (let copy = 0; copy < this.copies; copy++) code(this.values[copy], copy);
  }

  private inScope(code: () => void): void {
    const nested = this.values.reduce<() => void>((inner, values) => () => values.inScope(inner), code);
    nested();
  }

  // ---- structure --------------------------------------------------------------------------------------

  render(): void {
    const { loops } = this.nest;
    if (loops.some(({ extent, isReduced }) => extent === 0 && !isReduced)) return;
    this.enter(-1);
  }

  private get firstReduced(): number {
    const first = this.nest.loops.findIndex((loop) => loop.isReduced);
    return first < 0 ? this.nest.loops.length : first;
  }

  /** Code inside loop `depth`: what is known here, then what is inside. */
  private enter(depth: number): void {
    this.inScope(() => {
      this.precompute(depth);
      const next = depth + 1;
      if (this.kernel.reductions.length > 0 && next === this.firstReduced) this.reduce(next);
      else this.inside(next);
    });
  }

  /** Computes what is known at this level and used further in. */
  private precompute(depth: number): void {
    if (depth === this.nest.loops.length - 1) return;
    const { analysis } = this;
    for (const expression of analysis.order) {
      const needed = analysis.neededIn.get(expression);
      if (needed === undefined || needed <= depth || analysis.level(expression) !== depth) continue;
      this.compute(expression);
    }
  }

  /** Computes a value, for all vectors alike if it is the same in all. */
  private compute(expression: Expression): void {
    if (expression.kind === "constant") return;
    computeTogether(this.values.slice(0, this.copies), [expression]);
  }

  private inside(next: number): void {
    if (next === this.nest.loops.length) this.point();
    else this.loop(next);
  }

  private loop(depth: number): void {
    const { extent } = this.nest.loops[depth];
    if (depth !== this.nest.vector) {
      if (depth === this.sharedLoop) this.share(depth, 0, extent, 1, () => this.enter(depth));
      else if (this.isRowLoop(depth)) this.ownRows(depth, 0, extent, 1);
      else this.repeat(depth, 0, extent, 1, () => this.enter(depth));
      return;
    }
    const before = [this.width, this.copies] as const;
    this.stretches.forEach(({ from, to, width, copies }, at) => {
      this.setStretch(width, copies);
      const run = () => this.repeat(depth, from, to, width * copies, () => this.enter(depth));
      if (this.isRowLoop(depth)) this.ownRows(depth, from, to, width * copies);
      else if (depth !== this.sharedLoop) run();
      else if (at === 0) this.share(depth, from, to, width * copies, () => this.enter(depth));
      // What is left over is little.
      else this.out.block("if (part == parts - 1)", run);
    });
    this.setStretch(...before);
  }

  /** The loop that threads share: the longest, of those that are not reduced over. */
  private get sharedLoop(): number {
    if (!this.text.sharesUnits) return -1;
    const { loops, vector } = this.nest;
    const steps = loops.map(({ extent, isReduced }, depth) =>
      isReduced ? 0 : depth === vector ? extent / this.stretches[0].width : extent,
    );
    return steps.indexOf(Math.max(...steps));
  }

  /** A loop of which each thread does a part, cut between steps: what is computed does not depend on where. */
  private share(depth: number, from: number, to: number, step: number, body: () => void): void {
    const part = this.text.share((to - from) / step);
    const bound = (text: string) => (step === 1 ? text : `${from} + ${text} * ${step}`);
    this.out.loop(`i${depth}`, bound(part.from), bound(part.to), step, body);
  }

  private isRowLoop(depth: number): boolean {
    const { rows } = this.text;
    return rows !== null && this.nest.loops[depth] === rowLoop(this.nest.loops, rows);
  }

  /** A stretch of the loop over rows, of which each thread does what is its own. */
  private ownRows(depth: number, from: number, to: number, step: number): void {
    const { extent } = this.nest.loops[depth];
    const own = this.text.shareRows(extent / (this.text.rows?.count ?? 1));
    const start = from === 0 ? own.from : `(${own.from} > ${from} ? ${own.from} : ${from})`;
    const end = to === extent ? own.to : `(${own.to} < ${to} ? ${own.to} : ${to})`;
    this.out.loop(`i${depth}`, start, end, step, () => this.enter(depth));
  }

  /** A loop; sums that are taken in blocks end one now and then. */
  private repeat(depth: number, from: number, to: number, step: number, body: () => void): void {
    const { out, cut } = this;
    const name = `i${depth}`;
    const isCut = depth - this.firstReduced === cut?.loop && (to - from) / step > cut.iterations;
    if (!isCut) {
      out.loop(name, from, to, step, body);
      return;
    }
    const [start, end] = [out.name("from"), out.name("to")];
    const block = cut.iterations * step;
    out.loop(start, from, to, block, () => {
      out.line(`const long ${end} = ${start} + ${block} < ${to} ? ${start} + ${block} : ${to};`);
      out.loop(name, start, end, step, body);
      for (const totals of this.accumulators.values()) totals.flat().forEach((total) => total.endBlock());
    });
  }

  // ---- points and reductions --------------------------------------------------------------------------

  /** Everything that happens at one point, or at several at once. */
  private point(): void {
    const { reductions, body } = this.kernel;
    this.inScope(() => {
      computeTogether(this.values.slice(0, this.copies), [...reductionRoots(this.kernel), ...rootsOf(body)]);
      this.eachCopy((values, copy) => {
        this.accumulators.get(this.width)?.[copy].forEach((accumulator, index) => {
          const { value, position } = reductions[index];
          accumulator.add(values.read(value), position === null ? null : values.read(position));
        });
        writeStores(body, values);
      });
    });
  }

  private reduce(next: number): void {
    const { vector, loops } = this.nest;
    const isAcrossLanes = vector >= 0 && loops[vector].isReduced;
    const isEmpty = loops.some(({ extent, isReduced }) => isReduced && extent === 0);
    this.cut = isEmpty ? null : cutOf(this.iterations(next), reductionRegimes);
    const stretches = isAcrossLanes ? this.stretches : [{ width: this.width, copies: this.copies }];
    for (const { width, copies } of stretches) {
      const known = this.accumulators.get(width) ?? [];
      const totals = Array.from(
        { length: Math.max(copies, known.length) },
        (_, copy) => known[copy] ?? this.start(width),
      );
      this.accumulators.set(width, totals);
    }
    // A reduction over nothing has its start as its result.
    const single = isAcrossLanes ? (this.accumulators.get(1)?.[0] ?? this.start(1)) : [];
    if (!isEmpty) this.inside(next);
    const all = [...this.accumulators.values()].flat();
    all.forEach((totals) => totals.forEach((total) => total.finish()));
    if (isAcrossLanes) {
      if (!all.includes(single)) single.forEach((total) => total.finish());
      for (const totals of all) if (totals !== single) single.forEach((total, at) => total.merge(totals[at]));
    }
    const results = isAcrossLanes ? [single] : (this.accumulators.get(this.width) ?? []);
    this.accumulators = new Map();
    this.cut = null;
    this.after(isAcrossLanes, results);
  }

  /** How often the loops that are reduced over go around, the vectors' loop in its longest stretch. */
  private iterations(next: number): number[] {
    const { vector, loops } = this.nest;
    return loops.slice(next).map(({ extent }, at) => {
      if (next + at !== vector) return extent;
      return Math.max(...this.stretches.map(({ from, to, width, copies }) => (to - from) / (width * copies)));
    });
  }

  private start(width: Width): readonly Accumulator[] {
    return this.kernel.reductions.map((reduction) => {
      const accumulator = new Accumulator(this.out, reduction, width, this.cut);
      accumulator.declare();
      return accumulator;
    });
  }

  /** What comes after reductions. */
  private after(isAcrossLanes: boolean, results: readonly (readonly Accumulator[])[]): void {
    const before = [this.width, this.copies] as const;
    // Reduced across the lanes, there is one result.
    if (isAcrossLanes) this.setStretch(1, 1);
    const reduced = this.analysis.order.filter((expression) => expression.kind === "reduced");
    this.inScope(() =>
      this.eachCopy((values, copy) => {
        for (const expression of reduced)
          values.know(expression, results[copy][expression.reduction].result, this.width);
        writeStores(this.kernel.after, values);
      }),
    );
    this.setStretch(...before);
  }
}
