// The array: an immutable value with a shape and a dtype, either concrete (it has elements) or traced (it
// stands for a variable of the Program being recorded).
import type { DType, TypedArray } from "./dtype.js";
import { describeSelf, fail } from "./errors.js";
import type { Variable } from "./program.js";
import type { ArrayMethods } from "./methods.js";
import { representArray, showArray } from "./printing.js";
import type { Shape } from "./shape.js";
import type { Trace } from "./trace.js";
import { showType, type ArrayType } from "./type.js";
import { userLocation } from "./userCode.js";
import { shardingOf, shardsOf, type Shard } from "../sharding/addressable.js";
import type { Sharding } from "../sharding/namedSharding.js";

/** An array that has elements. */
export type Concrete = Array & { readonly elements: TypedArray };

/** What elementwise operations take: an array, or a plain value that adapts to the other operand's dtype. */
export type ArrayLike = Array | number | boolean;

/** Elements that stay where a device has put them until somebody asks for them. */
export interface RemoteElements {
  readonly read: () => TypedArray;
  /** Resolves when reading them waits for no program any more; they are there already where it is missing. */
  readonly ready?: () => Promise<void>;
  /** Where they are, if not on the first device. */
  readonly sharding?: Sharding;
  /** The elements of the block at one place of the sharding. */
  readonly block?: (place: number) => TypedArray;
}

/** Elements as nested lists; a scalar is the bare value. */
export type Nested = number | boolean | readonly Nested[];

/** Where a traced array comes from. */
export interface Tracer {
  readonly trace: Trace;
  readonly variable: Variable;
}

// The operations come as methods from np/methods.ts.
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging, typescript/no-empty-object-type
export interface Array extends ArrayMethods {}

/** An immutable n-dimensional array. Make one with `np.array`, `np.zeros`, `random.normal`, … */
export class Array {
  /** @internal */
  readonly type: ArrayType;
  /** @internal */
  readonly tracer: Tracer | null;
  /** @internal What a device holds for this array, if it is not here. */
  readonly remote: RemoteElements | null;
  private readonly local: TypedArray | null;

  /** @internal */
  constructor(
    type: ArrayType,
    elements: TypedArray | null,
    tracer: Tracer | null = null,
    remote: RemoteElements | null = null,
  ) {
    this.type = type;
    this.local = elements;
    this.tracer = tracer;
    this.remote = remote;
  }

  /** @internal The elements of a concrete array; null while traced. */
  get elements(): TypedArray | null {
    return this.local ?? this.remote?.read() ?? null;
  }

  /** @internal The same array with a type that differs in its weakness only. */
  withType(type: ArrayType): Array {
    return new Array(type, this.local, this.tracer, this.remote);
  }

  get shape(): Shape {
    return this.type.shape;
  }
  get dtype(): DType {
    return this.type.dtype;
  }
  get ndim(): number {
    return this.type.shape.length;
  }
  get size(): number {
    return this.type.shape.reduce((product, extent) => product * extent, 1);
  }
  /** True when the dtype came from plain numbers alone and gives way in promotion, as in JAX. */
  get weakType(): boolean {
    return this.type.weak;
  }

  // ---- devices ----------------------------------------------------------------------------------------

  /** Which device has which part. */
  get sharding(): Sharding {
    return shardingOf(this);
  }
  /** Whether every device it lies on has all of it. */
  get isFullyReplicated(): boolean {
    return this.sharding.isFullyReplicated;
  }
  /** What each device has of it, in the order of the sharding's devices. */
  get addressableShards(): readonly Shard[] {
    return shardsOf(this, (index, elements) => {
      const shape = index.map(({ start, stop }) => stop - start);
      return new Array({ ...this.type, shape }, null, null, elements);
    });
  }

  // ---- reading ----------------------------------------------------------------------------------------

  /** A copy of the elements, row-major; `bool` as 0 and 1. */
  data(): TypedArray {
    return concreteElements(this, "data").slice();
  }

  /** The only element, a boolean for dtype `bool`. */
  item<T extends number | boolean = number>(): T {
    const elements = concreteElements(this, "item");
    if (elements.length !== 1) {
      fail("item", `needs an array of one element, got ${showType(this.type)}; use toArray() or data()`);
    }
    return plainValue(elements[0], this.dtype) as T;
  }

  /** The elements as nested lists; a scalar gives the bare value. */
  toArray(): Nested {
    return nest(concreteElements(this, "toArray"), this.type);
  }

  /** The rows along the first axis: `const [x, v] = state`. */
  *[Symbol.iterator](): Generator<Array> {
    if (this.ndim === 0) fail("iteration", "a scalar array has no rows to iterate over");
    for (let row = 0; row < this.shape[0]; row++) yield this.slice(row);
  }

  /** The elements as NumPy prints them. */
  toString(): string {
    const { elements, dtype, shape } = this;
    return elements === null ? this[describeSelf]() : showArray({ elements, dtype, shape });
  }

  /** @internal In one line, with the type, for messages. */
  [describeSelf](): string {
    if (this.elements === null) return `Traced<${showType(this.type)}>`;
    return this.size > 16 ? showType(this.type) : `${showType(this.type)} ${showNested(this.toArray())}`;
  }

  toJSON(): Nested {
    return this.toArray();
  }

  /** Plain arithmetic on an array (`x > 0`, `+x`) works for concrete scalars only. */
  [Symbol.toPrimitive](hint: string): string | number | boolean {
    if (hint === "string") return this.toString();
    concreteElements(this, hint === "number" ? "conversion to a number" : "a JavaScript operator");
    if (this.size !== 1) {
      fail(
        "conversion to a number",
        `an array of type ${showType(this.type)} is not one number; use array operations such as x.add(y) or x.greater(y)`,
      );
    }
    return this.item<number | boolean>();
  }

  /** What the console shows: the elements with their dtype, as JAX prints them. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    const { elements, dtype, shape } = this;
    return elements === null
      ? this[describeSelf]()
      : representArray({ elements, dtype, shape }, this.weakType);
  }
}

/** The elements of a concrete array; for a traced one an error that says what to use instead. */
export function concreteElements(array: Array, operation: string): TypedArray {
  if (array.elements !== null) return array.elements;
  const { tracer } = array;
  if (tracer?.trace.finished === true) failLeaked(array, operation);
  const name = tracer?.trace.name ?? "a trace";
  fail(
    operation,
    `${array.toString()} has no value while ${name} is being traced, so JavaScript cannot read it or branch on it. ` +
      `Choose with np.where or lax.cond, loop with lax.scan or lax.whileLoop, print with debug.print, ` +
      `or make the argument static (jit's staticArgnums)`,
  );
}

/** Nested lists as text, with NaN and infinities as they are. */
export const showNested = (value: Nested): string =>
  typeof value === "object"
    ? `[${value.map(showNested).join()}]`
    : Object.is(value, -0)
      ? "-0"
      : String(value);

/** Refuses an array that outlived the trace it was made in. */
export function failLeaked(array: Array, operation: string): never {
  const trace = array.tracer?.trace;
  const location = trace === undefined ? null : userLocation(trace.origin);
  fail(
    operation,
    `${array.toString()} was made while tracing ${trace?.name ?? "a function"}` +
      (location === null ? "" : ` at ${location}`) +
      `, and that trace is over: it never had a value. Return it from the traced function instead of ` +
      `keeping it in an outer variable`,
  );
}

const plainValue = (element: number, dtype: DType): number | boolean =>
  dtype === "bool" ? element !== 0 : element;

function nest(elements: TypedArray, { shape, dtype }: ArrayType): Nested {
  let position = 0;
  const build = (axis: number): Nested =>
    axis === shape.length
      ? plainValue(elements[position++], dtype)
      : globalThis.Array.from({ length: shape[axis] }, () => build(axis + 1));
  return build(0);
}
