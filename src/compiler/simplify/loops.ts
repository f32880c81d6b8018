// Simplifying loops and branches: what is known outside is known inside, what stays the same from one iteration to the next
// is no carry, and what does not depend on the iteration is computed before the loop.
import {
  hasEffect,
  newVariable,
  subPrograms,
  type Atom,
  type CondParams,
  type Equation,
  type Program,
  type ScanParams,
  type Variable,
  type WhileParams,
} from "../../array/index.js";
import { entryOf } from "../primitives/index.js";

/** What an equation with programs inside becomes. */
export interface Improved {
  /** Equations to run before it. */
  readonly before: readonly Equation[];
  /** Null if nothing is left of it. */
  readonly equation: Equation | null;
  /** What some of its results are known to be. */
  readonly names: ReadonlyMap<Variable, Atom>;
}

type Simplify = (program: Program) => Program;

/** A simpler form of a loop or branch; `simplify` simplifies the programs inside. */
export function improve(equation: Equation, simplify: Simplify): Improved {
  switch (equation.primitive.name) {
    case "scan":
      return improveScan(equation, simplify);
    case "while":
      return improveWhile(equation, simplify);
    case "cond":
      return improveCond(equation, simplify);
    default:
      return { before: [], equation, names: new Map() };
  }
}

/** A program with some inputs replaced by what they are known to be. */
function specialise(program: Program, known: ReadonlyMap<Variable, Atom>): Program {
  if (known.size === 0) return program;
  const rename = (atom: Atom): Atom => (atom.kind === "variable" ? (known.get(atom) ?? atom) : atom);
  return {
    inputs: program.inputs.filter((input) => !known.has(input)),
    equations: program.equations.map((equation) => ({ ...equation, inputs: equation.inputs.map(rename) })),
    outputs: program.outputs.map(rename),
  };
}

/** The inputs of a program that are given as literals. */
function literalInputs(inputs: readonly Variable[], given: readonly Atom[]): Map<Variable, Atom> {
  return new Map(
    given.flatMap((atom, index) => (atom.kind === "literal" ? [[inputs[index], atom] as const] : [])),
  );
}

const isVariable = (atom: Atom): boolean => atom.kind === "variable";

/** Which carries leave a body as they came in. */
const staying = (carries: readonly Variable[], outputs: readonly Atom[]): boolean[] =>
  carries.map((carry, index) => outputs[index] === carry);

const where = <T>(list: readonly T[], flags: readonly boolean[], wanted: boolean): T[] =>
  list.filter((_, index) => flags[index] === wanted);

// ---- scan ---------------------------------------------------------------------------------------------

function improveScan(equation: Equation, simplify: Simplify): Improved {
  const params = equation.params as ScanParams;
  const { constants: count, carries } = params;
  const given = equation.inputs.slice(0, count);
  const body = simplify(specialise(params.body, literalInputs(params.body.inputs, given)));
  const constants = given.filter(isVariable);
  const own = body.inputs.slice(constants.length, constants.length + carries);
  const initial = equation.inputs.slice(count, count + carries);
  const stays = staying(own, body.outputs);
  const results = equation.outputs.slice(0, carries);
  const moved: Equation = {
    ...equation,
    inputs: [
      ...constants,
      ...where(initial, stays, true),
      ...where(initial, stays, false),
      ...equation.inputs.slice(count + carries),
    ],
    outputs: [...where(results, stays, false), ...equation.outputs.slice(carries)],
    params: {
      ...params,
      constants: constants.length + where(own, stays, true).length,
      carries: where(own, stays, false).length,
      body: {
        ...body,
        inputs: [
          ...body.inputs.slice(0, constants.length),
          ...where(own, stays, true),
          ...where(own, stays, false),
          ...body.inputs.slice(constants.length + carries),
        ],
        outputs: [...where(body.outputs.slice(0, carries), stays, false), ...body.outputs.slice(carries)],
      },
    } satisfies ScanParams,
  };
  const names = new Map(
    where(results, stays, true).map((result, at) => [result, where(initial, stays, true)[at]]),
  );
  if (moved.outputs.length === 0 && !hasEffect(moved)) return { before: [], equation: null, names };
  // A literal that is no longer carried can be written into the body now.
  if (names.size > 0) {
    const again = improveScan(moved, simplify);
    return { ...again, names: new Map([...names, ...again.names]) };
  }
  const { before, program, added, outer } = hoist(body, constants);
  const hoisted: Equation = {
    ...moved,
    inputs: [...constants, ...outer, ...moved.inputs.slice(constants.length)],
    params: {
      ...params,
      body: {
        ...program,
        inputs: [
          ...program.inputs.slice(0, constants.length),
          ...added,
          ...program.inputs.slice(constants.length),
        ],
      },
      constants: constants.length + added.length,
    } satisfies ScanParams,
  };
  return { before, equation: hoisted, names };
}

// ---- while --------------------------------------------------------------------------------------------

function improveWhile(equation: Equation, simplify: Simplify): Improved {
  const params = equation.params as WhileParams;
  const { testConstants, bodyConstants } = params;
  const testGiven = equation.inputs.slice(0, testConstants);
  const bodyGiven = equation.inputs.slice(testConstants, testConstants + bodyConstants);
  const initial = equation.inputs.slice(testConstants + bodyConstants);
  const test = simplify(specialise(params.test, literalInputs(params.test.inputs, testGiven)));
  const body = simplify(specialise(params.body, literalInputs(params.body.inputs, bodyGiven)));
  const ofTest = testGiven.filter(isVariable);
  const ofBody = bodyGiven.filter(isVariable);
  const carry = body.inputs.slice(ofBody.length);
  const tested = test.inputs.slice(ofTest.length);
  const stays = staying(carry, body.outputs);
  const fixed = where(initial, stays, true);
  const names = new Map(where(equation.outputs, stays, true).map((result, at) => [result, fixed[at]]));
  const moved: Equation = {
    ...equation,
    inputs: [...ofTest, ...fixed, ...ofBody, ...fixed, ...where(initial, stays, false)],
    outputs: where(equation.outputs, stays, false),
    params: {
      test: {
        ...test,
        inputs: [
          ...test.inputs.slice(0, ofTest.length),
          ...where(tested, stays, true),
          ...where(tested, stays, false),
        ],
      },
      body: {
        ...body,
        inputs: [
          ...body.inputs.slice(0, ofBody.length),
          ...where(carry, stays, true),
          ...where(carry, stays, false),
        ],
        outputs: where(body.outputs, stays, false),
      },
      testConstants: ofTest.length + fixed.length,
      bodyConstants: ofBody.length + fixed.length,
      tangents: 0,
    } satisfies WhileParams,
  };
  if (names.size > 0 && moved.outputs.length > 0) {
    const again = improveWhile(moved, simplify);
    return { ...again, names: new Map([...names, ...again.names]) };
  }
  const fromTest = hoist(test, ofTest);
  const fromBody = hoist(body, ofBody);
  const withAdded = ({ program, added }: Hoisted, constants: number): Program => ({
    ...program,
    inputs: [...program.inputs.slice(0, constants), ...added, ...program.inputs.slice(constants)],
  });
  const hoisted: Equation = {
    ...equation,
    inputs: [...ofTest, ...fromTest.outer, ...ofBody, ...fromBody.outer, ...initial],
    params: {
      test: withAdded(fromTest, ofTest.length),
      body: withAdded(fromBody, ofBody.length),
      testConstants: ofTest.length + fromTest.added.length,
      bodyConstants: ofBody.length + fromBody.added.length,
      tangents: 0,
    } satisfies WhileParams,
  };
  return { before: [...fromTest.before, ...fromBody.before], equation: hoisted, names: new Map() };
}

// ---- cond ---------------------------------------------------------------------------------------------

function improveCond(equation: Equation, simplify: Simplify): Improved {
  const { branches } = equation.params as CondParams;
  const [index, ...operands] = equation.inputs;
  if (index.kind === "literal") {
    const branch = branches[Math.min(Math.max(index.value, 0), branches.length - 1)];
    return inlined(branch, operands, equation.outputs);
  }
  const simpler = branches.map((branch) =>
    simplify(specialise(branch, literalInputs(branch.inputs, operands))),
  );
  return {
    before: [],
    equation: {
      ...equation,
      inputs: [index, ...operands.filter(isVariable)],
      params: { branches: simpler } satisfies CondParams,
    },
    names: new Map(),
  };
}

/** A program in the place of the equation that it was inside of. */
function inlined(program: Program, operands: readonly Atom[], results: readonly Variable[]): Improved {
  const known = new Map<Variable, Atom>(program.inputs.map((input, index) => [input, operands[index]]));
  const rename = (atom: Atom): Atom => (atom.kind === "variable" ? (known.get(atom) ?? atom) : atom);
  const before = program.equations.map((equation) => renewed(equation, known));
  return {
    before,
    equation: null,
    names: new Map(results.map((result, index) => [result, rename(program.outputs[index])])),
  };
}

/** An equation for another program: inputs by their names there, outputs new and named in `known`. */
function renewed(equation: Equation, known: Map<Variable, Atom>): Equation {
  const inputs = equation.inputs.map((atom) => (atom.kind === "variable" ? (known.get(atom) ?? atom) : atom));
  const outputs = equation.outputs.map((output) => {
    const renamed = newVariable(output.type);
    known.set(output, renamed);
    return renamed;
  });
  return { ...equation, inputs, outputs };
}

// ---- out of loops -------------------------------------------------------------------------------------

interface Hoisted {
  /** Equations for the program around. */
  readonly before: readonly Equation[];
  /** The body without them; what they computed are new inputs, not listed yet. */
  readonly program: Program;
  readonly added: readonly Variable[];
  /** What to pass for the new inputs. */
  readonly outer: readonly Atom[];
}

/** Less than this is computed again in every iteration: reading it from memory costs as much. */
const worthKeeping = 4;

/** Whether something loops as long as it likes: a loop around it that has no iteration would not run it at all. */
const mayNotEnd = (equation: Equation): boolean =>
  equation.primitive.name === "while" ||
  subPrograms(equation).some((program) => program.equations.some(mayNotEnd));

/** Takes work out of a body that depends on nothing but its constants, the first inputs. */
function hoist(program: Program, constants: readonly Atom[]): Hoisted {
  const known = new Map<Variable, Atom>(
    constants.map((constant, index) => [program.inputs[index], constant]),
  );
  const expensive = new Set<Equation>();
  const invariant = new Map<Variable, Equation | null>(
    constants.map((_, index) => [program.inputs[index], null]),
  );
  const cost = new Map<Variable, number>();
  for (const equation of program.equations) {
    const { inputs, outputs } = equation;
    const isInvariant = inputs.every((atom) => atom.kind === "literal" || invariant.has(atom));
    if (!isInvariant || hasEffect(equation) || mayNotEnd(equation)) continue;
    const { cost: own, isView, operation } = entryOf(equation);
    const total = inputs.reduce(
      (sum, atom) => sum + (atom.kind === "variable" ? (cost.get(atom) ?? 0) : 0),
      own,
    );
    const isExpensive = !isView && (total >= worthKeeping || operation === null);
    if (isExpensive) expensive.add(equation);
    for (const output of outputs) {
      invariant.set(output, equation);
      cost.set(output, isExpensive ? 0 : total);
    }
  }
  if (expensive.size === 0) return { before: [], program, added: [], outer: [] };
  const needed = new Set(expensive);
  // A set that grows while it is walked through is walked to its new end.
  for (const { inputs } of needed) {
    for (const atom of inputs) {
      const source = atom.kind === "variable" ? invariant.get(atom) : null;
      if (source !== null && source !== undefined) needed.add(source);
    }
  }
  const before = program.equations
    .filter((equation) => needed.has(equation))
    .map((equation) => renewed(equation, known));
  const added = [...expensive].flatMap((equation) => equation.outputs);
  return {
    before,
    program: { ...program, equations: program.equations.filter((equation) => !expensive.has(equation)) },
    added,
    outer: added.map((variable) => known.get(variable) as Atom),
  };
}
