// Comparing derivatives with finite differences.
import { checked } from "../core/checked.js";
import type { Array } from "../core/array.js";
import { concreteElements } from "../core/array.js";
import { isFloat } from "../core/dtype.js";
import { describe, fail } from "../core/errors.js";
import * as random from "../random/index.js";
import { callBack } from "../core/userCode.js";
import { rebuild, type FlatTree } from "../lax/leaves.js";
import { leafPaths } from "../tree/structure.js";
import { jvp, vjp } from "./directional.js";
import { flattenArguments, nameOf } from "./functions.js";

export interface CheckGradsOptions {
  /** Which derivatives to check. Default both. */
  readonly modes?: readonly ("fwd" | "rev")[];
  /** Allowed absolute difference. Default 1e-6 for float64, 2e-2 for float32. */
  readonly atol?: number;
  /** Allowed relative difference. Default as atol. */
  readonly rtol?: number;
  /** Step of the finite differences. Default 1e-5 for float64, 1e-2 for float32. */
  readonly eps?: number;
}

/**
 * Refuses a function whose derivatives differ from finite differences, along random directions, up to the
 * given order. Arguments in float64 make the check sharp.
 */
export const checkGrads = checked(
  "checkGrads",
  4,
  ["modes", "atol", "rtol", "eps"],
  <A extends readonly unknown[]>(
    f: (...args: A) => unknown,
    args: A,
    order = 1,
    options: CheckGradsOptions = {},
  ): void => {
    const operation = nameOf("checkGrads", f);
    const { modes = ["fwd", "rev"] } = options;
    const values = flattenArguments(operation, args);
    const odd = values.arrays.find((array) => !isFloat(array.dtype));
    if (odd !== undefined) fail(operation, `arguments must be floats, got ${describe(odd)}`);
    const isDouble = values.arrays.every((array) => array.dtype === "float64");
    const { eps = isDouble ? 1e-5 : 1e-2, atol = isDouble ? 1e-6 : 2e-2, rtol = atol } = options;
    const tolerance = { atol, rtol };
    const directions = values.arrays.map((array, index) => randomLike(array, 17 + index));
    const tangents = rebuild<A>(values.structure, directions);
    const moved = (by: number): Array[] => {
      const place = values.arrays.map((array, index) => array.add(directions[index].mul(by)));
      return flatten(
        operation,
        callBack(() => f(...rebuild<A>(values.structure, place))),
      ).arrays;
    };
    const [ahead, behind] = [moved(eps), moved(-eps)];
    const numeric = ahead.map((array, index) => array.sub(behind[index]).div(2 * eps));

    if (modes.includes("fwd")) {
      const exact = flatten(operation, jvp(f, args, tangents)[1]);
      compare(operation, "the jvp", exact, numeric, tolerance);
    }
    if (modes.includes("rev")) {
      // ⟨cotangent, J·tangent⟩ must equal ⟨Jᵀ·cotangent, tangent⟩.
      const [value, back] = vjp(f, ...args);
      const result = flatten(operation, value);
      const cotangents = result.arrays.map((array, index) => randomLike(array, 91 + index));
      const gradients = flatten(operation, back(rebuild(result.structure, cotangents)));
      const left = innerProduct(cotangents, numeric);
      const right = innerProduct(gradients.arrays, directions);
      if (!isClose(right, left, tolerance)) {
        fail(operation, `the vjp gives ${right} along a random direction, finite differences give ${left}`);
      }
    }
    if (order <= 1) return;
    checkGrads((...inputs: A) => jvp(f, inputs, tangents)[1], args, order - 1, options);
    if (modes.includes("rev")) {
      const cotangents = flatten(
        operation,
        callBack(() => f(...args)),
      ).arrays.map((array, index) => randomLike(array, 53 + index));
      const gradient = (...inputs: A): unknown => {
        const [value, back] = vjp(f, ...inputs);
        return back(rebuild(flatten(operation, value).structure, cotangents));
      };
      checkGrads(gradient, args, order - 1, options);
    }
  },
);

const flatten = (operation: string, tree: unknown): FlatTree =>
  flattenArguments(operation, tree, "the result");

const randomLike = (array: Array, seed: number): Array =>
  isFloat(array.dtype) ? random.normal(random.key(seed), array.shape).astype(array.dtype) : array.mul(0);

const innerProduct = (a: readonly Array[], b: readonly Array[]): number =>
  a.reduce((total, array, index) => {
    const other = concreteElements(b[index], "checkGrads");
    let sum = 0;
    concreteElements(array, "checkGrads").forEach((x, at) => (sum += x * other[at]));
    return total + sum;
  }, 0);

interface Tolerance {
  readonly atol: number;
  readonly rtol: number;
}

const isClose = (a: number, b: number, { atol, rtol }: Tolerance): boolean =>
  Math.abs(a - b) <= atol + rtol * Math.abs(b);

function compare(
  operation: string,
  what: string,
  exact: FlatTree,
  numeric: readonly Array[],
  tolerance: Tolerance,
): void {
  exact.arrays.forEach((array, index) => {
    const expected = concreteElements(numeric[index], operation);
    concreteElements(array, operation).forEach((value, at) => {
      if (isClose(value, expected[at], tolerance)) return;
      const path = leafPaths(exact.structure)[index];
      fail(
        operation,
        `${what} of element ${at}${path === "" ? "" : ` of ${path}`} is ${value}, finite differences give ${expected[at]}`,
      );
    });
  });
}
