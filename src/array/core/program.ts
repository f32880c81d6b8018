// A Program: typed straight-line code in single assignment form. Loops and branches are equations whose
// parameters hold Programs.
import type { Primitive } from "./primitive.js";
import type { ArrayType } from "./type.js";

/** A value computed once, or given as an input. */
export interface Variable {
  readonly kind: "variable";
  readonly id: number;
  readonly type: ArrayType;
}

/** A scalar written into the program. */
export interface Literal {
  readonly kind: "literal";
  readonly value: number;
  readonly type: ArrayType;
}

export type Atom = Variable | Literal;

/** `outputs = primitive(inputs; params)`. */
export interface Equation {
  readonly primitive: Primitive;
  readonly inputs: readonly Atom[];
  readonly params: object;
  readonly outputs: readonly Variable[];
  /** Holds the stack where the user wrote it, for primitives that may be refused later by a transform. */
  readonly origin: Error | null;
}

/** A function of arrays as data. Nothing in it refers to anything outside it. */
export interface Program {
  readonly inputs: readonly Variable[];
  readonly equations: readonly Equation[];
  readonly outputs: readonly Atom[];
}

let lastId = 0;

export const newVariable = (type: ArrayType): Variable => ({ kind: "variable", id: ++lastId, type });

export const newLiteral = (value: number, type: ArrayType): Literal => ({ kind: "literal", value, type });

export const typesOf = (atoms: readonly Atom[]): ArrayType[] => atoms.map((atom) => atom.type);

/** The Programs inside an equation: loop bodies and branches. */
export const subPrograms = (equation: Equation): readonly Program[] =>
  equation.primitive.subPrograms?.(equation.params) ?? [];

/** The equation with other Programs inside; itself if these are the same. */
export function mapSubPrograms(equation: Equation, map: (program: Program) => Program): Equation {
  const mapped = new Map<unknown, Program>(subPrograms(equation).map((program) => [program, map(program)]));
  if ([...mapped].every(([program, other]) => program === other)) return equation;
  const swap = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(swap) : (mapped.get(value) ?? value);
  const params = Object.fromEntries(
    Object.entries(equation.params).map(([name, value]) => [name, swap(value)]),
  );
  return { ...equation, params };
}

/** Whether running the equation does something besides computing its outputs. */
export const hasEffect = (equation: Equation): boolean =>
  equation.primitive.effect === true ||
  subPrograms(equation).some((program) => program.equations.some(hasEffect));

/** How many equations a program has, those of loops and branches included. */
export const countEquations = (program: Program): number =>
  program.equations.reduce(
    (count, equation) =>
      count + 1 + subPrograms(equation).reduce((inner, body) => inner + countEquations(body), 0),
    0,
  );

/** The variables that a program's equations or outputs refer to. */
export function variablesRead(program: Program): Set<Variable> {
  const read = new Set<Variable>();
  const visit = (atom: Atom) => {
    if (atom.kind === "variable") read.add(atom);
  };
  for (const equation of program.equations) equation.inputs.forEach(visit);
  program.outputs.forEach(visit);
  return read;
}
