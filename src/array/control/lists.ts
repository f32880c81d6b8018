// List bookkeeping for loops and branches, whose operands come in groups.

/** Consecutive pieces of the given lengths, and the rest. */
export function split<T>(list: readonly T[], lengths: readonly number[]): T[][] {
  const pieces: T[][] = [];
  let start = 0;
  for (const length of lengths) {
    pieces.push(list.slice(start, start + length));
    start += length;
  }
  return [...pieces, list.slice(start)];
}

/** The elements whose flag is set, or with `value` false those whose flag is not. */
export const pick = <T>(list: readonly T[], flags: readonly boolean[], value = true): T[] =>
  list.filter((_, index) => flags[index] === value);

export const count = (flags: readonly boolean[]): number => flags.filter(Boolean).length;

/** Which flags are set in any of the lists. */
export const anyFlag = (lists: readonly (readonly boolean[])[]): boolean[] =>
  (lists[0] ?? []).map((_, index) => lists.some((list) => list[index]));

/**
 * Regroups `[...items, ...extras]`, with one extra per flagged item, so that the extras of each group of
 * items directly follow the group.
 */
export function weave<T>(list: readonly T[], flags: readonly boolean[], lengths: readonly number[]): T[] {
  const [items, extras] = split(list, [flags.length]) as [T[], T[]];
  const groups = split(items, lengths);
  const extraGroups = split(extras, split(flags, lengths).map(count));
  return groups.flatMap((group, index) => [...group, ...extraGroups[index]]);
}

/** Undoes `weave`: the items, and the extra of each or null. */
export function unweave<T>(
  list: readonly T[],
  flags: readonly boolean[],
  lengths: readonly number[],
): { readonly items: T[]; readonly extras: (T | null)[] } {
  const items: T[] = [];
  const extras: (T | null)[] = [];
  let rest = list;
  for (const group of split(flags, lengths)) {
    const [own, further] = split(rest, [group.length, count(group)]) as [T[], T[]];
    items.push(...own);
    extras.push(...spread(further, group));
    rest = rest.slice(own.length + further.length);
  }
  return { items, extras };
}

/** One value per flag: the next of `list` where it is set, null elsewhere. */
export function spread<T>(list: readonly T[], flags: readonly boolean[]): (T | null)[] {
  let next = 0;
  return flags.map((flag) => (flag ? list[next++] : null));
}

/** Tries with more and more flags set, until a try asks for none that was not set. */
export function growFlags<R>(
  initial: readonly boolean[],
  attempt: (flags: readonly boolean[]) => R,
  asked: (result: R) => readonly boolean[],
): { readonly flags: readonly boolean[]; readonly result: R } {
  let flags = initial;
  for (;;) {
    const result = attempt(flags);
    const wanted = asked(result);
    const next = flags.map((flag, index) => flag || wanted[index]);
    if (next.every((flag, index) => flag === flags[index])) return { flags, result };
    flags = next;
  }
}
