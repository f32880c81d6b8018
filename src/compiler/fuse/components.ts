// Loops taken apart: what nodes compute that have nothing to do with each other is done by other threads at the same time, or
// as one kernel for all that are alike.
import { sizeOf, type Variable } from "../../array/index.js";
import type { Group } from "./groups.js";
import type { PointNode, ReduceNode } from "./nodes.js";

/** Expressions of a component that is worth a loop of its own, if it reduces nothing. */
const worthwhile = 12;

type Node = PointNode | ReduceNode;

/**
 * The loops of a group: one for each component of many expressions, and one for the rest. Over more than `small` points what
 * reads the same arrays stays together.
 */
export function takeApart(group: Group, small: number): Group[] {
  if (small === 0 || (group.kind !== "points" && group.kind !== "rows")) return [group];
  const isSmall = sizeOf(group.space.filter((extent) => extent > 0)) <= small;
  const components = componentsOf([...group.body, ...group.reductions, ...group.after], isSmall);
  const heavy = components.filter(
    (nodes) => weightOf(nodes) >= worthwhile || nodes.some(({ kind }) => kind === "reduce"),
  );
  const rest = components.filter((nodes) => !heavy.includes(nodes)).flat();
  const parts = rest.length === 0 ? heavy : [...heavy, rest];
  return parts.length < 2 ? [group] : parts.map((nodes) => partOf(group, new Set(nodes)));
}

const weightOf = (nodes: readonly Node[]): number => nodes.reduce((sum, { weight }) => sum + weight, 0);

/** Nodes that read what others of them compute, directly or not, belong together; unless arrays may be read twice, readers too. */
function componentsOf(nodes: readonly Node[], mayReadTwice: boolean): Node[][] {
  const components = new Set<Node[]>();
  /** Who makes a variable, or has read it before. */
  const makers = new Map<Variable, Node>();
  const home = new Map<Node, Node[]>();
  for (const node of nodes) {
    const joined = [node];
    for (const variable of node.reads.keys()) {
      const maker = makers.get(variable);
      const other = maker === undefined ? undefined : home.get(maker);
      if (other === undefined || !components.delete(other)) continue;
      joined.push(...other);
    }
    if (!mayReadTwice)
      for (const variable of node.reads.keys())
        if (sizeOf(variable.type.shape) > 1 && !makers.has(variable)) makers.set(variable, node);
    components.add(joined);
    for (const member of joined) home.set(member, joined);
    if (node.variable !== null) makers.set(node.variable, node);
  }
  return [...components];
}

/** Those nodes of a group, in their order. */
function partOf(group: Group, nodes: ReadonlySet<Node>): Group {
  const [body, after] = [group.body, group.after].map((all) => all.filter((node) => nodes.has(node)));
  const reductions = group.reductions.filter((node) => nodes.has(node));
  return { ...group, body, reductions, after, size: nodes.size, weight: weightOf([...nodes]) };
}
