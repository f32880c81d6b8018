// Everything that a run has measured, in order: the metrics of its updates, and the lines of its log with every episode.
// It only ever grows, so checkpoints do not hold it; they say how far it reached.
import { arrayType, concrete, type Array } from "../array/index.js";
import type { LoggedRecord, UpdateMetrics } from "./gathered.js";

/** How far a history reaches. */
export interface Extent {
  readonly updates: number;
  readonly records: number;
}

/** The file beside the checkpoints that has what the run has measured. */
export const historyName = "history.jsonl";

export const nothingYet: Extent = { updates: 0, records: 0 };

/** A part of a history as JSON; numbers of float32 are the base64 of their bytes. */
interface Entry {
  readonly records: readonly LoggedRecord[];
  readonly updates: { readonly count: number; readonly columns: Readonly<Record<string, string>> };
}

/** What one entry may hold of each, so that no text grows too long. */
const most: Extent = { updates: 4096, records: 1024 };

/** Numbers of float32 that come one after the other. */
class FloatList {
  private elements = new Float32Array(64);
  length = 0;

  push(values: ArrayLike<number>): void {
    const length = this.length + values.length;
    if (length > this.elements.length) {
      const larger = new Float32Array(Math.max(length, 2 * this.elements.length));
      larger.set(this.elements);
      this.elements = larger;
    }
    this.elements.set(values, this.length);
    this.length = length;
  }

  slice(from = 0, to = this.length): Float32Array {
    return this.elements.slice(from, to);
  }
}

const toText = (values: Float32Array): string =>
  btoa(globalThis.Array.from(new Uint8Array(values.buffer), (byte) => String.fromCharCode(byte)).join(""));

/** The numbers of a text; `null` if it is none of theirs. */
function fromText(text: unknown): Float32Array | null {
  if (typeof text !== "string") return null;
  const bytes = Buffer.from(text, "base64");
  if (bytes.length % 4 !== 0 || bytes.toString("base64") !== text) return null;
  return new Float32Array(new Uint8Array(bytes).buffer);
}

/** The history of a run. `width` is how many numbers each metric of an update has: one, or one for each seed. */
export class History {
  private readonly columns = new Map<string, FloatList>();
  private updates = 0;
  readonly records: LoggedRecord[] = [];
  /** When each record was logged, in seconds since 1970. */
  readonly wallTimes: number[] = [];

  constructor(private readonly seeds: number | null) {}

  private get width(): number {
    return this.seeds ?? 1;
  }

  get extent(): Extent {
    return { updates: this.updates, records: this.records.length };
  }

  addUpdate(metrics: UpdateMetrics): void {
    this.updates++;
    for (const [name, value] of Object.entries(metrics)) {
      this.column(name).push(typeof value === "number" ? [value] : value);
    }
  }

  addRecord(record: LoggedRecord, wallTime: number): void {
    this.records.push(record);
    this.wallTimes.push(wallTime);
  }

  private column(name: string): FloatList {
    const known = this.columns.get(name);
    if (known !== undefined) return known;
    const column = new FloatList();
    this.columns.set(name, column);
    return column;
  }

  /** The records with their times, as they are in a metrics file. */
  timedRecords(from = 0, to = this.records.length): LoggedRecord[] {
    return this.records
      .slice(from, to)
      .map((record, at) => Object.assign({}, record, { wall_time: this.wallTimes[from + at] }));
  }

  /** Every update's metrics: of shape (updates,), or (updates, seeds). */
  arrays(): Record<string, Array> {
    const shape = this.seeds === null ? [this.updates] : [this.updates, this.seeds];
    const lists = [...this.columns].map(([name, list]) => [
      name,
      concrete(arrayType(shape, "float32"), list.slice()),
    ]);
    return Object.fromEntries(lists) as Record<string, Array>;
  }

  /** What has come since, as plain data for a file. */
  entriesSince({ updates, records }: Extent): Entry[] {
    const entries: Entry[] = [];
    const end = this.extent;
    for (let from: Extent = { updates, records }; ;) {
      const to: Extent = {
        updates: Math.min(end.updates, from.updates + most.updates),
        records: Math.min(end.records, from.records + most.records),
      };
      if (Object.keys(to).every((key) => to[key as keyof Extent] === from[key as keyof Extent]))
        return entries;
      entries.push(this.entry(from, to));
      from = to;
    }
  }

  private entry(from: Extent, to: Extent): Entry {
    const columns = [...this.columns].map(([name, list]) => [
      name,
      toText(list.slice(from.updates * this.width, to.updates * this.width)),
    ]);
    return {
      records: this.timedRecords(from.records, to.records),
      updates: {
        count: to.updates - from.updates,
        columns: Object.fromEntries(columns) as Record<string, string>,
      },
    };
  }

  /** Adds an entry of a file; returns whether it was one. */
  addEntry(entry: Readonly<Record<string, unknown>>): boolean {
    const { records, updates } = entry as Partial<Entry>;
    const count = updates?.count;
    if (!globalThis.Array.isArray(records) || typeof count !== "number") return false;
    const columns = Object.entries(updates?.columns ?? {}).map(
      ([name, text]) => [name, fromText(text)] as const,
    );
    const isUpdates = columns.every(([, list]) => list?.length === count * this.width);
    if (!isUpdates || !records.every(isTimedRecord)) return false;
    for (const [name, list] of columns) this.column(name).push(list ?? []);
    this.updates += count;
    for (const { wall_time: wallTime, ...record } of records) this.addRecord(record, wallTime);
    return true;
  }
}

const isNumber = (value: unknown): boolean => typeof value === "number";

const isTimedRecord = (value: unknown): value is LoggedRecord & { readonly wall_time: number } =>
  typeof value === "object" &&
  value !== null &&
  "wall_time" in value &&
  isNumber(value.wall_time) &&
  Object.values(value).every(
    (field: unknown) => isNumber(field) || (globalThis.Array.isArray(field) && field.every(isNumber)),
  );
