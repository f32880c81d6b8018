// Looking at what a function does without running it.
import { markEntry } from "../core/userCode.js";
import type { Array } from "../core/array.js";
import { checked } from "../core/checked.js";
import { countEquations, type Program } from "../core/program.js";
import type { DType } from "../core/dtype.js";
import type { Shape } from "../core/shape.js";
import { unflatten } from "../tree/structure.js";
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
export interface ShapeDtype {
  readonly shape: Shape;
  readonly dtype: DType;
}

/** The shapes and dtypes of `f(...args)`, in the structure of its result, without computing anything. */
export const evalShape = markEntry(
  <A extends readonly unknown[], R>(f: (...args: A) => R, ...args: A): MapArrays<R, ShapeDtype> => {
    const operation = nameOf("evalShape", f);
    const { arrays, structure } = flattenArguments(operation, args);
    const call = traceCall(
      operation,
      f,
      structure,
      arrays.map((array) => array.type),
    );
    const types = call.program.outputs.map(({ type: { shape, dtype } }): ShapeDtype => ({ shape, dtype }));
    return unflatten(call.structure, types) as MapArrays<R, ShapeDtype>;
  },
  "evalShape",
);
