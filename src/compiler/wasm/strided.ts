// Elements of neighbouring columns, of four rows at once: short rows are loaded and stored whole, and rows become
// columns in registers. Cheaper than an instruction per element.
import type { Address, Load, Store } from "../kernel.js";
import { itemBytes } from "./pointers.js";

/** Two or four things that stand next to each other in each row. */
export type Neighbours<T> = readonly T[];

const rowKey = ({ buffer, strides, counters, computed }: Address): string =>
  `${buffer.id} ${strides.join()} ${counters.map(({ counter, stride }) => `${counter.id}*${stride}`).join()} ` +
  computed.map(({ index, stride }) => `${index.id}*${stride}`).join();

/** Groups things by rows, given the elements from row to row. */
function groupRows<T>(
  items: readonly T[],
  addressOf: (item: T) => Address,
  strideOf: (address: Address) => number,
): Neighbours<T>[] {
  const rows = new Map<string, T[]>();
  for (const item of items) {
    const address = addressOf(item);
    if (itemBytes(address.buffer) !== 4 || strideOf(address) < 2) continue;
    const key = rowKey(address);
    rows.set(key, [...(rows.get(key) ?? []), item]);
  }
  return [...rows.values()].flatMap((row) => {
    const stride = strideOf(addressOf(row[0]));
    const width = stride === 2 ? 2 : stride >= 4 ? 4 : 0;
    const sorted = [...row].sort((a, b) => addressOf(a).offset - addressOf(b).offset);
    const groups: T[][] = [];
    for (let at = 0; width > 0 && at + width <= sorted.length;) {
      const group = sorted.slice(at, at + width);
      const first = addressOf(group[0]).offset;
      if (group.every((item, index) => addressOf(item).offset === first + index)) {
        groups.push(group);
        at += width;
      } else at++;
    }
    return groups;
  });
}

export const neighbouringLoads = (
  loads: readonly Load[],
  strideOf: (address: Address) => number,
): Neighbours<Load>[] => groupRows(loads, ({ address }) => address, strideOf);

/** Stores that just set; those of the same place twice would depend on their order. */
export const neighbouringStores = (
  stores: readonly Store[],
  strideOf: (address: Address) => number,
): Neighbours<Store>[] =>
  groupRows(
    stores.filter(({ combine, guard }) => combine === "set" && guard === null),
    ({ address }) => address,
    strideOf,
  );
