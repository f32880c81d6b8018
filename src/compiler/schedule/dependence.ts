// What changes along an axis of a product's points.
import type { Expression } from "../kernel.js";
import { operandsOf } from "../walk.js";

/** Those of some expressions, operands first, that change along an axis; the sums of the product always do. */
export function dependentOn(axis: number, order: readonly Expression[]): Set<Expression> {
  const found = new Set<Expression>();
  for (const expression of order) {
    const isMoving =
      expression.kind === "reduced" ||
      (expression.kind === "axis" && expression.axis === axis) ||
      (expression.kind === "load" && (expression.address.strides[axis] ?? 0) !== 0);
    if (isMoving || operandsOf(expression).some((operand) => found.has(operand))) found.add(expression);
  }
  return found;
}
