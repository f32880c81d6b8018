// The order in which groups run: after what they read, and such that results can take the place of what they replace.
import type { Variable } from "../../array/index.js";
import type { Group } from "./groups.js";

/** Everything that a group reads. */
export function* readsOf({ reads, body, reductions, after }: Group): Generator<Variable> {
  yield* reads;
  for (const node of [...body, ...reductions, ...after]) yield* node.reads.keys();
}

/** Groups come in order of dependence; `sourceOf` tells which of them computes a variable. */
export function orderGroups(
  groups: readonly Group[],
  needed: ReadonlySet<Variable>,
  sourceOf: (variable: Variable) => number | undefined,
): Group[] {
  return takersLast(unreadLast(groups, needed, sourceOf), (variable) => {
    const source = sourceOf(variable);
    return source === undefined ? undefined : groups[source];
  });
}

/** What nobody here reads comes last: others may still have to read what it replaces. */
function unreadLast(
  groups: readonly Group[],
  needed: ReadonlySet<Variable>,
  sourceOf: (variable: Variable) => number | undefined,
): Group[] {
  const read = new Set([...needed].map(sourceOf));
  const isLast = (group: Group, index: number): boolean =>
    group.kind !== "step" &&
    !read.has(index) &&
    // Parts of something larger that others read are known by nobody.
    [...group.body, ...group.after].every((node) => node.variable !== null);
  return [
    ...groups.filter((group, index) => !isLast(group, index)),
    ...groups.filter((group, index) => isLast(group, index)),
  ];
}

/** A step that would write over an array comes after whatever reads that array, unless that waits for the step. */
function takersLast(groups: readonly Group[], sourceOf: (variable: Variable) => Group | undefined): Group[] {
  const taken = new Set(groups.flatMap(({ takes }) => takes));
  if (taken.size === 0) return [...groups];
  const position = new Map(groups.map((group, at) => [group, at]));
  const readers = new Map([...taken].map((variable) => [variable, new Set<number>()]));
  groups.forEach((group, at) => {
    // Steps stay where they are: they may have effects.
    if (group.kind !== "step") for (const variable of readsOf(group)) readers.get(variable)?.add(at);
  });
  /** The positions of the groups that a group waits for. */
  const waitsFor = (group: Group): number[] =>
    [...readsOf(group)].flatMap((variable) => {
      const source = sourceOf(variable);
      const at = source === undefined || source === group ? undefined : position.get(source);
      return at === undefined ? [] : [at];
    });
  const ordered = new Set<Group>();
  groups.forEach((group, at) => {
    const late = group.takes.flatMap((variable) =>
      [...(readers.get(variable) ?? [])].filter((reader) => reader > at),
    );
    if (late.length > 0) {
      const last = late.reduce((most, reader) => Math.max(most, reader), 0);
      const waiting = new Set([at]);
      for (let later = at + 1; later <= last; later++) {
        if (waitsFor(groups[later]).some((source) => waiting.has(source))) waiting.add(later);
      }
      for (const reader of late) {
        const before = waiting.has(reader) ? null : unorderedBefore(reader);
        before?.forEach((earlier) => ordered.add(groups[earlier]));
      }
    }
    ordered.add(group);
  });
  return [...ordered];

  /** A group and all it waits for that is not in order yet, from the first on; null if a step is among them. */
  function unorderedBefore(reader: number): number[] | null {
    const found = new Set([reader]);
    for (const at of found) {
      if (groups[at].kind === "step") return null;
      for (const source of waitsFor(groups[at])) if (!ordered.has(groups[source])) found.add(source);
    }
    return [...found].sort((a, b) => a - b);
  }
}
