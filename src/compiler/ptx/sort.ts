// Sorting as PTX: in short lanes every element counts how many come before it; long ones are sorted by buckets, or, where
// their keys are not spread evenly, by a network of comparisons (Batcher's bitonic sort). Keys are sorted with their
// positions, which makes it stable.
import type { DType } from "../../array/index.js";
import type { Place, SortKernel } from "../kernel.js";
import { bucketWords, clearBuckets, countIn, sortByBuckets } from "./buckets.js";
import { divide } from "./indices.js";
import { isBefore, sortByNetwork, type Entry } from "./network.js";
import { turns, type Moved } from "./sharedSort/again.js";
import { loadsFrom, type KernelText, type Reference } from "./surroundings.js";
import type { Work } from "./work.js";

/** Lanes up to this length are sorted by counting. */
const shortLane = 256;

const isShort = ({ length }: SortKernel): boolean => length <= shortLane;

const padded = (length: number): number => 2 ** Math.ceil(Math.log2(length));

/** Whether keys fall into buckets by their upper bits. */
const hasBuckets = ({ keys }: SortKernel): boolean => keys.length === 1;

/** Buckets are about as many as elements, as far as that pays. */
const bucketsFor = (length: number): number => Math.min(2 ** 12, padded(length));

/** Words of working memory: keys and positions of a lane, and buckets. */
export function sortScratch(kernel: SortKernel, threads: number): number {
  if (isShort(kernel)) return 0;
  const { length } = kernel;
  return 2 * padded(length) + (hasBuckets(kernel) ? bucketWords(bucketsFor(length), threads) : 0);
}

export const sortWork = (kernel: SortKernel, threads: number): Work => ({
  threads,
  write: (text) => (isShort(kernel) ? byCounting(text, kernel) : byLanes(text, kernel)),
  describe: () => {
    const how = isShort(kernel)
      ? "counting, an element per thread"
      : `${hasBuckets(kernel) ? "buckets" : "a network"}, one lane after the other`;
    return `sort of ${kernel.lanes} x ${kernel.length} by ${how}`;
  },
});

/** The element of a lane at a position. */
function element(
  text: KernelText,
  { stride }: SortKernel,
  place: Place,
  lane: string,
  position: string,
): Reference {
  const parts = [...text.partsOf(place), { operand: lane, factor: 1 }, { operand: position, factor: stride }];
  return text.at(text.placeAt(place, parts, () => turnOf(text)));
}

/** Which one of sorts that are turns of a loop it is. */
const turnOf = (text: KernelText): string => text.counter(turns);

/** A position of a lane, and where the values that are there belong; only where a condition holds, if there is one. */
interface Move {
  readonly from: string;
  readonly to: string;
  readonly condition?: string;
}

/** Puts the values at some positions of a lane where they belong. */
export function moveValues(
  text: KernelText,
  kernel: SortKernel,
  lane: string,
  moves: readonly Move[],
  moved: readonly Moved[] = kernel.values,
): void {
  for (const { from: place, to, isLater = false } of moved) {
    const values = moves.map(({ from, condition = null }) => {
      if (place === null) return from;
      const reference = element(text, kernel, place, lane, from);
      return isLater
        ? laterOr(text, from, reference, condition)
        : text.load(reference, place.buffer.dtype, condition);
    });
    moves.forEach((move, at) => {
      const { condition = null } = move;
      text.store(element(text, kernel, to, lane, move.to), to.buffer.dtype, values[at], condition);
    });
  }
}

/** A position in the first turn, and what lies there in later ones. */
function laterOr(text: KernelText, position: string, reference: Reference, condition: string | null): string {
  const { out } = text;
  const isLater = out.pure("setp.ne.s32", "pred", turnOf(text), "0");
  const value = out.effect("mov.b32", "b32", position);
  out.line(`@${text.all([condition, isLater])} ld.${loadsFrom(reference)}.u32 ${value}, ${reference.text};`);
  return value;
}

/** Where a lane begins. */
function laneStart(text: KernelText, { stride, outer, lanes }: SortKernel, number: string): string {
  const { quotient, remainder } = divide(text.out, number, stride, lanes);
  const { register, constant } = text.sum([
    { operand: quotient, factor: outer },
    { operand: remainder, factor: 1 },
  ]);
  return register ?? String(constant);
}

/** A key as an unsigned number of the same order. */
function orderOf({ out }: KernelText, value: string, dtype: DType): string {
  switch (dtype) {
    case "int32":
      return out.effect("xor.b32", "b32", value, "-2147483648");
    case "float32": {
      // -0 becomes 0.
      const number = out.effect("add.rn.f32", "f32", value, "0f00000000");
      const bits = out.effect("mov.b32", "b32", number);
      const sign = out.effect("shr.s32", "b32", bits, "31");
      const flips = out.effect("or.b32", "b32", sign, "-2147483648");
      const ordered = out.effect("xor.b32", "b32", bits, flips);
      const isNaN = out.effect("setp.nan.f32", "pred", value, value);
      return out.effect("selp.b32", "b32", "-1", ordered, isNaN);
    }
    case "bool":
      return out.effect("selp.b32", "b32", "1", "0", value);
    case "uint32":
    case "uint8":
    case "float64":
      return value;
  }
}

export const keyAt = (
  text: KernelText,
  kernel: SortKernel,
  key: Place,
  lane: string,
  position: string,
): string =>
  orderOf(text, text.load(element(text, kernel, key, lane, position), key.buffer.dtype), key.buffer.dtype);

function byCounting(text: KernelText, kernel: SortKernel): void {
  const { out, thread, threads } = text;
  const { lanes, length, keys } = kernel;
  out.loop(thread, String(lanes * length), String(threads), (index) => {
    const { quotient: number, remainder: position } = divide(out, index, length, lanes * length);
    const lane = laneStart(text, kernel, number);
    const mine = [...keys.map((key) => keyAt(text, kernel, key, lane, position)), position];
    const rank = text.variable("int32", "0");
    out.loop("0", String(length), "1", (other) => {
      const theirs = [...keys.map((key) => keyAt(text, kernel, key, lane, other)), other];
      const counts = out.effect("selp.b32", "b32", "1", "0", isBefore(text, theirs, mine));
      out.line(`add.s32 ${rank}, ${rank}, ${counts};`);
    });
    moveValues(text, kernel, lane, [{ from: position, to: rank }]);
  });
}

function byLanes(text: KernelText, kernel: SortKernel): void {
  const { out, threads, thread } = text;
  const { lanes, length, keys } = kernel;
  const size = padded(length);
  const scratch = text.scratch(kernel);
  const word = (offset: number) => (index: string) =>
    text.reference(scratch, offset, [{ operand: index, factor: 1 }]);
  const entries = { keyPlace: word(0), positionPlace: word(size) };
  const { keyPlace, positionPlace } = entries;
  const each = (count: number, code: (index: string) => void) =>
    out.loop(thread, String(count), String(threads), code);
  const byNetwork = (lane: string) =>
    sortByNetwork(text, String(size), entries, (a, b) => inOrder(text, kernel, lane, a, b));
  /** Fills up what is behind the elements. */
  const fillUp = () =>
    out.loop(out.effect("add.s32", "b32", thread, String(length)), String(size), String(threads), (index) => {
      text.store(keyPlace(index), "uint32", "-1");
      text.store(positionPlace(index), "uint32", index);
    });
  out.loop("0", String(lanes), "1", (number) => {
    const lane = laneStart(text, kernel, number);
    const key = (index: string) => keyAt(text, kernel, keys[0], lane, index);
    fillUp();
    if (hasBuckets(kernel)) {
      const buckets = { count: bucketsFor(length), word: word(2 * size) };
      const shift = String(32 - Math.log2(buckets.count));
      const bucketOf = (of: string) => out.effect("shr.u32", "b32", of, shift);
      clearBuckets(text, buckets);
      text.meet();
      each(length, (index) => countIn(text, buckets, bucketOf(key(index))));
      const at = (index: string) => ({ key: key(index), position: index });
      sortByBuckets(text, buckets, { count: String(length), at, bucketOf }, entries, () => byNetwork(lane));
    } else {
      each(length, (index) => {
        text.store(keyPlace(index), "uint32", key(index));
        text.store(positionPlace(index), "uint32", index);
      });
      text.meet();
      byNetwork(lane);
    }
    each(length, (index) =>
      moveValues(text, kernel, lane, [{ from: text.load(positionPlace(index), "uint32"), to: index }]),
    );
    if (lanes > 1) text.meet();
  });
}

/** Whether one entry comes before another; those that only fill the lane up come last. */
function inOrder(text: KernelText, kernel: SortKernel, lane: string, a: Entry, b: Entry): string {
  const { out } = text;
  const more = kernel.keys.slice(1);
  if (more.length === 0) return isBefore(text, [a.key, a.position], [b.key, b.position]);
  const [x, y] = [a, b].map(({ position }) =>
    out.effect("setp.lt.u32", "pred", position, String(kernel.length)),
  );
  const bothThere = out.effect("and.pred", "pred", x, y);
  const result = text.variable("bool", "0");
  text.assign("bool", result, isBefore(text, [a.position], [b.position]));
  out.when(bothThere, () => {
    const words = ({ key, position }: Entry) => [
      key,
      ...more.map((place) => keyAt(text, kernel, place, lane, position)),
      position,
    ];
    text.assign("bool", result, isBefore(text, words(a), words(b)));
  });
  return result;
}
