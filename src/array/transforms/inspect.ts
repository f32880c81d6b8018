// Looking at what a function does without running it.
import { markEntry } from "../core/userCode.js";
import type { Array } from "../core/array.js";
import { checked } from "../core/checked.js";
import { countEquations, type Program } from "../core/program.js";
import { ShapeDtypeStruct } from "../core/shapeDtypeStruct.js";
import { arrayType, type ArrayType } from "../core/type.js";
import type { TracedProgram } from "../core/trace.js";
import type { Mesh } from "../sharding/mesh.js";
import type { Shardings } from "../sharding/placement.js";
import { flatten, isFlagOrName, unflatten } from "../tree/structure.js";
import { expandCalls } from "./expand.js";
import { flattenArguments, nameOf, traceCall, type MapArrays } from "./functions.js";
import { showProgram } from "./listing.js";
import { planFor, type MeshPlan } from "./shardingSupport.js";

/** A function as a Program, with the arrays it refers to from outside as its first inputs. */
export interface ClosedProgram {
  readonly program: Program;
  readonly constants: readonly Array[];
  /** Equations in all, those of loops and branches included. */
  readonly size: number;
  /** The readable listing. */
  toString(): string;
}

export interface MakeProgramOptions {
  /** The devices to split the program over, where no sharding says so. */
  readonly mesh?: Mesh;
  /** Where the arguments lie, as for `jit`. */
  readonly inShardings?: Shardings | "auto";
  /** Where the results shall lie, as for `jit`. */
  readonly outShardings?: Shardings;
}

/**
 * `makeProgram(f)(...args)` is the Program that f records for such arguments; print it to read it. With shardings, or
 * a mesh, it is the one that every device of the mesh runs on its blocks.
 */
export const makeProgram = checked(
  "makeProgram",
  2,
  ["mesh", "inShardings", "outShardings"],
  <A extends readonly unknown[]>(f: (...args: A) => unknown, asked: MakeProgramOptions = {}) => {
    const operation = nameOf("makeProgram", f);
    return markEntry((...args: A): ClosedProgram => {
      const { arrays, structure } = flattenArguments(operation, args);
      const types = arrays.map((array) => array.type);
      const call = traceCall(operation, f, structure, types);
      const isAsked = Object.keys(asked).length > 0;
      const parts = args.map((arg, at) => flattenArguments(operation, arg, `argument ${at}`));
      const traced = { args: parts, result: call.structure, program: call.program };
      const plan = isAsked ? planFor(operation, asked, traced) : null;
      const made = plan === null ? call : splitCall(call, plan);
      return {
        program: made.program,
        constants: made.captures,
        size: countEquations(made.program),
        toString: () => showProgram(made.program),
      };
    }, operation);
  },
);

/** A traced function as each device of a mesh runs it. */
function splitCall({ program, captures }: TracedProgram, { split }: MeshPlan): TracedProgram {
  const expanded = expandCalls(program, { keepShardMaps: true });
  const constants = [...expanded.constants, ...captures];
  return { program: split(expanded.program, constants.length).program, captures: constants };
}

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
