// Grouping: which nodes share a loop. Nodes come in order of dependence; each joins the first group, not before
// those it depends on, that loops over the same space and can hand it what it needs.
import { sizeOf, type Equation, type Variable } from "../../array/index.js";
import { lowerBound } from "../search.js";
import type { FuseSizes } from "./planning.js";
import { orderGroups, readsOf } from "./order.js";
import type { PointNode, Reach, ReduceNode } from "./nodes.js";
import { isSpace, outerSpace, withoutUnits } from "./space.js";

/** Nodes that become one kernel, or a step that nothing is fused with. */
export interface Group {
  readonly kind: "points" | "rows" | "dot" | "step";
  /** The extents looped over; for rows the kept and the reduced ones, for products batch, rows and columns. */
  readonly space: readonly number[];
  /** Run at every point. */
  readonly body: PointNode[];
  readonly reductions: ReduceNode[];
  /** With reductions: how many of the extents stay, all before those that are reduced. */
  outer: number;
  /** Run after the reductions, or on the sums of a product. */
  readonly after: PointNode[];
  /** The equation of a step or a product; a step without one only keeps others apart. */
  readonly equation: Equation | null;
  /** What a step or a product reads. */
  readonly reads: readonly Variable[];
  /** What a step would rather write over than copy. */
  readonly takes: readonly Variable[];
  size: number;
  /** Expressions of all its nodes together. */
  weight: number;
  /** How many groups in a row it waits for at least. */
  level: number;
}

/** Where a variable is computed: in which group, and at which of its levels. */
interface Source {
  readonly group: number;
  readonly level: "body" | "after";
}

// Larger kernels gain nothing and cost registers and compile time.
const largestGroup = 60;
const heaviestGroup = 1500;
const isFull = ({ size, weight }: Group): boolean => size >= largestGroup || weight >= heaviestGroup;

const keyOf = (kind: string, space: readonly number[]): string => `${kind} ${space.join()}`;

export class Grouping {
  readonly groups: Group[] = [];
  private readonly sources = new Map<Variable, Source>();
  /** Groups by what they loop over, in order; those found full are dropped. */
  private readonly byKey = new Map<string, number[]>();

  /**
   * Nodes of up to `smallKernels` points share a loop only with those that need not wait longer, or less long, than they do;
   * `isWaitedFor` tells whether others here read what a node computes.
   */
  constructor(
    private readonly sizes: Pick<FuseSizes, "smallKernels" | "isRowWritten">,
    private readonly isWaitedFor: (node: PointNode) => boolean,
  ) {}

  /** Adds a step that stands on its own: a loop, a sort, anything not fused. */
  addStep(equation: Equation, reads: Iterable<Variable>, takes: readonly Variable[]): void {
    const group = this.open("step", [], equation, reads, takes);
    for (const variable of equation.outputs) this.sources.set(variable, { group, level: "body" });
  }

  /** Says that the parts of a variable are all there: what reads it comes later. */
  closeParts(variable: Variable): void {
    this.sources.set(variable, { group: this.open("step", []), level: "body" });
  }

  /** Says that a variable lies where another does. */
  addAlias(variable: Variable, other: Variable): void {
    this.sources.set(variable, { group: this.open("step", [], null, [other]), level: "body" });
  }

  /** Adds a matrix product, on whose sums cheap nodes may work. */
  addDot(equation: Equation, reads: Iterable<Variable>): void {
    const [variable] = equation.outputs;
    const group = this.open("dot", withoutUnits(variable.type.shape), equation, reads);
    this.sources.set(variable, { group, level: "after" });
  }

  addPoint(node: PointNode, isCheap: boolean): void {
    const space = outerSpace(node.shape, this.sizes.isRowWritten);
    const host = this.findHost(node, space, isCheap) ?? {
      group: this.open("points", space),
      level: "body" as const,
    };
    const group = this.groups[host.group];
    (host.level === "body" ? group.body : group.after).push(node);
    group.size++;
    group.weight += node.weight;
    group.level = Math.max(group.level, this.levelFor(node, host.group));
    if (node.variable !== null) this.sources.set(node.variable, host);
  }

  addReduce(node: ReduceNode): void {
    const isWhole = node.kept.length === 0;
    const group = this.findMaker(node) ?? (isWhole ? this.pointsFor(node) : this.rowsFor(node));
    this.groups[group].reductions.push(node);
    this.groups[group].outer = node.kept.length;
    this.groups[group].size++;
    this.groups[group].weight += node.weight;
    this.groups[group].level = Math.max(this.groups[group].level, this.levelFor(node, group));
    this.sources.set(node.variable, { group, level: "after" });
  }

  /** The loop that computes what is reduced row by row, if it can reduce it as well. */
  private findMaker(node: ReduceNode): number | null {
    const { kept, reduced, roles } = node;
    const isInRows = roles.lastIndexOf("kept") < roles.indexOf("reduced");
    if (kept.length === 0 || !isInRows) return null;
    const earliest = this.earliestFor(node, (source, reach) => reach === "point" && this.isInPoints(source));
    const space = [...kept, ...reduced];
    const group = this.groups[earliest] as Group | undefined;
    const fits =
      group?.kind === "points" &&
      !isFull(group) &&
      (group.reductions.length === 0 || group.outer === kept.length) &&
      group.body.every(({ shape }) => isSpace(withoutUnits(shape), space));
    return fits && this.readsFrom(node, earliest) ? earliest : null;
  }

  /** A loop over everything that is reduced. */
  private pointsFor(node: ReduceNode): number {
    const space = outerSpace(node.reduced);
    const earliest = this.earliestFor(
      node,
      (source, reach) => reach !== "anywhere" && this.isInPoints(source),
    );
    return this.firstOpen(keyOf("points", space), earliest, 0) ?? this.open("points", space);
  }

  /** A loop over rows, each reduced for itself. */
  private rowsFor(node: ReduceNode): number {
    const space = [...node.kept, -1, ...node.reduced];
    const earliest = this.earliestFor(node, () => false);
    return this.firstOpen(keyOf("rows", space), earliest) ?? this.open("rows", space);
  }

  private open(
    kind: Group["kind"],
    space: readonly number[],
    equation: Equation | null = null,
    reads: Iterable<Variable> = [],
    takes: readonly Variable[] = [],
  ): number {
    const wanted = [...reads];
    const index =
      this.groups.push({
        kind,
        space,
        body: [],
        reductions: [],
        outer: 0,
        after: [],
        equation,
        reads: wanted,
        takes,
        size: 0,
        weight: 0,
        level: this.levelBehind(wanted, null),
      }) - 1;
    const key = keyOf(kind, space);
    const alike = this.byKey.get(key);
    if (alike === undefined) this.byKey.set(key, [index]);
    else alike.push(index);
    return index;
  }

  /** The level behind the groups that compute variables, apart from one group. */
  private levelBehind(variables: Iterable<Variable>, own: number | null): number {
    let level = 0;
    for (const variable of variables) {
      const source = this.sources.get(variable);
      if (source !== undefined && source.group !== own)
        level = Math.max(level, this.groups[source.group].level + 1);
    }
    return level;
  }

  private levelFor(node: PointNode | ReduceNode, group: number): number {
    return this.levelBehind(node.reads.keys(), group);
  }

  /** Whether a node can join a group such that neither waits for the other, or waiting costs less than another loop. */
  private isInStep(node: PointNode, group: number): boolean {
    if (sizeOf(node.shape) > this.sizes.smallKernels) return true;
    const needed = this.levelFor(node, group);
    const { level } = this.groups[group];
    const mayWait = this.readsFrom(node, group) || !this.isWaitedFor(node);
    return needed === level || (needed < level && mayWait);
  }

  /** The first group that is not full, comes no earlier, is suitable, and has no reductions that keep other axes. */
  private firstOpen(
    key: string,
    earliest: number,
    outer: number | null = null,
    isSuitable: (group: number) => boolean = () => true,
  ): number | null {
    const alike = this.byKey.get(key) ?? [];
    let at = lowerBound(alike.length, (index) => alike[index] >= earliest);
    while (at < alike.length) {
      const group = this.groups[alike[at]];
      if (isFull(group)) alike.splice(at, 1);
      else if (
        (outer === null || group.reductions.length === 0 || group.outer === outer) &&
        isSuitable(alike[at])
      )
        return alike[at];
      else at++;
    }
    return null;
  }

  /** The first group that comes after all that a node reads, or is one that `shares` says can hand it on. */
  private earliestFor(
    node: PointNode | ReduceNode,
    shares: (source: Source, reach: Reach) => boolean,
  ): number {
    let earliest = 0;
    for (const [variable, reach] of node.reads) {
      const source = this.sources.get(variable);
      if (source === undefined) continue;
      earliest = Math.max(earliest, shares(source, reach) ? source.group : source.group + 1);
    }
    return earliest;
  }

  private findHost(node: PointNode, space: readonly number[], isCheap: boolean): Source | null {
    // Behind a reduction or a product, on what it has just computed.
    const behind = this.earliestFor(
      node,
      (source, reach) =>
        source.level === "after" &&
        reach === "point" &&
        (isCheap || this.groups[source.group].kind !== "dot"),
    );
    const last = this.groups[behind] as Group | undefined;
    if (last !== undefined && canRunAfter(last, node) && this.readsFrom(node, behind) && !isFull(last)) {
      return { group: behind, level: "after" };
    }
    const earliest = this.earliestFor(
      node,
      (source, reach) => reach !== "anywhere" && this.isInPoints(source),
    );
    const group = this.firstOpen(keyOf("points", space), earliest, null, (index) =>
      this.isInStep(node, index),
    );
    return group === null ? null : { group, level: "body" };
  }

  /** Whether a variable is computed in a loop that others over the same space can join. */
  private isInPoints({ group, level }: Source): boolean {
    return level === "body" && this.groups[group].kind === "points";
  }

  /** The groups in the order to run them; `needed` are the variables that groups read of each other. */
  inOrder(needed: ReadonlySet<Variable>): Group[] {
    return orderGroups(this.groups, needed, (variable) => this.sources.get(variable)?.group);
  }

  /** Variables whose values some other group reads than the one that computes them. */
  variablesNeeded(): Set<Variable> {
    const needed = new Set<Variable>();
    this.groups.forEach((group, index) => {
      for (const variable of group.reads) needed.add(variable);
      for (const variable of readsOf(group)) {
        if (this.sources.get(variable)?.group !== index) needed.add(variable);
      }
    });
    return needed;
  }

  private readsFrom(node: PointNode | ReduceNode, group: number): boolean {
    return [...node.reads.keys()].some((variable) => this.sources.get(variable)?.group === group);
  }
}

/** Whether a node works on the very points in which a group's sums come. */
function canRunAfter({ kind, space, reductions, outer }: Group, node: PointNode): boolean {
  const wanted = withoutUnits(node.shape);
  if (kind === "dot") return isSpace(wanted, space);
  return kind !== "step" && reductions.length > 0 && isSpace(wanted, space.slice(0, outer));
}
