// Values of a program while it becomes a graph. Broadcasts, transposes and the halves of known operations are put off
// until something needs them: ONNX broadcasts by itself, has its convolutions in another layout, and has Gemm and Clip.
import type { Concrete, DType, WindowParams } from "../../array/index.js";
import { isSameExtent, type Extent } from "./extents.js";
import type { Graph } from "./graph.js";

/** A part of an operation that another may complete; `write` makes it one of its own. */
export type Pending =
  | { readonly kind: "product"; readonly x: Value; readonly weights: Concrete }
  | { readonly kind: "window"; readonly x: Value; readonly params: WindowParams }
  | { readonly kind: "convolution"; readonly x: Value; readonly kernel: Concrete; readonly steps: Steps }
  | { readonly kind: "atLeast"; readonly x: Value; readonly low: () => string };

export interface Steps {
  readonly strides: readonly [number, number];
  readonly dilations: readonly [number, number];
}

export interface Value {
  readonly dtype: DType;
  /** What the program says. */
  readonly shape: readonly Extent[];
  /** What the tensor has: 1 where it is yet to be broadcast. */
  readonly actual: readonly Extent[];
  /** How many of these axes the tensor has, the last ones; those before are 1. */
  readonly rank: number;
  /** Whether the tensor has its channels behind the batch, [N, C, H, W], where the program has them last. */
  readonly channelsFirst: boolean;
  /** Its elements, where they are known. */
  readonly constant: Concrete | null;
  /** What it may become a part of. */
  readonly pending: Pending | null;
  /** The tensor's name; writes what is needed. */
  readonly name: () => string;
}

/** A value with a tensor that is written when it is first asked for. */
export function valueOf(parts: Pick<Value, "dtype" | "shape"> & Partial<Value>, write: () => string): Value {
  let known: string | null = null;
  return {
    actual: parts.shape,
    rank: parts.shape.length,
    channelsFirst: false,
    constant: null,
    pending: null,
    ...parts,
    name: () => (known ??= write()),
  };
}

const wholes = new WeakMap<Value, string>();

/** The tensor of a value as the program has it: broadcast, and in the program's layout. */
export function whole(graph: Graph, value: Value): string {
  const known = wholes.get(value);
  if (known !== undefined) return known;
  const { shape, actual, rank, channelsFirst } = value;
  const name = channelsFirst ? graph.add("Transpose", [value.name()], { perm: [0, 2, 3, 1] }) : value.name();
  const isBroadcast =
    rank < shape.length || shape.some((extent, axis) => !isSameExtent(extent, actual[axis]));
  const made = isBroadcast ? graph.add("Expand", [name, graph.shape(shape)]) : name;
  wholes.set(value, made);
  return made;
}

/** The same values by another name of their tensor. */
export const channelsFirstName = (graph: Graph, value: Value): string =>
  value.channelsFirst ? value.name() : graph.add("Transpose", [whole(graph, value)], { perm: [0, 3, 1, 2] });
