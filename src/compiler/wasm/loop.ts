// Loop kernels as WebAssembly: nested loops, the vectors' loop four elements at a time, everything computed at
// the outermost level where it is known.
import type { Expression, LoopKernel, Operation, Store } from "../kernel.js";
import { reductionRoots, rootsOf } from "../plan/accesses.js";
import type { Assembler } from "./assembler.js";
import type { Features } from "./math.js";
import { MemoryAccess } from "./memory.js";
import { kernelRoots, planNest, type Nest } from "./nest.js";
import { Operations } from "./operations.js";
import { Pointers, type Surroundings } from "./pointers.js";
import { Accumulator } from "./reductions.js";

/** Renders a loop kernel into a function's body. */
export function renderLoop(
  asm: Assembler,
  kernel: LoopKernel,
  surroundings: Surroundings,
  features: Features,
): void {
  new LoopRenderer(asm, kernel, surroundings, features).render();
}

/** Everything below some expressions, operands first. */
function topological(roots: readonly Expression[]): Expression[] {
  const order: Expression[] = [];
  const seen = new Set<Expression>();
  const visit = (expression: Expression): void => {
    if (seen.has(expression)) return;
    seen.add(expression);
    operandsOf(expression).forEach(visit);
    order.push(expression);
  };
  roots.forEach(visit);
  return order;
}

const operandsOf = (expression: Expression): readonly Expression[] =>
  expression.kind === "operation"
    ? expression.inputs
    : expression.kind === "load"
      ? expression.address.computed.map(({ index }) => index)
      : [];

class LoopRenderer {
  private readonly nest: Nest;
  private readonly pointers: Pointers;
  private readonly memory: MemoryAccess;
  private readonly operations: Operations;
  private readonly order: readonly Expression[];
  /** The loops that a value depends on, as bits. */
  private readonly depends = new Map<Expression, number>();
  private readonly uses = new Map<Expression, number>();
  /** The innermost loop in which the body needs a value; missing for what only comes after reductions. */
  private readonly neededIn = new Map<Expression, number>();
  /** Values that are in locals now, and which of them the current stretch of code has put there. */
  private readonly locals = new Map<Expression, number>();
  private scope: Expression[] = [];
  private readonly positions = new Map<number, number>();
  private accumulators: readonly Accumulator[] = [];
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
    this.order = topological(kernelRoots(kernel));
    const operands = {
      push: (expression: Expression) => this.push(expression),
      local: (expression: Expression) => this.local(expression),
      isUniform: (expression: Expression) => this.isUniform(expression),
    };
    this.memory = new MemoryAccess(asm, this.pointers, vector < 0 ? null : loops[vector].axis, operands);
    this.operations = new Operations(asm, features, operands, (operation, local) =>
      this.keepSibling(operation, local),
    );
    this.analyse();
  }

  // ---- analysis ---------------------------------------------------------------------------------------

  private analyse(): void {
    const { kernel, order } = this;
    for (const expression of order) {
      this.depends.set(expression, this.dependsOf(expression));
      for (const operand of operandsOf(expression)) this.count(operand);
    }
    kernelRoots(kernel).forEach((root) => this.count(root));
    const innermost = this.nest.loops.length - 1;
    for (const root of [...rootsOf(kernel.body), ...reductionRoots(kernel)])
      this.neededIn.set(root, innermost);
    for (let index = order.length - 1; index >= 0; index--) {
      const user = order[index];
      if (!this.neededIn.has(user)) continue;
      const level = this.level(user);
      for (const operand of operandsOf(user)) {
        this.neededIn.set(operand, Math.max(this.neededIn.get(operand) ?? -1, level));
      }
    }
    // All pointers are known before the first loop.
    for (const expression of order) if (expression.kind === "load") this.pointers.access(expression.address);
    for (const { address } of [...kernel.body, ...kernel.after]) this.pointers.access(address);
  }

  private count(expression: Expression): void {
    this.uses.set(expression, (this.uses.get(expression) ?? 0) + 1);
  }

  private dependsOf(expression: Expression): number {
    let bits = 0;
    for (const operand of operandsOf(expression)) bits |= this.depends.get(operand) ?? 0;
    this.nest.loops.forEach(({ axis }, index) => {
      if (expression.kind === "axis" && expression.axis === axis) bits |= 1 << index;
      if (expression.kind === "load" && expression.address.strides[axis] !== 0) bits |= 1 << index;
    });
    return bits;
  }

  /** The innermost loop that a value depends on; -1 for none. */
  private level(expression: Expression): number {
    return 31 - Math.clz32(this.depends.get(expression) ?? 0);
  }

  private isUniform(expression: Expression): boolean {
    const { vector } = this.nest;
    return vector < 0 || ((this.depends.get(expression) ?? 0) & (1 << vector)) === 0;
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
    const isVector = depth === this.nest.vector;
    const before = this.lanes;
    const position = this.startPosition(depth);
    const whole = isVector ? Math.floor(extent / 4) : extent;
    const rest = isVector ? extent % 4 : 0;
    if (isVector) this.lanes = 4;
    this.repeat(whole, () => {
      this.enter(depth);
      this.step(depth, isVector ? 4 : 1, position);
    });
    if (rest > 0) {
      this.lanes = rest;
      this.enter(depth);
    }
    if (depth > 0) this.pointers.advance(depth, rest - extent);
    if (position !== null) {
      this.positions.delete(depth);
      this.asm.release("i32", position);
    }
    this.lanes = before;
  }

  /** The local with the position along a loop, if anything asks for it. */
  private startPosition(depth: number): number | null {
    const { axis } = this.nest.loops[depth];
    if (!this.order.some((expression) => expression.kind === "axis" && expression.axis === axis)) return null;
    const local = this.asm.local("i32");
    this.asm.i32(0).set(local);
    this.positions.set(depth, local);
    return local;
  }

  private step(depth: number, count: number, position: number | null): void {
    this.pointers.advance(depth, count);
    if (position !== null) this.asm.get(position).i32(count).op("i32.add").set(position);
  }

  /** Code that runs a number of times known beforehand. */
  private repeat(count: number, body: () => void): void {
    const { asm } = this;
    if (count <= 1) {
      if (count === 1) body();
      return;
    }
    const left = asm.local("i32");
    asm.i32(count).set(left);
    asm.loop((again) => {
      body();
      asm.get(left).i32(1).op("i32.sub").tee(left);
      again();
    });
    asm.release("i32", left);
  }

  // ---- points and reductions --------------------------------------------------------------------------

  /** Everything that happens at one point, or at four at once. */
  private point(): void {
    this.inScope(() => {
      this.accumulators.forEach((accumulator, index) => {
        const { value, position } = this.kernel.reductions[index];
        accumulator.add(this.local(value), position === null ? null : this.local(position), this.lanes);
      });
      this.store(this.kernel.body);
    });
  }

  /** Stores values; all are computed before the first is stored, for stores may overwrite what others read. */
  private store(stores: readonly Store[]): void {
    if (stores.length > 1) {
      for (const { value } of stores) if (value.kind !== "constant") this.local(value);
    }
    for (const store of stores) this.memory.store(store, this.lanes);
  }

  private reduce(next: number): void {
    const { vector, loops } = this.nest;
    const { reductions, after } = this.kernel;
    this.accumulators = reductions.map((reduction) => new Accumulator(this.asm, reduction));
    this.accumulators.forEach((accumulator) => accumulator.start());
    const before = this.lanes;
    if (!loops.some(({ extent, isReduced }) => isReduced && extent === 0)) this.inside(next);
    const isAcrossLanes = vector >= 0 && loops[vector].isReduced;
    const results = this.accumulators.map((accumulator) => accumulator.finish(isAcrossLanes));
    this.accumulators = [];
    // Reduced across the lanes, there is one result, the same in all of them.
    this.lanes = isAcrossLanes ? 1 : before;
    const reduced = this.order.filter((expression) => expression.kind === "reduced");
    for (const expression of reduced) this.locals.set(expression, results[expression.reduction]);
    this.inScope(() => this.store(after));
    for (const expression of reduced) this.locals.delete(expression);
    results.forEach((local) => this.asm.release("v128", local));
    this.lanes = before;
  }

  // ---- values -----------------------------------------------------------------------------------------

  /** Runs code whose values are forgotten afterwards. */
  private inScope(code: () => void): void {
    const outer = this.scope;
    this.scope = [];
    code();
    for (const expression of this.scope) {
      const local = this.locals.get(expression);
      if (local !== undefined) this.asm.release("v128", local);
      this.locals.delete(expression);
    }
    this.scope = outer;
  }

  /** Puts into locals what is known at this level and used further in. */
  private precompute(depth: number): void {
    if (depth === this.nest.loops.length - 1) return;
    for (const expression of this.order) {
      if (expression.kind === "constant" || this.locals.has(expression)) continue;
      const needed = this.neededIn.get(expression);
      if (needed !== undefined && needed > depth && this.level(expression) === depth) this.local(expression);
    }
  }

  /** A local that holds a value, computed now if it is not there yet. */
  private local(expression: Expression): number {
    const known = this.locals.get(expression);
    if (known !== undefined) return known;
    this.compute(expression);
    const local = this.asm.local("v128");
    this.asm.set(local);
    this.locals.set(expression, local);
    this.scope.push(expression);
    return local;
  }

  /** Pushes a value; one that is used again is kept in a local. */
  private push(expression: Expression): void {
    const isKept = this.locals.has(expression) || (this.uses.get(expression) ?? 0) > 1;
    if (isKept && expression.kind !== "constant") this.asm.get(this.local(expression));
    else this.compute(expression);
  }

  private compute(expression: Expression): void {
    const { asm } = this;
    switch (expression.kind) {
      case "constant":
        if (expression.dtype === "float32") asm.f32x4(expression.value);
        else asm.i32x4(expression.dtype === "bool" ? -expression.value : expression.value);
        break;
      case "axis": {
        const depth = this.nest.loops.findIndex(({ axis }) => axis === expression.axis);
        const position = this.positions.get(depth);
        if (position === undefined) asm.i32x4(0);
        else asm.get(position).op("i32x4.splat");
        if (position !== undefined && depth === this.nest.vector) asm.constant([0, 1, 2, 3]).op("i32x4.add");
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

  /** Keeps the other word of a block of random bits for whoever asks for it. */
  private keepSibling(operation: Operation, local: number): void {
    const sibling = this.order.find(
      (other) =>
        other.kind === "operation" &&
        other.name === operation.name &&
        other.result !== operation.result &&
        other.inputs.every((input, index) => input === operation.inputs[index]),
    );
    if (sibling === undefined || this.locals.has(sibling)) this.asm.release("v128", local);
    else {
      this.locals.set(sibling, local);
      this.scope.push(sibling);
    }
  }
}
