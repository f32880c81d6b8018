// Loads of a kernel that find four neighbours at every point: one instruction brings all of them.
import { itemSize } from "../../array/index.js";
import type { Address, Expression, Load, LoopKernel } from "../kernel.js";
import { expressionsBelow, rootsOf } from "../walk.js";

/** Elements that are loaded at once. */
export const quad = 4;

/** For each load of four neighbours, where there are all of them, the four in their order. `isAligned` is asked of the first. */
export function quadsIn(
  expressions: readonly Expression[],
  isAligned: (address: Address) => boolean,
): ReadonlyMap<Load, readonly Load[]> {
  const groups = new Map<string, Load[]>();
  for (const expression of expressions) {
    if (expression.kind !== "load" || !movesByQuads(expression)) continue;
    const key = keyOf(expression);
    const group = groups.get(key) ?? [];
    group[expression.address.offset % quad] = expression;
    groups.set(key, group);
  }
  const found = new Map<Load, readonly Load[]>();
  for (const group of groups.values()) {
    const isWhole = Array.from({ length: quad }, (_, at) => group[at]).every((load) => load !== undefined);
    if (isWhole && isAligned(group[0].address)) for (const load of group) found.set(load, group);
  }
  return found;
}

/** Whether a load of words is as many elements behind a quad at every point. */
const movesByQuads = ({ dtype, address: { strides, computed, counters } }: Load): boolean =>
  itemSize(dtype) === 4 &&
  [...strides, ...computed.map(({ stride }) => stride), ...counters.map(({ stride }) => stride)].every(
    (stride) => stride % quad === 0,
  );

/**
 * Whether a kernel can go four points at a time along an axis: what it loads and stores there are words, side by side or the same
 * for all. `beginsWithQuads` is asked of where these begin.
 */
export function goesByQuads(
  { body, reductions }: LoopKernel,
  axis: number,
  beginsWithQuads: (address: Address) => boolean,
): boolean {
  const roots = rootsOf(body);
  const isWide = (address: Address) =>
    address.strides[axis] === 1 &&
    itemSize(address.buffer.dtype) === 4 &&
    beginsWithQuads(address) &&
    [
      ...address.strides.filter((_, other) => other !== axis),
      ...address.computed.map(({ stride }) => stride),
      ...address.counters.map(({ stride }) => stride),
    ].every((stride) => stride % quad === 0);
  const moves = (expression: Expression) =>
    (expression.kind === "axis" && expression.axis === axis) ||
    (expression.kind === "load" && expression.address.strides[axis] !== 0);
  const isLoadable = ({ guard, address }: Load) =>
    guard === null &&
    (address.strides[axis] === 0 || isWide(address)) &&
    !expressionsBelow(address.computed.map(({ index }) => index)).some(moves);
  return (
    reductions.length === 0 &&
    body.every(({ address, combine, guard }) => combine === "set" && guard === null && isWide(address)) &&
    body.every(({ address }) => address.computed.length === 0) &&
    expressionsBelow(roots).every((one) => one.kind !== "load" || isLoadable(one))
  );
}

function keyOf({ guard, address: { buffer, offset, strides, computed, counters } }: Load): string {
  const indices = computed.map(({ index, stride }) => `${index.id}*${stride}`);
  const turns = counters.map(({ counter, stride }) => `${counter.id}*${stride}`);
  return [buffer.id, Math.floor(offset / quad), strides, indices.join("+"), turns.join("+"), guard?.id].join(
    " ",
  );
}
