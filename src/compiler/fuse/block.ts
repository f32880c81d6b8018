// One straight-line Program as the fuser sees it: who defines and who uses each variable, and which variables
// must lie in memory. The others are written out where they are used.
import { sizeOf, type Atom, type Equation, type Program, type Variable } from "../../array/index.js";
import { entryOf, isInlineable, smallExtent } from "../primitives/index.js";

export interface Definition {
  readonly equation: Equation;
  /** Which of its outputs. */
  readonly output: number;
}

export interface Block {
  readonly program: Program;
  readonly definitions: ReadonlyMap<Variable, Definition>;
  /** Variables of this program that lie in memory: inputs, outputs, and what is used in ways that need it. */
  readonly stored: ReadonlySet<Variable>;
  /** Stored variables that have the same elements in the same order as another, and lie where that one does. */
  readonly aliases: ReadonlyMap<Variable, Variable>;
  /** Whether a single row of few elements is written out, as it is where there are several. */
  readonly isRowWritten: boolean;
  /** Variables with a gather in them: written out at computed places again and again, they would grow without end. */
  readonly gathering: ReadonlySet<Variable>;
}

/** Analyses a program: which variables lie in memory. */
export function analyseBlock(program: Program, isRowWritten: boolean): Block {
  const definitions = new Map<Variable, Definition>();
  const uses = new Map<Variable, number>();
  const stored = new Set<Variable>(program.inputs);
  const count = (atom: Atom) => {
    if (atom.kind === "variable") uses.set(atom, (uses.get(atom) ?? 0) + 1);
  };
  for (const equation of program.equations) {
    equation.outputs.forEach((variable, output) => definitions.set(variable, { equation, output }));
    equation.inputs.forEach(count);
  }
  program.outputs.forEach(count);
  for (const output of program.outputs) if (output.kind === "variable") stored.add(output);
  for (const equation of program.equations) {
    if (!isInlineable(equation)) equation.outputs.forEach((variable) => stored.add(variable));
    const { form, needsMemory } = entryOf(equation);
    equation.inputs.forEach((atom, operand) => {
      if (atom.kind === "variable" && needsMemory(equation, operand)) {
        stored.add(form?.kind === "product" ? viewRoot(atom, definitions) : atom);
      }
    });
  }
  storeWhatIsDear(program, uses, stored);
  storeBeforeUpdates(program, definitions, stored);
  const aliases = findAliases(program, stored);
  return { program, definitions, stored, aliases, isRowWritten, gathering: gatheringVariables(program) };
}

/** Results keep places of their own. */
function findAliases(program: Program, stored: ReadonlySet<Variable>): Map<Variable, Variable> {
  const found = new Map<Variable, Variable>();
  const results = new Set<Atom>(program.outputs);
  for (const equation of program.equations) {
    const {
      inputs: [operand],
      outputs: [output],
    } = equation;
    if (!entryOf(equation).isRelabelling || operand.kind === "literal" || !stored.has(operand)) continue;
    if (stored.has(output) && !results.has(output)) found.set(output, operand);
  }
  return found;
}

function gatheringVariables(program: Program): Set<Variable> {
  const found = new Set<Variable>();
  for (const equation of program.equations) {
    const { inputs, outputs } = equation;
    const hasOne = inputs.some((input) => input.kind === "variable" && found.has(input));
    if (entryOf(equation).isLookUp || (hasOne && isInlineable(equation)))
      outputs.forEach((variable) => found.add(variable));
  }
  return found;
}

/** What a product reads through affine views: the first variable that is not one. */
function viewRoot(variable: Variable, definitions: ReadonlyMap<Variable, Definition>): Variable {
  for (let root = variable; ;) {
    const equation = definitions.get(root)?.equation;
    const operand = equation?.inputs[0];
    if (equation === undefined || operand?.kind !== "variable") return root;
    if (!entryOf(equation).isAffine(equation)) return root;
    root = operand;
  }
}

/** No more than so many equations are written out inside one another. */
const deepest = 150;

/** Adds variables that would cost too much to write out at every use. */
function storeWhatIsDear(program: Program, uses: ReadonlyMap<Variable, number>, stored: Set<Variable>): void {
  const cost = new Map<Variable, number>();
  const depth = new Map<Variable, number>();
  const apart = takenApart(program);
  const depthSoFar = (atom: Atom): number =>
    atom.kind === "literal" || stored.has(atom) ? 0 : (depth.get(atom) ?? 0);
  const costSoFar = (atom: Atom): number =>
    atom.kind === "literal" || stored.has(atom) ? 0 : (cost.get(atom) ?? 0);
  for (const equation of program.equations) {
    const { inputs, outputs } = equation;
    if (!isInlineable(equation)) continue;
    const { cost: own, isSpreading, repeats } = entryOf(equation);
    // Operands whose elements are used more than once each.
    if (isSpreading) storeBeforeSpreading(equation, costSoFar, stored);
    const total = inputs.reduce((sum, input) => sum + costSoFar(input) * repeats, own);
    const levels = 1 + Math.max(0, ...inputs.map(depthSoFar));
    for (const output of outputs) {
      cost.set(output, total);
      depth.set(output, levels);
      const isShared = (uses.get(output) ?? 0) > 1 && !apart.has(output);
      if ((isShared && total > 3) || total > 150 || levels > deepest) stored.add(output);
    }
  }
}

/** Look-ups of which others take different parts: no element is written out more than once. */
function takenApart(program: Program): Set<Variable> {
  const parts = new Map<Atom, number>();
  for (const equation of program.equations) {
    const { primitive, inputs, outputs } = equation;
    const taken = primitive.name === "slice" ? sizeOf(outputs[0].type.shape) : Infinity;
    for (const input of inputs) parts.set(input, (parts.get(input) ?? 0) + taken);
  }
  for (const output of program.outputs) parts.set(output, Infinity);
  const lookUps = program.equations.filter((equation) => entryOf(equation).isLookUp);
  const outputs = lookUps.flatMap((equation) => equation.outputs);
  return new Set(outputs.filter((output) => (parts.get(output) ?? 0) <= sizeOf(output.type.shape)));
}

/** A value spread over a new axis is computed before, unless that is next to nothing or it is a scalar. */
function storeBeforeSpreading(
  equation: Equation,
  costSoFar: (atom: Atom) => number,
  stored: Set<Variable>,
): void {
  const [operand] = equation.inputs;
  if (operand.kind === "literal" || operand.type.shape.length === 0) return;
  const growth = sizeOf(equation.outputs[0].type.shape) / Math.max(1, sizeOf(operand.type.shape));
  if (growth > smallExtent && costSoFar(operand) > 2) stored.add(operand);
}

/** Whether an equation writes over a part of its first operand. */
const isUpdate = (equation: Equation): boolean => entryOf(equation).isUpdate && !isInlineable(equation);

/**
 * Adds what is written over a part of an array, and where to, if it is computed from that array: then nothing
 * reads the old array once the new one is begun, and the new one can take its place.
 */
function storeBeforeUpdates(
  program: Program,
  definitions: ReadonlyMap<Variable, Definition>,
  stored: Set<Variable>,
): void {
  /** What an array was before all of its updates. */
  const origins = new Map<Atom, Atom>();
  const originOf = (atom: Atom): Atom => origins.get(atom) ?? atom;
  for (const equation of program.equations.filter(isUpdate)) {
    const [array, ...others] = equation.inputs;
    const origin = originOf(array);
    origins.set(equation.outputs[0], origin);
    for (const atom of others) {
      if (atom.kind === "literal" || stored.has(atom)) continue;
      const written = new Set<Atom>([atom]);
      // A set that grows while it is walked through is walked to its new end.
      for (const inner of written) {
        if (inner.kind === "literal" || stored.has(inner)) continue;
        definitions.get(inner)?.equation.inputs.forEach((input) => written.add(input));
      }
      if ([...written].some((inner) => stored.has(inner as Variable) && originOf(inner) === origin))
        stored.add(atom);
    }
  }
}
