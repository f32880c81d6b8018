// What is computed element by element.
import type { Equation } from "../core/program.js";
import { ruleFor } from "./rules.js";

const known = new WeakMap<Equation, boolean>();

/** Whether every element of the results is computed from the elements at its place, and from scalars. */
export function isElementwise(equation: Equation): boolean {
  const found = known.get(equation) ?? findOut(equation);
  known.set(equation, found);
  return found;
}

function findOut(equation: Equation): boolean {
  const { inputs, outputs } = equation;
  if (outputs.length === 0) return false;
  const { operands, results, combine, apply } = ruleFor(equation);
  const [{ type }] = outputs;
  const isInPlace = (shape: readonly number[], factors: readonly (number | null)[]) =>
    shape.join() === type.shape.join() && factors.every((factor, at) => factor === at);
  const arrays = inputs.map(({ type: { shape } }, at) => ({ shape, factors: operands[at] }));
  return (
    combine === undefined &&
    apply === undefined &&
    outputs.every((output, at) => isInPlace(output.type.shape, results[at])) &&
    arrays.every(({ shape, factors }) => shape.length === 0 || isInPlace(shape, factors)) &&
    arrays.some(({ shape }) => shape.length === type.shape.length)
  );
}
