// Errors that say what was given, what was expected, and where in the user's code it happened.
import { userLocation } from "./userCode.js";

/** A mistake in an array program. The message ends with the user's file and line where it is known. */
export class ArrayError extends Error {
  override readonly name = "ArrayError";
  constructor(
    /** The operation that refused, as the user calls it. */
    readonly operation: string,
    /** What was wrong, without the operation and the place. */
    readonly reason: string,
    /** `file:line:column` of the user's code, if it could be found. */
    readonly location: string | null,
  ) {
    super(`${operation}: ${reason}${location === null ? "" : ` (${location})`}`);
  }
}

/** Throws an ArrayError that points at the caller's code, or at `location` for what was recorded earlier. */
export function fail(operation: string, reason: string, location: string | null = userLocation()): never {
  throw new ArrayError(operation, reason, location);
}

/** Under this name, arrays say themselves what they are in a message. */
export const describeSelf = Symbol("describe");

interface SelfDescribed {
  [describeSelf](): string;
}

/** A value as it reads in a message about what was given. */
export function describe(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "function") return `a function${value.name === "" ? "" : ` ${value.name}`}`;
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (describeSelf in value) return (value as SelfDescribed)[describeSelf]();
  const { constructor } = value;
  const speaks = Object.hasOwn(constructor.prototype as object, "toString") && constructor !== Object;
  return speaks ? (value as { toString(): string }).toString() : `an object of class ${constructor.name}`;
}
