// Taking a command line apart.
import { nearestNames } from "../env/index.js";

/** A command line that cannot be understood; the process ends with code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export interface Arguments {
  /** What is not a flag, in order. */
  readonly words: readonly string[];
  /** Flags with their values; `--flag` alone is "true". */
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

/** Flags of a command that has a fixed set of them, by their names in camelCase. */
export function readFlags<K extends string>(
  { flags }: Arguments,
  known: readonly K[],
): Partial<Record<K, readonly string[]>> {
  const found: Partial<Record<K, readonly string[]>> = {};
  for (const { name, values } of flags) {
    const spelled = name.replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());
    const key = known.find((one) => one === spelled);
    if (key === undefined) {
      const near = nearestNames(spelled, known, 1).map(
        (one) => `--${one.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
      );
      throw new UsageError(`there is no --${name}; did you mean ${near.join(" or ")}?`);
    }
    found[key] = values;
  }
  return found;
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
