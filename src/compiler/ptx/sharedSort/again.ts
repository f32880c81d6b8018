// Sorts by all blocks that follow each other and differ only in where their arrays lie, as the rounds of a permutation do: they
// are turns of one loop, so that there is half as much code, of which they have a lot.
import type { Place, SortKernel, Step } from "../../kernel.js";
import type { MemoryPlan } from "../../plan/arena.js";
import type { Variants } from "../surroundings.js";

/** What a sort puts in order. */
export interface Moved {
  /** Null for the positions. */
  readonly from: Place | null;
  readonly to: Place;
  /** Whether the first of several sorts takes the positions instead. */
  readonly isLater?: boolean;
}

/** What counts the turns of a loop of sorts, which is in no other one of the kind. */
export const turns = { id: -1 } as const;

/** Places further behind need more than the numbers that places are chosen by. */
const farthest = 2 ** 30;

/** The sorts from a step on that can be turns of one loop; none if it is no sort by all blocks. */
export function sortsFrom(steps: readonly Step[], at: number, plan: MemoryPlan): readonly SortKernel[] {
  const sorts: SortKernel[] = [];
  for (let place = at; place < steps.length; place++) {
    const step = steps[place];
    if (step.kind !== "kernel" || step.kernel.kind !== "sort" || !plan.division.sorts.has(step.kernel)) break;
    const [first, second] = sorts;
    if (first !== undefined && !areAlike(first, step.kernel, plan)) break;
    // The first one alone may take positions where others take values.
    if (second !== undefined && !takeAlike(second, step.kernel)) break;
    sorts.push(step.kernel);
  }
  return sorts;
}

const takeAlike = ({ values }: SortKernel, other: SortKernel): boolean =>
  values.every(({ from }, at) => (from === null) === (other.values[at].from === null));

function areAlike(first: SortKernel, other: SortKernel, plan: MemoryPlan): boolean {
  const isInSamePlace = (one: Place, another: Place) =>
    one.buffer.dtype === another.buffer.dtype &&
    plan.fast.has(one.buffer) === plan.fast.has(another.buffer) &&
    plan.division.common.has(one.buffer) === plan.division.common.has(another.buffer) &&
    [one, another].every(
      ({ buffer, counters }) =>
        counters.length === 0 && !plan.staged.has(buffer) && (plan.addresses.get(buffer) ?? 0) < farthest,
    );
  const scratchOf = (kernel: SortKernel) => {
    const buffer = plan.scratch.get(kernel);
    return buffer === undefined ? null : [plan.addresses.get(buffer), plan.fast.has(buffer)].join();
  };
  return (
    first.length === other.length &&
    first.stride === other.stride &&
    first.values.length === other.values.length &&
    scratchOf(first) === scratchOf(other) &&
    first.keys.every((key, at) => isInSamePlace(key, other.keys[at])) &&
    first.values.every(({ from, to }, at) => {
      const { from: theirs, to: there } = other.values[at];
      if (!isInSamePlace(to, there)) return false;
      if (theirs === null) return from === null;
      return from === null ? to.buffer.dtype === theirs.buffer.dtype : isInSamePlace(from, theirs);
    })
  );
}

/** What sorts put in order that are turns of one loop, and where that and their keys lie in each turn. */
export function asTurns(sorts: readonly SortKernel[]): {
  readonly values: readonly Moved[];
  readonly variants: Variants | null;
} {
  const [first, second] = sorts;
  if (second === undefined) return { values: first.values, variants: null };
  const places = new Map<Place, readonly Place[]>(
    first.keys.map((key, at) => [key, sorts.map(({ keys }) => keys[at])]),
  );
  /** A place of its own, for what may be another one's in another turn. */
  const varying = (all: readonly Place[]): Place => {
    const place = { ...all[0] };
    places.set(place, all);
    return place;
  };
  const values = first.values.map(({ from }, at): Moved => {
    const later = second.values[at].from;
    const to = varying(sorts.map((sort) => sort.values[at].to));
    return later === null
      ? { from: null, to }
      : {
          from: varying(sorts.map((sort) => sort.values[at].from ?? later)),
          to,
          isLater: from === null,
        };
  });
  return { values, variants: { from: sorts.map((_, at) => at), places, pieces: null } };
}
