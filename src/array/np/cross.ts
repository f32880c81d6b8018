// Cross products of vectors in two and three dimensions.
import { checked } from "../core/checked.js";
import type { Array, ArrayLike } from "../core/array.js";
import { broadcastTo, promoteNumeric } from "../core/coerce.js";
import { fail } from "../core/errors.js";
import { broadcastShapes } from "../core/shape.js";
import { showType } from "../core/type.js";
import { slice } from "./indexing.js";
import { stack } from "./joining.js";
import { moveaxis } from "./shaping.js";

export interface CrossOptions {
  /** The axis of the vectors in x, in y and in the result. Default the last. */
  readonly axisa?: number;
  readonly axisb?: number;
  readonly axisc?: number;
  /** One axis for all three. */
  readonly axis?: number;
}

/** The cross product; of two vectors in the plane only its third component. */
export const cross = checked(
  "np.cross",
  3,
  ["axisa", "axisb", "axisc", "axis"],
  (x: ArrayLike, y: ArrayLike, options: CrossOptions = {}): Array => {
    const { axis, axisa = axis ?? -1, axisb = axis ?? -1, axisc = axis ?? -1 } = options;
    const given = promoteNumeric("np.cross", [x, y]) as [Array, Array];
    const sizes = given.map((array, at) => array.shape.at([axisa, axisb][at] ?? -1));
    if (!sizes.every((size) => size === 2 || size === 3)) {
      fail(
        "np.cross",
        `vectors must have 2 or 3 elements, got ${given.map((array) => showType(array.type)).join(" and ")}`,
      );
    }
    const [a, b] = [moveaxis(given[0], axisa, -1), moveaxis(given[1], axisb, -1)];
    const shape = broadcastShapes("np.cross", a.shape.slice(0, -1), b.shape.slice(0, -1));
    const part = (vectors: Array, at: number): Array =>
      at < vectors.shape[vectors.ndim - 1]
        ? broadcastTo("np.cross", slice(vectors, "...", at), shape)
        : broadcastTo("np.cross", slice(vectors, "...", 0).mul(0), shape);
    const component = (first: number, second: number): Array =>
      part(a, first)
        .mul(part(b, second))
        .sub(part(a, second).mul(part(b, first)));
    if (sizes.every((size) => size === 2)) return component(0, 1);
    return moveaxis(stack([component(1, 2), component(2, 0), component(0, 1)], -1), -1, axisc);
  },
);
