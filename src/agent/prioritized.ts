// Prioritised replay (Schaul et al., https://arxiv.org/abs/1511.05952): a ring whose transitions are drawn in proportion
// to their priorities. These are the leaves of a binary tree in one array, whose inner nodes are the sums of their
// children, so that drawing and changing cost as many steps as the tree has levels.
import { fail, lax, np, random, type Array } from "../array/index.js";
import { ReplayBuffer } from "./replay.js";

export interface Priorities {
  /** Node i has children 2i and 2i + 1, the root is 1, and the leaves are the upper half. */
  readonly sums: Array;
  /** The largest priority so far, which new transitions get. */
  readonly most: Array;
}

/** A ring of the newest `capacity` transitions with their priorities. */
export interface PrioritizedReplayBuffer<T> extends ReplayBuffer<T> {
  readonly priorities: Priorities;
}

const leavesOf = ({ sums }: Priorities): number => sums.shape[0] / 2;

/** An empty ring for transitions like `example`. */
function init<T>(capacity: number, example: T): PrioritizedReplayBuffer<T> {
  const ring = ReplayBuffer.init(capacity, example);
  const leaves = 2 ** Math.max(1, Math.ceil(Math.log2(capacity)));
  return { ...ring, priorities: { sums: np.zeros([2 * leaves]), most: np.float32(1) } };
}

/** The tree with other priorities at some places; sums are made anew from their children, so that none drifts. */
function withPriorities(priorities: Priorities, places: Array, values: Array): Array {
  const leaves = leavesOf(priorities);
  const start = { node: places.add(leaves), sums: priorities.sums.at(places.add(leaves)).set(values) };
  return lax.foriLoop(
    0,
    Math.log2(leaves),
    (_, { node, sums }) => {
      const parent = np.rightShift(node, 1);
      const [left, right] = [parent.mul(2), parent.mul(2).add(1)].map((child) => np.take(sums, child, 0));
      return { node: parent, sums: sums.at(parent).set(left.add(right)) };
    },
    start,
  ).sums;
}

/** The ring with several more transitions, which get the largest priority: everything is looked at once, soon. */
function pushBatch<T>(buffer: PrioritizedReplayBuffer<T>, transitions: T): PrioritizedReplayBuffer<T> {
  const { priorities, next, data } = buffer;
  const ring = ReplayBuffer.pushBatch({ data, next, size: buffer.size }, transitions);
  const count = ReplayBuffer.rows("PrioritizedReplayBuffer.pushBatch", transitions);
  const places = next.add(np.arange(count)).mod(ReplayBuffer.capacity(buffer));
  const sums = withPriorities(priorities, places, np.broadcastTo(priorities.most, [count]));
  return { ...ring, priorities: { ...priorities, sums } };
}

/** What was drawn: where, and how much each counts so that the mean is that of draws with equal chances. */
export interface Draw {
  readonly places: Array;
  readonly weight: Array;
}

/**
 * The places of `batchSize` transitions, drawn in proportion to their priorities, one from each equal part of the sum of
 * all. A weight is (size · chance)^(−beta), divided by the largest of the batch.
 */
function draw<T>(
  { priorities, size }: PrioritizedReplayBuffer<T>,
  key: Array,
  batchSize: number,
  { beta }: { readonly beta: number | Array },
): Draw {
  if (size.tracer === null && size.item() === 0) {
    fail("PrioritizedReplayBuffer.draw", "the buffer is empty; push transitions first");
  }
  const { sums } = priorities;
  const leaves = leavesOf(priorities);
  const total = sums.slice(1);
  const share = np
    .arange(batchSize)
    .astype("float32")
    .add(random.uniform(key, [batchSize]))
    .div(batchSize);
  const { node } = lax.foriLoop(
    0,
    Math.log2(leaves),
    (_, { node: parent, rest }) => {
      const left = parent.mul(2);
      const [before, after] = [left, left.add(1)].map((child) => np.take(sums, child, 0));
      // A rest that rounding has made as large as the sum must not lead to a leaf that is empty.
      const isRight = rest.greaterEqual(before).and(after.greater(0));
      return {
        node: left.add(isRight.astype("int32")),
        rest: rest.sub(np.where(isRight, before, 0)),
      };
    },
    { node: np.full([batchSize], 1, { dtype: "int32" }), rest: share.mul(total) },
  );
  const chance = np.take(sums, node, 0).div(total);
  const weight = np.power(chance.mul(size.astype("float32")), np.negative(beta));
  return { places: node.sub(leaves), weight: weight.div(weight.max()) };
}

/** Against priorities of 0, which would never be drawn again. */
const least = 1e-6;

/** The ring with priorities (|error| + 1e-6)^alpha at some places. */
function setErrors<T>(
  buffer: PrioritizedReplayBuffer<T>,
  places: Array,
  errors: Array,
  { alpha }: { readonly alpha: number | Array },
): PrioritizedReplayBuffer<T> {
  const { priorities } = buffer;
  const values = np.power(np.abs(errors).add(least), alpha);
  const sums = withPriorities(priorities, places, values);
  return { ...buffer, priorities: { sums, most: np.maximum(priorities.most, values.max()) } };
}

export const PrioritizedReplayBuffer = { init, pushBatch, draw, setErrors } as const;
