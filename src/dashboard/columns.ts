// The numbers of a run's log as columns: compact, so that hundreds of long runs fit into memory at once.

/** Numbers that come one after the other. */
export class NumberColumn<A extends Float64Array | Uint32Array = Float64Array> {
  private values: A;
  length = 0;

  constructor(private readonly make: (length: number) => A) {
    this.values = make(64);
  }

  push(value: number): void {
    if (this.length === this.values.length) {
      const larger = this.make(Math.ceil(this.values.length * 1.5));
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.length++] = value;
  }

  /** The numbers so far; valid until the next one comes. */
  view(from = 0): A {
    return this.values.subarray(from, this.length) as A;
  }

  at(index: number): number {
    return this.values[index < 0 ? this.length + index : index];
  }
}

const floats = (): NumberColumn => new NumberColumn((length) => new Float64Array(length));

/** A metric: its values, and the records that they stand in. */
interface Metric {
  readonly records: NumberColumn<Uint32Array>;
  readonly values: NumberColumn;
  best: number;
}

/** A curve by rising x. */
export interface Curve {
  readonly x: Float64Array;
  readonly y: Float64Array;
}

/** Fields of a record that are places and no metrics. */
const places = new Set(["step", "wall_time"]);

/** Texts that stand for numbers which JSON has not. */
const nonFinite: Readonly<Record<string, number>> = { NaN, Infinity, "-Infinity": -Infinity };

/** A value of a log as a number; undefined for what is none. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return Number(value);
  return typeof value === "string" && Object.hasOwn(nonFinite, value) ? nonFinite[value] : undefined;
}

/** All records of a run. */
export class MetricsTable {
  readonly steps: NumberColumn = floats();
  readonly times: NumberColumn = floats();
  private readonly metrics = new Map<string, Metric>();
  private isRising = true;

  get count(): number {
    return this.steps.length;
  }

  get names(): string[] {
    return [...this.metrics.keys()];
  }

  /** Adds a line of the log; false if it is no record. */
  add(line: string): boolean {
    let record: unknown;
    try {
      record = JSON.parse(line);
    } catch {
      return false;
    }
    if (typeof record !== "object" || record === null || Array.isArray(record)) return false;
    const { step, wall_time: time } = record as Readonly<Record<string, unknown>>;
    // A record without a step stands where the one before it does.
    const place = numberOf(step) ?? (this.count === 0 ? 0 : this.steps.at(-1));
    if (this.count > 0 && place < this.steps.at(-1)) this.isRising = false;
    this.steps.push(place);
    this.times.push(numberOf(time) ?? NaN);
    this.addFields(record, "");
    return true;
  }

  private addFields(fields: object, prefix: string): void {
    for (const [key, value] of Object.entries(fields) as [string, unknown][]) {
      if (prefix === "" && places.has(key)) continue;
      const name = prefix + key;
      const number = numberOf(value);
      if (number !== undefined) this.addValue(name, number);
      else if (typeof value === "object" && value !== null && !Array.isArray(value))
        this.addFields(value, `${name}/`);
    }
  }

  private addValue(name: string, value: number): void {
    let metric = this.metrics.get(name);
    if (metric === undefined) {
      const records = new NumberColumn((length) => new Uint32Array(length));
      metric = { records, values: floats(), best: -Infinity };
      this.metrics.set(name, metric);
    }
    metric.records.push(this.count - 1);
    metric.values.push(value);
    if (value > metric.best) metric.best = value;
  }

  /** How many values a metric has. */
  lengthOf(name: string): number {
    return this.metrics.get(name)?.values.length ?? 0;
  }

  /** The values of a metric over the steps, those before the first `from` left out; in the order of the log. */
  logged(name: string, from = 0): Curve {
    const metric = this.metrics.get(name);
    if (metric === undefined) return { x: new Float64Array(), y: new Float64Array() };
    const steps = this.steps.view();
    const records = metric.records.view(from);
    const x = new Float64Array(records.length);
    for (let at = 0; at < x.length; at++) x[at] = steps[records[at]];
    return { x, y: metric.values.view(from) };
  }

  /** The values of a metric by rising step. */
  curve(name: string): Curve {
    const { x, y } = this.logged(name);
    if (this.isRising) return { x, y };
    const order = Array.from(x.keys()).sort((a, b) => x[a] - x[b] || a - b);
    return { x: Float64Array.from(order, (at) => x[at]), y: Float64Array.from(order, (at) => y[at]) };
  }

  /** The last value of a metric that is a number. */
  last(name: string): number | null {
    const values = this.metrics.get(name)?.values.view() ?? new Float64Array();
    const at = values.findLastIndex((value) => !Number.isNaN(value));
    return at < 0 ? null : values[at];
  }

  /** The largest value of a metric. */
  best(name: string): number | null {
    const best = this.metrics.get(name)?.best ?? -Infinity;
    return best === -Infinity ? null : best;
  }

  /** Steps a second over the last records; null where the log has no times. */
  speed(): number | null {
    const from = Math.max(0, this.count - 50);
    const [steps, times] = [this.steps.view(from), this.times.view(from)];
    // A run that went on later has a gap; what lies before it does not count.
    let first = steps.length - 1;
    while (first > 0 && steps[first - 1] <= steps[first] && times[first] - times[first - 1] < 600) first--;
    const seconds = (times.at(-1) ?? NaN) - times[first];
    const done = (steps.at(-1) ?? NaN) - steps[first];
    return seconds > 0 && done > 0 ? done / seconds : null;
  }
}
