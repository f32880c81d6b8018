// The spaces of policies, as far as they are told or can be found out.
import type { Array, DType, Shape } from "../array/index.js";
import type { ActionKind } from "../algorithms/index.js";
import { Box, Discrete, Image, MultiBinary, type Space } from "../env/index.js";

/** What a policy does, as far as its network tells; `bounds` are those of continuous actions, if they are known. */
export const actionSpaceOf = (
  { kind, size }: ActionKind,
  bounds: { readonly low: Array; readonly high: Array } | null,
): Space => (kind === "discrete" ? Discrete(size) : bounds === null ? Box({ shape: [size] }) : Box(bounds));

/** What a policy observes, as far as its file tells. */
export function observationSpaceOf(shape: Shape, dtype: DType): Space {
  if (dtype === "uint8") {
    return shape.length === 3
      ? Image({ height: shape[0], width: shape[1], channels: shape[2] })
      : Box({ low: 0, high: 255, shape, dtype });
  }
  if (dtype === "bool" && shape.length === 1) return MultiBinary(shape[0]);
  if (dtype === "int32") return Box({ low: -(2 ** 31), high: 2 ** 31 - 2, shape, dtype });
  return Box({ shape });
}

/** Whether a space can be of observations of a shape and dtype. */
export const isOf = (space: Space, shape: Shape, dtype: DType): boolean =>
  space.shape.join() === shape.join() && space.dtype === dtype;
