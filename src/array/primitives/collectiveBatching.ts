// Collectives over a batch. Along the axis that is being vectorised over they become plain operations on the batch; the
// other axes that they name stay. Of several axes the last varies fastest: what lies side by side is grouped by it first.
import type { Array } from "../core/array.js";
import { isFloat } from "../core/dtype.js";
import { namesAround, otherAxes, type NamedGroup } from "../core/namedAxes.js";
import type { Batched, Primitive } from "../core/primitive.js";
import { insertAt, range, replaceAt, without } from "../core/shape.js";
import { bind, bindOne } from "../core/trace.js";
import type { AllToAllParams, CollectiveParams, PermuteDevicesParams, TiledParams } from "./collectives.js";
import { concatenate } from "./concatenate.js";
import { iota } from "./iota.js";
import { repeatBatch, zeros } from "./linear.js";
import { reduceSum } from "./reduce.js";
import { permute, reshape } from "./reshape.js";
import { slice } from "./slice.js";

/** What a batching rule is given. */
type Rule<P extends object> = Parameters<Primitive<P>["batch"]>;

/** How a reduction is done over a batch, and with a value that all examples share. */
export interface LocalReduction {
  readonly reduce: (x: Array) => Array;
  readonly reduceSame: (x: Array, size: number) => Array;
}

/** The sum over a batch, in the dtype of its elements. */
export const sumExamples = (x: Array): Array => bindOne(reduceSum, [x], { axes: [0] });

/** The sum of as many of the same; small integers wrap around as those of a batch do. */
export const sumSame = (x: Array, size: number): Array =>
  isFloat(x.dtype) ? x.mul(size) : sumExamples(repeatBatch(x, size));

/** Reductions of any number of arrays. */
export function batchReduction(
  self: Primitive<CollectiveParams>,
  { reduce, reduceSame }: LocalReduction,
  ...[inputs, batched, { axes }, size]: Rule<CollectiveParams>
): Batched {
  const rest = otherAxes(axes);
  if (rest.length === axes.length) return { outputs: bind(self, inputs, { axes }), batched };
  const reduced = inputs.map((x, index) => (batched[index] ? reduce(x) : reduceSame(x, size)));
  return {
    outputs: rest.length === 0 ? reduced : bind(self, reduced, { axes: rest }),
    batched: inputs.map(() => false),
  };
}

/** The order of axes in which axis 0 comes to lie before the `place`-th of the others. */
const frontTo = (ndim: number, place: number): number[] => insertAt(range(ndim - 1, 1), place, 0);

const within = (
  primitive: Primitive<TiledParams>,
  x: Array,
  { axes, size }: NamedGroup,
  axis: number,
): Array => (axes.length === 0 ? x : bindOne(primitive, [x], { axes, size, axis }));

export function batchGather(
  self: Primitive<TiledParams>,
  ...[[x], [isBatched], { axes, size, axis }, extent]: Rule<TiledParams>
): Batched {
  const around = namesAround("allGather", axes);
  if (around === null) return stillBatched(bindOne(self, [x], { axes, size, axis: axis + 1 }));
  const blocks = within(self, isBatched ? x : repeatBatch(x, extent), around.after, axis + 1);
  const sideBySide = permute(blocks, frontTo(blocks.ndim, axis));
  const shape = without(sideBySide.shape, [axis]);
  const joined = bindOne(reshape, [sideBySide], { shape: replaceAt(shape, axis, extent * shape[axis]) });
  return { outputs: [within(self, joined, around.before, axis)], batched: [false] };
}

export function batchScatter(
  self: Primitive<TiledParams>,
  ...[[x], [isBatched], { axes, size, axis }, extent]: Rule<TiledParams>
): Batched {
  const around = namesAround("psumScatter", axes);
  if (around === null) return stillBatched(bindOne(self, [x], { axes, size, axis: axis + 1 }));
  const total = within(self, isBatched ? sumExamples(x) : sumSame(x, extent), around.before, axis);
  const { shape } = total;
  const blocks = bindOne(reshape, [total], {
    shape: insertAt(replaceAt(shape, axis, shape[axis] / extent), axis, extent),
  });
  const inFront = permute(blocks, [axis, ...without(range(blocks.ndim), [axis])]);
  return stillBatched(within(self, inFront, around.after, axis + 1));
}

export function batchPermute(
  self: Primitive<PermuteDevicesParams>,
  ...[[x], [isBatched], params, extent]: Rule<PermuteDevicesParams>
): Batched {
  if (otherAxes(params.axes).length > 0) return stillBatched(bindOne(self, [x], params));
  const senders = new Map(params.pairs.map(([from, to]) => [to, from]));
  return stillBatched(takeExamples(isBatched ? x : repeatBatch(x, extent), extent, senders));
}

/** For each example one of a batch, zeros where none is named: neighbours that stay neighbours are moved together. */
function takeExamples(x: Array, extent: number, sources: ReadonlyMap<number, number>): Array {
  const pieces: Array[] = [];
  let to = 0;
  while (to < extent) {
    const from = sources.get(to);
    let count = 1;
    while (to + count < extent && sources.get(to + count) === (from === undefined ? from : from + count))
      count++;
    const piece = (start: number): Array =>
      bindOne(slice, [x], {
        start: replaceAt(
          x.shape.map(() => 0),
          0,
          start,
        ),
        limit: replaceAt(x.shape, 0, start + count),
        step: x.shape.map(() => 1),
      });
    pieces.push(from === undefined ? zeros({ ...x.type, shape: replaceAt(x.shape, 0, count) }) : piece(from));
    to += count;
  }
  return pieces.length === 1 ? pieces[0] : bindOne(concatenate, pieces, { axis: 0 });
}

/**
 * The dimension that is cut is written as one dimension for each group of axes, in which each group exchanges its own:
 * on the batch that is a transposition.
 */
export function batchAllToAll(
  self: Primitive<AllToAllParams>,
  ...[[given], [isBatched], params, extent]: Rule<AllToAllParams>
): Batched {
  const { axes, size } = params;
  const [split, join] = [params.split + 1, params.join + 1];
  const around = namesAround("allToAll", axes);
  if (around === null) return stillBatched(bindOne(self, [given], { axes, size, split, join }));
  const { before, after } = around;
  const x = isBatched ? given : repeatBatch(given, extent);
  const exchange = (value: Array, group: NamedGroup, at: number): Array =>
    group.axes.length === 0 ? value : bindOne(self, [value], { ...group, split: at, join: at });
  const cut = bindOne(reshape, [x], {
    shape: [
      ...x.shape.slice(0, split),
      ...[before.size, extent, after.size, x.shape[split] / size],
      ...x.shape.slice(split + 1),
    ],
  });
  const sent = exchange(exchange(cut, before, split), after, split + 2);
  const received = permute(sent, replaceAt(replaceAt(range(sent.ndim), 0, split + 1), split + 1, 0));
  const senders = range(3, split);
  const others = without(range(received.ndim), senders);
  const order = [...others.slice(0, join), ...senders, ...others.slice(join)];
  const { shape } = x;
  const piece = replaceAt(shape, split, shape[split] / size);
  const output = bindOne(reshape, [permute(received, order)], {
    shape: replaceAt(piece, join, piece[join] * size),
  });
  return stillBatched(output);
}

/** The number in a group of several axes, from those along each of them. */
export function batchIndex(
  self: Primitive<CollectiveParams>,
  ...[_inputs, _batched, { axes }, extent]: Rule<CollectiveParams>
): Batched {
  const around = namesAround("axisIndex", axes);
  if (around === null) return { outputs: [bindOne(self, [], { axes })], batched: [false] };
  const { before, after } = around;
  const along = (group: NamedGroup): Array | null =>
    group.axes.length === 0 ? null : bindOne(self, [], { axes: group.axes });
  const own = bindOne(iota, [], { shape: [extent], axis: 0, dtype: "int32" });
  const outer = along(before);
  const inner = along(after);
  const middle = outer === null ? own : own.add(outer.mul(extent));
  return stillBatched(inner === null ? middle : middle.mul(after.size).add(inner));
}

const stillBatched = (output: Array): Batched => ({ outputs: [output], batched: [true] });
