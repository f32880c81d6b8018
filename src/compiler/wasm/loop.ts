// Loop kernels as WebAssembly: nested loops, the vectors' loop four elements at a time or several vectors at
// once, everything computed at the outermost level where it is known.
import type { Expression, LoopKernel, Operation, Store } from "../kernel.js";
import { landings } from "../walk.js";
import type { Assembler } from "./assembler.js";
import { reductionRegimes, sumOver, type Repeat } from "./longSums.js";
import { LoopAnalysis } from "./loopAnalysis.js";
import type { Features } from "./math.js";
import { MemoryAccess } from "./memory.js";
import { planNest, type Nest } from "./nest.js";
import { Operations } from "./operations.js";
import { Pointers, type Surroundings } from "./pointers.js";
import { Accumulator } from "./reductions.js";
import { neighbouringLoads, neighbouringStores, type Load, type Neighbours } from "./strided.js";
import { threefry, type Block } from "./threefry.js";

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
  private readonly memory: MemoryAccess;
  private readonly operations: Operations;
  private readonly values: LoopAnalysis;
  /** What is put into locals before others, so that these are not too deep to write out. */
  private readonly landings: readonly Expression[];
  /** Loads that are done together with others. */
  private readonly neighbours = new Map<Expression, Neighbours<Load>>();
  /** How many vectors are worked on now, and which of them the code is for. */
  private copies = 1;
  private copy = 0;
  /** Values that are in locals now: those that all vectors share, and each vector's own. */
  private readonly shared = new Map<Expression, number>();
  private readonly own: readonly Map<Expression, number>[];
  /** What the current stretch of code has put into locals. */
  private scope: { readonly locals: Map<Expression, number>; readonly expression: Expression }[] = [];
  private readonly positions = new Map<number, number>();
  /** For each vector, one for each reduction. */
  private accumulators: readonly (readonly Accumulator[])[] = [];
  /** How the loops that are summed over are repeated; null outside of them. */
  private sumRepeat: Repeat | null = null;
  /** How many lanes of vectors count now. */
  private lanes = 1;

  constructor(
    private readonly asm: Assembler,
    private readonly kernel: LoopKernel,
    surroundings: Surroundings,
    features: Features,
  ) {
    this.nest = planNest(kernel);
    const { loops, vector } = this.nest;
    this.pointers = new Pointers(asm, loops, surroundings);
    this.values = new LoopAnalysis(kernel, this.nest);
    this.landings = landings(this.values.order);
    const operands = {
      push: (expression: Expression) => this.push(expression),
      local: (expression: Expression) => this.local(expression),
      isUniform: (expression: Expression) => this.values.isUniform(expression),
    };
    this.memory = new MemoryAccess(asm, this.pointers, vector < 0 ? null : loops[vector].axis, operands);
    this.operations = new Operations(asm, features, operands);
    this.prepareMemory();
    this.own = Array.from({ length: this.values.unroll }, () => new Map<Expression, number>());
  }

  /** Makes all pointers known before the first loop, and finds loads that are done together. */
  private prepareMemory(): void {
    const { kernel, memory, pointers } = this;
    const loads = this.values.order.filter((expression) => expression.kind === "load");
    for (const { address } of [...loads, ...kernel.body, ...kernel.after]) pointers.access(address);
    for (const group of neighbouringLoads(loads, (address) => memory.strideOf(address)))
      if (memory.isByRows(group)) for (const load of group) this.neighbours.set(load, group);
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
    this.inScope(() => {
      this.precompute(depth);
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
      this.positions.delete(depth);
      this.asm.release("i32", position);
    }
  }

  /** The vectors' loop: several vectors at once, then those left one by one, then what is left of a vector. */
  private vectors(depth: number, position: number | null): void {
    const { extent } = this.nest.loops[depth];
    const before = this.lanes;
    const vectors = Math.floor(extent / 4);
    const together = Math.floor(vectors / this.values.unroll);
    const iteration = (copies: number) => () => {
      this.copies = copies;
      this.enter(depth);
      this.copies = 1;
      this.step(depth, 4 * copies, position);
    };
    this.lanes = 4;
    this.repeat(depth, together, iteration(this.values.unroll));
    this.asm.repeat(vectors - together * this.values.unroll, iteration(1));
    if (extent % 4 > 0) {
      this.lanes = extent % 4;
      this.enter(depth);
    }
    this.lanes = before;
  }

  /** Runs the code of a loop so many times. */
  private repeat(depth: number, count: number, body: () => void): void {
    if (this.sumRepeat === null) this.asm.repeat(count, body);
    else this.sumRepeat(depth - this.firstReduced, body);
  }

  /** Code for each of the vectors that are worked on. */
  private eachCopy(code: () => void): void {
    for (let copy = 0; copy < this.copies; copy++) this.inCopy(copy, code);
  }

  private inCopy<T>(copy: number, code: () => T): T {
    const before = this.copy;
    const { vector } = this.nest;
    const useCopy = (number: number) => {
      this.copy = number;
      if (vector >= 0) this.pointers.ahead[vector] = number * 4;
    };
    useCopy(copy);
    const result = code();
    useCopy(before);
    return result;
  }

  /** The local with the position along a loop, if anything asks for it. */
  private startPosition(depth: number): number | null {
    const { axis } = this.nest.loops[depth];
    if (!this.values.order.some((expression) => expression.kind === "axis" && expression.axis === axis))
      return null;
    const local = this.asm.local("i32");
    this.asm.i32(0).set(local);
    this.positions.set(depth, local);
    return local;
  }

  private step(depth: number, count: number, position: number | null): void {
    this.pointers.advance(depth, count);
    if (position !== null) this.asm.advance(position, count);
  }

  // ---- points and reductions --------------------------------------------------------------------------

  /** Everything that happens at one point, or at four or more at once. */
  private point(): void {
    this.inScope(() =>
      this.eachCopy(() => {
        for (const landing of this.landings) if (this.values.neededIn.has(landing)) this.local(landing);
        const accumulators = this.accumulators[this.copy] ?? [];
        accumulators.forEach((accumulator, index) => {
          const { value, position } = this.kernel.reductions[index];
          accumulator.add(this.local(value), position === null ? null : this.local(position), this.lanes);
        });
        this.store(this.kernel.body);
      }),
    );
  }

  /** Stores values; all are computed before the first is stored, for stores may overwrite what others read. */
  private store(stores: readonly Store[]): void {
    if (stores.length > 1) {
      for (const { value } of stores) if (value.kind !== "constant") this.local(value);
    }
    const groups =
      this.lanes === 4 ? neighbouringStores(stores, (address) => this.memory.strideOf(address)) : [];
    const byRows = groups.filter((group) => this.memory.isByRows(group));
    for (const group of byRows) {
      this.memory.storeRows(
        group,
        group.map(({ value }) => this.local(value)),
      );
    }
    const done = new Set(byRows.flat());
    for (const store of stores) if (!done.has(store)) this.memory.store(store, this.lanes);
  }

  private reduce(next: number): void {
    const { vector, loops } = this.nest;
    const { reductions, after } = this.kernel;
    const isAcrossLanes = vector >= 0 && loops[vector].isReduced;
    // Vectors that are reduced have a total each, brought together in the end.
    const totals = isAcrossLanes ? this.values.unroll : this.copies;
    this.accumulators = Array.from({ length: totals }, () =>
      reductions.map((reduction) => new Accumulator(this.asm, reduction)),
    );
    this.accumulators.flat().forEach((accumulator) => accumulator.start());
    const before = this.lanes;
    const sums = this.accumulators.flat().flatMap(({ floatSum }) => (floatSum === null ? [] : [floatSum]));
    const iterations = loops
      .slice(next)
      .map(({ extent }, at) => (next + at === vector ? Math.floor(extent / 4 / this.values.unroll) : extent));
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
    this.lanes = isAcrossLanes ? 1 : before;
    const reduced = this.values.order.filter((expression) => expression.kind === "reduced");
    this.inScope(() =>
      this.eachCopy(() => {
        for (const expression of reduced)
          this.locals(expression).set(expression, finished[this.copy][expression.reduction]);
        for (const landing of this.landings) if (!this.values.neededIn.has(landing)) this.local(landing);
        this.store(after);
      }),
    );
    this.eachCopy(() => reduced.forEach((expression) => this.locals(expression).delete(expression)));
    finished.flat().forEach((local) => this.asm.release("v128", local));
    this.lanes = before;
  }

  // ---- values -----------------------------------------------------------------------------------------

  /** Where a value's local is noted. */
  private locals(expression: Expression): Map<Expression, number> {
    return this.values.isUniform(expression) ? this.shared : this.own[this.copy];
  }

  private keep(expression: Expression, local: number): void {
    const locals = this.locals(expression);
    locals.set(expression, local);
    this.scope.push({ locals, expression });
  }

  /** Runs code whose values are forgotten afterwards. */
  private inScope(code: () => void): void {
    const outer = this.scope;
    this.scope = [];
    code();
    for (const { locals, expression } of this.scope) {
      const local = locals.get(expression);
      if (local !== undefined) this.asm.release("v128", local);
      locals.delete(expression);
    }
    this.scope = outer;
  }

  /** Puts into locals what is known at this level and used further in. */
  private precompute(depth: number): void {
    if (depth === this.nest.loops.length - 1) return;
    const isLanding = new Set(this.landings);
    for (const expression of this.values.order) {
      const needed = this.values.neededIn.get(expression);
      if (expression.kind === "constant" || needed === undefined || this.values.level(expression) !== depth)
        continue;
      if (needed <= depth && !isLanding.has(expression)) continue;
      if (this.values.isUniform(expression)) this.local(expression);
      else this.eachCopy(() => this.local(expression));
    }
  }

  /** A local that holds a value, computed now if it is not there yet. */
  private local(expression: Expression): number {
    const known = this.locals(expression).get(expression);
    if (known !== undefined) return known;
    const group = this.lanes === 4 ? this.neighbours.get(expression) : undefined;
    if (group !== undefined) this.loadNeighbours(group);
    else if (isRandomBits(expression)) this.drawBits(expression);
    else {
      this.compute(expression);
      const local = this.asm.local("v128");
      this.asm.set(local);
      this.keep(expression, local);
    }
    return this.locals(expression).get(expression) as number;
  }

  /** Pushes a value; one that is used again is kept in a local. */
  private push(expression: Expression): void {
    const isKept =
      this.locals(expression).has(expression) ||
      (this.values.uses.get(expression) ?? 0) > 1 ||
      isRandomBits(expression) ||
      this.neighbours.has(expression);
    if (isKept && expression.kind !== "constant") this.asm.get(this.local(expression));
    else this.compute(expression);
  }

  private compute(expression: Expression): void {
    const { asm } = this;
    switch (expression.kind) {
      case "constant":
        this.operations.constant(expression);
        break;
      case "axis": {
        const depth = this.nest.loops.findIndex(({ axis }) => axis === expression.axis);
        const position = this.positions.get(depth);
        if (position === undefined) {
          asm.i32x4(0);
          break;
        }
        asm.get(position).op("i32x4.splat");
        const first = this.copy * 4;
        if (depth === this.nest.vector)
          asm.constant([first, first + 1, first + 2, first + 3]).op("i32x4.add");
        break;
      }
      case "load":
        this.memory.load(expression.address, this.lanes);
        break;
      case "operation":
        this.operations.render(expression);
        break;
      case "reduced":
        throw new Error("the result of a reduction is used before it is known");
    }
  }

  /** Loads neighbouring columns together. */
  private loadNeighbours(group: Neighbours<Load>): void {
    this.memory.loadRows(group).forEach((local, index) => {
      if (this.locals(group[index]).has(group[index])) this.asm.release("v128", local);
      else this.keep(group[index], local);
    });
  }

  /** Computes both words of a block of random bits, for all vectors at once. */
  private drawBits(operation: Operation): void {
    const copies = this.values.isUniform(operation)
      ? [this.copy]
      : Array.from({ length: this.copies }, (_, at) => at);
    const blocks = copies.map(
      (copy) =>
        this.inCopy(copy, () => operation.inputs.map((input) => this.local(input))) as unknown as Block,
    );
    const sibling = this.values.order.find(
      (other): other is Operation =>
        isRandomBits(other) &&
        other.result !== operation.result &&
        other.inputs.every((input, index) => input === operation.inputs[index]),
    );
    threefry(this.asm, blocks).forEach((words, at) =>
      this.inCopy(copies[at], () => {
        const [asked, other] = operation.result === 0 ? words : [words[1], words[0]];
        this.keep(operation, asked);
        if (sibling === undefined) this.asm.release("v128", other);
        else this.keep(sibling, other);
      }),
    );
  }
}

const isRandomBits = (expression: Expression): expression is Operation =>
  expression.kind === "operation" && expression.name === "threefry2x32";
