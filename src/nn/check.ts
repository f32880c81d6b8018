// Refusing wrong arguments by name: what was given, what was expected, what to do.
import { Array, check, fail, showValue, type Rule, type Shape } from "../array/index.js";

export const showShape = (shape: Shape): string => `[${shape.join(",")}]`;

/** Refuses what is neither a number that keeps to a rule nor a scalar array, whose value is its own affair. */
export function checkScalar(operation: string, name: string, value: unknown, rule: Rule): void {
  if (!(value instanceof Array)) check(operation, name, value, rule);
  else if (value.ndim > 0) {
    fail(
      operation,
      `${name} must be ${rule(undefined)} or a scalar array, got ${showValue(value)}; use vmap for several`,
    );
  }
}

/** Refuses what is not a list of values that keep to a rule. */
export function checkList(
  operation: string,
  name: string,
  list: unknown,
  rule: Rule,
  { least = 0, length }: { readonly least?: number; readonly length?: number } = {},
): void {
  if (!globalThis.Array.isArray(list)) fail(operation, `${name} must be a list, got ${showValue(list)}`);
  const values = list as readonly unknown[];
  values.forEach((value, at) => check(operation, `${name}[${at}]`, value, rule));
  if (length !== undefined && values.length !== length) {
    fail(operation, `${name} must have ${length} entries, got ${showValue(values)}`);
  }
  if (values.length < least) {
    fail(operation, `${name} must have at least ${least} entries, got ${showValue(values)}`);
  }
}

export function checkArray(operation: string, name: string, value: unknown): asserts value is Array {
  if (!(value instanceof Array)) fail(operation, `${name} must be an array, got ${showValue(value)}`);
}

/** Whether a shape broadcasts to another one without making it larger. */
export function fitsInto(shape: Shape, target: Shape): boolean {
  const lead = target.length - shape.length;
  return lead >= 0 && shape.every((extent, axis) => extent === 1 || extent === target[lead + axis]);
}
