// A tree of arrays as one vector, and the way back.
import type { Array } from "./core/array.js";
import { checked } from "./core/checked.js";
import { asArray, promote } from "./core/coerce.js";
import { fail } from "./core/errors.js";
import { sizeOf } from "./core/shape.js";
import { showType } from "./core/type.js";
import { markEntry } from "./core/userCode.js";
import { flattenArrays, rebuild } from "./lax/leaves.js";
import { zeros } from "./np/creation.js";
import { concatenate } from "./np/joining.js";

/**
 * `[vector, unravel]`: all elements of a tree of arrays one after the other, and the function from such a vector to
 * such a tree. Leaves of several dtypes meet in one; `unravel` gives each its own back.
 */
export const ravelPytree = checked(
  "ravelPytree",
  1,
  <T>(tree: T): [vector: Array, unravel: (vector: Array) => T] => {
    const { arrays, structure } = flattenArrays("ravelPytree", tree, "the tree");
    const types = arrays.map((array) => array.type);
    const vector =
      arrays.length === 0
        ? zeros([0])
        : concatenate(promote("ravelPytree", arrays).map((array) => array.reshape(-1)));
    const unravel = markEntry((given: Array): T => {
      const flat = asArray("unravel", given);
      if (flat.ndim !== 1 || flat.size !== vector.size) {
        fail("unravel", `needs a vector like ${showType(vector.type)}, got ${showType(flat.type)}`);
      }
      let next = 0;
      const leaves = types.map(({ shape, dtype }) => {
        const start = next;
        next += sizeOf(shape);
        return flat.slice(`${start}:${next}`).reshape(shape).astype(dtype);
      });
      return rebuild<T>(structure, leaves);
    }, "unravel");
    return [vector, unravel];
  },
);
