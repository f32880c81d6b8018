// Programs that take their rows in pieces whether that pays or not.
import { mapSubPrograms } from "../../../src/array/core/program.js";
import type { Program } from "../../../src/array/core/program.js";
import { planPieces } from "../../../src/array/partition/pieces.js";

/** The smallest number of pieces of so many rows, from a number on; 1 where there is none. */
const countOf = (rows: number, least: number): number => {
  for (let count = least; count < rows; count++) if (rows % count === 0) return count;
  return 1;
};

/** A program with the rows of its products, in loops and branches, too, in at least so many pieces. */
export function cutEverywhere(program: Program, least: number): Program {
  const equations = program.equations.map((equation) =>
    mapSubPrograms(equation, (inner) => cutEverywhere(inner, least)),
  );
  let current: Program = { ...program, equations };
  const products = equations.filter(({ primitive }) => primitive.name === "dot");
  for (const { outputs } of products) {
    const [value] = outputs;
    const isThere = current.equations.some((equation) => equation.outputs.includes(value));
    const count = countOf(value.type.shape[0] ?? 1, least);
    if (!isThere || count === 1) continue;
    current = planPieces(current, { value, count, isGain: () => true })?.cut() ?? current;
  }
  return current;
}
