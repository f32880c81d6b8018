// What every public function checks before it runs: that it got no argument too many and no option that it does
// not have. TypeScript says so already; plain JavaScript would swallow them.
import { describe, fail } from "./errors.js";
import { tellNearest } from "./nearest.js";
import { isPlainObject } from "./plainObject.js";
import { markEntry } from "./userCode.js";

type AnyFunction = (...args: never[]) => unknown;

interface Signature {
  readonly name: string;
  /** How many arguments it takes at most. */
  readonly most: number;
  /** The names of the options that its last argument may have; none where it is no options object. */
  readonly options: readonly string[];
  readonly run: AnyFunction;
}

const signatures = new WeakMap<object, Signature>();

/** What a function checks, if it was made with `checked`. */
export const signatureOf = (f: object): Signature | undefined => signatures.get(f);

/** A public function of `most` parameters: `run`, once its arguments are counted. */
export function checked<F extends AnyFunction>(name: string, most: number, run: F): F;
/** A public function whose last parameter is an object with some of these options. */
export function checked<F extends AnyFunction>(
  name: string,
  most: number,
  options: readonly string[],
  run: F,
): F;
export function checked(
  name: string,
  most: number,
  first: AnyFunction | readonly string[],
  second?: AnyFunction,
): AnyFunction {
  const [options, run] = typeof first === "function" ? [[], first] : [first, second as AnyFunction];
  if (most > 5) throw new Error(`${name} has more parameters than are handed on; this is a bug in vibe-rl`);
  const signature: Signature = { name, most, options, run };
  const call = run as (...args: unknown[]) => unknown;
  const suspicious = firstSuspicious(signature);
  const guarded = function (a: unknown, b: unknown, c: unknown, d: unknown, e: unknown): unknown {
    // Counting arguments costs nothing; collecting them in a list would.
    // oxlint-disable-next-line prefer-rest-params
    if (arguments.length >= suspicious) checkCall(signature, arguments);
    return call(a, b, c, d, e);
  };
  signatures.set(guarded, signature);
  return markEntry(guarded, name);
}

/** A public function as a method: `this` is its first argument. */
export function asMethod(name: string, f: object): object {
  const known = signatures.get(f);
  if (known === undefined) throw new Error(`${name} is made of no public function; this is a bug in vibe-rl`);
  return checkedMethod({ ...known, name, most: known.most - 1 });
}

/** Makes the methods of a class count their arguments; only a last one, with these options, may have a default. */
export function checkMethods(
  prototype: object,
  names: readonly string[],
  prefix = "",
  options: readonly string[] = [],
): void {
  for (const name of names) {
    const written = (prototype as Record<string, AnyFunction>)[name];
    const run = (self: never, ...args: never[]): unknown => written.apply(self, args);
    // A parameter with a default is not counted in a function's length.
    const most = written.length + (options.length > 0 ? 1 : 0);
    const method = checkedMethod({ name: `${prefix}${name}`, most, options, run });
    Object.defineProperty(prototype, name, { value: method, writable: true, configurable: true });
  }
}

function checkedMethod(signature: Signature): object {
  const call = signature.run as (...args: unknown[]) => unknown;
  const suspicious = firstSuspicious(signature);
  const method = function (this: unknown, a?: unknown, b?: unknown, c?: unknown, d?: unknown): unknown {
    // oxlint-disable-next-line prefer-rest-params
    if (arguments.length >= suspicious) checkCall(signature, arguments);
    return call(this, a, b, c, d);
  };
  signatures.set(method, signature);
  return markEntry(method, `x.${signature.name}`);
}

/** From which number of arguments on a call needs a closer look. */
const firstSuspicious = ({ most, options }: Signature): number => (options.length === 0 ? most + 1 : most);

function checkCall(signature: Signature, args: ArrayLike<unknown>): void {
  const { name, most, options } = signature;
  // An argument that is undefined is as good as left out.
  let count = args.length;
  while (count > 0 && args[count - 1] === undefined) count--;
  if (count > most && !isCallback(most, args)) {
    const few = most === 0 ? "no arguments" : most === 1 ? "1 argument" : `at most ${most} arguments`;
    fail(name, `takes ${few}, got ${count}${callbackHint(signature, args)}`);
  }
  if (options.length > 0 && count >= most) checkOptions(signature, args);
}

/**
 * Whether the arguments beyond the last are what `map`, `forEach` and `reduce` of lists pass to every
 * callback, the index and the list: `[x, y].map(np.square)` is meant as it is written.
 */
function isCallback(most: number, args: ArrayLike<unknown>): boolean {
  const [index, list] = [args[most], args[most + 1]];
  return args.length === most + 2 && Array.isArray(list) && list[index as number] === args[most - 1];
}

/** What to do where an index was taken for an argument: that of `list.map(f)`, or of `Array.from(list, f)`. */
function callbackHint({ name, most }: Signature, args: ArrayLike<unknown>): string {
  const [element, index, list] = [args[0], args[1], args[2]];
  const isElement = Array.isArray(list) && list[index as number] === element;
  const isCounted = most === 1 && args.length === 2 && Number.isInteger(index);
  return isElement || isCounted ? `; as a callback write x => ${name}(x)` : "";
}

function checkOptions(signature: Signature, args: ArrayLike<unknown>): void {
  const { name, most, options: known } = signature;
  const options = args[most - 1];
  const form = () => `{ ${known.join(", ")} }`;
  if (!isPlainObject(options)) {
    const hint = callbackHint(signature, args);
    fail(name, `the options must be an object such as ${form()}, got ${describe(options)}${hint}`);
  }
  for (const key in options) {
    if (!known.includes(key))
      fail(name, `there is no option ${key}; ${tellNearest(key, known)} (of ${form()})`);
  }
}
