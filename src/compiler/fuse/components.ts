// Loops over few points, taken apart: what nodes compute that have nothing to do with each other is done by other threads at
// the same time.
import { sizeOf, type Variable } from "../../array/index.js";
import type { Group } from "./groups.js";
import type { PointNode, ReduceNode } from "./nodes.js";

/** Expressions of a component that is worth a loop of its own, if it reduces nothing. */
const worthwhile = 12;

type Node = PointNode | ReduceNode;

/** The loops of a group over up to `small` points: one for each component of many expressions, and one for the rest. */
export function takeApart(group: Group, small: number): Group[] {
  const isLoop = group.kind === "points" || group.kind === "rows";
  if (!isLoop || sizeOf(group.space.filter((extent) => extent > 0)) > small) return [group];
  const components = componentsOf([...group.body, ...group.reductions, ...group.after]);
  const heavy = components.filter(
    (nodes) => weightOf(nodes) >= worthwhile || nodes.some(({ kind }) => kind === "reduce"),
  );
  const rest = components.filter((nodes) => !heavy.includes(nodes)).flat();
  const parts = rest.length === 0 ? heavy : [...heavy, rest];
  return parts.length < 2 ? [group] : parts.map((nodes) => partOf(group, new Set(nodes)));
}

const weightOf = (nodes: readonly Node[]): number => nodes.reduce((sum, { weight }) => sum + weight, 0);

/** Nodes that read what others of them compute, directly or not, belong together. */
function componentsOf(nodes: readonly Node[]): Node[][] {
  const components = new Set<Node[]>();
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
