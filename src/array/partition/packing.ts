// Arrays in a vector, one behind the other.
import type { Atom, Variable } from "../core/program.js";
import { sizeOf } from "../core/shape.js";
import { traceClosed } from "../core/trace.js";
import { zeros } from "../np/creation.js";
import { concatenate } from "../np/joining.js";
import { substitute } from "../transforms/substitute.js";

/** Arrays one behind the other, and zeros up to a length. */
export function packed(arrays: readonly Atom[], length: number): ReturnType<typeof substitute> {
  const size = arrays.reduce((sum, { type }) => sum + sizeOf(type.shape), 0);
  const program = traceClosed(
    arrays.map(({ type }) => type),
    (given) => {
      const rows = given.map((array) => array.reshape([sizeOf(array.shape)]));
      const rest = size === length ? [] : [zeros([length - size], { dtype: given[0].dtype })];
      return [concatenate([...rows, ...rest])];
    },
  );
  return substitute(program, arrays);
}

/** The arrays that lie in a vector one behind the other. */
export function unpacked(
  vector: Variable,
  shapes: readonly (readonly number[])[],
): ReturnType<typeof substitute> {
  const program = traceClosed([vector.type], ([given]) => {
    let start = 0;
    return shapes.map((shape) => {
      const from = start;
      start += sizeOf(shape);
      return given.slice(`${from}:${start}`).reshape([...shape]);
    });
  });
  return substitute(program, [vector]);
}
