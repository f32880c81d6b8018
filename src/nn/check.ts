// Refusing wrong arguments by name: what was given, what was expected, what to do.
import { Array, fail, nearestName, type Shape } from "../array/index.js";

/** A value as it reads in a message. */
export function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "function") return "a function";
  if (value instanceof Array) return `an array ${value.dtype}${showShape(value.shape)}`;
  if (globalThis.Array.isArray(value)) return `[${value.map(show).join(", ")}]`;
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

export const showShape = (shape: Shape): string => `[${shape.join(",")}]`;

/** Refuses options that are no object or have names that nobody reads. */
export function checkOptions(operation: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== "object" || options === null || options instanceof Array) {
    fail(operation, `options must be an object with some of ${known.join(", ")}, got ${show(options)}`);
  }
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue;
    fail(operation, `unknown option ${name}; ${nearest(name, known)}it takes ${known.join(", ")}`);
  }
}

/** The known name that somebody may have meant, as a question. */
function nearest(name: string, known: readonly string[]): string {
  const best = nearestName(name, known);
  return best === null ? "" : `did you mean ${best}? `;
}

/** What a number must be, in words and as a test. */
export interface NumberRule {
  readonly words: string;
  readonly holds: (value: number) => boolean;
}

export const finite: NumberRule = { words: "a finite number", holds: Number.isFinite };
export const notNegative: NumberRule = {
  words: "a number of at least 0",
  holds: (value) => value >= 0 && Number.isFinite(value),
};
export const positive: NumberRule = {
  words: "a number above 0",
  holds: (value) => value > 0 && Number.isFinite(value),
};
/** A decay rate: the share of the old value that is kept. */
export const decayRate: NumberRule = {
  words: "a number of at least 0 and below 1",
  holds: (value) => value >= 0 && value < 1,
};
export const share: NumberRule = {
  words: "a number from 0 to 1",
  holds: (value) => value >= 0 && value <= 1,
};
export const wholeAboveZero: NumberRule = {
  words: "a whole number above 0",
  holds: (value) => Number.isSafeInteger(value) && value > 0,
};
export const wholeNotNegative: NumberRule = {
  words: "a whole number of at least 0",
  holds: (value) => Number.isSafeInteger(value) && value >= 0,
};

/** Refuses what is not a number that keeps to a rule. */
export function checkNumber(operation: string, name: string, value: unknown, rule: NumberRule): void {
  if (typeof value !== "number" || !rule.holds(value)) {
    fail(operation, `${name} must be ${rule.words}, got ${show(value)}`);
  }
}

/** Refuses what is neither a number that keeps to a rule nor a scalar array, whose value is its own affair. */
export function checkScalar(operation: string, name: string, value: unknown, rule: NumberRule): void {
  if (!(value instanceof Array)) checkNumber(operation, name, value, rule);
  else if (value.ndim > 0) {
    fail(
      operation,
      `${name} must be ${rule.words} or a scalar array, got ${show(value)}; use vmap for several`,
    );
  }
}

/** Refuses what is not a list of numbers that keep to a rule. */
export function checkList(
  operation: string,
  name: string,
  list: unknown,
  rule: NumberRule,
  { least = 0, length }: { readonly least?: number; readonly length?: number } = {},
): void {
  if (!globalThis.Array.isArray(list)) fail(operation, `${name} must be a list, got ${show(list)}`);
  const values = list as readonly unknown[];
  const odd = values.findIndex((value) => typeof value !== "number" || !rule.holds(value));
  if (odd >= 0) fail(operation, `${name}[${odd}] must be ${rule.words}, got ${show(values[odd])}`);
  if (length !== undefined && values.length !== length) {
    fail(operation, `${name} must have ${length} entries, got ${show(values)}`);
  }
  if (values.length < least) {
    fail(operation, `${name} must have at least ${least} entries, got ${show(values)}`);
  }
}

export function checkFunction(operation: string, name: string, value: unknown): void {
  if (typeof value !== "function") fail(operation, `${name} must be a function, got ${show(value)}`);
}

export function checkArray(operation: string, name: string, value: unknown): asserts value is Array {
  if (!(value instanceof Array)) fail(operation, `${name} must be an array, got ${show(value)}`);
}

/** Whether a shape broadcasts to another one without making it larger. */
export function fitsInto(shape: Shape, target: Shape): boolean {
  const lead = target.length - shape.length;
  return lead >= 0 && shape.every((extent, axis) => extent === 1 || extent === target[lead + axis]);
}
