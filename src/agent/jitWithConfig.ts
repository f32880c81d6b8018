// Compiling the functions of agents. What a config has as arrays are arguments of the program, so that a rate which
// changes with every call is not compiled anew; the rest of the config is a part of the program.
import { Array, jit, jitChoice } from "../array/index.js";

type AnyFunction = (...args: never[]) => unknown;
type Arrays = Readonly<Record<string, Array>>;

interface Options {
  readonly config: object;
}

/** The arrays of a config, and the options without them. */
function takeApart(options: unknown): { readonly arrays: Arrays; readonly rest: unknown } {
  const { config } = (options ?? {}) as Partial<Options>;
  const [arrays, plain]: Record<string, unknown>[] = [{}, {}];
  for (const [name, value] of Object.entries(config ?? {})) {
    (value instanceof Array ? arrays : plain)[name] = value;
  }
  const hasNone = Object.keys(arrays).length === 0;
  return { arrays: arrays as Arrays, rest: hasNone ? options : { ...(options as Options), config: plain } };
}

/** A list with another value at a position. */
const replaced = (list: readonly unknown[], at: number, value: unknown): unknown[] =>
  list.map((one, position) => (position === at ? value : one));

/** `jit` of a function whose argument `at` is `{ config, … }`; `others` are further static ones. */
export function jitWithConfig<F extends AnyFunction>(f: F, at: number, ...others: readonly number[]): F {
  const statics = [at, ...others];
  const withArrays = (arrays: Arrays, ...args: never[]): unknown => {
    const options = args[at] as Options;
    const config = { ...options.config, ...arrays };
    return f(...(replaced(args, at, { ...options, config }) as never[]));
  };
  const plain = jit(f, { staticArgnums: statics });
  const mixed = jit(Object.defineProperty(withArrays, "name", { value: f.name }), {
    staticArgnums: statics.map((position) => position + 1),
  });
  return jitChoice<F>(plain.name, (args) => {
    const { arrays, rest } = takeApart(args[at]);
    return Object.keys(arrays).length === 0
      ? { jitted: plain, args }
      : { jitted: mixed, args: [arrays, ...replaced(args, at, rest)] };
  });
}
