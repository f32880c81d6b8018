// What fused programs are made of, independent of the machine they will be rendered for: buffers, kernels
// that loop over index spaces, and the control flow around them. What is said here is all that a renderer may rely on
// and all that it must do; test/compiler/kernelInterpreter.ts does just that.
//
// Steps run one after the other, each after all that the one before has stored. Buffers are apart: a kernel stores to
// none that it loads from, and each of its stores names another element at every point where its order is free. Their
// memory may be shared, though. Where a kernel reads a buffer for the last time, what it stores may take its place, if
// every point loads only elements that the point itself overwrites (plan/accesses.ts). So all values of a point are
// computed before its first store, and of several points that are worked on at once before the first store of any.
import type { DType } from "../array/index.js";
import type { operationCosts } from "./primitives/elementwise.js";

/** A piece of memory that holds one array, row-major. */
export interface Buffer {
  readonly id: number;
  readonly dtype: DType;
  /** Elements. */
  readonly size: number;
  /** For dumps. */
  readonly name: string;
}

/** The counter of a loop around kernels, as kernels inside it see it. */
export interface Counter {
  readonly id: number;
  readonly length: number;
}

/** So many elements further for each iteration of a loop around the kernel. */
export interface CounterTerm {
  readonly counter: Counter;
  readonly stride: number;
}

/** Where an array begins: a buffer, or a part of one that moves with the loops around. */
export interface Place {
  readonly buffer: Buffer;
  readonly offset: number;
  readonly counters: readonly CounterTerm[];
}

/** An element's place, in elements: affine in the kernel's axes, plus what was computed. */
export interface Address extends Place {
  /** Elements per step of each axis of the kernel. */
  readonly strides: readonly number[];
  /** Indices known only when the kernel runs. */
  readonly computed: readonly { readonly index: Expression; readonly stride: number }[];
}

/**
 * A scalar computation for one point of the index space. Equal expressions of a kernel are one object. All of them can
 * be computed at every point, whether a guard holds or not.
 */
export type Expression =
  | { readonly kind: "constant"; readonly id: number; readonly dtype: DType; readonly value: number }
  /** The position along an axis of the kernel, int32. */
  | { readonly kind: "axis"; readonly id: number; readonly dtype: "int32"; readonly axis: number }
  | Load
  | Operation
  /** The result of the kernel's reduction (or product) of that number. */
  | { readonly kind: "reduced"; readonly id: number; readonly dtype: DType; readonly reduction: number };

/** An element read from memory. */
export interface Load {
  readonly kind: "load";
  readonly id: number;
  readonly dtype: DType;
  readonly address: Address;
  /**
   * Where this does not hold, nothing is read and the value is 0 of its dtype; null where it always does. Without a
   * guard, the address lies in its buffer at every point.
   */
  readonly guard: Expression | null;
}

/**
 * Elementwise primitives, which mean what they do in the array language: of floats, `max` and `min` are NaN where one is.
 * Besides, the larger and the smaller of two floats, and the first of them where they are equal or one is NaN.
 */
export type OperationName = keyof typeof operationCosts;

export interface Operation {
  readonly kind: "operation";
  readonly id: number;
  readonly dtype: DType;
  readonly name: OperationName;
  readonly inputs: readonly Expression[];
  /** Which result, for primitives with two. */
  readonly result: 0 | 1;
}

/** How a stored value meets what is there: as the primitive does, of bool like `or` (add, max) and `and` (mul, min). */
export type Combine = "set" | "add" | "mul" | "min" | "max";

export interface Store {
  readonly address: Address;
  readonly value: Expression;
  readonly combine: Combine;
  /** Only where this holds, if given. */
  readonly guard: Expression | null;
}

export type Reduce = "sum" | "max" | "min" | "argMax" | "argMin";

/**
 * Many elements to one, in any order.
 * - `sum`: of floats right up to rounding, of integers modulo the numbers that the dtype has; 0 of nothing.
 * - `max`, `min`: NaN if there is one; of nothing the lowest, the highest number of the dtype, infinities for floats.
 * - `argMax`, `argMin`: the position of the best element, the lowest where several are as good; NaN is better than all
 *   numbers, -0 as good as 0. There is at least one element.
 */
export interface Reduction {
  readonly operation: Reduce;
  /** The element at each point, over all axes. */
  readonly value: Expression;
  /** Its position along the reduced axis, where that is what is asked for. */
  readonly position: Expression | null;
  readonly dtype: DType;
}

/**
 * Nested loops. `body` runs at every point; reductions run over the axes from `outer` on, and `after` runs at
 * each point of the outer axes with their results. What `after` loads shares no memory with what `body` stores. What
 * `after` stores shares none with anything else, but may lie where the same point, and no other, loads something: all
 * that is loaded at a point is loaded before that.
 */
export interface LoopKernel {
  readonly kind: "loop";
  readonly name: string;
  readonly extents: readonly number[];
  readonly outer: number;
  readonly body: readonly Store[];
  readonly reductions: readonly Reduction[];
  readonly after: readonly Store[];
  readonly order: Order;
}

/**
 * In which order the points of a kernel may run, where "later" is row-major order of its axes.
 * - `free`: no two points write the same element. Any order, all at once.
 * - `collides`: points may combine into the same element (add, mul, min, max), so that they must not do so at the same
 *   time. Every order is right up to rounding; a renderer keeps to one that the kernel alone decides, never the number
 *   of workers, so that equal runs have equal bits.
 * - `lastWins`: points may set the same element, and what the latest of them sets is what stays.
 */
export type Order = "free" | "collides" | "lastWins";

/** One side of a product: strides of the batch axes, of its own free axes, and of the summed axes. */
export interface DotOperand extends Place {
  readonly batch: readonly number[];
  readonly free: readonly number[];
  readonly depth: readonly number[];
}

/**
 * Sums of products of float32: for each point (batch, row, column) the sum over the depth of left · right, right up to
 * rounding. Stores have addresses over these axes and refer to the sum as reduction 0. The order of points is free, and
 * no store shares memory with left or right. There is at least one point, and at least one step of depth.
 */
export interface DotKernel {
  readonly kind: "dot";
  readonly name: string;
  readonly batch: readonly number[];
  readonly rows: readonly number[];
  readonly columns: readonly number[];
  readonly depth: readonly number[];
  readonly left: DotOperand;
  readonly right: DotOperand;
  readonly stores: readonly Store[];
}

/**
 * Lanes of equal length, each put in ascending order by its keys; all values are reordered alike. NaN comes last, -0
 * equals 0, and what is equal stays in its order. No place to store to shares memory with one that is read.
 */
export interface SortKernel {
  readonly kind: "sort";
  readonly name: string;
  readonly lanes: number;
  /** Elements per lane, and the distance between neighbours of a lane. */
  readonly length: number;
  readonly stride: number;
  /** Elements between the first elements of lanes: lane l starts at ⌊l / stride⌋ · outer + l mod stride. */
  readonly outer: number;
  /** The first key decides, the others where those before are equal. */
  readonly keys: readonly Place[];
  /** What is reordered: arrays, or, where there is none, the positions in their lane, as int32. */
  readonly values: readonly { readonly from: Place | null; readonly to: Place }[];
}

/** The whole of one array copied to another place, which may overlap it: as if all was read before it is written. */
export interface CopyKernel {
  readonly kind: "copy";
  readonly name: string;
  readonly from: Place;
  readonly to: Place;
  readonly size: number;
}

/** Values handed to the host, before the next step and after the one before. */
export interface PrintKernel {
  readonly kind: "print";
  readonly name: string;
  /** Number of the message in the compiled program. */
  readonly message: number;
  readonly operands: readonly Place[];
}

/** Which part of an operand becomes which part of a result, in elements. */
export interface Pull {
  readonly from: Place;
  readonly to: Place;
  /** The box that is read and written, and how far apart its neighbours lie on either side. */
  readonly extents: readonly number[];
  readonly fromStrides: readonly number[];
  readonly toStrides: readonly number[];
  /** How much further the box begins in operands, for each place that the receiver has in its group. */
  readonly perReceiver: number;
  /** How much further it begins in the result, for each place that the sender has in its group. */
  readonly perSender: number;
}

/**
 * Devices that differ along some axes only hand each other blocks. Each receives from all of them, in the order of
 * their places: boxes that are combined into one (in this order, so that all get the same bits), or boxes that come to
 * lie side by side. A result may lie in the place of its operand where whole arrays are combined.
 */
export interface ExchangeKernel {
  readonly kind: "exchange";
  readonly name: string;
  readonly axes: readonly string[];
  readonly combine: "add" | "min" | "max" | null;
  /** Who sends to whom, where that is not all to all; who receives nothing gets zeros. */
  readonly pairs: readonly (readonly [from: number, to: number])[] | null;
  readonly pulls: readonly Pull[];
}

/** The device's place among those that differ from it along some axes only, an int32. */
export interface AxisIndexKernel {
  readonly kind: "axisIndex";
  readonly name: string;
  readonly axes: readonly string[];
  readonly to: Place;
}

export type Kernel =
  | LoopKernel
  | DotKernel
  | SortKernel
  | CopyKernel
  | PrintKernel
  | ExchangeKernel
  | AxisIndexKernel;

/**
 * A kernel; a loop, whose counter runs from 0 up, or down to 0 in reverse; a loop whose body runs as long as its test
 * leaves a predicate (bool) that is not 0; or one of several cases by an index (int32), the first for smaller indices
 * and the last for larger ones.
 */
export type Step =
  | { readonly kind: "kernel"; readonly kernel: Kernel }
  | {
      readonly kind: "loop";
      readonly counter: Counter;
      readonly reverse: boolean;
      readonly body: readonly Step[];
    }
  | {
      readonly kind: "while";
      readonly test: readonly Step[];
      readonly predicate: Place;
      readonly body: readonly Step[];
    }
  | { readonly kind: "branch"; readonly index: Place; readonly cases: readonly (readonly Step[])[] };

export type StepOf<Kind extends Step["kind"]> = Extract<Step, { kind: Kind }>;
