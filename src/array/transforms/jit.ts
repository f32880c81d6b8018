// jit: a function traced once per signature and run as a whole by a backend.
import { checked } from "../core/checked.js";
import { Array, failLeaked } from "../core/array.js";
import { asArray } from "../core/coerce.js";
import { describe, fail } from "../core/errors.js";
import { countEquations, typesOf, type Program } from "../core/program.js";
import { environment } from "../core/environment.js";
import { isTracing, traceProgram } from "../core/trace.js";
import { showType, type ArrayType } from "../core/type.js";
import { flattenArrays, type FlatTree } from "../lax/leaves.js";
import { flatten, identify, structureKey, unflatten, type Structure } from "../tree/structure.js";
import { findBackend, type Backend, type CompileOptions, type Executable } from "./backend.js";
import { nameOf, type AnyFunction } from "./functions.js";

export interface JitOptions {
  /** Positions of arguments that are plain JavaScript values: each new value (plain data by content) is traced anew. */
  readonly staticArgnums?: number | readonly number[];
  /** Positions of arguments that the caller gives up, so that their memory can be used for the results. */
  readonly donateArgnums?: number | readonly number[];
  /** What runs the program; the default device if left out. */
  readonly device?: string;
}

/** A traced and compiled function, for one signature. */
interface Compiled {
  readonly executable: Executable;
  /** The result's structure; leaves that were plain values stay as they were. */
  readonly structure: Structure;
  readonly plain: readonly (number | boolean | undefined)[];
  /** The types of the arrays in the result, as traced. */
  readonly types: readonly ArrayType[];
}

/** The positions that `argnums` names in a call, negative ones counted from the end. */
const positionsIn = (args: readonly unknown[], argnums: number | readonly number[] = []): Set<number> =>
  new Set([argnums].flat().map((position) => (position < 0 ? position + args.length : position)));

/**
 * Compiles a function: it is traced when called with a new signature (structure, shapes, dtypes, static
 * arguments) and from then on runs as one program, without executing its JavaScript again.
 */
export const jit = checked(
  "jit",
  2,
  ["staticArgnums", "donateArgnums", "device"],
  <F extends AnyFunction>(f: F, { staticArgnums, donateArgnums, device }: JitOptions = {}): F => {
    const operation = nameOf("jit", f);
    const cache = new Map<string, Compiled>();

    /** A call taken apart: its arrays, the signature it is compiled for, and how to trace it. */
    const takeApart = (args: readonly unknown[]) => {
      const isStatic = positionsIn(args, staticArgnums);
      const flat = args.map((arg, at) => (isStatic.has(at) ? null : flattenDynamic(operation, arg, at)));
      const rebuildArgs = (arrays: readonly Array[]): unknown[] => {
        let next = 0;
        return flat.map((tree, at) =>
          tree === null
            ? args[at]
            : unflatten(tree.structure, arrays.slice(next, (next += tree.arrays.length))),
        );
      };
      const inputs = flat.flatMap((tree) => tree?.arrays ?? []);
      const signature = () =>
        flat.map((tree, at) => (tree === null ? identify(args[at]) : signatureOf(tree))).join(";");
      const prepare = (): Prepared => {
        const isDonated = positionsIn(args, donateArgnums);
        const both = [...isStatic].find((position) => isDonated.has(position));
        if (both !== undefined) fail(operation, `argument ${both} cannot be both static and donated`);
        const donated = flat.flatMap((tree, at) => tree?.arrays.map(() => isDonated.has(at)) ?? []);
        const types = inputs.map((input) => input.type);
        return trace(operation, (arrays) => call(f, rebuildArgs(arrays)), types, donated, device);
      };
      return { inputs, rebuildArgs, signature, prepare };
    };

    const compiled = (...args: unknown[]): unknown => {
      const { inputs, rebuildArgs, signature, prepare } = takeApart(args);
      // Inside another trace the function becomes part of that program.
      if (isTracing()) return call(f, rebuildArgs(inputs));
      const key = signature();
      let entry = cache.get(key);
      if (entry === undefined) {
        const { backend, program, options, finish, log } = prepare();
        entry = finish(backend.compile(program, options));
        cache.set(key, entry);
        log();
      }
      return collect(entry, entry.executable.run(inputs));
    };
    preparers.set(compiled, async (args) => {
      const { signature, prepare } = takeApart(args);
      const key = signature();
      if (cache.has(key)) return;
      const { backend, program, options, finish, log } = prepare();
      const executable = backend.compileAsync?.(program, options) ?? backend.compile(program, options);
      cache.set(key, finish(await executable));
      log();
    });
    return compiled as unknown as F;
  },
);

/** How each jitted function is compiled ahead of its first call. */
const preparers = new WeakMap<object, (args: readonly unknown[]) => Promise<void>>();

/**
 * Traces and compiles a jitted function for arguments like these without running it. The engine compiles in
 * the background where it can: browsers refuse to compile large programs otherwise.
 */
export async function precompile<F extends AnyFunction>(f: F, ...args: Parameters<F>): Promise<void> {
  const prepare = preparers.get(f);
  if (prepare === undefined) fail("precompile", "its first argument must be a function that jit returned");
  await prepare(args);
}

const call = (f: AnyFunction, args: readonly unknown[]): unknown => f(...(args as never[]));

const signatureOf = ({ arrays, structure }: FlatTree): string =>
  `${structureKey(structure)} ${arrays
    .map(({ type: { shape, dtype, weak } }) => `${dtype}${weak ? "~" : ""}[${shape.join()}]`)
    .join()}`;

function flattenDynamic(operation: string, arg: unknown, at: number): FlatTree {
  const { leaves, structure } = flatten(arg);
  const arrays = leaves.map((leaf) => {
    if (leaf instanceof Array) {
      if (leaf.tracer?.trace.finished === true) failLeaked(leaf, operation);
      return leaf;
    }
    if (typeof leaf === "number" || typeof leaf === "boolean") return asArray(operation, leaf);
    return fail(
      operation,
      `argument ${at} holds ${describe(leaf)}, which is no array; name the argument in staticArgnums to pass plain values`,
    );
  });
  return { arrays, structure };
}

const isPlain = (leaf: unknown): leaf is number | boolean =>
  typeof leaf === "number" || typeof leaf === "boolean";

/** A traced function before it is compiled. */
interface Prepared {
  readonly backend: Backend;
  readonly program: Program;
  readonly options: CompileOptions;
  /** The compiled function around an executable of the program. */
  readonly finish: (executable: Executable) => Compiled;
  /** Tells that it was compiled, if somebody wants to know. */
  readonly log: () => void;
}

function trace(
  operation: string,
  f: (inputs: readonly Array[]) => unknown,
  types: readonly ArrayType[],
  donated: readonly boolean[],
  device: string | undefined,
): Prepared {
  const start = performance.now();
  let structure: Structure = { kind: "nothing", value: null };
  let plain: Compiled["plain"] = [];
  const { program, captures } = traceProgram(operation, types, (inputs) => {
    const result = f(inputs);
    const { arrays } = flattenArrays(operation, result, "the result");
    const flat = flatten(result);
    structure = flat.structure;
    plain = flat.leaves.map((leaf) => (isPlain(leaf) ? leaf : undefined));
    return arrays.filter((_, index) => plain[index] === undefined);
  });
  const backend = findBackend(operation, program, device);
  const traced = performance.now();
  return {
    backend,
    program,
    options: { constants: captures, donated, name: operation },
    finish: (executable) => ({ executable, structure, plain, types: typesOf(program.outputs) }),
    log: () => {
      if (environment("VIBE_RL_LOG_COMPILES") === undefined) return;
      const compiled = performance.now();
      logCompile(
        `${operation} for ${types.map(showType).join(", ")}: ${countEquations(program)} equations, traced in ` +
          `${(traced - start).toFixed(1)} ms, compiled for ${backend.name} in ${(compiled - traced).toFixed(1)} ms`,
      );
    },
  };
}

function logCompile(line: string): void {
  // eslint-disable-next-line no-console
  console.error(`vibe-rl: ${line}`);
}

/** What a call returns: the computed arrays, with the types they were traced with, and the plain values. */
function collect({ structure, plain, types }: Compiled, outputs: readonly Array[]): unknown {
  let next = 0;
  const leaves = plain.map((value) => {
    if (value !== undefined) return value;
    const [output, type] = [outputs[next], types[next++]];
    return output.weakType === type.weak ? output : output.withType(type);
  });
  return unflatten(structure, leaves);
}
