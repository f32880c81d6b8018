// Compiling the functions of agents. What a config has as arrays are arguments of the program, so that a rate which
// changes with every call is not compiled anew; the rest of the config is a part of the program. So are networks of
// one's own, by identity: programs are forgotten when the networks are.
import { Array, jit, jitChoice } from "../array/index.js";

type AnyFunction = (...args: never[]) => unknown;
type Arrays = Readonly<Record<string, Array>>;

interface Options {
  readonly config: object;
  readonly networks?: unknown;
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

/** Values by lists of objects. A value goes when one of its objects does. */
class WeakTable<V> {
  private value: V | undefined;
  private readonly longer = new WeakMap<object, WeakTable<V>>();

  get([first, ...rest]: readonly object[], make: () => V): V {
    if (first === undefined) return (this.value ??= make());
    const table = this.longer.get(first) ?? new WeakTable<V>();
    this.longer.set(first, table);
    return table.get(rest, make);
  }
}

/** The networks among options as a list; none where there are none, or something else that is refused later. */
function networksIn(options: unknown): readonly object[] {
  const { networks } = (options ?? {}) as Partial<Options>;
  if (typeof networks !== "object" || networks === null) return [];
  const list: unknown[] = Object.keys(networks)
    .sort()
    .map((name) => (networks as Readonly<Record<string, unknown>>)[name]);
  return list.filter(
    (one): one is object => (typeof one === "object" && one !== null) || typeof one === "function",
  );
}

/** Networks that are made anew for every call are compiled anew for every call. */
const manyNetworks = 64;

/** `jit` of a function whose argument `at` is `{ config, networks, … }`; `others` are further static ones. */
export function jitWithConfig<F extends AnyFunction>(f: F, at: number, ...others: readonly number[]): F {
  const statics = [at, ...others];
  const withArrays = (arrays: Arrays, ...args: never[]): unknown => {
    const options = args[at] as Options;
    const config = { ...options.config, ...arrays };
    return f(...(replaced(args, at, { ...options, config }) as never[]));
  };
  Object.defineProperty(withArrays, "name", { value: f.name });
  let count = 0;
  const compiled = () => {
    if (++count === manyNetworks) warnOfMany(f.name);
    return {
      plain: jit(f, { staticArgnums: statics }),
      mixed: jit(withArrays, { staticArgnums: statics.map((position) => position + 1) }),
    };
  };
  const own = compiled();
  const table = new WeakTable<ReturnType<typeof compiled>>();
  return jitChoice<F>(own.plain.name, (args) => {
    const networks = networksIn(args[at]);
    const { plain, mixed } = networks.length === 0 ? own : table.get(networks, compiled);
    const { arrays, rest } = takeApart(args[at]);
    return Object.keys(arrays).length === 0
      ? { jitted: plain, args }
      : { jitted: mixed, args: [arrays, ...replaced(args, at, rest)] };
  });
}

function warnOfMany(operation: string): void {
  // oxlint-disable-next-line no-console
  console.warn(
    `vibe-rl: ${operation} has been compiled for ${manyNetworks} different networks. Networks are told apart by ` +
      "identity: make them once, outside of loops, and give the same objects in every call",
  );
}
