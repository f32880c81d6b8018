// Walking through the expressions of a kernel, without recursion: chains of them can be long.
import type { Expression } from "./kernel.js";

export const operandsOf = (expression: Expression): readonly Expression[] =>
  expression.kind === "operation"
    ? expression.inputs
    : expression.kind === "load"
      ? expression.address.computed.map(({ index }) => index)
      : [];

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
