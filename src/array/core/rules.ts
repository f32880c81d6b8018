// What values that users give must be: every layer refuses by these rules, and in the same words.
import { describe, describeSelf, fail } from "./errors.js";
import { nearestName } from "./nearest.js";
import { isPlainObject } from "./plainObject.js";

/** What a value must be, as in "must be …"; `null` if it is that. */
export type Rule = (value: unknown) => string | null;

/** The rule that something holds of a value. */
export const rule =
  (words: string, holds: (value: unknown) => boolean): Rule =>
  (value) =>
    holds(value) ? null : words;

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

const numbers = (words: string, holds: (value: number) => boolean): Rule =>
  rule(words, (value) => isNumber(value) && holds(value));

export const finite = rule("a finite number", isNumber);
export const notNegative = numbers("a number of at least 0", (value) => value >= 0);
export const positive = numbers("a number greater than 0", (value) => value > 0);
export const fraction = numbers("a number from 0 to 1", (value) => value >= 0 && value <= 1);
export const positiveFraction = numbers(
  "a number greater than 0, at most 1",
  (value) => value > 0 && value <= 1,
);
/** A decay rate: the share of the old value that is kept. */
export const decayRate = numbers("a number of at least 0 and below 1", (value) => value >= 0 && value < 1);

/** A whole number of at least `least` that is exact: those of 2 ** 53 and more have gaps between them. */
export const whole =
  (least: number): Rule =>
  (value) => {
    if (Number.isSafeInteger(value) && (value as number) >= least) return null;
    const isLarge = Number.isInteger(value) && (value as number) > 1;
    return `a whole number of at least ${least}${isLarge ? " and less than 2 ** 53" : ""}`;
  };

export const flag = rule("true or false", (value) => typeof value === "boolean");
export const callable = rule("a function", (value) => typeof value === "function");

/** One of some words. */
export const oneOf = (choices: readonly string[]): Rule =>
  rule(choices.map((name) => JSON.stringify(name)).join(" or "), (value) =>
    choices.some((name) => name === value),
  );

/** A list whose elements all keep to a rule; `words` are those for all of them, as in "whole numbers". */
export const listOf = (words: string, element: Rule, least = 0): Rule =>
  rule(
    `a list of ${words}${least === 0 ? "" : `, with at least ${least === 1 ? "one" : least}`}`,
    (value) => Array.isArray(value) && value.length >= least && value.every((x) => element(x) === null),
  );

/** What another rule takes, or null. */
export const orNull =
  (other: Rule): Rule =>
  (value) => {
    const wanted = value === null ? null : other(value);
    return wanted === null ? null : `${wanted}, or null`;
  };

/** What is wrong with a value that does not keep to a rule, or null. */
export function problemWith(name: string, value: unknown, wants: Rule): string | null {
  const wanted = wants(value);
  return wanted === null ? null : `${name} must be ${wanted}, got ${showValue(value)}`;
}

/** Refuses a value that does not keep to a rule. */
export function check(operation: string, name: string, value: unknown, wants: Rule): void {
  const problem = problemWith(name, value, wants);
  if (problem !== null) fail(operation, problem);
}

/** Refuses what is not one of the values an option may have. */
export const checkChoice = (
  operation: string,
  name: string,
  value: unknown,
  choices: readonly string[],
): void => check(operation, name, value, oneOf(choices));

/** Refuses what is not a whole number of at least `least`; a traced one is none. */
export function checkWhole(operation: string, name: string, value: unknown, least = -Infinity): void {
  const bound = least === -Infinity ? "" : ` of at least ${least}`;
  const isOne = (given: unknown): boolean => Number.isInteger(given) && (given as number) >= least;
  check(operation, name, value, rule(`a whole number${bound} known while tracing`, isOne));
}

/** Refuses what is not a function. */
export const checkFunction = (operation: string, name: string, value: unknown): void =>
  check(operation, name, value, callable);

/** Refuses options that are no object, or among which there are names that nobody reads. */
export function checkOptions(operation: string, given: unknown, known: readonly string[]): void {
  if (typeof given !== "object" || given === null || Array.isArray(given) || describeSelf in given) {
    fail(
      operation,
      `needs its options as an object with some of ${known.join(", ")}, got ${showValue(given)}`,
    );
  }
  for (const name of Object.keys(given)) checkName(operation, "option", name, known);
}

/** Refuses a name that is not among the known ones of its kind. */
export function checkName(operation: string, kind: string, name: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  const nearest = nearestName(name, known);
  const hint = nearest === null ? "." : `; did you mean \`${nearest}\`?`;
  fail(operation, `there is no ${kind} \`${name}\`${hint} The ${kind}s are ${known.join(", ")}`);
}

/** A value as it reads in a message, with what is in it, a long list's beginning alone. */
export function showValue(value: unknown, within: readonly unknown[] = []): string {
  if (typeof value === "bigint") return `${value}n`;
  if (within.includes(value)) return "itself";
  const inside = [...within, value];
  if (Array.isArray(value)) {
    const shown = value.slice(0, value.length > 16 ? 8 : 16).map((element) => showValue(element, inside));
    return `[${shown.join(", ")}${value.length > 16 ? `, … ${value.length} in all` : ""}]`;
  }
  if (!isPlainObject(value)) return describe(value);
  const entries = Object.entries(value).map(([name, part]) => `${name}: ${showValue(part, inside)}`);
  return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
}
