// Formulas as C functions, one for each width they are used at.
import type { DType } from "../../array/index.js";
import { formulaOf, type Formula, type Term } from "../math/index.js";
import { operationText, type Operand } from "./operations.js";
import { literal, splat, typeOf, type Width } from "./types.js";

export class FormulaFunctions {
  private readonly texts = new Map<string, string>();

  /** The functions that were asked for, as C. */
  get text(): string {
    return [...this.texts.values()].join("\n");
  }

  /** A call; a second result is written to a place. */
  call(
    name: string,
    dtype: DType,
    inputs: readonly string[],
    width: Width,
  ): { value: string; other: string | null } {
    const formula = formulaOf(name, dtype);
    if (formula === null) throw new Error(`the C renderer does not know the operation ${name} of ${dtype}`);
    const own = `f_${name}_${dtype}_${width}`;
    if (!this.texts.has(own)) this.texts.set(own, functionText(own, formula, width));
    return { value: `${own}(${inputs.join(", ")})`, other: formula.results.length > 1 ? own : null };
  }
}

function functionText(name: string, { terms, results }: Formula, width: Width): string {
  const names = new Map<Term, Operand>();
  const operands = terms.filter((term) => term.kind === "operand").sort((a, b) => a.operand - b.operand);
  const lines = terms.flatMap((term, at): string[] => {
    const { dtype } = term;
    if (term.kind === "operand") {
      names.set(term, { text: `x${term.operand}`, dtype, constant: null });
      return [];
    }
    if (term.kind === "constant") {
      names.set(term, { text: splat(literal(term.value, dtype), dtype, width), dtype, constant: term.value });
      return [];
    }
    const inputs = term.inputs.map((input) => names.get(input) as Operand);
    const value = operationText(term.name, { dtype, inputs, width });
    if (value === null) throw new Error(`the C renderer does not know the operation ${term.name}`);
    names.set(term, { text: `t${at}`, dtype, constant: null });
    return [`  const ${typeOf(dtype, width)} t${at} = ${value};`];
  });
  const [first, second] = results.map((result) => names.get(result) as Operand);
  const type = typeOf(results[0].dtype, width);
  const params = operands.map((operand) => `${typeOf(operand.dtype, width)} x${operand.operand}`);
  if (second !== undefined) {
    params.push(`${type} *other`);
    lines.push(`  *other = ${second.text};`);
  }
  return [
    `static inline __attribute__((unused)) ${type} ${name}(${params.join(", ")}) {`,
    ...lines,
    `  return ${first.text};`,
    "}",
  ].join("\n");
}
