// Programs whose arguments and results stay where they are: typed arrays to write and to read between runs, for loops on
// the host in which a call must cost little.
import type { Array } from "../core/array.js";
import { allocate, type TypedArray } from "../core/dtype.js";
import { describe, fail } from "../core/errors.js";
import { concrete } from "../core/interpret.js";
import type { Program } from "../core/program.js";
import { sizeOf } from "../core/shape.js";
import { traceProgram } from "../core/trace.js";
import { showType } from "../core/type.js";
import { flattenArrays, rebuild, type FlatTree } from "../lax/leaves.js";
import { structureKey } from "../tree/structure.js";
import { findBackend, type Backend, type CompileOptions, type ResidentExecutable } from "./backend.js";
import { expandCalls } from "./expand.js";
import { flattenArguments, nameOf } from "./functions.js";

/** A compiled function in memory of its own. What is written to its arguments stays until it is written anew. */
export interface ResidentProgram {
  /** The elements of every argument: one typed array for each array in it. */
  readonly inputs: readonly (readonly TypedArray[])[];
  /** The elements of the results, good until the next run. */
  readonly outputs: readonly TypedArray[];
  /** Writes an argument: a tree like the one that the program was made with. */
  readonly set: (position: number, value: unknown) => void;
  readonly run: () => void;
}

/**
 * Compiles a function that returns a list of arrays, for arguments like these, which are its first ones. Nothing is
 * allocated when it runs, and nothing copied but what the caller copies.
 */
export function residentProgram<A extends readonly unknown[]>(
  f: (...args: A) => readonly Array[],
  args: A,
  { device }: { readonly device?: string | undefined } = {},
): ResidentProgram {
  const operation = nameOf("residentProgram", f);
  const flat = args.map((arg, at) => flattenArguments(operation, arg, `argument ${at}`));
  const given = flat.flatMap(({ arrays }) => arrays);
  const types = given.map(({ type }) => type);
  const recorded = traceProgram(operation, types, (arrays) => {
    let next = 0;
    const built = flat.map(({ structure, arrays: { length } }) =>
      rebuild(structure, arrays.slice(next, (next += length))),
    );
    return flattenArrays(operation, f(...(built as unknown as A)), "the result").arrays;
  });
  const { program, constants } = expandCalls(recorded.program);
  const backend = findBackend(operation, program, device);
  const values = [...constants, ...recorded.captures, ...given];
  const options: CompileOptions = { name: operation, constants: values, donated: [] };
  const executable = backend.resident?.(program, options) ?? copying(backend, program, options);
  const inputs = byArgument(executable.inputs.slice(values.length - given.length), flat);
  const set = (position: number, value: unknown): void => {
    const { arrays } = fitting(operation, position, value, flat[position]);
    arrays.forEach((array, at) => inputs[position][at].set(array.elements as TypedArray));
  };
  return { inputs, outputs: executable.outputs, set, run: executable.run };
}

function byArgument(inputs: readonly TypedArray[], flat: readonly FlatTree[]): TypedArray[][] {
  let next = 0;
  return flat.map(({ arrays: { length } }) => inputs.slice(next, (next += length)));
}

/** An argument taken apart, refused where it is not like the one before. */
function fitting(operation: string, position: number, value: unknown, like: FlatTree | undefined): FlatTree {
  if (like === undefined) fail(operation, `there is no argument ${position}`);
  const flat = flattenArguments(operation, value, `argument ${position}`);
  const wanted = like.arrays.map(({ type }) => showType(type));
  const at = flat.arrays.findIndex(({ type }, index) => showType(type) !== wanted[index]);
  if (structureKey(flat.structure) === structureKey(like.structure) && at < 0) return flat;
  const got = at < 0 ? describe(value) : showType(flat.arrays[at].type);
  fail(
    operation,
    `argument ${position} must be like the one it was made with${at < 0 ? "" : `, ${wanted[at]}`}, got ${got}`,
  );
}

/** A program that keeps its arguments by writing them anew for every run. */
function copying(backend: Backend, program: Program, options: CompileOptions): ResidentExecutable {
  const inputs = options.constants.map(({ elements }) => (elements as TypedArray).slice());
  const outputs = program.outputs.map(({ type: { shape, dtype } }) => allocate(dtype, sizeOf(shape)));
  const executable = backend.compile(program, {
    ...options,
    constants: [],
    donated: inputs.map(() => false),
  });
  const run = (): void => {
    const args = inputs.map((elements, at) => concrete(options.constants[at].type, elements.slice()));
    executable.run(args).forEach(({ elements }, at) => outputs[at].set(elements as TypedArray));
  };
  return { inputs, outputs, run };
}
