// Convolution in two dimensions, made of windows and one matrix product.
import { checked } from "../core/checked.js";
import type { Array } from "../core/array.js";
import { type ArrayLike } from "../core/array.js";
import { promote } from "../core/coerce.js";
import { checkWhole, describe, fail } from "../core/errors.js";
import { constant } from "../core/interpret.js";
import { bindOne } from "../core/trace.js";
import { showType } from "../core/type.js";
import { dot } from "../primitives/dot.js";
import { permute, permuteBack } from "../primitives/reshape.js";
import { pad } from "../primitives/slice.js";
import { window } from "../primitives/window.js";

type Pair = readonly [number, number];

/** Padding before and after each spatial axis: none, as much as keeps ⌈n / stride⌉ outputs, or as given. */
export type Padding = "VALID" | "SAME" | readonly [Pair, Pair];

export interface ConvolutionOptions {
  /** The meaning of the axes of input, kernel and output. Default NHWC, HWIO, NHWC. */
  readonly dimensionNumbers?: readonly [lhs: string, rhs: string, out: string];
  /** Zeros put between the input's elements, plus one. Default [1, 1]. */
  readonly lhsDilation?: Pair;
  /** Distance between the kernel's elements. Default [1, 1]. */
  readonly rhsDilation?: Pair;
  /** Input and output channels in so many groups that do not mix. Default 1. */
  readonly featureGroupCount?: number;
}

function checkPair(name: string, pair: unknown, least?: number): void {
  if (!globalThis.Array.isArray(pair) || pair.length !== 2) {
    fail("lax.convGeneralDilated", `${name} must be a pair of whole numbers, got ${describe(pair)}`);
  }
  for (const value of pair) checkWhole("lax.convGeneralDilated", name, value, least);
}

/** The order of axes that brings `names` into the order of `wanted`. */
function axisOrder(what: string, names: string, wanted: string): number[] {
  const order = [...wanted].map((letter) => names.indexOf(letter));
  if (names.length !== 4 || order.includes(-1)) {
    fail(
      "lax.convGeneralDilated",
      `dimensionNumbers name the axes of the ${what} "${names}"; each letter of ${wanted} must be there once`,
    );
  }
  return order;
}

/**
 * The 2-D convolution (cross-correlation) of images with a kernel:
 * `convGeneralDilated(images, kernel, [strideY, strideX], padding)`.
 */
export const convGeneralDilated = checked(
  "lax.convGeneralDilated",
  5,
  ["dimensionNumbers", "lhsDilation", "rhsDilation", "featureGroupCount"],
  (
    lhs: ArrayLike,
    rhs: ArrayLike,
    windowStrides: Pair,
    padding: Padding,
    {
      dimensionNumbers: [lhsAxes, rhsAxes, outAxes] = ["NHWC", "HWIO", "NHWC"],
      lhsDilation = [1, 1],
      rhsDilation = [1, 1],
      featureGroupCount = 1,
    }: ConvolutionOptions = {},
  ): Array => {
    const [x, w] = promote("lax.convGeneralDilated", [lhs, rhs]) as [Array, Array];
    checkPair("windowStrides", windowStrides, 1);
    checkPair("lhsDilation", lhsDilation, 1);
    checkPair("rhsDilation", rhsDilation, 1);
    if (x.ndim !== 4 || w.ndim !== 4) {
      fail(
        "lax.convGeneralDilated",
        `images and kernel must have 4 dimensions, got ${showType(x.type)} and ${showType(w.type)}`,
      );
    }
    const images = permute(x, axisOrder("input", lhsAxes, "NHWC"));
    const kernel = permute(w, axisOrder("kernel", rhsAxes, "HWIO"));
    const [height, width, inputs, outputs] = kernel.shape as [number, number, number, number];
    const groups = featureGroupCount;
    if (images.shape[3] !== inputs * groups || outputs % groups !== 0) {
      fail(
        "lax.convGeneralDilated",
        `images ${showType(images.type)} (NHWC) have ${images.shape[3]} channels, but the kernel ` +
          `${showType(kernel.type)} (HWIO) takes ${inputs}${groups === 1 ? "" : ` in each of ${groups} groups`}`,
      );
    }
    const extents = [height, width].map((size, at) => (size - 1) * rhsDilation[at] + 1);
    const widths = paddingWidths(images, extents, windowStrides, padding, lhsDilation);
    const padded = bindOne(pad, [images, constant(0, images.dtype)], {
      low: [0, widths[0][0], widths[1][0], 0],
      high: [0, widths[0][1], widths[1][1], 0],
      interior: [0, lhsDilation[0] - 1, lhsDilation[1] - 1, 0],
    });
    // [N, rows, H, W, C], then [N, rows, H, columns, W, C].
    const inRows = bindOne(window, [padded], {
      axis: 1,
      size: height,
      stride: windowStrides[0],
      dilation: rhsDilation[0],
    });
    const windows = bindOne(window, [inRows], {
      axis: 3,
      size: width,
      stride: windowStrides[1],
      dilation: rhsDilation[1],
    });
    const result = groups === 1 ? applyKernel(windows, kernel) : applyGroups(windows, kernel, groups);
    return permuteBack(result, axisOrder("output", outAxes, "NHWC"));
  },
);

const applyKernel = (windows: Array, kernel: Array): Array =>
  bindOne(dot, [windows, kernel], {
    contract: [
      [2, 4, 5],
      [0, 1, 2],
    ],
    batch: [[], []],
  });

function applyGroups(windows: Array, kernel: Array, groups: number): Array {
  const [n, rows, height, columns, width, channels] = windows.shape as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const [, , inputs, outputs] = kernel.shape as [number, number, number, number];
  const result = bindOne(
    dot,
    [
      windows.reshape([n, rows, height, columns, width, groups, channels / groups]),
      kernel.reshape([height, width, inputs, groups, outputs / groups]),
    ],
    {
      contract: [
        [2, 4, 6],
        [0, 1, 2],
      ],
      batch: [[5], [3]],
    },
  );
  // [groups, N, rows, columns, outputs / groups]
  return permute(result, [1, 2, 3, 0, 4]).reshape([n, rows, columns, outputs]);
}

function paddingWidths(
  images: Array,
  extents: readonly number[],
  strides: Pair,
  padding: Padding,
  lhsDilation: Pair,
): readonly [Pair, Pair] {
  if (padding === "VALID") {
    return [
      [0, 0],
      [0, 0],
    ];
  }
  if (padding !== "SAME") {
    if (!globalThis.Array.isArray(padding) || padding.length !== 2) {
      fail("lax.convGeneralDilated", `padding must be "SAME", "VALID" or [[top, bottom], [left, right]]`);
    }
    for (const pair of padding as readonly unknown[]) checkPair("padding", pair);
    return padding;
  }
  const [rows, columns] = [0, 1].map((at): Pair => {
    const extent = (images.shape[at + 1] - 1) * lhsDilation[at] + 1;
    const count = Math.ceil(extent / strides[at]);
    const total = Math.max(0, (count - 1) * strides[at] + extents[at] - extent);
    return [Math.floor(total / 2), Math.ceil(total / 2)];
  }) as [Pair, Pair];
  return [rows, columns];
}
