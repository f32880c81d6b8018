// All partial results of an associative function, in a number of steps that grows with the logarithm of the length.
import { checked } from "../core/checked.js";
import type { Array } from "../core/array.js";
import { fail } from "../core/errors.js";
import { checkFunction } from "../core/rules.js";
import { normalizeAxis } from "../core/shape.js";
import { showType } from "../core/type.js";
import { callBack } from "../core/userCode.js";
import { concatenate, stack } from "../np/joining.js";
import { slice } from "../np/indexing.js";
import { flip } from "../np/shaping.js";
import { checkSameStructure } from "../tree/structure.js";
import { flattenArrays, rebuild } from "./leaves.js";

export interface AssociativeScanOptions {
  /** Whether to go from the last element to the first. Default false. */
  readonly reverse?: boolean;
  /** The axis to go along. Default 0. */
  readonly axis?: number;
}

type Combine = (a: readonly Array[], b: readonly Array[]) => Array[];

/**
 * `[x₀, f(x₀, x₁), f(f(x₀, x₁), x₂), …]` along an axis, for an associative f. f gets many elements at once, with the
 * axis in its place, and must combine them element by element; they may be trees.
 */
export const associativeScan = checked(
  "lax.associativeScan",
  3,
  ["reverse", "axis"],
  <T>(f: (a: T, b: T) => T, elements: T, { reverse = false, axis = 0 }: AssociativeScanOptions = {}): T => {
    const operation = "lax.associativeScan";
    checkFunction(operation, "its first argument", f);
    const { arrays, structure } = flattenArrays(operation, elements, "the elements");
    const [first] = arrays;
    if (first === undefined) fail(operation, "the elements hold no arrays");
    const axes = arrays.map((array) => normalizeAxis(operation, axis, array.ndim));
    const odd = arrays.find((array, at) => array.shape[axes[at]] !== first.shape[axes[0]]);
    if (odd !== undefined) {
      fail(
        operation,
        `the elements must have one extent along axis ${axis}, got ${showType(first.type)} and ${showType(odd.type)}`,
      );
    }
    const combine: Combine = (a, b) => {
      const result = flattenArrays(
        operation,
        callBack(() => f(rebuild(structure, a), rebuild(structure, b))),
        "the result",
      );
      checkSameStructure(
        operation,
        structure,
        result.structure,
        "the elements and what f makes of them differ",
      );
      return result.arrays;
    };
    const turn = (list: readonly Array[]): Array[] =>
      reverse ? list.map((array, at) => flip(array, axes[at])) : [...list];
    return rebuild<T>(structure, turn(partial(combine, turn(arrays), axes)));
  },
);

/** Pairs are combined, the partial results of the pairs found, and those in between filled in (Blelloch 1990). */
function partial(combine: Combine, elements: readonly Array[], axes: readonly number[]): Array[] {
  const length = elements[0].shape[axes[0]];
  if (length < 2) return [...elements];
  const part = (list: readonly Array[], range: string): Array[] =>
    list.map((array, at) => slice(array, ...array.shape.slice(0, axes[at]).map(() => ":"), range));
  const join = (a: readonly Array[], b: readonly Array[]): Array[] =>
    a.map((array, at) => concatenate([array, b[at]], axes[at]));
  const odd = partial(combine, combine(part(elements, ":-1:2"), part(elements, "1::2")), axes);
  const between = part(elements, "2::2");
  const even = join(
    part(elements, ":1"),
    length === 2 ? part(elements, ":0") : combine(length % 2 === 0 ? part(odd, ":-1") : odd, between),
  );
  const pairs = Math.floor(length / 2);
  const woven = part(even, `:${pairs}`).map((array, at) => {
    const shape = [...array.shape];
    shape[axes[at]] = 2 * pairs;
    return stack([array, odd[at]], axes[at] + 1).reshape(shape);
  });
  return length % 2 === 0 ? woven : join(woven, part(even, "-1:"));
}
