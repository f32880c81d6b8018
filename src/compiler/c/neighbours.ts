// Elements of neighbouring columns, of as many rows at once as a vector has lanes: they lie together in memory, are
// loaded and stored in order, and change places in registers. Cheaper than an instruction per element.
import type { Address } from "../kernel.js";
import type { CText } from "./text.js";
import { isByte, typeOf, type Width } from "./types.js";
import type { DType } from "../../array/index.js";

const rowKey = ({ buffer, strides, counters, computed }: Address): string =>
  `${buffer.id} ${strides.join()} ${counters.map(({ counter, stride }) => `${counter.id}*${stride}`).join()} ` +
  computed.map(({ index, stride }) => `${index.id}*${stride}`).join();

const isPowerOfTwo = (count: number): boolean => (count & (count - 1)) === 0;

/**
 * Groups of things that fill whole rows: as many as elements lie from row to row, given that by `strideOf`, in the order
 * of their places.
 */
export function wholeRows<T>(
  items: readonly T[],
  addressOf: (item: T) => Address,
  strideOf: (address: Address) => number,
): T[][] {
  const rows = new Map<string, T[]>();
  for (const item of items) {
    const address = addressOf(item);
    const stride = strideOf(address);
    if (isByte(address.buffer.dtype) || stride < 2 || stride > 16 || !isPowerOfTwo(stride)) continue;
    const key = rowKey(address);
    rows.set(key, [...(rows.get(key) ?? []), item]);
  }
  return [...rows.values()].flatMap((row) => {
    const stride = strideOf(addressOf(row[0]));
    const sorted = [...row].sort((a, b) => addressOf(a).offset - addressOf(b).offset);
    const groups: T[][] = [];
    for (let at = 0; at + stride <= sorted.length;) {
      const group = sorted.slice(at, at + stride);
      const first = addressOf(group[0]).offset;
      if (group.every((item, index) => addressOf(item).offset === first + index)) {
        groups.push(group);
        at += stride;
      } else at++;
    }
    return groups;
  });
}

/** Writes a shuffle of two vectors, and returns its name. */
function shuffled(
  out: CText,
  dtype: DType,
  width: Width,
  [x, y]: readonly [string, string],
  order: (lane: number) => number,
): string {
  const name = out.name("s");
  const lanes = Array.from({ length: width }, (_, lane) => order(lane));
  out.line(
    `const ${typeOf(dtype, width)} ${name} = __builtin_shufflevector(${x}, ${y}, ${lanes.join(", ")});`,
  );
  return name;
}

/** Names of the columns of rows that lie one after the other in vectors with some names. */
export function columnsOf(
  out: CText,
  dtype: DType,
  width: Width,
  vectors: readonly string[],
): readonly string[] {
  if (vectors.length === 1) return vectors;
  const halves = [0, 1].map((odd) =>
    Array.from({ length: vectors.length / 2 }, (_, at) =>
      shuffled(out, dtype, width, [vectors[2 * at], vectors[2 * at + 1]], (lane) => 2 * lane + odd),
    ),
  );
  const [even, odd] = halves.map((half) => columnsOf(out, dtype, width, half));
  return even.flatMap((name, at) => [name, odd[at]]);
}

/** Names of the vectors in which rows lie one after the other, given their columns. */
export function rowsOf(
  out: CText,
  dtype: DType,
  width: Width,
  columns: readonly string[],
): readonly string[] {
  if (columns.length === 1) return columns;
  const [even, odd] = [0, 1].map((rest) =>
    rowsOf(
      out,
      dtype,
      width,
      columns.filter((_, at) => at % 2 === rest),
    ),
  );
  return even.flatMap((name, at) =>
    [0, width / 2].map((from) =>
      shuffled(out, dtype, width, [name, odd[at]], (lane) => from + (lane >> 1) + (lane % 2) * width),
    ),
  );
}
