// A program as two, the second of which goes on with what the first has made: XLA takes seconds for a training run, half of
// them for what only sets it up, and two programs it compiles at once.
import {
  costOf,
  countEquations,
  hasEffect,
  type Atom,
  type Costs,
  type Equation,
  type Program,
  variablesRead,
  type Variable,
} from "../../array/index.js";
import { fairCut } from "../cut.js";
import { simplifyProgram } from "../simplify/simplify.js";

/** Programs of fewer equations are compiled soon enough, and halves should not be much smaller than each other. */
const [usuallyFewest, leastShare] = [600, 1 / 6];

/** A half hardly multiplies if its multiplications are less than this share of those of the other one. */
const littleShare = 1 / 8;
/** Nothing costs anything but multiplications in products. */
const onlyProducts: Costs = {
  ...{ operation: 0, element: 0, multiplication: 1 },
  ...{ meeting: 0, byte: 0 },
};

/** A half, and which of the program's inputs it takes. */
export interface Half {
  readonly program: Program;
  readonly inputs: readonly number[];
  /** Whether it is not the one that multiplies: how fast its products are does not matter. */
  readonly hardlyMultiplies: boolean;
}

export interface Halves {
  readonly first: Half;
  readonly second: Half;
  /** Which results of the first the second takes, behind its own inputs. */
  readonly handed: readonly number[];
  /** Whose result each of the program's is, and which. */
  readonly results: readonly { readonly half: "first" | "second"; readonly at: number }[];
}

/** The two halves of a program; null where one program is as good. */
export function inHalves(given: Program, fewest = usuallyFewest): Halves | null {
  if (countEquations(given) < fewest || given.equations.some(hasEffect)) return null;
  const program = simplifyProgram(given);
  const { at: cut, lighter, total } = fairCut(program.equations.map((equation) => sizeOf(equation)));
  if (total < fewest || lighter < leastShare) return null;
  const [early, late] = [program.equations.slice(0, cut), program.equations.slice(cut)];
  const made = early.flatMap(({ outputs }) => outputs);
  const needed = variablesRead({ inputs: [], equations: late, outputs: [] });
  const returned = new Set<Atom>(program.outputs);
  const ofFirst = made.filter((variable) => needed.has(variable) || returned.has(variable));
  const place = new Map<Atom, number>(ofFirst.map((variable, at) => [variable, at]));
  const ofSecond = program.outputs.filter((output) => !place.has(output));
  const handed = ofFirst.filter((variable) => needed.has(variable));
  const work = [early, late].map((equations) => costOf({ inputs: [], equations, outputs: [] }, onlyProducts));
  let next = 0;
  return {
    first: half(program, early, ofFirst, [], work[0] < littleShare * work[1]),
    second: half(program, late, ofSecond, handed, work[1] < littleShare * work[0]),
    handed: handed.map((variable) => place.get(variable) as number),
    results: program.outputs.map((output) => {
      const at = place.get(output);
      return at === undefined ? { half: "second", at: next++ } : { half: "first", at };
    }),
  };
}

const sizeOf = (equation: Equation): number =>
  countEquations({ inputs: [], equations: [equation], outputs: [] });

function half(
  { inputs }: Program,
  equations: readonly Equation[],
  outputs: readonly Atom[],
  handed: readonly Variable[],
  hardlyMultiplies: boolean,
): Half {
  const read = variablesRead({ inputs: [], equations, outputs });
  const own = inputs.flatMap((input, at) => (read.has(input) ? [at] : []));
  return {
    program: { inputs: [...own.map((at) => inputs[at]), ...handed], equations, outputs },
    inputs: own,
    hardlyMultiplies,
  };
}
