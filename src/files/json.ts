// What JSON can hold, checked before it is written: JSON.stringify would drop the rest without a word.

/** `.params[0].w` behind a key or index, as trees write paths. */
export const extendPath = (path: string, key: string | number): string =>
  typeof key === "number"
    ? `${path}[${key}]`
    : /^[A-Za-z_$][\w$]*$/.test(key)
      ? `${path}${path === "" ? "" : "."}${key}`
      : `${path}[${JSON.stringify(key)}]`;

/**
 * What keeps a value from being written as JSON and read back the same, with its path; `null` if nothing does.
 * `within` are the objects that hold it.
 */
export function jsonProblem(value: unknown, path: string, within: readonly object[] = []): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "boolean" || typeof value === "string") return null;
  if (typeof value === "number") {
    return Number.isFinite(value)
      ? null
      : `${path} is ${value}, which JSON cannot hold; use null or leave it out`;
  }
  if (typeof value === "object") {
    if (within.includes(value)) return `${path} contains itself, which JSON cannot hold; leave it out`;
    const outer = [...within, value];
    if (Array.isArray(value)) {
      return firstProblem(
        value.map((item, index) => [extendPath(path, index), item]),
        outer,
      );
    }
    if ("toJSON" in value && typeof value.toJSON === "function") {
      return jsonProblem((value.toJSON as () => unknown)(), path, outer);
    }
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) {
      return `${path} is an object of class ${className(value)}, which JSON cannot hold; use plain objects`;
    }
    return firstProblem(
      Object.entries(value).map(([key, item]) => [extendPath(path, key), item]),
      outer,
    );
  }
  return `${path} is a ${typeof value}, which JSON cannot hold; use numbers, texts, lists and plain objects`;
}

function firstProblem(
  items: readonly (readonly [path: string, value: unknown])[],
  within: readonly object[],
): string | null {
  for (const [path, item] of items) {
    const problem = jsonProblem(item, path, within);
    if (problem !== null) return problem;
  }
  return null;
}

/** The name of an object's class, if it has one. */
export const className = (value: object): string =>
  (value as { readonly constructor?: { readonly name?: string } }).constructor?.name ?? "without a name";

/** Whether a value is an object with keys, as JSON knows them. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
