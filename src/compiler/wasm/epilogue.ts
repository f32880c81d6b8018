// What happens to the sums of a product before they are stored: biases, activations, masks.
import type { Expression, Store } from "../kernel.js";
import { dependentOn } from "../schedule/dependence.js";
import { expressionsBelow, landings, loadsIn, rootsOf } from "../walk.js";
import type { Assembler } from "./assembler.js";
import type { Features } from "./math.js";
import { MemoryAccess } from "./memory.js";
import type { Loop } from "../schedule/nest.js";
import { Operations } from "./operations.js";
import { Pointers, type Surroundings } from "./pointers.js";

/** A loop over an axis of the product's points. */
export const pointLoop = (axis: number, extent: number): Loop => ({ axis, extent, isReduced: false });

export class TileEpilogue {
  readonly pointers: Pointers;
  private readonly memory: MemoryAccess;
  private readonly operations: Operations;
  private readonly locals = new Map<Expression, number>();
  private readonly order: readonly Expression[];
  /** What is put into locals before others, so that these are not too deep to write out. */
  private readonly landings: readonly Expression[];
  /** For each axis asked for, what changes along it. */
  private readonly dependent = new Map<number, ReadonlySet<Expression>>();
  private sum = 0;
  private lanes = 4;

  constructor(
    private readonly asm: Assembler,
    private readonly stores: readonly Store[],
    loops: readonly Loop[],
    /** The axis of the points that vectors run along. */
    private readonly vectorAxis: number,
    surroundings: Surroundings,
    features: Features,
  ) {
    this.pointers = new Pointers(asm, loops, surroundings);
    for (const { address } of stores) this.pointers.access(address);
    for (const address of loadsIn(rootsOf(stores))) this.pointers.access(address);
    this.order = expressionsBelow(rootsOf(stores));
    this.landings = landings(this.order);
    const operands = {
      push: (expression: Expression) => this.push(expression),
      local: (expression: Expression) => this.local(expression),
      isUniform: (expression: Expression) => !this.dependsOn(expression, vectorAxis),
    };
    this.memory = new MemoryAccess(asm, this.pointers, vectorAxis, operands);
    this.operations = new Operations(asm, features, operands);
  }

  /** Stores what becomes of the sums in a local, of which `lanes` count. */
  store(sum: number, lanes: number): void {
    this.sum = sum;
    this.lanes = lanes;
    for (const landing of this.landings) this.local(landing);
    if (this.stores.length > 1) for (const { value } of this.stores) this.local(value);
    for (const store of this.stores) this.memory.store(store, lanes);
  }

  /** Forgets values that depend on an axis, or all. */
  forget(axis: number | null): void {
    for (const [expression, local] of this.locals) {
      if (axis !== null && !this.dependsOn(expression, axis)) continue;
      this.asm.release("v128", local);
      this.locals.delete(expression);
    }
  }

  private dependsOn(expression: Expression, axis: number): boolean {
    const known = this.dependent.get(axis) ?? dependentOn(axis, this.order);
    this.dependent.set(axis, known);
    return known.has(expression);
  }

  private local(expression: Expression): number {
    if (expression.kind === "reduced") return this.sum;
    const known = this.locals.get(expression);
    if (known !== undefined) return known;
    this.compute(expression);
    const local = this.asm.local("v128");
    this.asm.set(local);
    this.locals.set(expression, local);
    return local;
  }

  private push(expression: Expression): void {
    if (expression.kind === "constant") this.compute(expression);
    else this.asm.get(this.local(expression));
  }

  private compute(expression: Expression): void {
    const { asm } = this;
    switch (expression.kind) {
      case "constant":
        this.operations.constant(expression);
        break;
      case "load":
        this.memory.load(expression.address, this.lanes);
        break;
      case "operation":
        this.operations.render(expression);
        break;
      case "reduced":
        asm.get(this.sum);
        break;
      case "axis":
        throw new Error("products do not know their position");
    }
  }
}
