// Forms of kernels: those of one form do the same with other arrays, so that a machine can do them as one.
import type {
  Address,
  DotKernel,
  DotOperand,
  Expression,
  Kernel,
  LoopKernel,
  Place,
  Store,
} from "../kernel.js";
import { operandsOf } from "../walk.js";
import { axesUsed, kernelRoots, planNest } from "./nest.js";

export interface Form {
  /** Equal for kernels of one form. */
  readonly key: string;
  /** What they read and write, in the order of the form. */
  readonly places: readonly Place[];
}

const known = new WeakMap<Kernel, Form | null>();

/** The form of a kernel; null where nothing is like it. Kernels of one form may be of different lengths if they have one axis. */
export function formOf(kernel: Kernel): Form | null {
  const found = known.get(kernel);
  if (found !== undefined) return found;
  const form =
    kernel.kind === "loop" && kernel.order === "free"
      ? ofLoop(kernel)
      : kernel.kind === "dot"
        ? ofDot(kernel)
        : null;
  known.set(kernel, form);
  return form;
}

/** Points of vectors are planned for so many lanes: forms are alike on all machines. */
const lanes = 32;

/** Whether kernels of a loop's form may have different lengths: each point is for itself, whatever its number. */
export function isOfAnyLength(kernel: LoopKernel): boolean {
  const { loops } = planNest(kernel, lanes);
  return loops.length === 1 && kernel.reductions.length === 0 && axesUsed(kernelRoots(kernel)).size === 0;
}

function ofLoop(kernel: LoopKernel): Form {
  const { loops, vector } = planNest(kernel, lanes);
  const extents = isOfAnyLength(kernel) ? "any" : loops.map(({ extent }) => extent).join();
  const writing = new Writing(loops.map(({ axis }) => axis));
  writing.add(`loop ${extents} ${loops.map(({ isReduced }) => Number(isReduced)).join("")} ${vector}`);
  for (const { operation, value, position, dtype } of kernel.reductions) {
    const at = position === null ? "" : writing.expression(position);
    writing.add(`${operation} ${dtype} ${writing.expression(value)} ${at}`);
  }
  writing.stores(kernel.body);
  writing.add("after");
  writing.stores(kernel.after);
  return writing.form();
}

function ofDot({ batch, rows, columns, depth, left, right, stores }: DotKernel): Form {
  const points = [...batch, ...rows, ...columns];
  const writing = new Writing(points.map((_, axis) => axis));
  writing.add(`dot ${[batch, rows, columns, depth].map((extents) => extents.join()).join(" ")}`);
  for (const side of [left, right]) writing.operand(side);
  writing.stores(stores);
  return writing.form();
}

/** Vectors of so many elements are read and written where they begin at multiples of that. */
const vector = 4;

class Writing {
  private readonly words: string[] = [];
  private readonly places: Place[] = [];
  private readonly numbers = new Map<Expression, string>();

  /** `axes` are those that are told apart, in their order. */
  constructor(private readonly axes: readonly number[]) {}

  add(word: string): void {
    this.words.push(word);
  }

  form(): Form {
    return { key: this.words.join("\n"), places: this.places };
  }

  private place({ buffer, offset, counters }: Place): string {
    const moves = counters.map(({ counter, stride }) => `${counter.id}*${stride}`).join("+");
    return `${buffer.dtype} ${offset % vector} ${moves}`;
  }

  operand(side: DotOperand): void {
    this.places.push(side);
    const strides = [side.batch, side.free, side.depth].map((list) => list.join()).join(" ");
    this.add(`${this.place(side)} ${strides}`);
  }

  private address(address: Address): string {
    const { strides, computed } = address;
    const indices = computed.map(({ index, stride }) => `${this.expression(index)}*${stride}`).join("+");
    this.places.push(address);
    return `${this.place(address)} ${this.axes.map((axis) => strides[axis]).join()} ${indices}`;
  }

  /** The number of an expression, which is written when it is met first. */
  expression(expression: Expression): string {
    // Without recursion, for chains can be long.
    const waiting = [expression];
    for (let next = waiting.at(-1); next !== undefined; next = waiting.at(-1)) {
      const missing = operandsOf(next).filter((operand) => !this.numbers.has(operand));
      if (missing.length > 0 && !this.numbers.has(next)) {
        waiting.push(...missing.toReversed());
        continue;
      }
      waiting.pop();
      if (this.numbers.has(next)) continue;
      this.add(this.oneOf(next));
      this.numbers.set(next, String(this.numbers.size));
    }
    return this.numbers.get(expression) ?? "";
  }

  private oneOf(expression: Expression): string {
    const { kind, dtype } = expression;
    const of = (list: readonly Expression[]) => list.map((one) => this.expression(one)).join();
    switch (expression.kind) {
      case "constant":
        return `${kind} ${dtype} ${Object.is(expression.value, -0) ? "-0" : expression.value}`;
      case "axis":
        return `${kind} ${this.axes.indexOf(expression.axis)}`;
      case "operation":
        return `${expression.name} ${dtype} ${expression.result} ${of(expression.inputs)}`;
      case "reduced":
        return `${kind} ${dtype} ${expression.reduction}`;
      case "load":
        return `${kind} ${dtype} ${this.address(expression.address)} ${expression.guard === null ? "" : of([expression.guard])}`;
    }
  }

  stores(stores: readonly Store[]): void {
    for (const { address, value, combine, guard } of stores) {
      const condition = guard === null ? "" : this.expression(guard);
      this.add(`store ${combine} ${this.expression(value)} ${condition} ${this.address(address)}`);
    }
  }
}
