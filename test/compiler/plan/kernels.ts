// Kernels by hand, for what only depends on who reads and writes what.
import type {
  Address,
  AxisIndexKernel,
  Buffer,
  CopyKernel,
  DotKernel,
  ExchangeKernel,
  Expression,
  Kernel,
  LoopKernel,
  Place,
  PrintKernel,
  SortKernel,
  Step,
} from "../../../src/compiler/kernel.js";

let buffers = 0;

/** A new buffer of floats. */
export const buffer = (name: string, size = 4096, dtype: Buffer["dtype"] = "float32"): Buffer => ({
  id: buffers++,
  dtype,
  size,
  name,
});

export const placeOf = (of: Buffer): Place => ({ buffer: of, offset: 0, counters: [] });

export const copy = (from: Buffer, to: Buffer): CopyKernel => ({
  ...{ kind: "copy", name: "copy" },
  ...{ from: placeOf(from), to: placeOf(to), size: to.size },
});

export const axisIndex = (to: Buffer): AxisIndexKernel => ({
  ...{ kind: "axisIndex", name: "axisIndex", axes: ["parts"], to: placeOf(to) },
});

export const print = (operand: Buffer): PrintKernel => ({
  ...{ kind: "print", name: "print", message: 0, operands: [placeOf(operand)] },
});

/** A sort of one array by itself. */
export const sort = (from: Buffer, to: Buffer): SortKernel => ({
  ...{ kind: "sort", name: "sort", lanes: 1, length: from.size, stride: 1, outer: from.size },
  ...{ keys: [placeOf(from)], values: [{ from: placeOf(from), to: placeOf(to) }] },
});

/** The product of two square arrays, and what is added to each of its sums. */
export const product = (left: Buffer, right: Buffer, to: Buffer, added: Buffer | null = null): DotKernel => {
  const extent = Math.sqrt(to.size);
  const operand = (of: Buffer) => ({ ...placeOf(of), batch: [], free: [extent], depth: [1] });
  const at = (of: Buffer): Address => ({ ...placeOf(of), strides: [extent, 1], computed: [] });
  const sum: Expression = { kind: "reduced", id: 0, dtype: "float32", reduction: 0 };
  const value = (other: Buffer): Expression => ({
    ...{ kind: "operation", id: 2, dtype: "float32", name: "add", result: 0 },
    inputs: [sum, { kind: "load", id: 1, dtype: "float32", address: at(other), guard: null }],
  });
  return {
    ...{ kind: "dot", name: "product", batch: [], rows: [extent], columns: [extent], depth: [extent] },
    ...{ left: operand(left), right: operand(right) },
    stores: [{ address: at(to), value: added === null ? sum : value(added), combine: "set", guard: null }],
  };
};

/** A number added to each element of an array. */
export const adding = (from: Buffer, to: Buffer): LoopKernel => {
  const at = (of: Buffer): Address => ({ ...placeOf(of), strides: [1], computed: [] });
  const value: Expression = {
    ...{ kind: "operation", id: 1, dtype: "float32", name: "add", result: 0 },
    inputs: [
      { kind: "load", id: 0, dtype: "float32", address: at(from), guard: null },
      { kind: "constant", id: 2, dtype: "float32", value: 1 },
    ],
  };
  return {
    ...{ kind: "loop", name: "add", extents: [to.size], outer: 1, reductions: [], after: [], order: "free" },
    body: [{ address: at(to), value, combine: "set", guard: null }],
  };
};

/** All devices combine or gather one array; `perReceiver` tells the parts that they get apart. */
export const exchange = (
  combine: ExchangeKernel["combine"],
  from: Buffer,
  to: Buffer,
  perReceiver = 0,
): ExchangeKernel => ({
  ...{ kind: "exchange", name: "exchange", axes: ["parts"], combine, pairs: null },
  pulls: [
    {
      ...{ from: placeOf(from), to: placeOf(to), extents: [from.size], fromStrides: [1], toStrides: [1] },
      ...{ perReceiver, perSender: combine === null ? from.size : 0 },
    },
  ],
});

export const stepsOf = (kernels: readonly Kernel[]): Step[] =>
  kernels.map((kernel) => ({ kind: "kernel", kernel }));

export const loopOf = (length: number, body: readonly Step[]): Step => ({
  kind: "loop",
  counter: { id: buffers++, length },
  reverse: false,
  body,
});
