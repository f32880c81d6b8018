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

  /**
   * The name of a function that computes an operation for several values at once, in turns, where each step waits for
   * the one before. It takes the operands of all, then where to write the results of all.
   */
  named(name: string, dtype: DType, width: Width, copies: number): string {
    const formula = formulaOf(name, dtype);
    if (formula === null) throw new Error(`the C renderer does not know the operation ${name} of ${dtype}`);
    const own = `f_${name}_${dtype}_${width}x${copies}`;
    if (!this.texts.has(own)) this.texts.set(own, functionText(own, formula, width, copies));
    return own;
  }

  /** A call that gives the one result of an operation. */
  call(name: string, dtype: DType, inputs: readonly string[], width: Width): string {
    return `${this.named(name, dtype, width, 1)}(${inputs.join(", ")})`;
  }
}

/** One value with one result is returned; others are written to places. */
function functionText(name: string, { terms, results }: Formula, width: Width, copies: number): string {
  const turns = Array.from({ length: copies }, (_, copy) => copy);
  const names = turns.map(() => new Map<Term, Operand>());
  const lines = terms.flatMap((term, at) =>
    turns.flatMap((copy) => {
      const { dtype } = term;
      const know = (text: string, constant: number | null = null) =>
        names[copy].set(term, { text, dtype, constant });
      if (term.kind === "operand") know(`x${term.operand}_${copy}`);
      else if (term.kind === "constant") know(splat(literal(term.value, dtype), dtype, width), term.value);
      else {
        const inputs = term.inputs.map((input) => names[copy].get(input) as Operand);
        const value = operationText(term.name, { dtype, inputs, width });
        if (value === null) throw new Error(`the C renderer does not know the operation ${term.name}`);
        know(`t${at}_${copy}`);
        return [`  const ${typeOf(dtype, width)} t${at}_${copy} = ${value};`];
      }
      return [];
    }),
  );
  const operands = terms.filter((term) => term.kind === "operand").sort((a, b) => a.operand - b.operand);
  const params = turns.flatMap((copy) =>
    operands.map(({ dtype, operand }) => `${typeOf(dtype, width)} x${operand}_${copy}`),
  );
  const type = typeOf(results[0].dtype, width);
  const textOf = (copy: number, result: Term) => (names[copy].get(result) as Operand).text;
  const returns = copies * results.length === 1;
  if (returns) lines.push(`  return ${textOf(0, results[0])};`);
  else {
    for (const copy of turns)
      results.forEach((result, at) => {
        params.push(`${type} *r${at}_${copy}`);
        lines.push(`  *r${at}_${copy} = ${textOf(copy, result)};`);
      });
  }
  const head = `${returns ? type : "void"} ${name}(${params.join(", ")})`;
  return [`static inline __attribute__((unused)) ${head} {`, ...lines, "}"].join("\n");
}
