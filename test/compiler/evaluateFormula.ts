// What a formula gives, term by term, by the interpreter's primitives: every operation is rounded to its dtype.
import { np, type Array } from "vibe-rl/array";
import { bind } from "../../src/array/core/trace.js";
import { primitives } from "../../src/array/primitives/index.js";
import type { Formula, Term } from "../../src/compiler/math/index.js";

/** What formulas leave to the machine. */
export interface Machine {
  /** How often `madd` of float32 is rounded. */
  readonly maddRoundings: 1 | 2;
  /** What becomes of floats that no int32 holds: the nearest one and 0 for NaN, or the smallest int32 for all. */
  readonly outOfRange: "nearest" | "smallest";
}

/** A machine as WebAssembly is with relaxed SIMD, one as x86 is without FMA. */
export const machines: Readonly<Record<string, Machine>> = {
  "rounding madd once": { maddRoundings: 1, outOfRange: "nearest" },
  "rounding madd twice": { maddRoundings: 2, outOfRange: "smallest" },
};

const named = new Map(primitives.map((primitive) => [primitive.name, primitive]));

function apply(name: string, inputs: readonly Array[], params: object = {}): Array {
  const primitive = named.get(name);
  if (primitive === undefined) throw new Error(`there is no primitive ${name}`);
  return bind(primitive, inputs, params)[0];
}

/** The results of a formula for arrays of operands. */
export function evaluate(formula: Formula, operands: readonly Array[], machine: Machine): Array[] {
  const values = new Map<Term, Array>();
  const valueOf = (term: Term): Array => {
    const value = values.get(term);
    if (value === undefined) throw new Error(`a term comes before its operand ${JSON.stringify(term)}`);
    return value;
  };
  for (const term of formula.terms) {
    if (term.kind === "operand") values.set(term, operands[term.operand]);
    else if (term.kind === "constant") values.set(term, np.array(term.value, { dtype: term.dtype }));
    else values.set(term, operate(term, term.inputs.map(valueOf), machine));
  }
  return formula.results.map(valueOf);
}

function operate(
  { name, dtype }: Extract<Term, { kind: "operation" }>,
  inputs: readonly Array[],
  { maddRoundings, outOfRange }: Machine,
): Array {
  const [x, y, z] = inputs;
  switch (name) {
    case "madd":
      if (maddRoundings === 1 && dtype === "float32") return apply("fma", inputs);
      return apply("add", [apply("mul", [x, y]), z]);
    case "maxNumber":
      return np.where(x.less(y), y, x);
    case "minNumber":
      return np.where(y.less(x), y, x);
    case "convert": {
      const converted = apply(name, inputs, { dtype });
      if (dtype !== "int32" || outOfRange === "nearest") return converted;
      return np.where(x.abs().less(2 ** 31), converted, np.int32(-(2 ** 31)));
    }
    case "bitcast":
      return apply(name, inputs, { dtype });
    default:
      return apply(name, inputs);
  }
}
