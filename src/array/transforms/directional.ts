// Derivatives in given directions: jvp, linearize and vjp.
import type { Array } from "../core/array.js";
import { checked } from "../core/checked.js";
import { isFloat } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import { isPlainObject } from "../core/plainObject.js";
import { inline } from "../core/trace.js";
import { markEntry } from "../core/userCode.js";
import { instantiate } from "../primitives/linear.js";
import { rebuild, type FlatTree } from "../lax/leaves.js";
import { countLeaves, type Structure } from "../tree/structure.js";
import { flattenArguments, nameOf, traceCall, type AnyFunction, type TracedCall } from "./functions.js";
import { applyJvp } from "./jvp.js";
import { matchTangents, pullback, splitDerivative, spreadGradients, typesOfArrays } from "./pullback.js";

export interface AuxOptions<H extends boolean = boolean> {
  /** Whether f returns `[result, aux]`, aux being a tree that is passed along without a derivative. Default false. */
  readonly hasAux?: H;
}

/** What f returns without its aux, and the aux. */
type Result<R, H> = H extends true ? (R extends readonly [infer V, unknown] ? V : never) : R;
type Aux<R, H> = H extends true ? (R extends readonly [unknown, infer X] ? [aux: X] : [aux: never]) : [];

/** A recorded call whose result is taken apart: how many of its arrays are f's result, the structures, the aux. */
interface SplitCall extends TracedCall {
  readonly results: number;
  readonly aux: Structure | null;
}

/** The call with what it returns split into result and aux. */
function splitAux(operation: string, call: TracedCall, hasAux: boolean): SplitCall {
  const { structure, program } = call;
  if (!hasAux) return { ...call, results: program.outputs.length, aux: null };
  if (structure.kind !== "list" || structure.children.length !== 2) {
    fail(operation, "with hasAux the function must return [result, aux]");
  }
  const [result, aux] = structure.children as [Structure, Structure];
  return { ...call, structure: result, results: countLeaves(result), aux };
}

/** `[...values, aux]`, or the values alone where there is no aux. */
const withAux = (values: readonly unknown[], { aux, results }: SplitCall, outputs: readonly Array[]): never =>
  (aux === null ? values : [...values, rebuild(aux, outputs.slice(results))]) as never;

/**
 * f and its derivative in the direction of the tangents: `[f(...primals), ∂f(...primals)·tangents]`; with `hasAux`
 * the aux comes third.
 */
export const jvp = checked(
  "jvp",
  4,
  ["hasAux"],
  <A extends readonly unknown[], R, const H extends boolean = false>(
    f: (...args: A) => R,
    primals: A,
    tangents: A,
    { hasAux }: AuxOptions<H> = {},
  ): [value: Result<R, H>, tangent: Result<R, H>, ...aux: Aux<R, H>] => {
    const operation = nameOf("jvp", f);
    const values = flattenArguments(operation, primals);
    const directions = matchTangents(operation, values, tangents, "the tangents");
    const traced = traceCall(operation, f, values.structure, typesOfArrays(values.arrays));
    const call = splitAux(operation, traced, hasAux ?? false);
    const moved = values.arrays.map((value, index) => (isFloat(value.dtype) ? directions[index] : null));
    const { outputs, tangents: derivative } = applyJvp(
      call.program,
      [...call.captures, ...values.arrays],
      [...call.captures.map(() => null), ...moved],
    );
    const results = outputs.slice(0, call.results);
    const direction = results.map((output, index) => instantiate(derivative[index] ?? null, output.type));
    return withAux([rebuild(call.structure, results), rebuild(call.structure, direction)], call, outputs);
  },
);

/** The options object at the end of the arguments of `vjp` and `linearize`, told from a last argument by its only key. */
function takeOptions(args: readonly unknown[]): {
  readonly primals: readonly unknown[];
  readonly hasAux: boolean;
} {
  const last = args.at(-1);
  const isOptions =
    isPlainObject(last) && Object.keys(last).join() === "hasAux" && typeof last.hasAux === "boolean";
  return isOptions
    ? { primals: args.slice(0, -1), hasAux: last.hasAux === true }
    : { primals: args, hasAux: false };
}

interface Vjp {
  <A extends readonly unknown[], R, X>(
    f: (...args: A) => readonly [R, X],
    ...primalsAndOptions: [...A, { readonly hasAux: true }]
  ): [value: R, pullback: (cotangent: R) => A, aux: X];
  <A extends readonly unknown[], R>(
    f: (...args: A) => R,
    ...primals: A
  ): [value: R, pullback: (cotangent: R) => A];
}

/**
 * f(...primals), and the function from a cotangent of that to the cotangents of the primals. With `{ hasAux: true }`
 * behind the primals, f returns `[result, aux]`, and the aux comes third.
 */
export const vjp: Vjp = markEntry((f: AnyFunction, ...args: readonly unknown[]): never => {
  const operation = nameOf("vjp", f);
  const { primals, hasAux } = takeOptions(args);
  const values = flattenArguments(operation, primals);
  const traced = traceCall(operation, f, values.structure, typesOfArrays(values.arrays));
  const call = splitAux(operation, traced, hasAux);
  const active = values.arrays.map((value) => isFloat(value.dtype));
  const isResult = call.program.outputs.map((_, index) => index < call.results);
  const { outputs, back } = pullback(operation, call, values.arrays, active, isResult);
  const result: FlatTree = { arrays: outputs.slice(0, call.results), structure: call.structure };
  const pull = markEntry((cotangent: unknown) => {
    const cotangents = matchTangents(operation, result, cotangent, "the cotangents");
    return rebuild(values.structure, spreadGradients(values.arrays, active, back(cotangents)));
  }, operation);
  return withAux([rebuild(result.structure, result.arrays), pull], call, outputs);
}, "vjp");

interface Linearize {
  <A extends readonly unknown[], R, X>(
    f: (...args: A) => readonly [R, X],
    ...primalsAndOptions: [...A, { readonly hasAux: true }]
  ): [value: R, derivative: (...tangents: A) => R, aux: X];
  <A extends readonly unknown[], R>(
    f: (...args: A) => R,
    ...primals: A
  ): [value: R, derivative: (...tangents: A) => R];
}

/**
 * f(...primals), and its derivative there as a function of tangents: `jvp` in two steps, for many directions at one
 * point. With `{ hasAux: true }` behind the primals, f returns `[result, aux]`, and the aux comes third.
 */
export const linearize: Linearize = markEntry((f: AnyFunction, ...args: readonly unknown[]): never => {
  const operation = nameOf("linearize", f);
  const { primals, hasAux } = takeOptions(args);
  const values = flattenArguments(operation, primals);
  const traced = traceCall(operation, f, values.structure, typesOfArrays(values.arrays));
  const call = splitAux(operation, traced, hasAux);
  const active = values.arrays.map((value) => isFloat(value.dtype));
  const { outputs, residuals, linear, moving } = splitDerivative(
    operation,
    call,
    values.arrays,
    active,
    call.program.outputs.map((_, index) => index < call.results),
    true,
  );
  const results = outputs.slice(0, call.results);
  const forward = markEntry((...tangents: readonly unknown[]) => {
    const directions = matchTangents(operation, values, tangents, "the tangents");
    const moved = inline(linear, [...residuals, ...directions.filter((_, index) => active[index])]);
    let next = 0;
    const derivative = results.map((output, index) =>
      instantiate(moving[index] ? (moved[next++] ?? null) : null, output.type),
    );
    return rebuild(call.structure, derivative);
  }, operation);
  return withAux([rebuild(call.structure, results), forward], call, outputs);
}, "linearize");
