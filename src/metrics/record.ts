// Records of metrics: what may be logged, its plain values, and its form as a line of JSON.
import { Array } from "../array/index.js";
import { className, extendPath, isRecord } from "../files/index.js";
import { MetricsError } from "./errors.js";

/** A value of a record once its arrays are numbers. Numbers may be NaN or infinite. */
export type PlainValue = number | boolean | string | null | readonly PlainValue[] | PlainRecord;

/** A record as backends and `readMetrics` see it. */
export interface PlainRecord {
  readonly [name: string]: PlainValue;
}

/** What may be logged: names with numbers, arrays, texts, lists, or records of their own. */
export type MetricsRecord = Readonly<Record<string, unknown>>;

/** A record with its arrays as numbers (one element) or lists of numbers. Fields that are undefined are left out. */
export const plainRecord = (record: MetricsRecord): PlainRecord => plainFields(record, "", []);

/** `within` are the objects that hold these fields. */
const plainFields = (fields: object, path: string, within: readonly object[]): PlainRecord =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, plainValue(value, extendPath(path, key), [...within, fields])]),
  );

function plainValue(value: unknown, path: string, within: readonly object[]): PlainValue {
  if (value === null || value === undefined) return null;
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Array) return value.size === 1 ? value.item<number | boolean>() : value.toArray();
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    return globalThis.Array.from(value as unknown as Iterable<number>, Number);
  }
  const refuse = (what: string): never => {
    throw new MetricsError(
      `MetricsLogger.log: ${path} ${what}; log numbers, booleans, texts, arrays, lists and plain objects`,
    );
  };
  if (typeof value !== "object") return refuse(`is a ${typeof value}`);
  if (within.includes(value)) return refuse("contains itself");
  if (globalThis.Array.isArray(value)) {
    return value.map((item, index) => plainValue(item, extendPath(path, index), [...within, value]));
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return plainFields(value, path, within);
  return refuse(`is an object of class ${className(value)}`);
}

// JSON has no NaN and no infinities. As texts they are valid JSON, lose nothing, and Number("NaN") as well as
// Python's float("NaN") read them.
const nonFinite = new Set(["NaN", "Infinity", "-Infinity"]);

/** A record as one line of JSON, without the line's end. */
export const encodeRecord = (record: PlainRecord): string =>
  JSON.stringify(record, (_, value: unknown) =>
    typeof value === "number" && !Number.isFinite(value) ? String(value) : value,
  );

/** A line of JSON as a record; `null` if it is not one. */
export function decodeRecord(line: string): PlainRecord | null {
  try {
    const value: unknown = JSON.parse(line, (_, item: unknown) =>
      typeof item === "string" && nonFinite.has(item) ? Number(item) : item,
    );
    return isRecord(value) ? (value as PlainRecord) : null;
  } catch {
    return null;
  }
}

/** The numbers of a record by name, names within names joined by "/"; booleans as 0 and 1, the rest left out. */
export function scalarsOf(record: PlainRecord): [tag: string, value: number][] {
  return Object.entries(record).flatMap(([name, value]): [string, number][] => {
    if (typeof value === "number" || typeof value === "boolean") return [[name, Number(value)]];
    if (!isRecord(value)) return [];
    return scalarsOf(value).map(([inner, number]) => [`${name}/${inner}`, number]);
  });
}
