// The public face of differentiation: jvp, vjp, grad, valueAndGrad.
import { markEntry } from "../core/userCode.js";
import { checked } from "../core/checked.js";
import type { Array } from "../core/array.js";
import { isFloat } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import { constant } from "../core/interpret.js";
import type { Tangent } from "../core/primitive.js";
import { sameShape } from "../core/shape.js";
import { inline } from "../core/trace.js";
import { showType, type ArrayType } from "../core/type.js";
import { instantiate } from "../primitives/linear.js";
import { rebuild, type FlatTree } from "../lax/leaves.js";
import { checkSameStructure, leafPaths, type Structure } from "../tree/structure.js";
import { flattenArguments, nameOf, traceCall, type AnyFunction, type TracedCall } from "./functions.js";
import { applyJvp } from "./jvp.js";
import { linearizeProgram } from "./linearize.js";
import { applyTranspose } from "./transpose.js";

const typesOfArrays = (arrays: readonly Array[]): ArrayType[] => arrays.map((array) => array.type);

/** Tangents or cotangents for arrays, checked against them. */
function matchTangents(operation: string, values: FlatTree, given: unknown, what: string): Array[] {
  const tangents = flattenArguments(operation, given, what);
  checkSameStructure(
    operation,
    values.structure,
    tangents.structure,
    `${what} and the values they belong to differ`,
  );
  const paths = leafPaths(values.structure);
  return values.arrays.map((value, index) => {
    const tangent = tangents.arrays[index];
    if (!sameShape(value.shape, tangent.shape)) {
      fail(
        operation,
        `${what} must have the shapes of the values: at ${paths[index] || "the root"} got ${showType(tangent.type)} ` +
          `for ${showType(value.type)}`,
      );
    }
    return isFloat(value.dtype) ? tangent.astype(value.dtype) : tangent;
  });
}

/** f and its derivative in the direction of the tangents: `[f(...primals), ∂f(...primals)·tangents]`. */
export const jvp = checked(
  "jvp",
  3,
  <A extends readonly unknown[], R>(
    f: (...args: A) => R,
    primals: A,
    tangents: A,
  ): [value: R, tangent: R] => {
    const operation = nameOf("jvp", f);
    const values = flattenArguments(operation, primals);
    const directions = matchTangents(operation, values, tangents, "the tangents");
    const { program, captures, structure } = traceCall(
      operation,
      f,
      values.structure,
      typesOfArrays(values.arrays),
    );
    const moved = values.arrays.map((value, index) => (isFloat(value.dtype) ? directions[index] : null));
    const result = applyJvp(
      program,
      [...captures, ...values.arrays],
      [...captures.map(() => null), ...moved],
    );
    const derivative = result.outputs.map((output, index) =>
      instantiate(result.tangents[index] ?? null, output.type),
    );
    return [rebuild<R>(structure, result.outputs), rebuild<R>(structure, derivative)];
  },
);

/** A function ready to be differentiated backwards: its results, and the way from cotangents to gradients. */
interface Pullback {
  readonly outputs: Array[];
  /** Cotangents of the wanted results to those of the active inputs. */
  readonly back: (cotangents: readonly Tangent[]) => Tangent[];
}

function pullback(
  operation: string,
  { program, captures }: TracedCall,
  inputs: readonly Array[],
  active: readonly boolean[],
  wanted: readonly boolean[],
): Pullback {
  const { values, linear, moving } = linearizeProgram(
    operation,
    program,
    [...captures.map(() => false), ...active],
    wanted,
  );
  const results = inline(values, [...captures, ...inputs]);
  const outputs = results.slice(0, program.outputs.length);
  const residuals = results.slice(program.outputs.length);
  return {
    outputs,
    back: (cotangents) =>
      applyTranspose(
        linear,
        residuals,
        cotangents.filter((_, index) => moving[index]),
      ),
  };
}

/** f(...primals), and the function from a cotangent of that to the cotangents of the primals. */
export const vjp = markEntry(
  <A extends readonly unknown[], R>(
    f: (...args: A) => R,
    ...primals: A
  ): [value: R, pullback: (cotangent: R) => A] => {
    const operation = nameOf("vjp", f);
    const values = flattenArguments(operation, primals);
    const call = traceCall(operation, f, values.structure, typesOfArrays(values.arrays));
    const active = values.arrays.map((value) => isFloat(value.dtype));
    const { outputs, back } = pullback(
      operation,
      call,
      values.arrays,
      active,
      call.program.outputs.map(() => true),
    );
    const result: FlatTree = { arrays: outputs, structure: call.structure };
    return [
      rebuild<R>(call.structure, outputs),
      markEntry((cotangent: R) => {
        const cotangents = matchTangents(operation, result, cotangent, "the cotangents");
        return rebuild<A>(values.structure, spreadGradients(values.arrays, active, back(cotangents)));
      }, operation),
    ];
  },
  "vjp",
);

/** One gradient per value: those computed for active ones, zeros for the others. */
function spreadGradients(
  values: readonly Array[],
  active: readonly boolean[],
  computed: readonly Tangent[],
): Array[] {
  let next = 0;
  return values.map((value, index) =>
    instantiate(active[index] ? (computed[next++] ?? null) : null, value.type),
  );
}

/** Which arguments to differentiate: one position, or several. */
export type Argnums = number | readonly number[];

/** The arguments at `argnums`, as one or as a tuple. */
type Selected<A extends readonly unknown[], N extends Argnums> = N extends number
  ? A[N]
  : { -readonly [K in keyof N]: N[K] extends number ? A[N[K]] : never };

export interface GradOptions<N extends Argnums = Argnums, H extends boolean = boolean> {
  /** The position of the argument to differentiate, or a list of positions. Default 0. */
  readonly argnums?: N;
  /** Whether f returns `[loss, aux]`, aux being a tree of arrays that is passed along. Default false. */
  readonly hasAux?: H;
}

/** What a function to be differentiated returns: the loss, or with `hasAux` `[loss, aux]`. */
type LossResult = Array | readonly [loss: Array, aux: unknown];

/** f, and its gradient: `[f(...args), gradient]`, with `hasAux` `[[loss, aux], gradient]`. */
export const valueAndGrad = checked(
  "valueAndGrad",
  2,
  ["argnums", "hasAux"],
  <
    A extends readonly unknown[],
    R extends LossResult,
    const N extends Argnums = 0,
    const H extends boolean = false,
  >(
    f: (...args: A) => R,
    { argnums, hasAux = false as H }: GradOptions<N, H> = {},
  ): ((...args: A) => [value: R, gradient: Selected<A, N>]) => {
    const operation = nameOf("valueAndGrad", f);
    return markEntry(
      (...args: A) => differentiate(operation, f, args, argnums ?? 0, hasAux) as never,
      operation,
    );
  },
);

/** The gradient of a function that returns one number; with `hasAux`, `[gradient, aux]`. */
export const grad = checked(
  "grad",
  2,
  ["argnums", "hasAux"],
  <
    A extends readonly unknown[],
    R extends LossResult,
    const N extends Argnums = 0,
    const H extends boolean = false,
  >(
    f: (...args: A) => R,
    { argnums, hasAux = false as H }: GradOptions<N, H> = {},
  ): ((
    ...args: A
  ) => H extends true
    ? [gradient: Selected<A, N>, aux: R extends readonly [unknown, infer X] ? X : never]
    : Selected<A, N>) => {
    const operation = nameOf("grad", f);
    return markEntry((...args: A) => {
      const [value, gradient] = differentiate(operation, f, args, argnums ?? 0, hasAux);
      return (hasAux ? [gradient, (value as [unknown, unknown])[1]] : gradient) as never;
    }, operation);
  },
);

function differentiate(
  operation: string,
  f: AnyFunction,
  args: readonly unknown[],
  argnums: Argnums,
  hasAux: boolean,
): [value: unknown, gradient: unknown] {
  const positions = checkArgnums(operation, args, argnums);
  const flat = args.map((arg, index) => flattenArguments(operation, arg, `argument ${index}`));
  flat.forEach((tree, index) => {
    if (positions.includes(index)) checkDifferentiable(operation, tree, index);
  });
  const arrays = flat.flatMap((tree) => tree.arrays);
  const active = flat.flatMap((tree, index) => tree.arrays.map(() => positions.includes(index)));
  const structure: Structure = { kind: "list", children: flat.map((tree) => tree.structure) };
  const call = traceCall(operation, f, structure, typesOfArrays(arrays));
  const loss = checkLoss(operation, call, hasAux);
  const isLoss = call.program.outputs.map((_, index) => index === 0);
  const { outputs, back } = pullback(operation, call, arrays, active, isLoss);
  const gradients = spreadGradients(arrays, active, back([constant(1, loss.dtype)]));
  let next = 0;
  const trees = flat.map((tree) => {
    const own = gradients.slice(next, (next += tree.arrays.length));
    return rebuild(tree.structure, own);
  });
  return [
    rebuild(call.structure, outputs),
    typeof argnums === "number" ? trees[positions[0]] : positions.map((position) => trees[position]),
  ];
}

function checkArgnums(operation: string, args: readonly unknown[], argnums: Argnums): number[] {
  const list = typeof argnums === "number" ? [argnums] : argnums;
  return list.map((position) => {
    if (!Number.isInteger(position) || position < -args.length || position >= args.length) {
      fail(operation, `argnums names argument ${position}, but the function was called with ${args.length}`);
    }
    return position < 0 ? position + args.length : position;
  });
}

function checkDifferentiable(operation: string, { arrays, structure }: FlatTree, position: number): void {
  const odd = arrays.findIndex((array) => !isFloat(array.dtype));
  if (odd < 0) return;
  const path = leafPaths(structure)[odd];
  fail(
    operation,
    `argument ${position}${path === "" ? "" : ` at ${path}`} is ${showType(arrays[odd].type)}; ` +
      `gradients exist for floats only (convert with astype, or leave it out of argnums)`,
  );
}

/** The type of the loss, refused if it is not one float. */
function checkLoss(operation: string, { program, structure }: TracedCall, hasAux: boolean): ArrayType {
  if (hasAux && !(structure.kind === "list" && structure.children.length === 2)) {
    fail(operation, "with hasAux the function must return [loss, aux]");
  }
  const place = hasAux && structure.kind === "list" ? structure.children[0] : structure;
  const type = program.outputs[0]?.type;
  if (place?.kind !== "leaf" || type === undefined) {
    fail(
      operation,
      `the function must return one number as an array${hasAux ? " in the first place" : "; for more use hasAux"}`,
    );
  }
  if (type.shape.length > 0 || !isFloat(type.dtype)) {
    fail(operation, `the function must return one float, got ${showType(type)}; reduce it with sum or mean`);
  }
  return type;
}
