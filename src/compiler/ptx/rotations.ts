// Formulas turn bits around by two shifts, of which the machine makes one instruction.
import type { Formula, Term } from "../math/index.js";

/** The bits of a word, turned to the left. */
interface Rotation {
  readonly word: Term;
  readonly by: number;
}

/** Which terms of a formula are rotations, and what they are made of that nothing else needs. */
export interface Rotations {
  readonly made: ReadonlyMap<Term, Rotation>;
  readonly needless: ReadonlySet<Term>;
}

const known = new WeakMap<Formula, Rotations>();

export function rotationsIn(formula: Formula): Rotations {
  const found = known.get(formula) ?? find(formula);
  known.set(formula, found);
  return found;
}

function find({ terms, results }: Formula): Rotations {
  const made = new Map<Term, Rotation>();
  for (const term of terms) {
    const rotation = rotationOf(term);
    if (rotation !== null) made.set(term, rotation);
  }
  const needed = new Set(results);
  for (const term of terms) {
    const rotation = made.get(term);
    if (rotation !== undefined) needed.add(rotation.word);
    else if (term.kind === "operation") for (const input of term.inputs) needed.add(input);
  }
  return { made, needless: new Set(terms.filter((term) => !needed.has(term))) };
}

function rotationOf(term: Term): Rotation | null {
  if (term.kind !== "operation" || term.name !== "or" || term.dtype !== "uint32") return null;
  const [left, right] = term.inputs.map(shiftOf);
  if (left?.name !== "shiftLeft" || right?.name !== "shiftRightLogical") return null;
  return left.word === right.word && left.by + right.by === 32 ? { word: left.word, by: left.by } : null;
}

function shiftOf(term: Term): { readonly name: string; readonly word: Term; readonly by: number } | null {
  if (term.kind !== "operation" || term.inputs.length !== 2) return null;
  const [word, by] = term.inputs;
  return by.kind === "constant" ? { name: term.name, word, by: by.value } : null;
}
