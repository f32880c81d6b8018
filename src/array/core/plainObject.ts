// Telling objects written as `{ … }` from instances of classes.

/** Whether a value is a plain object, of this realm or another (a worker's, a frame's, a test runner's). */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}
