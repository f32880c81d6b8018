// Operations that a program has in parts and ONNX as one: dense layers, convolutions, clipping. The first part waits for
// the next; where none comes, it is written as it is.
import type { Concrete, DotParams, WindowParams } from "../../array/index.js";
import type { Graph } from "./graph.js";
import type { Application } from "./rules.js";
import { channelsFirstName, valueOf, whole, type Steps, type Value } from "./values.js";

const sameLists = (a: readonly (readonly number[])[], b: readonly (readonly number[])[]): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

/** A matrix product with known weights, or a convolution with a known kernel; `null` where it is neither. */
export function productOf(application: Application): Value | null {
  const { equation, inputs, shape, graph } = application;
  const [x, y] = inputs;
  const { contract, batch } = equation.params as DotParams;
  if (batch[0].length > 0 || y.constant === null || y.rank !== y.shape.length) return null;
  const parts = { dtype: x.dtype, shape };
  if (x.shape.length === 2 && y.shape.length === 2 && sameLists(contract, [[1], [0]])) {
    const weights = y.constant;
    return valueOf({ ...parts, pending: { kind: "product", x, weights } }, () =>
      graph.add("MatMul", [whole(graph, x), graph.array(weights, graph.unique("weight"))]),
    );
  }
  const steps = stepsOf(x);
  if (
    steps === null ||
    y.shape.length !== 4 ||
    !sameLists(contract, [
      [2, 4, 5],
      [0, 1, 2],
    ])
  )
    return null;
  const kernel = y.constant;
  return valueOf(
    {
      ...parts,
      channelsFirst: true,
      pending: { kind: "convolution", x: steps.images, kernel, steps },
    },
    () => convolution(graph, steps.images, kernel, steps, null),
  );
}

/** How images are cut into windows along both sides; `null` where x is not that. */
function stepsOf(x: Value): (Steps & { readonly images: Value }) | null {
  const across = x.pending?.kind === "window" ? x.pending : null;
  const down = across?.x.pending?.kind === "window" ? across.x.pending : null;
  if (across === null || down === null || across.params.axis !== 3 || down.params.axis !== 1) return null;
  if (down.x.shape.length !== 4) return null;
  return {
    images: down.x,
    strides: [down.params.stride, across.params.stride],
    dilations: [down.params.dilation, across.params.dilation],
  };
}

/** Overlapping windows: elements picked by their index along an axis. */
export function windowOf({ graph, equation, inputs, shape }: Application): Value {
  const params = equation.params as WindowParams;
  const [x] = inputs;
  return valueOf({ dtype: x.dtype, shape, pending: { kind: "window", x, params } }, () => {
    const { axis, size, stride, dilation } = params;
    const count = equation.outputs[0].type.shape[axis];
    const indices = Array.from({ length: count * size }, (_, at) => {
      return Math.floor(at / size) * stride + (at % size) * dilation;
    });
    const name = graph.tensor(graph.unique("windows"), "int64", [count, size], indices);
    return graph.add("Gather", [whole(graph, x), name], { axis });
  });
}

/** Weights [height, width, in, out] as ONNX has them, [out, in, height, width]. */
function turned({ shape: [height, width, inputs, outputs], elements }: Concrete): Float32Array {
  const out = new Float32Array(elements.length);
  let at = 0;
  for (let o = 0; o < outputs; o++) {
    for (let i = 0; i < inputs; i++) {
      for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) out[at++] = elements[((y * width + x) * inputs + i) * outputs + o];
      }
    }
  }
  return out;
}

function convolution(
  graph: Graph,
  images: Value,
  kernel: Concrete,
  { strides, dilations }: Steps,
  bias: Concrete | null,
): string {
  const [height, width, inputs, outputs] = kernel.shape;
  const name = graph.unique("conv");
  const weight = graph.tensor(`${name}.weight`, "float32", [outputs, inputs, height, width], turned(kernel));
  const operands = [channelsFirstName(graph, images), weight];
  if (bias !== null) operands.push(graph.tensor(`${name}.bias`, "float32", bias.shape, bias.elements));
  return graph.add("Conv", operands, { kernel_shape: [height, width], strides, dilations });
}

/** A product or convolution with its bias; `null` where the sum is another. */
export function biased({ equation, inputs, graph, isOnlyUse, shape }: Application): Value | null {
  const [x, b] = inputs;
  const bias = b.constant;
  const { pending } = x;
  const isBias = bias?.ndim === 1 && b.rank === 1 && b.shape.length > 1;
  if (!isBias || !isOnlyUse(0) || equation.outputs[0].type.shape.at(-1) !== bias.shape[0]) return null;
  const parts = { dtype: x.dtype, shape };
  if (pending?.kind === "product") {
    return valueOf(parts, () => {
      const name = graph.unique("dense");
      const { weights } = pending;
      const weight = graph.tensor(`${name}.weight`, "float32", weights.shape, weights.elements);
      const added = graph.tensor(`${name}.bias`, "float32", bias.shape, bias.elements);
      return graph.add("Gemm", [whole(graph, pending.x), weight, added]);
    });
  }
  if (pending?.kind !== "convolution") return null;
  const { x: images, kernel, steps } = pending;
  return valueOf({ ...parts, channelsFirst: true }, () => convolution(graph, images, kernel, steps, bias));
}

/** `max(x, number)`, which may become a part of Clip. */
export function lowerBound({ equation, inputs }: Application, made: Value): Value {
  const [x, low] = inputs;
  const isScalar = equation.inputs[1].kind === "literal" && x.dtype === "float32" && x.shape.length > 0;
  if (!isScalar) return made;
  return { ...made, pending: { kind: "atLeast", x, low: low.name } };
}

/** `min(max(x, number), number)`; `null` where it is another. */
export function bothBounds({ equation, inputs, graph, isOnlyUse }: Application): Value | null {
  const [x, high] = inputs;
  const { pending } = x;
  if (pending?.kind !== "atLeast" || equation.inputs[1].kind !== "literal" || !isOnlyUse(0)) return null;
  const { shape, actual, rank, channelsFirst, dtype } = x;
  return valueOf({ shape, actual, rank, channelsFirst, dtype }, () =>
    graph.add("Clip", [pending.x.name(), pending.low(), high.name()]),
  );
}
