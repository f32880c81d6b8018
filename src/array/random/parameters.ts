// What distributions share: how parameters are checked, and the numbers that keep them off their ends.
import { Array, type ArrayLike } from "../core/array.js";
import { asArray } from "../core/coerce.js";
import { fail } from "../core/errors.js";
import { broadcastShapes, checkShape, sameShape, showShape, type Shape } from "../core/shape.js";
import { showType } from "../core/type.js";

/** Refuses a parameter that is larger than the shape: its elements would share random numbers. */
export function checkParameter(operation: string, parameter: ArrayLike, shape: Shape): void {
  if (!(parameter instanceof Array)) return;
  if (!sameShape(broadcastShapes(operation, parameter.shape, shape), shape)) {
    fail(
      operation,
      `a parameter of type ${showType(parameter.type)} does not fit the shape ${showShape(shape)} to draw`,
    );
  }
}

/** A parameter as float32. */
export const asFloat32 = (operation: string, x: ArrayLike): Array => {
  const value = asArray(operation, x);
  return value.dtype === "float32" ? value : value.astype("float32");
};

/** The shape to draw: as given, where all parameters must fit, or what these broadcast to. */
export function drawnShape(operation: string, shape: Shape | null, ...parameters: readonly Array[]): Shape {
  if (shape === null) return broadcastShapes(operation, ...parameters.map((parameter) => parameter.shape));
  const extents = checkShape(operation, shape);
  for (const parameter of parameters) checkParameter(operation, parameter, extents);
  return extents;
}

/** The float32 next to −1 towards zero. */
export const justAboveMinusOne = -0.9999999403953552;
/** The smallest normal float32. */
export const tiny = 1.1754943508222875e-38;
/** The distance from 1 to the next float32. */
export const epsilon = 1.1920928955078125e-7;
