// Gradients: grad and valueAndGrad.
import { markEntry } from "../core/userCode.js";
import { checked } from "../core/checked.js";
import type { Array } from "../core/array.js";
import { isFloat } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import { constant } from "../core/interpret.js";
import { showType, type ArrayType } from "../core/type.js";
import { rebuild, type FlatTree } from "../lax/leaves.js";
import { leafPaths, type Structure } from "../tree/structure.js";
import { flattenArguments, nameOf, traceCall, type AnyFunction, type TracedCall } from "./functions.js";
import { pullback, spreadGradients, typesOfArrays } from "./pullback.js";

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
