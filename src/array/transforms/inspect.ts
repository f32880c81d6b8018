// Looking at what a function does without running it.
import { markEntry } from "../core/userCode.js";
import type { Array } from "../core/array.js";
import { checked } from "../core/checked.js";
import { countEquations, type Program } from "../core/program.js";
import { ShapeDtypeStruct } from "../core/shapeDtypeStruct.js";
import { arrayType, type ArrayType } from "../core/type.js";
import { flatten, isFlagOrName, unflatten } from "../tree/structure.js";
import { flattenArguments, nameOf, traceCall, type MapArrays } from "./functions.js";
import { showProgram } from "./listing.js";

/** A function as a Program, with the arrays it refers to from outside as its first inputs. */
export interface ClosedProgram {
  readonly program: Program;
  readonly constants: readonly Array[];
  /** Equations in all, those of loops and branches included. */
  readonly size: number;
  /** The readable listing. */
  toString(): string;
}

/** `makeProgram(f)(...args)` is the Program that f records for such arguments; print it to read it. */
export const makeProgram = checked(
  "makeProgram",
  1,
  <A extends readonly unknown[]>(f: (...args: A) => unknown) => {
    const operation = nameOf("makeProgram", f);
    return markEntry((...args: A): ClosedProgram => {
      const { arrays, structure } = flattenArguments(operation, args);
      const { program, captures } = traceCall(
        operation,
        f,
        structure,
        arrays.map((array) => array.type),
      );
      return {
        program,
        constants: captures,
        size: countEquations(program),
        toString: () => showProgram(program),
      };
    }, operation);
  },
);

/** The shape and dtype of an array that was never computed. */
export type ShapeDtype = ShapeDtypeStruct;

/** Arguments for which shapes and dtypes will do in place of arrays. */
type Abstract<T> = T | MapArrays<T, Array | number | ShapeDtypeStruct>;

/** The types of arguments some of which may be shapes and dtypes alone. */
function typesOfArguments(operation: string, args: readonly unknown[]) {
  const { leaves, structure } = flatten(args, isFlagOrName);
  const isAbstract = (leaf: unknown): leaf is ShapeDtypeStruct => leaf instanceof ShapeDtypeStruct;
  if (!leaves.some(isAbstract)) {
    const flat = flattenArguments(operation, args);
    return { structure: flat.structure, types: flat.arrays.map(({ type }) => type) };
  }
  // Those that are no arrays are refused, or made arrays, where they stand.
  const others = flattenArguments(
    operation,
    unflatten(
      structure,
      leaves.map((leaf) => (isAbstract(leaf) ? 0 : leaf)),
    ),
  );
  const types = leaves.map((leaf, index): ArrayType =>
    isAbstract(leaf) ? arrayType(leaf.shape, leaf.dtype) : others.arrays[index].type,
  );
  return { structure, types };
}

/**
 * The shapes and dtypes of `f(...args)`, in the structure of its result, without computing anything. The arguments may
 * be arrays or `ShapeDtypeStruct`s.
 */
export const evalShape = markEntry(
  <A extends readonly unknown[], R>(
    f: (...args: A) => R,
    ...args: { readonly [K in keyof A]: Abstract<A[K]> }
  ): MapArrays<R, ShapeDtypeStruct> => {
    const operation = nameOf("evalShape", f);
    const { structure, types } = typesOfArguments(operation, args);
    const call = traceCall(operation, f, structure, types);
    const shapes = call.program.outputs.map(({ type }) => ShapeDtypeStruct(type.shape, type.dtype));
    return unflatten(call.structure, shapes) as MapArrays<R, ShapeDtypeStruct>;
  },
  "evalShape",
);
