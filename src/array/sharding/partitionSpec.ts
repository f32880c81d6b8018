// Which axes of a mesh split each dimension of an array.
import { checked } from "../core/checked.js";
import { constructible } from "../core/constructible.js";
import { describe, fail } from "../core/errors.js";
import { showValue } from "../core/rules.js";

/** What splits one dimension: nothing, one axis, or several, outermost first. */
export type PartitionEntry = null | string | readonly string[];

class Spec {
  /** One entry for each dimension; dimensions beyond them are whole. */
  readonly entries: readonly PartitionEntry[];

  constructor(entries: readonly PartitionEntry[]) {
    if (!globalThis.Array.isArray(entries)) {
      fail(
        "PartitionSpec",
        `it takes a list with an entry for each dimension, as in PartitionSpec(["batch", null]), got ${describe(entries)}`,
      );
    }
    this.entries = Object.freeze(entries.map(normalized));
    Object.freeze(this);
  }

  get length(): number {
    return this.entries.length;
  }

  [Symbol.iterator](): IterableIterator<PartitionEntry> {
    return this.entries[Symbol.iterator]();
  }

  /** The axes that split a dimension, outermost first. */
  axesOf(dimension: number): readonly string[] {
    const entry = this.entries[dimension] ?? [];
    return typeof entry === "string" ? [entry] : entry;
  }

  equals(other: unknown): boolean {
    return other instanceof Spec && other.toString() === this.toString();
  }

  toJSON(): readonly PartitionEntry[] {
    return this.entries;
  }

  toString(): string {
    const show = (entry: PartitionEntry): string =>
      entry === null || typeof entry === "string"
        ? JSON.stringify(entry)
        : `[${entry.map((name) => JSON.stringify(name)).join(", ")}]`;
    return `PartitionSpec([${this.entries.map(show).join(", ")}])`;
  }
}

/** An entry in the one form it has: `["batch"]` is `"batch"`, and `[]` is `null`. */
function normalized(entry: PartitionEntry, dimension: number): PartitionEntry {
  const names: unknown = typeof entry === "string" ? [entry] : (entry ?? []);
  if (!globalThis.Array.isArray(names) || names.some((name) => typeof name !== "string")) {
    fail(
      "PartitionSpec",
      `the entry for dimension ${dimension} must be null, a string or a list of strings, got ${showValue(entry)}`,
    );
  }
  const [only = null] = names as string[];
  return names.length < 2 ? only : Object.freeze([...(names as string[])]);
}

const make = checked("PartitionSpec", 1, (entries: readonly PartitionEntry[] = []) => new Spec(entries));

/**
 * How an array is split, dimension by dimension: `PartitionSpec([["batch", "fsdp"], null])`. Dimensions with `null`, and
 * those beyond the list, are whole; `PartitionSpec([])` is an array that every device has all of.
 */
export type PartitionSpec = Spec;
export const PartitionSpec = constructible(make, Spec);
