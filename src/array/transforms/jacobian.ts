// Whole matrices of derivatives, one direction of a standard basis at a time, vectorised.
import type { Array } from "../core/array.js";
import { isFloat } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import { showType } from "../core/type.js";
import { eye, zeros } from "../np/creation.js";
import { concatenate } from "../np/joining.js";
import { moveaxis } from "../np/shaping.js";
import { rebuild, type FlatTree } from "../lax/leaves.js";
import { map as mapTree, type MapLeaves } from "../tree/index.js";
import { jvp, vjp } from "./derivatives.js";
import { flattenArguments, nameOf } from "./functions.js";
import { vmap } from "./vmap.js";

/** A tree of results, each replaced by a tree like the argument: ∂result/∂argument at each pair of leaves. */
export type Jacobian<R, T> = MapLeaves<R, MapLeaves<T, Array>>;

export interface JacobianOptions {
  /** The position of the argument to differentiate. Default 0. */
  readonly argnums?: number;
}

/** The standard basis of a tree of arrays: for each leaf, [total, ...shape]. */
function standardBasis({ arrays }: FlatTree): Array[] {
  const sizes = arrays.map((array) => array.size);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  let before = 0;
  return arrays.map((array, index) => {
    const size = sizes[index];
    const after = total - before - size;
    const { dtype } = array;
    const block = concatenate(
      [zeros([before, size], { dtype }), eye(size, null, { dtype }), zeros([after, size], { dtype })],
      0,
    );
    before += size;
    return block.reshape([total, ...array.shape]);
  });
}

/** Cuts axis 0, which runs over all elements of a tree, into one array per leaf with the leaf's shape in front. */
function cutAlongLeaves(rows: Array, { arrays, structure }: FlatTree): unknown {
  let from = 0;
  const parts = arrays.map((array) => {
    const part = rows.slice(`${from}:${(from += array.size)}`);
    return part.reshape([...array.shape, ...rows.shape.slice(1)]);
  });
  return rebuild(structure, parts);
}

function pickArgument(operation: string, args: readonly unknown[], position: number): FlatTree {
  if (!Number.isInteger(position) || position < 0 || position >= args.length) {
    fail(operation, `argnums names argument ${position}, but the function was called with ${args.length}`);
  }
  const flat = flattenArguments(operation, args[position], `argument ${position}`);
  const odd = flat.arrays.find((array) => !isFloat(array.dtype));
  if (odd !== undefined) fail(operation, `argument ${position} must hold floats, got ${showType(odd.type)}`);
  return flat;
}

/** The Jacobian by forward mode: cheap for few inputs. Leaves have shape [...result, ...argument]. */
export function jacfwd<A extends readonly unknown[], R>(
  f: (...args: A) => R,
  { argnums = 0 }: JacobianOptions = {},
): (...args: A) => Jacobian<R, A[0]> {
  const operation = nameOf("jacfwd", f);
  return (...args) => {
    const argument = pickArgument(operation, args, argnums);
    const at = (value: unknown) =>
      f(...(args.map((arg, index) => (index === argnums ? value : arg)) as unknown as A));
    const value = rebuild<unknown>(argument.structure, argument.arrays);
    const push = (direction: unknown) => jvp(at, [value], [direction])[1];
    const basis = rebuild<unknown>(argument.structure, standardBasis(argument));
    const columns = vmap(push)(basis);
    // The direction's axis is in front; the argument's axes belong behind the result's.
    return mapTree(
      (leaf: unknown) => mapTree((part: unknown) => part, cutBehind(leaf as Array, argument)),
      columns,
    ) as Jacobian<R, A[0]>;
  };
}

function cutBehind(columns: Array, argument: FlatTree): unknown {
  const cut = cutAlongLeaves(columns, argument);
  const flat = flattenArguments("jacfwd", cut);
  const resultAxes = columns.ndim - 1;
  return rebuild(
    argument.structure,
    flat.arrays.map((part) => {
      const lead = part.ndim - resultAxes;
      const sources = globalThis.Array.from({ length: lead }, (_, axis) => axis);
      return moveaxis(
        part,
        sources,
        sources.map((axis) => axis + resultAxes),
      );
    }),
  );
}

/** The Jacobian by reverse mode: cheap for few results. Leaves have shape [...result, ...argument]. */
export function jacrev<A extends readonly unknown[], R>(
  f: (...args: A) => R,
  { argnums = 0 }: JacobianOptions = {},
): (...args: A) => Jacobian<R, A[0]> {
  const operation = nameOf("jacrev", f);
  return (...args) => {
    const argument = pickArgument(operation, args, argnums);
    const at = (value: unknown) =>
      f(...(args.map((arg, index) => (index === argnums ? value : arg)) as unknown as A));
    const [value, back] = vjp(at, rebuild<unknown>(argument.structure, argument.arrays));
    const result = flattenArguments(operation, value, "the result");
    const basis = rebuild<R>(result.structure, standardBasis(result));
    const [rows] = vmap(back)(basis);
    // Every leaf of the argument has the result's elements along axis 0: cut them up by result.
    const parts = flattenArguments(operation, rows).arrays.map(
      (leaf) => flattenArguments(operation, cutAlongLeaves(leaf, result)).arrays,
    );
    let next = 0;
    return mapTree(() => {
      const index = next++;
      return rebuild(
        argument.structure,
        parts.map((perResult) => perResult[index]),
      );
    }, value) as Jacobian<R, A[0]>;
  };
}

/** The matrix of second derivatives of a function that returns one number. */
export const hessian = <A extends readonly unknown[], R>(
  f: (...args: A) => R,
  options: JacobianOptions = {},
): ((...args: A) => Jacobian<Jacobian<R, A[0]>, A[0]>) =>
  jacfwd<A, Jacobian<R, A[0]>>(jacrev(f, options), options);
