// Taking a command line apart.
import { ArrayError } from "../array/index.js";
import { nearestName } from "../array/index.js";

/** A command line that cannot be understood; the process ends with code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export interface Arguments {
  /** What is not a flag, in order. */
  readonly words: readonly string[];
  /** Flags with their values. */
  readonly flags: readonly { readonly name: string; readonly values: readonly string[] }[];
}

/** Words and flags: `--name value`, `--name=value`, `--name a b c`. */
export function parseArguments(list: readonly string[]): Arguments {
  const words: string[] = [];
  const flags: { name: string; values: string[] }[] = [];
  for (const item of list) {
    const flag = /^--([^=]+)(?:=(.*))?$/s.exec(item) ?? (item === "-h" ? ["", "help"] : null);
    if (flag !== null) flags.push({ name: flag[1], values: flag[2] === undefined ? [] : [flag[2]] });
    else if (flags.length > 0) flags[flags.length - 1].values.push(item);
    else words.push(item);
  }
  return { words, flags };
}

/**
 * For commands that need a word: where none stands before the flags, it is what comes behind the value of one, as in
 * `eval --base-dir X RUN`. Numbers are parts of a list.
 */
export function withWord({ words, flags }: Arguments): Arguments {
  if (words.length > 0) return { words, flags };
  const isPart = (value: string, at: number) => at === 0 || /^[([]?[-+.\d][\d.,_eE+-]*[)\]]?,?$/.test(value);
  return {
    words: flags.flatMap(({ values }) => values.filter((value, at) => !isPart(value, at))),
    flags: flags.map(({ name, values }) => ({ name, values: values.filter(isPart) })),
  };
}

/** A flag's name in camelCase, however it was spelled. */
export const spelled = (name: string): string =>
  name.replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());

/** Flags of a command that has a fixed set of them, by their names in camelCase; repeated ones add up. */
export function readFlags<K extends string>(
  { flags }: Arguments,
  known: readonly K[],
): Partial<Record<K, readonly string[]>> {
  const found: Partial<Record<K, readonly string[]>> = {};
  for (const { name, values } of flags) {
    const key = known.find((one) => one === spelled(name));
    if (key === undefined) throw new UsageError(unknownFlag(name, known));
    found[key] = [...(found[key] ?? []), ...values];
  }
  return found;
}

function unknownFlag(name: string, known: readonly string[]): string {
  const dashed = (one: string) => `--${one.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  if (known.length === 0) return `there is no --${name}; this command has no flags`;
  const near = nearestName(spelled(name), known);
  return near === null
    ? `there is no --${name}; there are ${known.map(dashed).join(", ")}`
    : `there is no --${name}; did you mean ${dashed(near)}?`;
}

/** Refuses words that a command has no use for. */
export function checkWords({ words }: Arguments, most: number): void {
  if (words.length > most)
    throw new UsageError(`what is ${JSON.stringify(words[most])}? It is one word too many`);
}

/** The only value of a flag. */
export function oneOf(values: readonly string[] | undefined, flag: string): string | undefined {
  if (values === undefined) return undefined;
  if (values.length === 1) return values[0];
  throw new UsageError(`--${flag} takes one value, got ${values.length === 0 ? "none" : values.join(" ")}`);
}

/** The only value of a flag, as a number. */
export function numberOf(values: readonly string[] | undefined, flag: string): number | undefined {
  const text = oneOf(values, flag);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) {
    throw new UsageError(`--${flag} must be a number, got ${JSON.stringify(text)}`);
  }
  return value;
}

/** The only value of a flag, as a whole number of at least `least`. */
export function wholeOf(values: readonly string[] | undefined, flag: string, least = 0): number | undefined {
  const value = numberOf(values, flag);
  if (value === undefined || (Number.isSafeInteger(value) && value >= least)) return value;
  throw new UsageError(`--${flag} must be a whole number of at least ${least}, got ${value}`);
}

/** An error of the library without the place in the code, which is not the user's here. */
export const tell = ({ operation, reason }: ArrayError): string => `${operation}: ${reason}`;

/** What a part of a command line stands for; what is wrong with it is bad usage. Settings with flags are told by these. */
export function understood<T>(body: () => T, flags: Readonly<Record<string, string>> = {}): T {
  try {
    return body();
  } catch (error) {
    if (error instanceof ArrayError) {
      throw new UsageError(
        tell(error).replaceAll(/\b\w+\b/g, (word) => (Object.hasOwn(flags, word) ? flags[word] : word)),
      );
    }
    if (error instanceof Error && ["ConfigError", "PlotError", "RunDirError"].includes(error.name)) {
      throw new UsageError(error.message);
    }
    throw error;
  }
}
