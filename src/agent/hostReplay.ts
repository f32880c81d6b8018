// A replay ring in typed arrays, for loops in JavaScript and environments that are not traced. It is changed in
// place, and draws the same places as the traceable ring does for the same key.
import { Array, check, fail, np, random, rules, type DType, type TypedArray } from "../array/index.js";

/** What a field of a transition may be on the host. */
export type HostValue = Array | TypedArray | number | boolean | readonly number[];

interface Column {
  readonly ring: TypedArray;
  readonly dtype: DType;
  readonly shape: readonly number[];
  /** Elements of a row. */
  readonly width: number;
}

/** The newest `capacity` transitions. `example` gives the fields, their shapes and their dtypes. */
export class HostReplayBuffer<Name extends string> {
  private readonly columns: ReadonlyMap<Name, Column>;
  private next = 0;
  private count = 0;

  constructor(
    readonly capacity: number,
    example: Readonly<Record<Name, HostValue>>,
  ) {
    check("HostReplayBuffer", "capacity", capacity, rules.whole(1));
    const fields = Object.entries(example) as [Name, HostValue][];
    this.columns = new Map(fields.map(([name, value]) => [name, columnFor(value, capacity)]));
  }

  /** How many transitions there are. */
  get size(): number {
    return this.count;
  }

  /** Adds a transition; a full ring forgets its oldest. */
  push(transition: Readonly<Record<Name, HostValue>>): void {
    this.write("HostReplayBuffer.push", transition, 1);
  }

  /** Adds several transitions, first to last along the first axis of every field. */
  pushBatch(transitions: Readonly<Record<Name, HostValue>>): void {
    const [[name, { width }]] = this.columns as ReadonlyMap<Name, Column> & Iterable<[Name, Column]>;
    const count = elementsOf(transitions[name]).length / width;
    if (count > this.capacity) {
      fail("HostReplayBuffer.pushBatch", `${count} transitions do not fit into a ring of ${this.capacity}`);
    }
    this.write("HostReplayBuffer.pushBatch", transitions, count);
  }

  private write(operation: string, rows: Readonly<Record<Name, HostValue>>, count: number): void {
    for (const [name, { ring, width }] of this.columns) {
      if (rows[name] === undefined) fail(operation, `the transition has no field \`${name}\``);
      const elements = elementsOf(rows[name]);
      if (elements.length !== count * width) {
        fail(operation, `\`${name}\` has ${elements.length} elements instead of ${count * width}`);
      }
      for (let row = 0; row < count; row++) {
        const place = ((this.next + row) % this.capacity) * width;
        for (let at = 0; at < width; at++) ring[place + at] = elements[row * width + at];
      }
    }
    this.next = (this.next + count) % this.capacity;
    this.count = Math.min(this.count + count, this.capacity);
  }

  /** `batchSize` transitions drawn with equal chances, with replacement, as arrays for an agent's update. */
  sample(key: Array, batchSize: number): Record<Name, Array> {
    if (this.count === 0) fail("HostReplayBuffer.sample", "the buffer is empty; push transitions first");
    const places = random.randint(key, [batchSize], 0, this.count).data();
    const draw = ({ ring, dtype, shape, width }: Column): Array => {
      const drawn = np.zeros([batchSize * width], { dtype }).data();
      for (let row = 0; row < batchSize; row++) {
        drawn.set(ring.subarray(places[row] * width, (places[row] + 1) * width), row * width);
      }
      return np.array(drawn, { dtype }).reshape([batchSize, ...shape]);
    };
    const fields = [...this.columns].map(([name, column]) => [name, draw(column)] as const);
    return Object.fromEntries(fields) as Record<Name, Array>;
  }
}

function columnFor(value: HostValue, capacity: number): Column {
  const { shape, dtype, size } = np.array(value);
  return { ring: np.zeros([capacity * size], { dtype }).data(), dtype, shape, width: size };
}

function elementsOf(value: HostValue): ArrayLike<number> {
  if (value instanceof Array) return value.data();
  return typeof value === "object" ? value : [Number(value)];
}
