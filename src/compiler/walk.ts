// Walking through steps, and through the expressions of a kernel: these without recursion, for chains can be long.
import type { Address, Counter, Expression, Kernel, Load, LoopKernel, Place, Step, Store } from "./kernel.js";

/** What a step holds: the kernel, or the steps inside. */
export const insideOf = (step: Exclude<Step, { kind: "kernel" }>): readonly Step[] => {
  switch (step.kind) {
    case "loop":
      return step.body;
    case "while":
      return [...step.test, ...step.body];
    case "branch":
      return step.cases.flat();
  }
};

/** A step with other steps inside. */
export function mapInside(step: Step, map: (steps: readonly Step[]) => readonly Step[]): Step {
  switch (step.kind) {
    case "kernel":
      return step;
    case "loop":
      return { ...step, body: map(step.body) };
    case "while":
      return { ...step, test: map(step.test), body: map(step.body) };
    case "branch":
      return { ...step, cases: step.cases.map(map) };
  }
}

/** All kernels of some steps, in order. */
export const kernelsIn = (steps: readonly Step[]): Kernel[] =>
  steps.flatMap((step) => (step.kind === "kernel" ? [step.kernel] : kernelsIn(insideOf(step))));

/** What an expression is computed from. */
export function operandsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case "operation":
      return expression.inputs;
    case "load": {
      const { address, guard } = expression;
      const indices = address.computed.map(({ index }) => index);
      return guard === null ? indices : [...indices, guard];
    }
    case "constant":
    case "axis":
    case "reduced":
      return [];
  }
}

/** Everything below some expressions of one kernel and themselves, each once, operands before what they are for. */
export function expressionsBelow(roots: Iterable<Expression>): Expression[] {
  const found = new Set(roots);
  // A set that grows while it is walked through is walked to its new end.
  for (const expression of found) for (const operand of operandsOf(expression)) found.add(operand);
  // Numbers are given in the order of making.
  return [...found].sort((a, b) => a.id - b.id);
}

/** How many operations inside one another are written out by recursion. */
const deepest = 64;

/** Expressions to compute first, in this order, so that from any other on recursion meets a known one soon. */
export function landings(order: readonly Expression[]): Expression[] {
  const depth = new Map<Expression, number>();
  const found: Expression[] = [];
  for (const expression of order) {
    let below = 0;
    for (const operand of operandsOf(expression)) below = Math.max(below, (depth.get(operand) ?? 0) + 1);
    if (below === deepest) found.push(expression);
    depth.set(expression, below % deepest);
  }
  return found;
}

const isLoad = (expression: Expression): expression is Load => expression.kind === "load";

/** From where expressions load, each load once. */
export const loadsIn = (roots: Iterable<Expression>): Address[] =>
  expressionsBelow(roots)
    .filter(isLoad)
    .map(({ address }) => address);

/** The expressions that a kernel's reductions evaluate. */
export const reductionRoots = ({ reductions }: LoopKernel): Expression[] =>
  reductions.flatMap(({ value, position }) => (position === null ? [value] : [value, position]));

/** The expressions that a kernel's stores evaluate. */
export const rootsOf = (stores: readonly Store[]): Expression[] =>
  stores.flatMap(({ value, guard, address }) => [
    value,
    ...(guard === null ? [] : [guard]),
    ...address.computed.map(({ index }) => index),
  ]);

/** From where a kernel loads: all of it, and what only comes after its reductions. */
interface Loads {
  readonly all: readonly Address[];
  readonly after: readonly Address[];
  /** Loads that may leave their buffer. */
  readonly guarded: readonly Load[];
}

const loadsFound = new WeakMap<Kernel, Loads>();
const nothing: Loads = { all: [], after: [], guarded: [] };

/** The loads of a kernel's expressions, found once. */
export function loadsOf(kernel: Kernel): Loads {
  const known = loadsFound.get(kernel) ?? findLoads(kernel);
  loadsFound.set(kernel, known);
  return known;
}

function findLoads(kernel: Kernel): Loads {
  switch (kernel.kind) {
    case "loop":
      return loadsBelow([...rootsOf(kernel.body), ...reductionRoots(kernel)], rootsOf(kernel.after));
    case "dot":
      return loadsBelow(rootsOf(kernel.stores), []);
    case "sort":
    case "copy":
    case "print":
    case "exchange":
    case "axisIndex":
      return nothing;
  }
}

function loadsBelow(others: readonly Expression[], late: readonly Expression[]): Loads {
  const loads = expressionsBelow([...others, ...late]).filter(isLoad);
  return {
    all: loads.map(({ address }) => address),
    after: late.length === 0 ? [] : loadsIn(late),
    guarded: loads.filter(({ guard }) => guard !== null),
  };
}

/** The extents of the index space over which a kernel's addresses go; none where it has no expressions. */
export function extentsOf(kernel: Kernel): readonly number[] {
  switch (kernel.kind) {
    case "loop":
      return kernel.extents;
    case "dot":
      return [...kernel.batch, ...kernel.rows, ...kernel.columns];
    case "sort":
    case "copy":
    case "print":
    case "exchange":
    case "axisIndex":
      return [];
  }
}

/** Every place that a kernel reads or writes, loads first. */
export function placesOf(kernel: Kernel): readonly Place[] {
  switch (kernel.kind) {
    case "loop":
      return [...loadsOf(kernel).all, ...[...kernel.body, ...kernel.after].map(({ address }) => address)];
    case "dot":
      return [
        kernel.left,
        kernel.right,
        ...loadsOf(kernel).all,
        ...kernel.stores.map(({ address }) => address),
      ];
    case "sort":
      return [
        ...kernel.keys,
        ...kernel.values.flatMap(({ from, to }) => (from === null ? [to] : [from, to])),
      ];
    case "copy":
      return [kernel.from, kernel.to];
    case "print":
      return kernel.operands;
    case "exchange":
      return kernel.pulls.flatMap(({ from, to }) => [from, to]);
    case "axisIndex":
      return [kernel.to];
  }
}

/** The loops that a kernel's addresses move with. */
export function countersOf(kernel: Kernel): Counter[] {
  const terms = placesOf(kernel).flatMap(({ counters }) => counters);
  return [...new Set(terms.map(({ counter }) => counter))];
}
