// Whole matrices of derivatives: one direction of a standard basis at a time, vectorised.
import { markEntry } from "../core/userCode.js";
import { checked } from "../core/checked.js";
import type { Array } from "../core/array.js";
import { isFloat } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import { showType } from "../core/type.js";
import { rebuild, type FlatTree } from "../lax/leaves.js";
import { eye, zeros } from "../np/creation.js";
import { concatenate, split } from "../np/joining.js";
import { moveaxis } from "../np/shaping.js";
import { jvp, vjp } from "./directional.js";
import { flattenArguments, nameOf, type MapArrays } from "./functions.js";
import { vmap } from "./vmap.js";

/** The result's tree with, in place of each leaf, a tree like the argument's: ∂result/∂argument leaf by leaf. */
export type Jacobian<R, T> = MapArrays<R, MapArrays<T, Array>>;

export interface JacobianOptions {
  /** The position of the argument to differentiate. Default 0. */
  readonly argnums?: number;
}

/** f as a function of one argument, and that argument. */
function isolate<A extends readonly unknown[], R>(
  operation: string,
  f: (...args: A) => R,
  args: A,
  position: number,
): { readonly argument: FlatTree; readonly of: (value: unknown) => R } {
  if (!Number.isInteger(position) || position < 0 || position >= args.length) {
    fail(operation, `argnums names argument ${position}, but the function was called with ${args.length}`);
  }
  const argument = flattenArguments(operation, args[position], `argument ${position}`);
  const odd = argument.arrays.find((array) => !isFloat(array.dtype));
  if (odd !== undefined) fail(operation, `argument ${position} must hold floats, got ${showType(odd.type)}`);
  const of = (value: unknown) =>
    f(...(args.map((arg, index) => (index === position ? value : arg)) as unknown as A));
  return { argument, of };
}

/** All elements of a tree of arrays as directions: for each leaf, an array [total, ...shape]. */
function standardBasis<T>({ arrays, structure }: FlatTree): T {
  const total = arrays.reduce((sum, { size }) => sum + size, 0);
  let before = 0;
  const rows = arrays.map(({ size, shape, dtype }) => {
    const after = total - before - size;
    const block = [
      zeros([before, size], { dtype }),
      eye(size, null, { dtype }),
      zeros([after, size], { dtype }),
    ];
    before += size;
    return concatenate(block).reshape([total, ...shape]);
  });
  return rebuild<T>(structure, rows);
}

/** Axis 0, which runs over the elements of all leaves, cut into one piece per leaf. */
function cutByLeaf(rows: Array, { arrays }: FlatTree): Array[] {
  let end = 0;
  const ends = arrays.map(({ size }) => (end += size));
  return split(rows, ends.slice(0, -1));
}

/** The Jacobian by forward mode: cheap for few inputs. Its leaves have shape [...result, ...argument]. */
export const jacfwd = checked(
  "jacfwd",
  2,
  ["argnums"],
  <A extends readonly unknown[], R>(
    f: (...args: A) => R,
    { argnums = 0 }: JacobianOptions = {},
  ): ((...args: A) => Jacobian<R, A[0]>) => {
    const operation = nameOf("jacfwd", f);
    return markEntry((...args: A) => {
      const { argument, of } = isolate(operation, f, args, argnums);
      const value = rebuild<unknown>(argument.structure, argument.arrays);
      const push = (direction: unknown) => jvp(of, [value], [direction])[1];
      const columns = flattenArguments(operation, vmap(push)(standardBasis(argument)));
      const leaves = columns.arrays.map((column) => {
        const pieces = cutByLeaf(column, argument).map((piece, index) =>
          moveaxis(piece, 0, -1).reshape([...column.shape.slice(1), ...argument.arrays[index].shape]),
        );
        return rebuild<Array>(argument.structure, pieces);
      });
      return rebuild<Jacobian<R, A[0]>>(columns.structure, leaves);
    }, operation);
  },
);

/** The Jacobian by reverse mode: cheap for few results. Its leaves have shape [...result, ...argument]. */
export const jacrev = checked(
  "jacrev",
  2,
  ["argnums"],
  <A extends readonly unknown[], R>(
    f: (...args: A) => R,
    { argnums = 0 }: JacobianOptions = {},
  ): ((...args: A) => Jacobian<R, A[0]>) => {
    const operation = nameOf("jacrev", f);
    return markEntry((...args: A) => {
      const { argument, of } = isolate(operation, f, args, argnums);
      const [value, back] = vjp(of, rebuild<unknown>(argument.structure, argument.arrays));
      const result = flattenArguments(operation, value, "the result");
      const rows = flattenArguments(operation, vmap(back)(standardBasis<R>(result))[0]);
      const pieces = rows.arrays.map((row) => cutByLeaf(row, result));
      const leaves = result.arrays.map(({ shape }, index) =>
        rebuild<Array>(
          argument.structure,
          pieces.map((ofLeaf, at) => ofLeaf[index].reshape([...shape, ...argument.arrays[at].shape])),
        ),
      );
      return rebuild<Jacobian<R, A[0]>>(result.structure, leaves);
    }, operation);
  },
);

/** The matrix of second derivatives of a function that returns one number. */
export const hessian = checked(
  "hessian",
  2,
  ["argnums"],
  <A extends readonly unknown[], R>(
    f: (...args: A) => R,
    options: JacobianOptions = {},
  ): ((...args: A) => Jacobian<Jacobian<R, A[0]>, A[0]>) => jacfwd(jacrev(f, options), options),
);
