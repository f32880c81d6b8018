// Walking through steps, and through the expressions of a kernel: these without recursion, for chains can be long.
import type {
  Address,
  Counter,
  DotKernel,
  Expression,
  Kernel,
  Load,
  LoopKernel,
  Step,
  Store,
} from "./kernel.js";

/** What a step holds: the kernel, or the steps inside. */
const insideOf = (step: Exclude<Step, { kind: "kernel" }>): readonly Step[] => {
  switch (step.kind) {
    case "loop":
      return step.body;
    case "while":
      return [...step.test, ...step.body];
    case "branch":
      return step.cases.flat();
  }
};

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

const loadsFound = new WeakMap<LoopKernel | DotKernel, Loads>();

/** The loads of a kernel's expressions, found once. */
export function loadsOf(kernel: LoopKernel | DotKernel): Loads {
  const known = loadsFound.get(kernel) ?? findLoads(kernel);
  loadsFound.set(kernel, known);
  return known;
}

function findLoads(kernel: LoopKernel | DotKernel): Loads {
  const late = kernel.kind === "dot" ? [] : rootsOf(kernel.after);
  const others =
    kernel.kind === "dot" ? rootsOf(kernel.stores) : [...rootsOf(kernel.body), ...reductionRoots(kernel)];
  const loads = expressionsBelow([...others, ...late]).filter(isLoad);
  return {
    all: loads.map(({ address }) => address),
    after: late.length === 0 ? [] : loadsIn(late),
    guarded: loads.filter(({ guard }) => guard !== null),
  };
}

/** The loops that a kernel's addresses move with. */
export function countersOf(kernel: Kernel): Counter[] {
  const places: readonly Pick<Address, "counters">[] = (() => {
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
        return [...kernel.keys, ...kernel.values.flatMap(({ from, to }) => [from, to])];
      case "copy":
        return [kernel.from, kernel.to];
      case "print":
        return kernel.operands;
      case "exchange":
        return kernel.pulls.flatMap(({ from, to }) => [from, to]);
      case "axisIndex":
        return [kernel.to];
    }
  })();
  return [...new Set(places.flatMap(({ counters }) => counters.map(({ counter }) => counter)))];
}
