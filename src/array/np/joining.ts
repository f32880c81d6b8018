// Joining arrays and taking them apart again.
import { checked } from "../core/checked.js";
import type { Array } from "../core/array.js";
import { type ArrayLike } from "../core/array.js";
import { asArray, promote } from "../core/coerce.js";
import { fail } from "../core/errors.js";
import { insertAt, normalizeAxis, sameShape } from "../core/shape.js";
import { bindOne } from "../core/trace.js";
import { showType } from "../core/type.js";
import { concatenate as concatenatePrimitive } from "../primitives/concatenate.js";
import { slice } from "./indexing.js";

function checkList(operation: string, arrays: readonly ArrayLike[]): Array[] {
  if (!globalThis.Array.isArray(arrays) || arrays.length === 0) {
    fail(operation, "needs a list of at least one array");
  }
  return promote(operation, arrays as readonly ArrayLike[]);
}

/** Arrays one after the other along an existing axis. */
export const concatenate = checked("np.concatenate", 2, (arrays: readonly ArrayLike[], axis = 0): Array => {
  const operands = checkList("np.concatenate", arrays);
  const [first] = operands as [Array];
  const odd = operands.find((operand) => operand.ndim !== first.ndim);
  if (odd !== undefined) {
    fail(
      "np.concatenate",
      `arrays must have the same number of dimensions, got ${showType(first.type)} and ${showType(odd.type)}`,
    );
  }
  return bindOne(concatenatePrimitive, operands, {
    axis: normalizeAxis("np.concatenate", axis, first.ndim),
  });
});

/** Arrays of one shape side by side along a new axis. */
export const stack = checked("np.stack", 2, (arrays: readonly ArrayLike[], axis = 0): Array => {
  const operands = checkList("np.stack", arrays);
  const [first] = operands as [Array];
  const odd = operands.find((operand) => !sameShape(operand.shape, first.shape));
  if (odd !== undefined) {
    fail("np.stack", `arrays must have one shape, got ${showType(first.type)} and ${showType(odd.type)}`);
  }
  const at = normalizeAxis("np.stack", axis, first.ndim + 1);
  return bindOne(
    concatenatePrimitive,
    operands.map((operand) => operand.reshape(insertAt(operand.shape, at, 1))),
    { axis: at },
  );
});

/** Arrays on top of each other along the first axis; vectors count as rows. */
export const vstack = checked("np.vstack", 1, (arrays: readonly ArrayLike[]): Array =>
  concatenate(checkList("np.vstack", arrays).map((item) => (item.ndim < 2 ? item.reshape([1, -1]) : item))),
);
/** Arrays side by side along the second axis; vectors along their only one, scalars count as vectors. */
export const hstack = checked("np.hstack", 1, (arrays: readonly ArrayLike[]): Array => {
  const operands = checkList("np.hstack", arrays).map((item) => (item.ndim === 0 ? item.reshape(1) : item));
  return concatenate(operands, operands[0].ndim === 1 ? 0 : 1);
});

/** Parts along an axis: a number of equal ones, or cut at the given indices. */
export const split = checked(
  "np.split",
  3,
  (x: ArrayLike, sections: number | readonly number[], axis = 0): Array[] => {
    const array = asArray("np.split", x);
    const at = normalizeAxis("np.split", axis, array.ndim);
    const extent = array.shape[at];
    if (
      typeof sections === "number" &&
      (!Number.isInteger(sections) || sections < 1 || extent % sections !== 0)
    ) {
      fail("np.split", `cannot cut the ${extent} elements along axis ${at} into ${sections} equal parts`);
    }
    const cuts =
      typeof sections === "number"
        ? globalThis.Array.from({ length: sections + 1 }, (_, part) => (part * extent) / sections)
        : [0, ...sections, extent];
    const lead = array.shape.slice(0, at).map(() => ":");
    return cuts.slice(1).map((stop, part) => slice(array, ...lead, { start: cuts[part], stop }));
  },
);
