// What functions with derivative rules of their own share: taking a call apart into arrays to differentiate,
// arguments without a derivative, and everything else.
import { Array } from "../core/array.js";
import { fail } from "../core/errors.js";
import { isFloat } from "../core/dtype.js";
import { boundAxes, keepAxes } from "../core/namedAxes.js";
import { range } from "../core/shape.js";
import { bind, isTracing, traceProgram } from "../core/trace.js";
import { showType, type ArrayType } from "../core/type.js";
import { callBack, markEntry } from "../core/userCode.js";
import { call, type CallParams } from "../control/call.js";
import { flattenArrays, rebuild, type FlatTree } from "../lax/leaves.js";
import {
  checkSameStructure,
  flatten,
  isFlagOrName,
  leafPaths,
  unflatten,
  type Structure,
} from "../tree/structure.js";
import { flattenArguments, type AnyFunction } from "./functions.js";

/** Positions of arguments: one, or several. */
export type Positions = number | readonly number[];

/** A call of a function with rules of its own. */
export interface TakenCall {
  readonly name: string;
  /** All arrays in the arguments, in order. */
  readonly arrays: readonly Array[];
  /** Which of them belong to arguments with a derivative. */
  readonly differentiable: readonly boolean[];
  /** For each argument with a derivative, which of the arrays are its own. */
  readonly owned: readonly (readonly number[])[];
  /** All arguments around other arrays. */
  readonly args: (arrays: readonly Array[]) => unknown[];
  /** The arguments without derivatives around other arrays. */
  readonly fixed: (arrays: readonly Array[]) => unknown[];
  /** The arguments with derivatives around one leaf per array of theirs. */
  readonly moving: (leaves: readonly unknown[]) => unknown[];
  /** The structure of those, as a list. */
  readonly structure: Structure;
}

/** Takes the arguments apart. In those that have no derivative only arrays are data; the rest stays as it is. */
export function takeCall(name: string, args: readonly unknown[], nondiffArgnums: Positions): TakenCall {
  const isFixed = new Set(
    [nondiffArgnums].flat().map((position) => {
      if (Number.isInteger(position) && position >= -args.length && position < args.length) {
        return position < 0 ? position + args.length : position;
      }
      return fail(
        name,
        `nondiffArgnums names argument ${position}, but it was called with ${args.length} arguments`,
      );
    }),
  );
  const flat = args.map((arg, at) =>
    isFixed.has(at) ? flattenFixed(arg) : flattenArguments(name, arg, `argument ${at}`, hint),
  );
  const slices: number[] = [0];
  for (const tree of flat) slices.push((slices.at(-1) ?? 0) + tree.arrays.length);
  const build = (arrays: readonly unknown[], at: number): unknown =>
    unflatten(flat[at].structure, arrays.slice(slices[at], slices[at + 1]));
  const moves = flat.map((_, at) => at).filter((at) => !isFixed.has(at));
  const structure: Structure = { kind: "list", children: moves.map((at) => flat[at].structure) };
  return {
    name,
    arrays: flat.flatMap((tree) => tree.arrays),
    differentiable: flat.flatMap((tree, at) => tree.arrays.map(() => !isFixed.has(at))),
    owned: moves.map((at) => range(slices[at + 1] - slices[at], slices[at])),
    args: (arrays) => flat.map((_, at) => build(arrays, at)),
    fixed: (arrays) => [...isFixed].sort((a, b) => a - b).map((at) => build(arrays, at)),
    moving: (leaves) => unflatten(structure, leaves) as unknown[],
    structure,
  };
}

const hint = "; name the argument in nondiffArgnums to pass it as it is";

/** A tree whose arrays are data and whose other leaves, functions and numbers among them, are part of the structure. */
function flattenFixed(arg: unknown): FlatTree {
  const isAsItIs = (leaf: unknown): boolean => !(leaf instanceof Array);
  // Only what is no object is asked about; instances of classes are leaves.
  const { leaves, structure } = flatten(arg, isAsItIs);
  return { arrays: leaves as Array[], structure };
}

/** The rules for one call, given the types of what goes in and comes out. */
export interface CallSite {
  readonly taken: TakenCall;
  /** How many inputs, in front, are values that the function closes over. */
  readonly captures: number;
  /** The types of all inputs. */
  readonly types: readonly ArrayType[];
  readonly outputs: readonly ArrayType[];
  readonly structure: Structure;
  /** The axes that the function and its rules may name. */
  readonly axes: readonly string[];
  /** Runs a rule, which may be wanted much later, with those axes. */
  readonly later: <T>(work: () => T) => T;
}

/** Calls a function: at once where nothing is recorded, else as one equation with rules. */
export function callWithRules(
  f: AnyFunction,
  taken: TakenCall,
  rules: (site: CallSite) => Pick<CallParams, "derive" | "transposed" | "axes">,
): unknown {
  const { name, arrays } = taken;
  const run = (inputs: readonly Array[]): unknown => f(...(taken.args(inputs) as never[]));
  if (!isTracing()) return callBack(() => run(arrays));
  let structure: Structure = { kind: "nothing", value: null };
  const { program, captures } = traceProgram(
    name,
    arrays.map((array) => array.type),
    (inputs) => {
      const result = flattenArrays(name, run(inputs), "the result", isFlagOrName);
      structure = result.structure;
      return result.arrays;
    },
  );
  const site: CallSite = {
    taken,
    captures: captures.length,
    types: program.inputs.map((input) => input.type),
    outputs: program.outputs.map((output) => output.type),
    structure,
    axes: boundAxes().map((axis) => axis.name),
    later: keepAxes(),
  };
  return rebuild(structure, bind(call, [...captures, ...arrays], { name, body: program, ...rules(site) }));
}

/** A function whose rules are told after it is made: `define` sets them and returns the function. */
export function definedLater<D>(
  name: string,
  f: AnyFunction,
  nondiffArgnums: Positions,
  missing: string,
  rules: (site: CallSite, definition: D) => Pick<CallParams, "derive">,
): { readonly custom: (...args: unknown[]) => unknown; readonly define: (given: D) => unknown } {
  let definition: D | null = null;
  const custom = (...args: unknown[]): unknown => {
    const known = definition ?? fail(name, missing);
    return callWithRules(f, takeCall(name, args, nondiffArgnums), (site) => rules(site, known));
  };
  return {
    custom: markEntry(custom, name),
    define: (given) => {
      definition = given;
      return custom;
    },
  };
}

/** Refuses derivatives with respect to what a function refers to from outside, or was told has none. */
export function checkActive({ taken, captures }: CallSite, active: readonly boolean[]): void {
  if (active.slice(0, captures).includes(true)) {
    fail(
      taken.name,
      "it is differentiated with respect to a value that it refers to from outside, of which its rule knows nothing; " +
        "make that value an argument, or put lax.stopGradient around it",
    );
  }
  const odd = active.slice(captures).findIndex((flag, index) => flag && !taken.differentiable[index]);
  if (odd >= 0) {
    fail(
      taken.name,
      "it is differentiated with respect to an argument in nondiffArgnums; take it out of there, or put " +
        "lax.stopGradient around it",
    );
  }
}

/** Arrays that a rule returned, checked against what the function itself gives. */
export function matchResult(
  site: CallSite,
  result: unknown,
  what: string,
  isIgnored: (type: ArrayType) => boolean = () => false,
): Array[] {
  const { name } = site.taken;
  const flat = flattenArrays(name, result, what, isFlagOrName);
  checkSameStructure(name, site.structure, flat.structure, `${what} and the function's own differ`);
  checkTypes(name, what, flat, site.outputs, isIgnored);
  return flat.arrays;
}

/** Refuses arrays of other types than expected. */
export function checkTypes(
  name: string,
  what: string,
  { arrays, structure }: FlatTree,
  types: readonly ArrayType[],
  isIgnored: (type: ArrayType) => boolean,
): void {
  arrays.forEach((array, index) => {
    const type = types[index];
    const fits =
      array.dtype === type.dtype &&
      array.ndim === type.shape.length &&
      array.shape.every((extent, axis) => extent === type.shape[axis]);
    if (fits || isIgnored(type)) return;
    const path = leafPaths(structure)[index];
    fail(
      name,
      `${what} must have the types of the values they belong to: ${path === "" ? "" : `at ${path} `}got ` +
        `${showType(array.type)} for ${showType(type)}`,
    );
  });
}

export const isDiscrete = ({ dtype }: ArrayType): boolean => !isFloat(dtype);
