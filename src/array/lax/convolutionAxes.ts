// The names of a convolution's axes, and the order in which it computes: channels last.
import { describe, fail } from "../core/errors.js";
import { range } from "../core/shape.js";

/** A letter for each axis: N and C of input and output, I and O of the kernel, any others for spatial axes. */
export type DimensionNumbers = readonly [lhs: string, rhs: string, out: string];

/** The axes in the order [N, spatial…, C] of input and output, [spatial…, I, O] of the kernel. */
export interface AxisOrders {
  readonly input: readonly number[];
  readonly kernel: readonly number[];
  readonly output: readonly number[];
}

/** The orders of axes by their names; by default channels are last already. */
export function axisOrders(operation: string, spatial: number, names?: DimensionNumbers): AxisOrders {
  if (names === undefined) {
    const given = range(spatial + 2);
    return { input: given, kernel: given, output: given };
  }
  if (
    !globalThis.Array.isArray(names) ||
    names.length !== 3 ||
    names.some((name) => typeof name !== "string")
  ) {
    fail(
      operation,
      `dimensionNumbers must be three texts such as ["NHWC", "HWIO", "NHWC"], got ${describe(names)}`,
    );
  }
  const [lhs, rhs, out] = names as DimensionNumbers;
  // The kernel says in which order the spatial axes come.
  const letters = [...rhs].filter((letter) => letter !== "I" && letter !== "O");
  const order = (what: string, text: string, wanted: readonly string[]): number[] => {
    const places = wanted.map((letter) => text.indexOf(letter));
    if (text.length !== spatial + 2 || new Set(text).size !== text.length || places.includes(-1)) {
      fail(
        operation,
        `dimensionNumbers name the axes of the ${what} ${JSON.stringify(text)}; it must have ${spatial + 2} letters, ` +
          `each of ${wanted.join("")} once`,
      );
    }
    return places;
  };
  return {
    input: order("input", lhs, ["N", ...letters, "C"]),
    kernel: order("kernel", rhs, [...letters, "I", "O"]),
    output: order("output", out, ["N", ...letters, "C"]),
  };
}
