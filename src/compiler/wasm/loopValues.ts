// The values of a loop kernel while it is written out: which of them are in locals now, and how each is computed.
import type { Expression, Load, LoopKernel, Operation } from "../kernel.js";
import { formulaOf, type Formula } from "../math/index.js";
import { landings } from "../walk.js";
import type { Assembler } from "./assembler.js";
import type { LoopAnalysis } from "../schedule/loopAnalysis.js";
import { formulaInTurns, type Features } from "./math.js";
import { MemoryAccess } from "./memory.js";
import type { Nest } from "../schedule/nest.js";
import { Operations } from "./operations.js";
import type { Pointers } from "./pointers.js";
import { neighbouringLoads, type Neighbours } from "./strided.js";

export class LoopValues {
  readonly memory: MemoryAccess;
  /** How many vectors are worked on now. */
  copies = 1;
  /** How many lanes of vectors count now. */
  lanes = 1;
  /** By the depth of a loop, the local with the position along it. */
  readonly positions = new Map<number, number>();
  private current = 0;
  private readonly operations: Operations;
  /** What is put into locals before others, so that these are not too deep to write out. */
  private readonly landings: readonly Expression[];
  /** Loads that are done together with others. */
  private readonly neighbours = new Map<Expression, Neighbours<Load>>();
  /** Values that are in locals now: those that all vectors share, and each vector's own. */
  private readonly shared = new Map<Expression, number>();
  private readonly own: readonly Map<Expression, number>[];
  /** What the current stretch of code has put into locals. */
  private scope: { readonly locals: Map<Expression, number>; readonly expression: Expression }[] = [];

  constructor(
    private readonly asm: Assembler,
    kernel: LoopKernel,
    private readonly nest: Nest,
    private readonly analysis: LoopAnalysis,
    private readonly pointers: Pointers,
    private readonly features: Features,
  ) {
    const { loops, vector } = nest;
    this.landings = landings(analysis.order);
    const operands = {
      push: (expression: Expression) => this.push(expression),
      local: (expression: Expression) => this.local(expression),
      isUniform: (expression: Expression) => analysis.isUniform(expression),
    };
    this.memory = new MemoryAccess(asm, pointers, vector < 0 ? null : loops[vector].axis, operands);
    this.operations = new Operations(asm, features, operands);
    this.prepareMemory(kernel);
    this.own = Array.from({ length: analysis.unroll }, () => new Map<Expression, number>());
  }

  /** Makes all pointers known before the first loop, and finds loads that are done together. */
  private prepareMemory({ body, after }: LoopKernel): void {
    const { memory, pointers } = this;
    const loads = this.analysis.order.filter((expression) => expression.kind === "load");
    for (const { address } of [...loads, ...body, ...after]) pointers.access(address);
    for (const group of neighbouringLoads(loads, (address) => memory.strideOf(address)))
      if (memory.isByRows(group)) for (const load of group) this.neighbours.set(load, group);
  }

  /** Which of the vectors the code is for. */
  get copy(): number {
    return this.current;
  }

  /** Code for each of the vectors that are worked on. */
  eachCopy(code: () => void): void {
    for (let copy = 0; copy < this.copies; copy++) this.inCopy(copy, code);
  }

  private inCopy<T>(copy: number, code: () => T): T {
    const before = this.current;
    const { vector } = this.nest;
    const useCopy = (number: number) => {
      this.current = number;
      if (vector >= 0) this.pointers.ahead[vector] = number * 4;
    };
    useCopy(copy);
    const result = code();
    useCopy(before);
    return result;
  }

  /** Where a value's local is noted. */
  private locals(expression: Expression): Map<Expression, number> {
    return this.analysis.isUniform(expression) ? this.shared : this.own[this.current];
  }

  /** Notes where a value is that was computed elsewhere, until it is forgotten. */
  know(expression: Expression, local: number): void {
    this.locals(expression).set(expression, local);
  }

  forget(expression: Expression): void {
    this.locals(expression).delete(expression);
  }

  private keep(expression: Expression, local: number): void {
    const locals = this.locals(expression);
    locals.set(expression, local);
    this.scope.push({ locals, expression });
  }

  /** Runs code whose values are forgotten afterwards. */
  inScope(code: () => void): void {
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
  precompute(depth: number): void {
    if (depth === this.nest.loops.length - 1) return;
    const isLanding = new Set(this.landings);
    for (const expression of this.analysis.order) {
      const needed = this.analysis.neededIn.get(expression);
      if (expression.kind === "constant" || needed === undefined || this.analysis.level(expression) !== depth)
        continue;
      if (needed <= depth && !isLanding.has(expression)) continue;
      if (this.analysis.isUniform(expression)) this.local(expression);
      else this.eachCopy(() => this.local(expression));
    }
  }

  /** Puts into locals what is needed to write out others: that of the points, or that behind a reduction. */
  land(isInside: boolean): void {
    for (const landing of this.landings)
      if (this.analysis.neededIn.has(landing) === isInside) this.local(landing);
  }

  /** A local that holds a value, computed now if it is not there yet. */
  local(expression: Expression): number {
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
      (this.analysis.uses.get(expression) ?? 0) > 1 ||
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
        const first = this.current * 4;
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
    const copies = this.analysis.isUniform(operation)
      ? [this.current]
      : Array.from({ length: this.copies }, (_, at) => at);
    const blocks = copies.map((copy) =>
      this.inCopy(copy, () => operation.inputs.map((input) => this.local(input))),
    );
    const sibling = this.analysis.order.find(
      (other): other is Operation =>
        isRandomBits(other) &&
        other.result !== operation.result &&
        other.inputs.every((input, index) => input === operation.inputs[index]),
    );
    const pushers = blocks.map((block) => (index: number) => void this.asm.get(block[index]));
    formulaInTurns(this.asm, this.features, randomBits(), pushers).forEach(([first, second], at) =>
      this.inCopy(copies[at], () => {
        const [asked, other] = operation.result === 0 ? [first, second] : [second, first];
        this.keep(operation, asked);
        if (sibling === undefined) this.asm.release("v128", other);
        else this.keep(sibling, other);
      }),
    );
  }
}

function randomBits(): Formula {
  const formula = formulaOf("threefry2x32", "uint32");
  if (formula === null) throw new Error("there is no formula for random bits");
  return formula;
}

const isRandomBits = (expression: Expression): expression is Operation =>
  expression.kind === "operation" && expression.name === "threefry2x32";
