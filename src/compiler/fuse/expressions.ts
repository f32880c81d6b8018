// Building the expressions of one kernel. Equal expressions become one object, so that work shared by several
// results is done once.
import type { DType } from "../../array/index.js";
import type { Address, Expression, OperationName, Place } from "../kernel.js";
import { staysInside } from "../reach.js";

/** A position along one axis of an array: affine in the kernel's axes, plus computed indices. */
export interface Index {
  readonly offset: number;
  /** Steps per step of each axis of the kernel; left out at the end where zero. */
  readonly axes: readonly number[];
  readonly computed: readonly { readonly index: Expression; readonly stride: number }[];
}

export const constantIndex = (offset: number): Index => ({ offset, axes: [], computed: [] });

const axisIndices: Index[] = [];

/** The position along an axis of the kernel itself. */
export const axisIndex = (axis: number): Index =>
  (axisIndices[axis] ??= {
    offset: 0,
    axes: Array.from({ length: axis + 1 }, (_, at) => (at === axis ? 1 : 0)),
    computed: [],
  });

/** start + step · index. */
export const scaleIndex = ({ offset, axes, computed }: Index, step: number, start = 0): Index => ({
  offset: start + step * offset,
  axes: axes.map((coefficient) => coefficient * step),
  computed: computed.map(({ index, stride }) => ({ index, stride: stride * step })),
});

export function addIndex(a: Index, b: Index): Index {
  const [longer, shorter] = a.axes.length >= b.axes.length ? [a.axes, b.axes] : [b.axes, a.axes];
  return {
    offset: a.offset + b.offset,
    axes: longer.map((coefficient, axis) => coefficient + (shorter[axis] ?? 0)),
    computed: [...a.computed, ...b.computed],
  };
}

/** Whether an index is just the position along the given axis of the kernel. */
export const isAxis = ({ offset, axes, computed }: Index, axis: number): boolean =>
  offset === 0 &&
  computed.length === 0 &&
  axes.every((coefficient, at) => coefficient === (at === axis ? 1 : 0)) &&
  axes.length > axis;

/** Whether an index is the same at every point. */
export const isConstant = ({ axes, computed }: Index): boolean =>
  computed.length === 0 && axes.every((coefficient) => coefficient === 0);

/** All index tuples of a shape, in row-major order. */
export function* everyIndex(shape: readonly number[]): Generator<Index[]> {
  if (shape.length === 0) {
    yield [];
    return;
  }
  for (const rest of everyIndex(shape.slice(0, -1))) {
    for (let at = 0; at < shape[shape.length - 1]; at++) yield [...rest, constantIndex(at)];
  }
}

/** Makes the expressions of one kernel. */
export class ExpressionBuilder {
  private readonly known = new Map<string, Expression>();
  /** Operations by kind, then by operands. */
  private readonly operations = new Map<string, Map<number | string, Expression>>();
  private last = 0;

  constructor(
    /** Of the kernel's axes. */
    private readonly extents: readonly number[],
  ) {}

  /** How many expressions there are. */
  get size(): number {
    return this.last;
  }

  private intern<E extends Expression>(key: string, make: (id: number) => E): E {
    const found = this.known.get(key);
    if (found !== undefined) return found as E;
    const made = make(++this.last);
    this.known.set(key, made);
    return made;
  }

  constant(value: number, dtype: DType): Expression {
    const text = Object.is(value, -0) ? "-0" : String(value);
    return this.intern(`c ${dtype} ${text}`, (id) => ({ kind: "constant", id, dtype, value }));
  }

  axis(axis: number): Expression {
    return this.intern(`a ${axis}`, (id) => ({ kind: "axis", id, dtype: "int32", axis }));
  }

  reduced(reduction: number, dtype: DType): Expression {
    return this.intern(`r ${reduction}`, (id) => ({ kind: "reduced", id, dtype, reduction }));
  }

  operation(name: OperationName, dtype: DType, inputs: readonly Expression[], result: 0 | 1 = 0): Expression {
    const kind = `${name} ${dtype} ${result}`;
    let alike = this.operations.get(kind);
    if (alike === undefined) this.operations.set(kind, (alike = new Map<number | string, Expression>()));
    const key = operandsKey(inputs);
    const found = alike.get(key);
    if (found !== undefined) return found;
    const made: Expression = { kind: "operation", id: ++this.last, dtype, name, inputs, result };
    alike.set(key, made);
    return made;
  }

  /** A load that is only wanted where a guard holds; it needs none where its address stays in the buffer. */
  load(address: Address, dtype: DType, wanted: Expression | null): Expression {
    const guard = wanted === null || staysInside(address, this.extents) ? null : wanted;
    const key = guard === null ? `l ${addressKey(address)}` : `l ${addressKey(address)} ? ${guard.id}`;
    return this.intern(key, (id) => ({ kind: "load", id, dtype, address, guard }));
  }

  /** The address of an element of a row-major array. */
  address(place: Place, shape: readonly number[], indices: readonly Index[]): Address {
    let stride = 1;
    let total: Index = constantIndex(0);
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      if (shape[axis] !== 1) total = addIndex(total, scaleIndex(indices[axis], stride));
      stride *= shape[axis];
    }
    return {
      buffer: place.buffer,
      offset: place.offset + total.offset,
      counters: place.counters,
      strides: this.extents.map((_, axis) => total.axes[axis] ?? 0),
      computed: total.computed,
    };
  }

  /** The value of an index, as int32. */
  indexValue({ offset, axes, computed }: Index): Expression {
    const terms = [
      ...axes.flatMap((coefficient, axis) =>
        coefficient === 0 ? [] : [this.times(this.axis(axis), coefficient)],
      ),
      ...computed.map(({ index, stride }) => this.times(index, stride)),
    ];
    if (offset !== 0 || terms.length === 0) terms.push(this.constant(offset, "int32"));
    return terms.reduce((sum, term) => this.operation("add", "int32", [sum, term]));
  }

  private times(value: Expression, factor: number): Expression {
    return factor === 1 ? value : this.operation("mul", "int32", [value, this.constant(factor, "int32")]);
  }
}

/** Operands as a key: a number where one will do, for there are many. */
function operandsKey(inputs: readonly Expression[]): number | string {
  const [a, b] = inputs;
  if (inputs.length === 1) return a.id;
  return inputs.length === 2 ? a.id * 2 ** 26 + b.id : inputs.map(({ id }) => id).join();
}

const addressKey = ({ buffer, offset, counters, strides, computed }: Address): string =>
  `${buffer.id} ${offset} ${counters.map(({ counter, stride }) => `${counter.id}*${stride}`).join()} ` +
  `${strides.join()} ${computed.map(({ index, stride }) => `${index.id}*${stride}`).join()}`;
