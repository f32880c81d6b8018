// jit: a function traced once per signature, simplified, and run as a whole by a backend.
import { Array } from "../core/array.js";
import { asArray } from "../core/coerce.js";
import { describe, fail } from "../core/errors.js";
import { isTracing, traceProgram } from "../core/trace.js";
import type { ArrayType } from "../core/type.js";
import { flattenArrays } from "../lax/leaves.js";
import { flatten, showStructure, unflatten, type Structure } from "../tree/structure.js";
import { findBackend, type Executable } from "./backend.js";
import { nameOf, type AnyFunction } from "./functions.js";
import { simplifyProgram } from "./simplify.js";

export interface JitOptions {
  /** Positions of arguments that are plain JavaScript values: a new trace is made for each new value. */
  readonly staticArgnums?: number | readonly number[];
  /** Positions of arguments that the caller gives up, so that their memory can be used for the results. */
  readonly donateArgnums?: number | readonly number[];
  /** What runs the program; the default device if left out. */
  readonly device?: string;
}

/** A traced and compiled function, for one signature. */
interface Compiled {
  readonly executable: Executable;
  readonly constants: readonly Array[];
  /** The result's structure; leaves that were plain values stay as they were. */
  readonly structure: Structure;
  readonly plain: readonly (number | boolean | undefined)[];
}

const positions = (argnums: number | readonly number[] = []): readonly number[] =>
  typeof argnums === "number" ? [argnums] : argnums;

/**
 * Compiles a function: it is traced when called with a new signature (structure, shapes, dtypes, static
 * arguments) and from then on runs as one program, without executing its JavaScript again.
 */
export function jit<F extends AnyFunction>(
  f: F,
  { staticArgnums, donateArgnums, device }: JitOptions = {},
): F {
  const operation = nameOf("jit", f);
  const staticAt = new Set(positions(staticArgnums));
  const donatedAt = new Set(positions(donateArgnums));
  const both = [...staticAt].find((position) => donatedAt.has(position));
  if (both !== undefined) fail(operation, `argument ${both} cannot be both static and donated`);
  const cache = new Map<string, Compiled>();
  const identities = new Map<unknown, number>();
  const identify = (value: unknown): string => {
    if (typeof value !== "object" && typeof value !== "function") return `${typeof value} ${describe(value)}`;
    if (!identities.has(value)) identities.set(value, identities.size);
    return `#${identities.get(value)}`;
  };

  const compiled = (...args: unknown[]): unknown => {
    const flat = args.map((arg, at) => (staticAt.has(at) ? null : flattenDynamic(operation, arg, at)));
    const rebuildArgs = (arrays: readonly Array[]): unknown[] => {
      let next = 0;
      return flat.map((tree, at) =>
        tree === null
          ? args[at]
          : unflatten(tree.structure, arrays.slice(next, (next += tree.arrays.length))),
      );
    };
    const inputs = flat.flatMap((tree) => tree?.arrays ?? []);
    // Inside another trace the function becomes part of that program.
    if (isTracing()) return call(f, rebuildArgs(inputs));
    const signature = flat
      .map((tree, at) =>
        tree === null
          ? identify(args[at])
          : `${showStructure(tree.structure)} ${tree.arrays.map(signatureOf).join()}`,
      )
      .join(";");
    let entry = cache.get(signature);
    if (entry === undefined) {
      const donated = flat.flatMap((tree, at) => tree?.arrays.map(() => donatedAt.has(at)) ?? []);
      entry = compile(
        operation,
        (arrays) => call(f, rebuildArgs(arrays)),
        inputs.map((input) => input.type),
        donated,
        device,
      );
      cache.set(signature, entry);
    }
    const outputs = entry.executable.run([...entry.constants, ...inputs]);
    let next = 0;
    const leaves = entry.plain.map((value) => value ?? outputs[next++]);
    return unflatten(entry.structure, leaves);
  };
  return compiled as unknown as F;
}

const call = (f: AnyFunction, args: readonly unknown[]): unknown => f(...(args as never[]));

const signatureOf = ({ type: { shape, dtype, weak } }: Array): string =>
  `${dtype}${weak ? "~" : ""}[${shape.join()}]`;

function flattenDynamic(
  operation: string,
  arg: unknown,
  at: number,
): { arrays: Array[]; structure: Structure } {
  const { leaves, structure } = flatten(arg);
  const arrays = leaves.map((leaf) => {
    if (leaf instanceof Array) return leaf;
    if (typeof leaf === "number" || typeof leaf === "boolean") return asArray(operation, leaf);
    return fail(
      operation,
      `argument ${at} holds ${describe(leaf)}, which is no array; name the argument in staticArgnums to pass plain values`,
    );
  });
  return { arrays, structure };
}

function compile(
  operation: string,
  f: (inputs: readonly Array[]) => unknown,
  types: readonly ArrayType[],
  donated: readonly boolean[],
  device: string | undefined,
): Compiled {
  let structure: Structure = { kind: "nothing", value: null };
  let plain: (number | boolean | undefined)[] = [];
  const { program, captures } = traceProgram(operation, types, (inputs) => {
    const result = flatten(f(inputs));
    structure = result.structure;
    plain = result.leaves.map((leaf) =>
      typeof leaf === "number" || typeof leaf === "boolean" ? leaf : undefined,
    );
    const arrays = result.leaves.filter((_, index) => plain[index] === undefined);
    return flattenArrays(operation, arrays, "the result").arrays;
  });
  return {
    executable: findBackend(operation, device).compile(simplifyProgram(program), [
      ...captures.map(() => false),
      ...donated,
    ]),
    constants: captures,
    structure,
    plain,
  };
}
