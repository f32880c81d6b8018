// jit: a function traced once per signature and run as a whole by a backend.
import { callBack, markEntry } from "../core/userCode.js";
import { checked } from "../core/checked.js";
import type { Array } from "../core/array.js";
import { describe, fail } from "../core/errors.js";
import { isPlainObject } from "../core/plainObject.js";
import { countEquations, typesOf, type Program } from "../core/program.js";
import { environment } from "../core/environment.js";
import { check, oneOf, orNull, whole } from "../core/rules.js";
import { isTracing, traceProgram } from "../core/trace.js";
import { showType, type ArrayType } from "../core/type.js";
import { flattenArrays, type FlatTree } from "../lax/leaves.js";
import { identify, isFlagOrName, structureKey, unflatten, type Structure } from "../tree/structure.js";
import {
  findBackend,
  prepareBackend,
  type Backend,
  type CompileOptions,
  type Executable,
  matmulPrecisions,
  type MatmulPrecision,
} from "./backend.js";
import type { Mesh } from "../sharding/mesh.js";
import type { Shardings } from "../sharding/placement.js";
import { expandCalls } from "./expand.js";
import { flattenArguments, nameOf, type AnyFunction } from "./functions.js";
import { placeKeyOf, planFor, type AskedShardings } from "./shardingSupport.js";

export interface JitOptions {
  /** Positions of arguments that are plain JavaScript values: each new value (plain data by content) is traced anew. */
  readonly staticArgnums?: number | readonly number[];
  /** Fields of an options object, the last argument, that are plain JavaScript values in the same way. */
  readonly staticArgnames?: string | readonly string[];
  /** Positions of arguments that the caller gives up, so that their memory can be used for the results. */
  readonly donateArgnums?: number | readonly number[];
  /**
   * What runs the program: "wasm", "native", "cuda", "gpu", "interpreter", or "auto" for native code where it is there and
   * pays. The default device if left out.
   */
  readonly device?: string;
  /** How many threads may work on it, where the device has threads. Null, the default: as many as help. */
  readonly threads?: number | null;
  /**
   * How exact products of float32 must be, on devices that have faster ones: "highest" is full precision, "high" less, "tf32"
   * what NVIDIA's tensor cores take of it, and "default" what the device is fastest at. Null, the default: VIBE_RL_MATMUL_PRECISION, or "highest".
   */
  readonly matmulPrecision?: MatmulPrecision | null;
  /**
   * Where the arguments lie: one sharding for all, or a list with an entry for each, a sharding or a tree of these.
   * What is null or left out stays where it is, and what is not on several devices goes where it is needed. With
   * "auto" the compiler looks for a batch that it pays to split over the mesh, or over all devices.
   */
  readonly inShardings?: Shardings | "auto";
  /** Where the results shall lie: a sharding or a tree of these; null leaves it to the compiler. */
  readonly outShardings?: Shardings;
  /** The devices to split the function over, where neither shardings nor the function itself say so. */
  readonly mesh?: Mesh;
}

/** A traced and compiled function, for one signature. */
interface Compiled {
  readonly executable: Executable;
  /** The result's structure, of which plain values are a part: they stay as they were. */
  readonly structure: Structure;
  /** The types of the arrays in the result, as traced. */
  readonly types: readonly ArrayType[];
}

/** The positions that `argnums` names in a call, negative ones counted from the end. */
const positionsIn = (args: readonly unknown[], argnums: number | readonly number[] = []): Set<number> =>
  new Set([argnums].flat().map((position) => (position < 0 ? position + args.length : position)));

/** The names that `staticArgnames` lists. */
function namesIn(operation: string, names: string | readonly string[]): readonly string[] {
  const list: readonly unknown[] = [names].flat();
  const odd = list.find((name) => typeof name !== "string");
  if (odd === undefined) return list as readonly string[];
  fail(operation, `staticArgnames must be names of fields of the last argument, got ${describe(odd)}`);
}

/** The last argument, an object, without the fields of these names, and those fields; null if it has none. */
function splitNamed(
  names: readonly string[],
  last: unknown,
): { readonly data: object; readonly fixed: object } | null {
  if (names.length === 0 || !isPlainObject(last)) return null;
  const [fixed, data] = [true, false].map((isFixed) =>
    Object.fromEntries(Object.entries(last).filter(([name]) => names.includes(name) === isFixed)),
  );
  return { data, fixed };
}

/**
 * Compiles a function: it is traced when called with a new signature (structure, shapes, dtypes, booleans,
 * strings, static arguments) and from then on runs as one program, without executing its JavaScript again.
 */
export const jit = checked(
  "jit",
  2,
  [
    "staticArgnums",
    "staticArgnames",
    "donateArgnums",
    "device",
    "threads",
    "matmulPrecision",
    "inShardings",
    "outShardings",
    "mesh",
  ],
  <F extends AnyFunction>(
    f: F,
    {
      staticArgnums,
      staticArgnames = [],
      donateArgnums,
      device,
      threads = null,
      matmulPrecision = null,
      ...asked
    }: JitOptions = {},
  ): F => {
    const operation = nameOf("jit", f);
    check(operation, "threads", threads, orNull(whole(1)));
    check(operation, "matmulPrecision", matmulPrecision, orNull(oneOf([...matmulPrecisions])));
    const staticNames = namesIn(operation, staticArgnames);
    if (device !== undefined) prepareBackend(device);
    const cache = new Map<string, Compiled>();
    const remember = (key: string, entry: Compiled, { name }: Backend): void => {
      cache.set(key, entry);
      devices.set(compiled, name);
      warnOfMany(operation, cache.size);
    };

    /** A call taken apart: its arrays, the signature it is compiled for, and how to trace it. */
    const takeApart = (args: readonly unknown[]) => {
      const isStatic = positionsIn(args, staticArgnums);
      const named = splitNamed(staticNames, args.at(-1));
      const isNamed = (at: number): boolean => at === args.length - 1 && named !== null;
      const flat = args.map((arg, at) =>
        isStatic.has(at)
          ? null
          : flattenArguments(operation, isNamed(at) ? named?.data : arg, `argument ${at}`, staticHint),
      );
      const rebuildArgs = (arrays: readonly Array[]): unknown[] => {
        let next = 0;
        return flat.map((tree, at) => {
          if (tree === null) return args[at];
          const built = unflatten(tree.structure, arrays.slice(next, (next += tree.arrays.length)));
          return isNamed(at) ? { ...(built as object), ...named?.fixed } : built;
        });
      };
      const inputs = flat.flatMap((tree) => tree?.arrays ?? []);
      const signature = () =>
        flat.map((tree, at) => (tree === null ? identify(args[at]) : signatureOf(tree))).join(";") +
        (named === null ? "" : identify(named.fixed));
      const prepare = (): Prepared => {
        const isDonated = positionsIn(args, donateArgnums);
        const both = [...isStatic].find((position) => isDonated.has(position));
        if (both !== undefined) fail(operation, `argument ${both} cannot be both static and donated`);
        const donated = flat.flatMap((tree, at) => tree?.arrays.map(() => isDonated.has(at)) ?? []);
        const types = inputs.map((input) => input.type);
        return trace(
          operation,
          (arrays) => call(f, rebuildArgs(arrays)),
          types,
          donated,
          { device, threads, matmulPrecision },
          asked,
          flat,
        );
      };
      return { inputs, rebuildArgs, signature, prepare };
    };

    const compiled = (...args: unknown[]): unknown => {
      const { inputs, rebuildArgs, signature, prepare } = takeApart(args);
      // Inside another trace the function becomes part of that program.
      if (isTracing()) return callBack(() => call(f, rebuildArgs(inputs)));
      const key = signature();
      let entry = cache.get(key);
      if (entry === undefined) {
        const { backend, program, options, finish, log } = prepare();
        entry = finish(backend.compile(program, options));
        remember(key, entry, backend);
        log(entry.executable);
      }
      return collect(entry, entry.executable.run(inputs));
    };
    preparers.set(compiled, async (args) => {
      const { signature, prepare } = takeApart(args);
      const key = signature();
      if (cache.has(key)) return;
      const { backend, program, options, finish, log } = prepare();
      const executable = backend.compileAsync?.(program, options) ?? backend.compile(program, options);
      const entry = finish(await executable);
      remember(key, entry, backend);
      log(entry.executable);
    });
    return markEntry(compiled, operation) as unknown as F;
  },
);

/** What each jitted function was compiled for last. */
const devices = new WeakMap<object, string>();

/** The device that a jitted function was compiled for last; null if it was not compiled yet. */
export const compiledFor = (f: AnyFunction): string | null => devices.get(f) ?? null;

/** How each jitted function is compiled ahead of its first call. */
const preparers = new WeakMap<object, (args: readonly unknown[]) => Promise<void>>();

/**
 * Traces and compiles a jitted function for arguments like these without running it. The engine compiles in
 * the background where it can: browsers refuse to compile large programs otherwise.
 */
export const precompile = markEntry(
  async <F extends AnyFunction>(f: F, ...args: Parameters<F>): Promise<void> => {
    const prepare = preparers.get(f);
    if (prepare === undefined) fail("precompile", "its first argument must be a function that jit returned");
    await prepare(args);
  },
  "precompile",
);

/**
 * A function that hands each call to a jitted one, with the arguments that `choose` gives it; `precompile` takes it,
 * too.
 */
export function jitChoice<F extends AnyFunction>(
  name: string,
  choose: (args: readonly unknown[]) => { readonly jitted: AnyFunction; readonly args: readonly unknown[] },
): F {
  const chosen = (...given: unknown[]): unknown => {
    const { jitted, args } = choose(given);
    return call(jitted, args);
  };
  preparers.set(chosen, async (given) => {
    const { jitted, args } = choose(given);
    await preparers.get(jitted)?.(args);
  });
  return markEntry(chosen, name) as unknown as F;
}

const call = (f: AnyFunction, args: readonly unknown[]): unknown => f(...(args as never[]));

const signatureOf = ({ arrays, structure }: FlatTree): string =>
  `${structureKey(structure)} ${arrays
    .map((array) => {
      const { shape, dtype, weak } = array.type;
      return `${dtype}${weak ? "~" : ""}[${shape.join()}]${placeKeyOf(array)}`;
    })
    .join()}`;

/** A traced function before it is compiled. */
interface Prepared {
  readonly backend: Backend;
  readonly program: Program;
  readonly options: CompileOptions;
  /** The compiled function around an executable of the program. */
  readonly finish: (executable: Executable) => Compiled;
  /** Tells that it was compiled, if somebody wants to know. */
  readonly log: (executable: Executable) => void;
}

/** What runs a program, and how much of it. */
interface Where {
  readonly device: string | undefined;
  readonly threads: number | null;
  readonly matmulPrecision: MatmulPrecision | null;
}

function trace(
  operation: string,
  f: (inputs: readonly Array[]) => unknown,
  types: readonly ArrayType[],
  donated: readonly boolean[],
  { device, threads, matmulPrecision }: Where,
  asked: AskedShardings,
  args: readonly (FlatTree | null)[],
): Prepared {
  const start = performance.now();
  let structure: Structure = { kind: "nothing", value: null };
  const recorded = traceProgram(operation, types, (inputs) => {
    const result = flattenArrays(operation, f(inputs), "the result", isPlain);
    structure = result.structure;
    return result.arrays;
  });
  const plan = planFor(operation, asked, { args, result: structure, program: recorded.program });
  const { program, constants } = expandCalls(recorded.program, { keepShardMaps: plan !== null });
  const found = findBackend(operation, program, device, plan !== null);
  const backend = plan === null ? found : plan.over(found);
  const traced = performance.now();
  return {
    backend,
    program,
    options: {
      constants: [...constants, ...recorded.captures],
      donated,
      name: operation,
      threads,
      matmulPrecision,
    },
    finish: (executable) => ({ executable, structure, types: typesOf(program.outputs) }),
    log: ({ bytesPerDevice }) => {
      if (environment("VIBE_RL_LOG_COMPILES") === undefined) return;
      const compiled = performance.now();
      logCompile(
        `${operation} for ${types.map(showType).join(", ")}: ${countEquations(program)} equations, traced in ` +
          `${(traced - start).toFixed(1)} ms, compiled for ${backend.name} in ${(compiled - traced).toFixed(1)} ms` +
          (plan === null || bytesPerDevice === undefined
            ? ""
            : `, ${(bytesPerDevice / 2 ** 20).toFixed(1)} MiB on each of ${plan.mesh.size} devices`),
      );
    },
  };
}

const staticHint =
  "; name the argument in staticArgnums, or the field of the last one in staticArgnames, to pass it as it is";

// A function that is compiled this often is most likely compiled anew for every call.
const manySignatures = 64;

/** Says so when a function has been compiled for ever more signatures: none of them is ever forgotten. */
function warnOfMany(operation: string, count: number): void {
  const doublings = Math.log2(count / manySignatures);
  if (doublings < 0 || !Number.isInteger(doublings)) return;
  // oxlint-disable-next-line no-console
  console.warn(
    `vibe-rl: ${operation} has been compiled for ${count} signatures and keeps them all. Each new shape, dtype, ` +
      `boolean, string and static argument is one; pass what changes with every call as a number or an array`,
  );
}

function logCompile(line: string): void {
  // oxlint-disable-next-line no-console
  console.error(`vibe-rl: ${line}`);
}

/** What a call returns: the computed arrays, with the types they were traced with, and the plain values. */
const collect = ({ structure, types }: Compiled, outputs: readonly Array[]): unknown =>
  unflatten(
    structure,
    types.map((type, index) => {
      const output = outputs[index];
      return output.weakType === type.weak ? output : output.withType(type);
    }),
  );

const isPlain = (leaf: unknown): boolean => typeof leaf === "number" || isFlagOrName(leaf);
