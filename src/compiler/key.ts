// What tells programs apart: text that two of them share only if they compute the same in the same way.
import type { Atom, Program, Variable } from "../array/index.js";

/** The key of a program: variables by the order in which they appear, everything else by content. */
export function programKey(program: Program): string {
  const numbers = new Map<Variable, number>();
  const parts: string[] = [];
  const name = (variable: Variable): number => {
    const known = numbers.get(variable) ?? numbers.size;
    numbers.set(variable, known);
    return known;
  };
  const define = (variable: Variable): void => {
    const { dtype, shape } = variable.type;
    parts.push(`${name(variable)}:${dtype}${shape.join("x")}`);
  };
  const atom = (one: Atom): void => {
    if (one.kind === "variable") parts.push(String(name(one)));
    else parts.push(`${one.type.dtype}=${Object.is(one.value, -0) ? "-0" : one.value}`);
  };
  const value = (one: unknown): void => {
    if (typeof one !== "object" || one === null) parts.push(String(one));
    else if (Array.isArray(one)) {
      parts.push("[");
      one.forEach(value);
      parts.push("]");
    } else if ("equations" in one) visit(one as Program);
    else {
      for (const [field, inner] of Object.entries(one)) {
        parts.push(field);
        value(inner);
      }
    }
  };
  const visit = ({ inputs, equations, outputs }: Program): void => {
    inputs.forEach(define);
    for (const { primitive, inputs: operands, params, outputs: results } of equations) {
      parts.push(primitive.name);
      operands.forEach(atom);
      value(params);
      results.forEach(define);
    }
    parts.push("return");
    outputs.forEach(atom);
  };
  visit(program);
  return parts.join(" ");
}
