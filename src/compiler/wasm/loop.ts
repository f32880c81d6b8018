// Loop kernels as WebAssembly: nested loops, the vectors' loop four elements at a time or several vectors at
// once, everything computed at the outermost level where it is known.
import type { LoopKernel, Store } from "../kernel.js";
import type { Assembler } from "./assembler.js";
import { reductionRegimes } from "../schedule/sums.js";
import { sumOver, type Repeat } from "./longSums.js";
import { LoopAnalysis } from "../schedule/loopAnalysis.js";
import { LoopValues } from "./loopValues.js";
import type { Features } from "./math.js";
import { planNest, type Nest } from "../schedule/nest.js";
import { Pointers, type Surroundings } from "./pointers.js";
import { Accumulator } from "./reductions.js";
import { neighbouringStores } from "./strided.js";

/** Renders a loop kernel into a function's body. */
export function renderLoop(
  asm: Assembler,
  kernel: LoopKernel,
  surroundings: Surroundings,
  features: Features,
): void {
  new LoopRenderer(asm, kernel, surroundings, features).render();
}

class LoopRenderer {
  private readonly nest: Nest;
  private readonly pointers: Pointers;
  private readonly analysis: LoopAnalysis;
  private readonly values: LoopValues;
  /** For each vector, one for each reduction. */
  private accumulators: readonly (readonly Accumulator[])[] = [];
  /** How the loops that are summed over are repeated; null outside of them. */
  private sumRepeat: Repeat | null = null;

  constructor(
    private readonly asm: Assembler,
    private readonly kernel: LoopKernel,
    surroundings: Surroundings,
    features: Features,
  ) {
    this.nest = planNest(kernel, 4);
    this.pointers = new Pointers(asm, this.nest.loops, surroundings);
    this.analysis = new LoopAnalysis(kernel, this.nest, 4);
    this.values = new LoopValues(asm, kernel, this.nest, this.analysis, this.pointers, features);
  }

  // ---- structure --------------------------------------------------------------------------------------

  render(): void {
    const { loops } = this.nest;
    if (loops.some(({ extent, isReduced }) => extent === 0 && !isReduced)) return;
    this.pointers.start();
    this.enter(-1);
  }

  private get firstReduced(): number {
    const { loops } = this.nest;
    const first = loops.findIndex((loop) => loop.isReduced);
    return first < 0 ? loops.length : first;
  }

  /** Code inside loop `depth`: what is known here, then what is inside. */
  private enter(depth: number): void {
    this.values.inScope(() => {
      this.values.precompute(depth);
      const next = depth + 1;
      if (this.kernel.reductions.length > 0 && next === this.firstReduced) this.reduce(next);
      else this.inside(next);
    });
  }

  private inside(next: number): void {
    if (next === this.nest.loops.length) this.point();
    else this.loop(next);
  }

  private loop(depth: number): void {
    const { extent } = this.nest.loops[depth];
    const position = this.startPosition(depth);
    if (depth === this.nest.vector) this.vectors(depth, position);
    else {
      this.repeat(depth, extent, () => {
        this.enter(depth);
        this.step(depth, 1, position);
      });
    }
    const rest = depth === this.nest.vector ? extent % 4 : 0;
    if (depth > 0) this.pointers.advance(depth, rest - extent);
    if (position !== null) {
      this.values.positions.delete(depth);
      this.asm.release("i32", position);
    }
  }

  /** The vectors' loop: several vectors at once, then those left one by one, then what is left of a vector. */
  private vectors(depth: number, position: number | null): void {
    const { extent } = this.nest.loops[depth];
    const before = this.values.lanes;
    const vectors = Math.floor(extent / 4);
    const together = Math.floor(vectors / this.analysis.unroll);
    const iteration = (copies: number) => () => {
      this.values.copies = copies;
      this.enter(depth);
      this.values.copies = 1;
      this.step(depth, 4 * copies, position);
    };
    this.values.lanes = 4;
    this.repeat(depth, together, iteration(this.analysis.unroll));
    this.asm.repeat(vectors - together * this.analysis.unroll, iteration(1));
    if (extent % 4 > 0) {
      this.values.lanes = extent % 4;
      this.enter(depth);
    }
    this.values.lanes = before;
  }

  /** Runs the code of a loop so many times. */
  private repeat(depth: number, count: number, body: () => void): void {
    if (this.sumRepeat === null) this.asm.repeat(count, body);
    else this.sumRepeat(depth - this.firstReduced, body);
  }

  /** The local with the position along a loop, if anything asks for it. */
  private startPosition(depth: number): number | null {
    const { axis } = this.nest.loops[depth];
    if (!this.analysis.order.some((expression) => expression.kind === "axis" && expression.axis === axis))
      return null;
    const local = this.asm.local("i32");
    this.asm.i32(0).set(local);
    this.values.positions.set(depth, local);
    return local;
  }

  private step(depth: number, count: number, position: number | null): void {
    this.pointers.advance(depth, count);
    if (position !== null) this.asm.advance(position, count);
  }

  // ---- points and reductions --------------------------------------------------------------------------

  /** Everything that happens at one point, or at four or more at once. */
  private point(): void {
    this.values.inScope(() =>
      this.values.eachCopy(() => {
        this.values.land(true);
        const accumulators = this.accumulators[this.values.copy] ?? [];
        accumulators.forEach((accumulator, index) => {
          const { value, position } = this.kernel.reductions[index];
          accumulator.add(
            this.values.local(value),
            position === null ? null : this.values.local(position),
            this.values.lanes,
          );
        });
        this.store(this.kernel.body);
      }),
    );
  }

  /** Stores values; all are computed before the first is stored, for stores may overwrite what others read. */
  private store(stores: readonly Store[]): void {
    if (stores.length > 1) {
      for (const { value } of stores) if (value.kind !== "constant") this.values.local(value);
    }
    const groups =
      this.values.lanes === 4
        ? neighbouringStores(stores, (address) => this.values.memory.strideOf(address))
        : [];
    const byRows = groups.filter((group) => this.values.memory.isByRows(group));
    for (const group of byRows) {
      this.values.memory.storeRows(
        group,
        group.map(({ value }) => this.values.local(value)),
      );
    }
    const done = new Set(byRows.flat());
    for (const store of stores) if (!done.has(store)) this.values.memory.store(store, this.values.lanes);
  }

  private reduce(next: number): void {
    const { vector, loops } = this.nest;
    const { reductions, after } = this.kernel;
    const isAcrossLanes = vector >= 0 && loops[vector].isReduced;
    // Vectors that are reduced have a total each, brought together in the end.
    const totals = isAcrossLanes ? this.analysis.unroll : this.values.copies;
    this.accumulators = Array.from({ length: totals }, () =>
      reductions.map((reduction) => new Accumulator(this.asm, reduction)),
    );
    this.accumulators.flat().forEach((accumulator) => accumulator.start());
    const before = this.values.lanes;
    const sums = this.accumulators.flat().flatMap(({ floatSum }) => (floatSum === null ? [] : [floatSum]));
    const iterations = loops
      .slice(next)
      .map(({ extent }, at) =>
        next + at === vector ? Math.floor(extent / 4 / this.analysis.unroll) : extent,
      );
    if (!loops.some(({ extent, isReduced }) => isReduced && extent === 0)) {
      sumOver(this.asm, sums, iterations, reductionRegimes, (repeat) => {
        this.sumRepeat = repeat;
        this.inside(next);
        this.sumRepeat = null;
      });
    }
    const [first, ...others] = this.accumulators;
    if (isAcrossLanes) {
      for (const other of others) first.forEach((accumulator, index) => accumulator.merge(other[index]));
    }
    const finished = (isAcrossLanes ? [first] : this.accumulators).map((list) =>
      list.map((accumulator) => accumulator.finish(isAcrossLanes)),
    );
    this.accumulators = [];
    // Reduced across the lanes, there is one result, the same in all of them.
    this.values.lanes = isAcrossLanes ? 1 : before;
    const reduced = this.analysis.order.filter((expression) => expression.kind === "reduced");
    this.values.inScope(() =>
      this.values.eachCopy(() => {
        for (const expression of reduced)
          this.values.know(expression, finished[this.values.copy][expression.reduction]);
        this.values.land(false);
        this.store(after);
      }),
    );
    this.values.eachCopy(() => reduced.forEach((expression) => this.values.forget(expression)));
    finished.flat().forEach((local) => this.asm.release("v128", local));
    this.values.lanes = before;
  }
}
