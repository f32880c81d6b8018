// What the expressions of a kernel are worth at a point, given the memory of a device.
import { arrayType, itemSize, viewBytes, type DType, type TypedArray } from "../../src/array/index.js";
import { concrete } from "../../src/array/core/interpret.js";
import { primitives } from "../../src/array/primitives/index.js";
import type { Address, Buffer, Combine, Counter, Expression, Place } from "../../src/compiler/kernel.js";
import type { MemoryPlan } from "../../src/compiler/plan/arena.js";
import { expressionsBelow } from "../../src/compiler/walk.js";

/** An array full of rubbish: NaN, or numbers that are nowhere in an array. */
function rubbish(dtype: DType, size: number): TypedArray {
  const bytes = new Uint8Array(size * itemSize(dtype)).fill(dtype === "bool" ? 1 : 0xff);
  return viewBytes(dtype, bytes.buffer, 0, size);
}

/** The memory of a device, and how far the loops around are. */
export class Memory {
  readonly counters = new Map<Counter, number>();
  private readonly arrays = new Map<Buffer, TypedArray>();
  private readonly shared: ArrayBuffer | null;

  /** Buffers that lie where a plan says, in the given memory; without a plan, each is an array of its own. */
  constructor(
    private readonly plan: MemoryPlan | null = null,
    given: ArrayBuffer | null = null,
  ) {
    this.shared = given ?? (plan === null ? null : new Uint8Array(plan.bytes).fill(0xff).buffer);
  }

  of(buffer: Buffer): TypedArray {
    const known = this.arrays.get(buffer) ?? this.allocate(buffer);
    this.arrays.set(buffer, known);
    return known;
  }

  private allocate(buffer: Buffer): TypedArray {
    const { dtype, size } = buffer;
    const address = this.plan?.addresses.get(buffer);
    return this.shared === null || address === undefined
      ? rubbish(dtype, size)
      : viewBytes(dtype, this.shared, address, size);
  }

  /** Where a place begins in its buffer now. */
  startOf({ offset, counters }: Place): number {
    return counters.reduce((sum, { counter, stride }) => {
      const turn = this.counters.get(counter);
      if (turn === undefined) throw new Error(`the loop of counter ${counter.id} is not around`);
      return sum + turn * stride;
    }, offset);
  }

  read(buffer: Buffer, at: number): number {
    checkInside(buffer, at);
    return this.of(buffer)[at];
  }

  write(buffer: Buffer, at: number, value: number): void {
    checkInside(buffer, at);
    this.of(buffer)[at] = value;
  }

  /** A copy of so many elements from a place on. */
  slice(place: Place, size: number): TypedArray {
    const start = this.startOf(place);
    if (size > 0) [start, start + size - 1].forEach((at) => checkInside(place.buffer, at));
    return this.of(place.buffer).slice(start, start + size);
  }
}

function checkInside({ name, size }: Buffer, at: number): void {
  if (!(at >= 0 && at < size)) throw new Error(`element ${at} is outside of ${name}, which has ${size}`);
}

/** A number as a dtype holds it. */
export const rounded = (value: number, dtype: DType): number => {
  const held = rubbish(dtype, 1);
  held[0] = value;
  return held[0];
};

const byName = new Map(primitives.map((primitive) => [primitive.name, primitive]));

type Scalars = (...values: readonly number[]) => number;

/** One of the results of a primitive, as a function of numbers of given dtypes. */
function scalarsOf(name: string, dtype: DType, dtypes: readonly DType[], result = 0): Scalars {
  if (name === "maxNumber") return (a, b) => (a < b ? b : a);
  if (name === "minNumber") return (a, b) => (b < a ? b : a);
  const primitive = byName.get(name);
  if (primitive === undefined) throw new Error(`there is no primitive ${name}`);
  const held = dtypes.map((of) => rubbish(of, 1));
  const inputs = held.map((elements, at) => concrete(arrayType([], dtypes[at]), elements));
  const type = arrayType([], dtype);
  return (...values) => {
    held.forEach((elements, at) => (elements[0] = values[at]));
    return primitive.evaluate(inputs, { dtype }, [type, type])[result][0];
  };
}

const ofFlags = { add: "or", max: "or", mul: "and", min: "and" } as const;

/** What is there met by what is stored. */
export function combined(combine: Combine, dtype: DType, there: number, value: number): number {
  if (combine === "set") return value;
  return scalarsOf(dtype === "bool" ? ofFlags[combine] : combine, dtype, [dtype, dtype])(there, value);
}

/** The values of expressions at the point that was visited last. */
export class PointValues {
  private readonly order: readonly Expression[];
  private readonly operations = new Map<Expression, Scalars>();
  private readonly values = new Map<Expression, number>();
  private point: readonly number[] = [];

  constructor(
    private readonly memory: Memory,
    roots: readonly Expression[],
  ) {
    this.order = expressionsBelow(roots);
    for (const expression of this.order) {
      if (expression.kind !== "operation") continue;
      const { name, dtype, inputs, result } = expression;
      const dtypes = inputs.map((input) => input.dtype);
      this.operations.set(expression, scalarsOf(name, dtype, dtypes, result));
    }
  }

  /** Computes everything at a point, given what the kernel's reductions have come to. */
  visit(point: readonly number[], reduced: readonly number[] = []): void {
    this.point = point;
    for (const expression of this.order) this.values.set(expression, this.compute(expression, reduced));
  }

  of(expression: Expression): number {
    const value = this.values.get(expression);
    if (value === undefined) throw new Error(`expression ${expression.id} is used before its operands`);
    return value;
  }

  /** Whether a guard holds, if there is one. */
  holds(guard: Expression | null): boolean {
    return guard === null || this.of(guard) !== 0;
  }

  addressOf(address: Address): number {
    const { strides, computed } = address;
    const start = this.memory.startOf(address);
    const walked = strides.reduce((sum, stride, axis) => sum + stride * (this.point[axis] ?? 0), start);
    return computed.reduce((sum, { index, stride }) => sum + this.of(index) * stride, walked);
  }

  private compute(expression: Expression, reduced: readonly number[]): number {
    switch (expression.kind) {
      case "constant":
        return rounded(expression.value, expression.dtype);
      case "axis":
        return this.point[expression.axis];
      case "load": {
        const { address, guard } = expression;
        return this.holds(guard) ? this.memory.read(address.buffer, this.addressOf(address)) : 0;
      }
      case "reduced":
        return reduced[expression.reduction];
      case "operation":
        return this.operations.get(expression)?.(...expression.inputs.map((input) => this.of(input))) ?? NaN;
    }
  }
}
