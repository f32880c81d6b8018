// What a primitive is: a name and all the rules that the interpreter and the transforms need of it.
import type { Array, Concrete } from "./array.js";
import type { TypedArray } from "./dtype.js";
import type { Equation, Program } from "./program.js";
import type { ArrayType } from "./type.js";

/** A derivative along with a value; `null` is a zero that was never computed. */
export type Tangent = Array | null;

/** What `jvp` returns: the results and their tangents. */
export interface Linearized {
  readonly outputs: readonly Array[];
  readonly tangents: readonly Tangent[];
}

/** What `batch` returns: the results, and which of them have a batch axis in front. */
export interface Batched {
  readonly outputs: readonly Array[];
  readonly batched: readonly boolean[];
}

/** An equation split in two: what needs only known inputs, and the rest given what the first part left. */
export interface Partitioned {
  /** Define the known outputs of the equation, and variables of their own for `unknown` to use. */
  readonly known: readonly Equation[];
  /** Define the unknown outputs of the equation. */
  readonly unknown: readonly Equation[];
}

/**
 * One operation of the array language with all its rules side by side. `P` are its static parameters.
 * Rules are written with ordinary array operations, so that a transformed program is again a Program.
 */
export interface Primitive<P extends object = object> {
  readonly name: string;

  /** The types of the results, or an error that names what does not fit. */
  infer(inputs: readonly ArrayType[], params: P): ArrayType[];

  /** The reference implementation: the elements of each result, row-major. */
  evaluate(inputs: readonly Concrete[], params: P, outputs: readonly ArrayType[]): TypedArray[];

  /** Results and their derivative in the direction of `tangents`. */
  jvp(inputs: readonly Array[], tangents: readonly Tangent[], params: P): Linearized;

  /**
   * For primitives that are linear in some inputs: from the cotangents of the results those of the linear
   * inputs. `known[i]` is null where input i is linear.
   */
  transpose?(
    cotangents: readonly Tangent[],
    known: readonly (Array | null)[],
    types: readonly ArrayType[],
    params: P,
  ): Tangent[];

  /** The same operation on a batch. Inputs with `batched[i]` have an extra axis 0 of extent `size`. */
  batch(inputs: readonly Array[], batched: readonly boolean[], params: P, size: number): Batched;

  /** Splits an equation some of whose inputs are unknown; without this rule all of it becomes unknown. */
  partition?(equation: Equation, unknown: readonly boolean[]): Partitioned;

  /** Why reverse mode cannot go through an equation with these parameters, or null if it can. */
  forwardOnly?(params: P): string | null;

  /** The equation without what only serves outputs that nobody uses. */
  prune?(equation: Equation, used: readonly boolean[]): Equation;

  /** The Programs among the parameters. */
  subPrograms?(params: P): readonly Program[];

  /** The same as equations of other primitives, for compilers, which do not know this one. */
  expand?(params: P): Program;

  /** The named axes along which it meets other examples or devices. */
  axes?(params: P): readonly string[];

  /** True for what must happen even if nobody uses the result. */
  readonly effect?: boolean;

  /** True when transforms may refuse it, so that its place in the user's code is worth remembering. */
  readonly refusable?: boolean;
}
