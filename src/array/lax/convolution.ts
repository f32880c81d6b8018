// Convolution over any number of spatial axes, made of windows and one matrix product.
import { checked } from "../core/checked.js";
import type { Array } from "../core/array.js";
import { type ArrayLike } from "../core/array.js";
import { promote } from "../core/coerce.js";
import { fail } from "../core/errors.js";
import { checkWhole } from "../core/rules.js";
import { range } from "../core/shape.js";
import { bindOne } from "../core/trace.js";
import { showType } from "../core/type.js";
import { dot } from "../primitives/dot.js";
import { flip, permute, permuteBack } from "../primitives/reshape.js";
import { axisOrders, type AxisOrders, type DimensionNumbers } from "./convolutionAxes.js";
import { checkNumbers, paddingWidths, surround, type Padding, type Pair } from "./padding.js";
import { cutWindows } from "./windows.js";

interface SharedOptions {
  /** The meaning of the axes of input, kernel and output. Default channels last: NHWC, HWIO, NHWC. */
  readonly dimensionNumbers?: DimensionNumbers;
  /** Distance between the kernel's elements. Default 1. */
  readonly rhsDilation?: readonly number[];
}

export interface ConvolutionOptions extends SharedOptions {
  /** Zeros put between the input's elements, plus one. Default 1. */
  readonly lhsDilation?: readonly number[];
  /** Input and output channels in so many groups that do not mix. Default 1. */
  readonly featureGroupCount?: number;
}

/**
 * The convolution (cross-correlation) of images, or of what has one, three or more spatial axes, with a kernel:
 * `convGeneralDilated(images, kernel, [strideY, strideX], padding)`.
 */
export const convGeneralDilated = checked(
  "lax.convGeneralDilated",
  5,
  ["dimensionNumbers", "lhsDilation", "rhsDilation", "featureGroupCount"],
  (
    lhs: ArrayLike,
    rhs: ArrayLike,
    windowStrides: readonly number[],
    padding: Padding,
    { dimensionNumbers, lhsDilation, rhsDilation, featureGroupCount: groups = 1 }: ConvolutionOptions = {},
  ): Array => {
    const operation = "lax.convGeneralDilated";
    const [x, w] = operands(operation, lhs, rhs);
    const ones = range(x.ndim - 2).map(() => 1);
    const lists = { windowStrides, lhsDilation: lhsDilation ?? ones, rhsDilation: rhsDilation ?? ones };
    for (const [name, list] of Object.entries(lists)) checkNumbers(operation, name, list, ones.length, 1);
    checkWhole(operation, "featureGroupCount", groups, 1);
    const orders = axisOrders(operation, ones.length, dimensionNumbers);
    return convolve(operation, x, w, orders, padding, { ...lists, groups });
  },
);

export interface TransposedOptions extends SharedOptions {
  /** Whether to turn the kernel round and exchange its channels, as the gradient of a convolution has it. */
  readonly transposeKernel?: boolean;
}

/** The transpose of a strided convolution, often called a deconvolution: `strides` times as many outputs as inputs. */
export const convTranspose = checked(
  "lax.convTranspose",
  5,
  ["dimensionNumbers", "rhsDilation", "transposeKernel"],
  (
    lhs: ArrayLike,
    rhs: ArrayLike,
    strides: readonly number[],
    padding: "SAME" | "VALID" | readonly Pair[],
    { dimensionNumbers, rhsDilation, transposeKernel = false }: TransposedOptions = {},
  ): Array => {
    const operation = "lax.convTranspose";
    const [x, w] = operands(operation, lhs, rhs);
    const ones = range(x.ndim - 2).map(() => 1);
    const lists = { windowStrides: ones, lhsDilation: strides, rhsDilation: rhsDilation ?? ones };
    checkNumbers(operation, "strides", strides, ones.length, 1);
    checkNumbers(operation, "rhsDilation", lists.rhsDilation, ones.length, 1);
    const orders = axisOrders(operation, ones.length, dimensionNumbers);
    const { kernel } = orders;
    const widths =
      padding === "SAME" || padding === "VALID"
        ? kernel.slice(0, -2).map((axis, at): Pair => {
            const reach = (w.shape[axis] - 1) * lists.rhsDilation[at] + 1;
            return transposedWidths(reach, strides[at], padding);
          })
        : padding;
    const geometry = { ...lists, groups: 1 };
    if (!transposeKernel) return convolve(operation, x, w, orders, widths, geometry);
    const turned = bindOne(flip, [w], { axes: [...kernel.slice(0, -2)].sort((a, b) => a - b) });
    const exchanged = [...kernel.slice(0, -2), ...kernel.slice(-2).reverse()];
    return convolve(operation, x, turned, { ...orders, kernel: exchanged }, widths, geometry);
  },
);

/** What makes the output as large as a convolution's input would have been. */
function transposedWidths(reach: number, stride: number, padding: "SAME" | "VALID"): Pair {
  const total = reach + stride - 2 + (padding === "VALID" ? Math.max(reach - stride, 0) : 0);
  const before = padding === "VALID" || stride > reach - 1 ? reach - 1 : Math.ceil(total / 2);
  return [before, total - before];
}

function operands(operation: string, lhs: ArrayLike, rhs: ArrayLike): [Array, Array] {
  const [x, w] = promote(operation, [lhs, rhs]) as [Array, Array];
  if (x.ndim < 3 || w.ndim !== x.ndim) {
    fail(
      operation,
      `images and kernel must have as many dimensions, two of them for channels, ` +
        `got ${showType(x.type)} and ${showType(w.type)}`,
    );
  }
  return [x, w];
}

interface Geometry {
  readonly windowStrides: readonly number[];
  readonly lhsDilation: readonly number[];
  readonly rhsDilation: readonly number[];
  readonly groups: number;
}

/** The convolution of checked operands. */
function convolve(
  operation: string,
  x: Array,
  w: Array,
  orders: AxisOrders,
  padding: Padding,
  { windowStrides, lhsDilation, rhsDilation, groups }: Geometry,
): Array {
  // [N, spatial…, C] and [spatial…, I, O].
  const images = permute(x, orders.input);
  const kernel = permute(w, orders.kernel);
  const spatial = windowStrides.length;
  const sizes = kernel.shape.slice(0, spatial);
  const [inputs, outputs] = kernel.shape.slice(spatial) as [number, number];
  const channels = images.shape[spatial + 1];
  const letters = ["", "W", "HW", "DHW"][spatial] ?? "…";
  if (channels !== inputs * groups || outputs % groups !== 0) {
    fail(
      operation,
      `images ${showType(images.type)} (N${letters}C) have ${channels} channels, but the kernel ` +
        `${showType(kernel.type)} (${letters}IO) takes ${inputs}` +
        (groups === 1 ? "" : ` in each of ${groups} groups`),
    );
  }
  const reach = sizes.map((size, at) => (size - 1) * rhsDilation[at] + 1);
  const extents = images.shape
    .slice(1, -1)
    .map((extent, at) => Math.max(0, (extent - 1) * lhsDilation[at] + 1));
  const widths = paddingWidths(operation, padding, extents, reach, windowStrides);
  const padded = surround(images, 0, [[0, 0], ...widths, [0, 0]], [1, ...lhsDilation, 1]);
  // [N, counts and sizes in turn…, C]
  const windows = cutWindows(
    padded,
    sizes.map((size, at) => ({
      axis: at + 1,
      size,
      stride: windowStrides[at],
      dilation: rhsDilation[at],
    })),
  );
  const result = groups === 1 ? applyKernel(windows, kernel) : applyGroups(windows, kernel, groups);
  return permuteBack(result, orders.output);
}

/** The axes of windows that hold the elements of each. */
const elementAxes = (spatial: number): number[] => range(spatial).map((at) => 2 * at + 2);

function applyKernel(windows: Array, kernel: Array): Array {
  const spatial = kernel.ndim - 2;
  return bindOne(dot, [windows, kernel], {
    contract: [[...elementAxes(spatial), windows.ndim - 1], range(spatial + 1)],
    batch: [[], []],
  });
}

function applyGroups(windows: Array, kernel: Array, groups: number): Array {
  const spatial = kernel.ndim - 2;
  const [inputs, outputs] = kernel.shape.slice(spatial) as [number, number];
  const last = windows.ndim - 1;
  const result = bindOne(
    dot,
    [
      windows.reshape([...windows.shape.slice(0, -1), groups, inputs]),
      kernel.reshape([...kernel.shape.slice(0, -1), groups, outputs / groups]),
    ],
    {
      contract: [[...elementAxes(spatial), last + 1], range(spatial + 1)],
      batch: [[last], [spatial + 1]],
    },
  );
  // [groups, N, counts…, outputs / groups]
  const inOrder = permute(result, [...range(spatial + 1, 1), 0, spatial + 2]);
  return inOrder.reshape([...inOrder.shape.slice(0, -2), outputs]);
}
