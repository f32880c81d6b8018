// A program as two, the second of which goes on with what the first has made: XLA takes seconds for a training run, half of
// them for what only sets it up, and two programs it compiles at once.
import {
  countEquations,
  hasEffect,
  type Atom,
  type Equation,
  type Program,
  variablesRead,
  type Variable,
} from "../../array/index.js";
import { simplifyProgram } from "../simplify/simplify.js";

/** Programs of fewer equations are compiled soon enough, and halves should not be much smaller than each other. */
const [usuallyFewest, leastShare] = [600, 1 / 6];

/** A half, and which of the program's inputs it takes. */
export interface Half {
  readonly program: Program;
  readonly inputs: readonly number[];
}

/** The two halves; the second one takes all that the first returns behind its own inputs. Null where one is as good. */
export function inHalves(
  given: Program,
  fewest = usuallyFewest,
): readonly [first: Half, second: Half] | null {
  if (countEquations(given) < fewest || given.equations.some(hasEffect)) return null;
  const program = simplifyProgram(given);
  const counts = program.equations.map((equation) => sizeOf(equation));
  const total = counts.reduce((sum, count) => sum + count, 0);
  let [best, least, before] = [0, total, 0];
  counts.forEach((count, at) => {
    const larger = Math.max(before, total - before);
    if (larger < least) [best, least] = [at, larger];
    before += count;
  });
  if (total < fewest || total - least < leastShare * total) return null;
  const [early, late] = [program.equations.slice(0, best), program.equations.slice(best)];
  const readLate = variablesRead({ inputs: [], equations: late, outputs: program.outputs });
  const handed = early.flatMap(({ outputs }) => outputs).filter((variable) => readLate.has(variable));
  return [half(program, early, handed, []), half(program, late, program.outputs, handed)];
}

const sizeOf = (equation: Equation): number =>
  countEquations({ inputs: [], equations: [equation], outputs: [] });

function half(
  { inputs }: Program,
  equations: readonly Equation[],
  outputs: readonly Atom[],
  handed: readonly Variable[],
): Half {
  const read = variablesRead({ inputs: [], equations, outputs });
  const own = inputs.flatMap((input, at) => (read.has(input) ? [at] : []));
  return {
    program: { inputs: [...own.map((at) => inputs[at]), ...handed], equations, outputs },
    inputs: own,
  };
}
