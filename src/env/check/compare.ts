// Telling trees of arrays apart, and naming values, in words.
import { Array, tree, type DType } from "../../array/index.js";

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const typeOf = ({
  dtype,
  shape,
}: {
  readonly dtype: DType;
  readonly shape: readonly number[];
}): string => `${dtype}${shape.length === 0 ? "" : `[${shape.join()}]`}`;

export const kindOf = (value: unknown): string =>
  globalThis.Array.isArray(value)
    ? `a list of ${value.length}`
    : value instanceof Array
      ? "one array"
      : value === undefined || value === null
        ? "nothing"
        : typeof value === "object"
          ? "an object"
          : `the ${typeof value} ${JSON.stringify(value)}`;

export const hasNaN = (x: Array): boolean => x.data().some((value) => Number.isNaN(value));

/** Where two trees of arrays differ in structure or types, or null. */
export function typeDifference(a: unknown, b: unknown): string | null {
  let found: string | null = null;
  try {
    tree.mapWithPath(
      (path, x: unknown, y: unknown) => {
        const [own, other] = [typeOf(x as Array), typeOf(y as Array)];
        if (own !== other) found ??= `${path === "" ? "it" : path} is ${own} instead of ${other}`;
      },
      a,
      b,
    );
  } catch (error) {
    // The trees have different structures; the message says where.
    return messageOf(error).replace(/^[^:]*: /, "");
  }
  return found;
}

/** The path of the first leaf that differs between two trees, or null. */
export function firstDifference(a: unknown, b: unknown): string | null {
  const types = typeDifference(a, b);
  if (types !== null) return types;
  let found: string | null = null;
  tree.mapWithPath(
    (path, x: unknown, y: unknown) => {
      const [own, other] = [x as Array, y as Array].map((leaf) => leaf.data());
      if (!own.every((value, at) => Object.is(value, other[at]))) found ??= path;
    },
    a,
    b,
  );
  return found;
}
