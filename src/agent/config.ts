// Config objects: frozen, every field checked, built by a function that has the config's name.
import {
  Array as NumericArray,
  ArrayError,
  checkName,
  checkOptions,
  fail,
  rules,
  showValue,
  type Rule,
} from "../array/index.js";

/** A hyper-parameter that only enters arithmetic: a number, or a scalar array, which may be traced. */
export type Scalar = number | NumericArray;

/** A field of a config: its default, and what is wrong with a value given for it, if anything. */
export interface Field<T> {
  readonly default: T;
  /** Whether it takes scalar arrays too, so that one program serves many values of it. */
  readonly isTraceable?: boolean;
  readonly wants: Rule;
}

const field = <T>(initial: T, wants: Rule): Field<T> => ({ default: initial, wants });

/** A number greater than 0. */
export const positive = (initial: number): Field<number> => field(initial, rules.positive);

/** A number of at least 0. */
export const notNegative = (initial: number): Field<number> => field(initial, rules.notNegative);

/** A number from 0 to 1. */
export const fraction = (initial: number): Field<number> => field(initial, rules.fraction);

/** A number greater than 0, up to 1. */
export const positiveFraction = (initial: number): Field<number> => field(initial, rules.positiveFraction);

/** Any finite number. */
export const finite = (initial: number): Field<number> => field(initial, rules.finite);

/** A whole number of at least `least`. */
export const whole = (initial: number, least = 1): Field<number> => field(initial, rules.whole(least));

/** true or false. */
export const flag = (initial: boolean): Field<boolean> => field(initial, rules.flag);

/** One of some words. */
export const choice = <T extends string>(initial: T, choices: readonly T[]): Field<T> =>
  field(initial, rules.oneOf(choices));

/** The widths of a network's hidden layers. */
export const widths = (initial: readonly number[]): Field<readonly number[]> =>
  field(initial, rules.listOf("whole numbers of at least 1", rules.whole(1)));

const finiteNumbers = rules.listOf("finite numbers", rules.finite, 1);

/** A finite number for all, or a list with one for each. */
export const eachOrAll = (initial: number): Field<number | readonly number[]> =>
  field<number | readonly number[]>(
    initial,
    rules.rule(
      "a finite number or a list of them",
      (value) => rules.finite(value) === null || finiteNumbers(value) === null,
    ),
  );

/** What a field of numbers takes, or a scalar array: a concrete one is held to the same rule, a tracer passes. */
export const traceable = ({ default: initial, wants }: Field<number>): Field<Scalar> => ({
  default: initial,
  isTraceable: true,
  wants: (value) => {
    if (!(value instanceof NumericArray)) return wants(value);
    const isScalar = value.ndim === 0 && value.dtype !== "bool" && value.dtype !== "float64";
    if (!isScalar) return `${wants(undefined)} or a scalar array (vmap is for several)`;
    return value.tracer === null ? wants(value.item()) : null;
  },
});

/** A scalar as a number, or `null` where it is traced. */
export const knownValue = (value: Scalar): number | null =>
  typeof value === "number" ? value : value.tracer === null ? value.item() : null;

/** What another field takes, or `null`, which is the default. */
export const optional = <T>({ wants, isTraceable = false }: Field<T>): Field<T | null> => ({
  ...{ default: null, isTraceable, wants: rules.orNull(wants) },
});

export type Fields<C> = { readonly [K in keyof C]-?: Field<C[K]> };

/** Makes a config of what differs from the defaults. `defaults` has the others. */
export interface ConfigBuilder<C> {
  (given?: Partial<C>): Readonly<C>;
  readonly defaults: Readonly<C>;
  /** The fields that may be scalar arrays; the others decide shapes or control flow. */
  readonly traceable: readonly string[];
}

/**
 * The builder of a config. `check` looks at fields that must fit each other: it returns what is wrong, or null.
 */
export function defineConfig<C extends object>(
  name: string,
  fields: Fields<C>,
  check: (config: C) => string | null = () => null,
): ConfigBuilder<C> {
  const known = Object.keys(fields) as (keyof C & string)[];
  const defaults = Object.freeze(Object.fromEntries(known.map((key) => [key, fields[key].default]))) as C;
  const traceable = Object.freeze(known.filter((key) => fields[key].isTraceable === true));
  const build = (given: Partial<C> = {}): Readonly<C> => {
    if (typeof given !== "object" || given === null || Array.isArray(given)) {
      fail(name, `takes an object with the fields that differ from the defaults, got ${showValue(given)}`);
    }
    for (const key of Object.keys(given)) checkName(name, "field", key, known);
    // A field that is there but undefined is one that was left out.
    const stated = Object.entries(given).filter(([, value]) => value !== undefined);
    const config = { ...defaults, ...Object.fromEntries(stated) };
    for (const key of known) {
      const wanted = fields[key].wants(config[key]);
      if (wanted === null) continue;
      const hint = holdsArray(config[key]) && !traceable.includes(key) ? staticHint : "";
      fail(name, `${key} must be ${wanted}, got ${showValue(config[key])}${hint}`);
    }
    const problem = check(config);
    if (problem !== null) fail(name, problem);
    return freeze(config);
  };
  return Object.assign(build, { defaults, traceable });
}

/**
 * A config that somebody hands over, checked once more: it may have been put together by hand, or be that of something
 * else. `name` is how the argument is called.
 */
export function checkedConfig<C extends object>(
  operation: string,
  name: string,
  builder: ConfigBuilder<C>,
  given: unknown,
): Readonly<C> {
  if (given === undefined || given === null) fail(operation, `needs ${name}, got ${String(given)}`);
  try {
    return builder(given);
  } catch (error) {
    if (!(error instanceof ArrayError)) throw error;
    fail(operation, `${name} is no ${error.operation}: ${error.reason}`, error.location);
  }
}

const holdsArray = (value: unknown): boolean => [value].flat().some((part) => part instanceof NumericArray);

const staticHint = "; it decides shapes or control flow, so it is a plain value and never an array";

/** A checked config whose scalar arrays are numbers, for what needs to know them all before it begins. */
export function plainConfig<C extends object>(
  operation: string,
  name: string,
  builder: ConfigBuilder<C>,
  given: Partial<C> | undefined,
): Readonly<C> {
  const config = completedConfig(operation, name, builder, given);
  const entries = Object.entries(config).map(([field, value]: [string, unknown]) => {
    if (!(value instanceof NumericArray)) return [field, value];
    const known = knownValue(value);
    if (known === null) fail(operation, `${name}.${field} is traced; a run must know it before it begins`);
    return [field, known];
  });
  return Object.freeze(Object.fromEntries(entries)) as C;
}

/** A config that somebody hands over, or what in it differs from the defaults; without it they are all that counts. */
export const completedConfig = <C extends object>(
  operation: string,
  name: string,
  builder: ConfigBuilder<C>,
  given: Partial<C> | undefined,
): Readonly<C> => (given === undefined ? builder.defaults : checkedConfig(operation, name, builder, given));

/** The config among the options of an agent's function, completed. `names` are those of the other options. */
export function configAmong<C extends object>(
  operation: string,
  builder: ConfigBuilder<C>,
  options: { readonly config?: Partial<C> | undefined },
  names: readonly string[] = [],
): Readonly<C> {
  checkOptions(operation, options, ["config", ...names]);
  return completedConfig(operation, "config", builder, options.config);
}

/** Lists are copied and frozen too, so that nobody changes the config through them. */
const freeze = <C extends object>(config: C): Readonly<C> =>
  Object.freeze(
    Object.fromEntries(
      Object.entries(config).map(([key, value]) => [
        key,
        Array.isArray(value) ? Object.freeze([...(value as unknown[])]) : (value as unknown),
      ]),
    ),
  ) as C;
