// A replay ring as a pure data structure: a tree of arrays whose first axis is the ring. Every function traces;
// in a compiled loop a push writes one row in place.
import { check, fail, lax, np, random, rules, tree, type Array } from "../array/index.js";

/** A ring of the newest `capacity` transitions. */
export interface ReplayBuffer<T> {
  /** The transitions; every leaf has the ring as its first axis. */
  readonly data: T;
  /** Where the next transition goes, an int32 scalar. */
  readonly next: Array;
  /** How many transitions there are, an int32 scalar. */
  readonly size: Array;
}

/** The row a leaf of an example stands for: plain numbers are float32, booleans bool. */
const asRow = (leaf: unknown): Array => np.array(leaf as number);

function capacityOf<T>(operation: string, { data }: ReplayBuffer<T>): number {
  const [leaf] = tree.leaves(data) as Array[];
  if (leaf === undefined) fail(operation, "the buffer has no arrays; make one with ReplayBuffer.init");
  return leaf.shape[0];
}

/** An empty ring for transitions like `example`: its shapes and dtypes count, its values do not. */
function init<T>(capacity: number, example: T): ReplayBuffer<T> {
  check("ReplayBuffer.init", "capacity", capacity, rules.whole(1));
  if (tree.leaves(example).length === 0) fail("ReplayBuffer.init", "the example has no arrays");
  const data = tree.map((leaf) => {
    const { shape, dtype } = asRow(leaf);
    return np.zeros([capacity, ...shape], { dtype });
  }, example) as T;
  return { data, next: np.int32(0), size: np.int32(0) };
}

/** A leaf that goes into the ring: of the ring's dtype, refused where its shape is not that of `lead` rows. */
function fitting(
  operation: string,
  path: string,
  leaf: unknown,
  ring: Array,
  lead: readonly number[],
): Array {
  const row = asRow(leaf);
  const wanted = [...lead, ...ring.shape.slice(1)];
  if (row.shape.join() !== wanted.join()) {
    const where = path === "" ? "the transition" : path;
    fail(
      operation,
      `${where} has shape [${row.shape.join()}], the buffer was made for [${wanted.join()}]; ` +
        (operation.endsWith("Batch") ? "push takes a single one" : "pushBatch takes several"),
    );
  }
  return row.dtype === ring.dtype ? row : row.astype(ring.dtype);
}

/** The ring with one more transition; a full ring forgets its oldest. */
function push<T>(buffer: ReplayBuffer<T>, transition: T): ReplayBuffer<T> {
  const capacity = capacityOf("ReplayBuffer.push", buffer);
  const data = tree.mapWithPath(
    (path, ring: unknown, leaf: unknown) => {
      const row = fitting("ReplayBuffer.push", path, leaf, ring as Array, []);
      return lax.dynamicUpdateIndexInDim(ring as Array, row, buffer.next, 0);
    },
    buffer.data,
    transition,
  ) as T;
  return { data, ...advanced(buffer, 1, capacity) };
}

/** How many transitions there are along the first axis. */
function rows<T>(operation: string, transitions: T): number {
  const [first] = tree.leaves(transitions) as Array[];
  return asRow(first).shape[0] ?? fail(operation, "needs transitions with a first axis");
}

/** The ring with several more transitions, first to last along their first axis. */
function pushBatch<T>(buffer: ReplayBuffer<T>, transitions: T): ReplayBuffer<T> {
  const operation = "ReplayBuffer.pushBatch";
  const capacity = capacityOf(operation, buffer);
  const count = rows(operation, transitions);
  if (count > capacity) {
    fail(operation, `${count} transitions do not fit into a ring of ${capacity}; raise its capacity`);
  }
  const next = buffer.next.add(np.arange(count)).mod(capacity);
  const data = tree.mapWithPath(
    (path, ring: unknown, leaf: unknown) =>
      (ring as Array).at(next).set(fitting(operation, path, leaf, ring as Array, [count])),
    buffer.data,
    transitions,
  ) as T;
  return { data, ...advanced(buffer, count, capacity) };
}

const advanced = <T>({ next, size }: ReplayBuffer<T>, by: number, capacity: number) => ({
  next: next.add(by).mod(capacity),
  size: np.minimum(size.add(by), capacity),
});

/** The places of `batchSize` transitions drawn with equal chances, with replacement. */
function places<T>(buffer: ReplayBuffer<T>, key: Array, batchSize: number): Array {
  if (!isTraced(buffer.size) && buffer.size.item() === 0) {
    fail("ReplayBuffer.sample", "the buffer is empty; push transitions first");
  }
  return random.randint(key, [batchSize], 0, buffer.size);
}

/** The transitions at some places. */
const take = <T>({ data }: ReplayBuffer<T>, at: Array): T =>
  tree.map((ring: unknown) => np.take(ring as Array, at, 0), data) as T;

/** `batchSize` transitions drawn with equal chances, with replacement. */
const sample = <T>(buffer: ReplayBuffer<T>, key: Array, batchSize: number): T =>
  take(buffer, places(buffer, key, batchSize));

const isTraced = (array: Array): boolean => array.tracer !== null;

/** How many transitions there can be. */
const capacity = <T>(buffer: ReplayBuffer<T>): number => capacityOf("ReplayBuffer.capacity", buffer);

/** How many transitions there are. */
const size = <T>({ size: count }: ReplayBuffer<T>): Array => count;

export const ReplayBuffer = { init, push, pushBatch, places, take, sample, size, capacity, rows } as const;
