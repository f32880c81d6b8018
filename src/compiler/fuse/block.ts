// One straight-line Program as the fuser sees it: who defines and who uses each variable, and which variables
// must lie in memory. The others are written out where they are used.
import {
  sizeOf,
  type Atom,
  type BroadcastParams,
  type Equation,
  type GatherParams,
  type PadParams,
  type Program,
  type ReduceParams,
  type ScatterParams,
  type Variable,
} from "../../array/index.js";
import { isCollective } from "../collectives.js";
import { costOf, elementwise, views } from "../costs.js";

/** Reductions of up to so many elements, and indices into axes up to so long, are written out. */
export const smallExtent = 8;

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
  /** Variables with a gather in them: written out at computed places again and again, they would grow without end. */
  readonly gathering: ReadonlySet<Variable>;
}

/** What is written out with a look at the position, which the tiles of products do not know. */
const positional = new Set(["iota", "pad", "concatenate", "scatter"]);

/** Cheap and simple enough for the end of a matrix product's inner loop. */
export const canFollowProduct = (name: string): boolean => costOf(name) <= 4 && !positional.has(name);

const shapeOf = (atom: Atom): readonly number[] => atom.type.shape;

/** Whether a reshape only adds or drops axes of extent 1. */
export const isTrivialReshape = (from: readonly number[], to: readonly number[]): boolean => {
  const [a, b] = [from, to].map((shape) => shape.filter((extent) => extent !== 1));
  return a.length === b.length && a.every((extent, axis) => extent === b[axis]);
};

/** Whether an equation's result can be written out where it is used. */
export function isInlineable(equation: Equation): boolean {
  const { primitive, inputs, params } = equation;
  switch (primitive.name) {
    case "pad": {
      const { low, high, interior } = params as PadParams;
      const inner = sizeOf(shapeOf(inputs[0]).slice(1));
      const reach = Math.max(0, ...[...low, ...high].map((by) => Math.abs(by))) * inner;
      return interior.every((by) => by === 0) && reach <= 8192;
    }
    case "reduceSum":
    case "reduceMax":
    case "reduceMin":
      return sizeOf((params as ReduceParams).axes.map((axis) => shapeOf(inputs[0])[axis])) <= smallExtent;
    case "argMax":
    case "argMin":
      return shapeOf(inputs[0])[(params as { readonly axis: number }).axis] <= smallExtent;
    case "gather":
      return true;
    case "concatenate":
      return equation.outputs[0].type.shape[(params as { readonly axis: number }).axis] <= smallExtent;
    case "scatter":
      return isSmallScatter(equation);
    default:
      return views.has(primitive.name) || elementwise.has(primitive.name);
  }
}

/** Index into one short axis, with everything before it a batch axis. */
const isSmallGather = ({ inputs, params }: Equation): boolean => {
  const { batchDims } = params as GatherParams;
  const indices = shapeOf(inputs[1]);
  return indices[indices.length - 1] === 1 && shapeOf(inputs[0])[batchDims] <= smallExtent;
};

/** Few updates of one short axis: every element of the result asks each update whether it is meant. */
const isSmallScatter = ({ inputs, params }: Equation): boolean => {
  const { batchDims } = params as ScatterParams;
  const indices = shapeOf(inputs[2]);
  const updates = sizeOf(indices.slice(batchDims, -1));
  return indices[indices.length - 1] === 1 && shapeOf(inputs[0])[batchDims] <= smallExtent && updates <= 4;
};

/** Operands that an equation needs in memory, as they are or through views. */
function needsMemory(equation: Equation, operand: number): boolean {
  const { primitive, inputs, params } = equation;
  switch (primitive.name) {
    case "dot":
    case "sort":
    case "scan":
    case "while":
    case "cond":
    case "debugPrint":
      return true;
    case "gather":
      return operand === 0 && !isSmallGather(equation);
    case "window":
      return true;
    case "reshape":
      return !isTrivialReshape(shapeOf(inputs[0]), (params as { readonly shape: readonly number[] }).shape);
    default:
      return isCollective(primitive.name);
  }
}

/** Analyses a program: which variables lie in memory. */
export function analyseBlock(program: Program): Block {
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
    equation.inputs.forEach((atom, operand) => {
      if (atom.kind === "variable" && needsMemory(equation, operand)) {
        stored.add(equation.primitive.name === "dot" ? viewRoot(atom, definitions) : atom);
      }
    });
  }
  storeWhatIsDear(program, uses, stored);
  storeBeforeUpdates(program, definitions, stored);
  return { program, definitions, stored, gathering: gatheringVariables(program) };
}

function gatheringVariables(program: Program): Set<Variable> {
  const found = new Set<Variable>();
  for (const equation of program.equations) {
    const { primitive, inputs, outputs } = equation;
    const hasOne = inputs.some((input) => input.kind === "variable" && found.has(input));
    if (primitive.name === "gather" || (hasOne && isInlineable(equation)))
      outputs.forEach((variable) => found.add(variable));
  }
  return found;
}

const affineViews = new Set([
  "broadcast",
  "reshape",
  "transpose",
  "slice",
  "window",
  "stopGradient",
  "barrier",
  "gammaSample",
]);

/** What a product reads through affine views: the first variable that is not one. */
function viewRoot(variable: Variable, definitions: ReadonlyMap<Variable, Definition>): Variable {
  for (let root = variable; ;) {
    const equation = definitions.get(root)?.equation;
    const operand = equation?.inputs[0];
    if (equation === undefined || operand?.kind !== "variable") return root;
    const { name } = equation.primitive;
    if (!affineViews.has(name)) return root;
    if (name === "reshape" && !isTrivialReshape(shapeOf(operand), root.type.shape)) return root;
    root = operand;
  }
}

/** No more than so many equations are written out inside one another. */
const deepest = 150;

/** Adds variables that would cost too much to write out at every use. */
function storeWhatIsDear(program: Program, uses: ReadonlyMap<Variable, number>, stored: Set<Variable>): void {
  const cost = new Map<Variable, number>();
  const depth = new Map<Variable, number>();
  const depthSoFar = (atom: Atom): number =>
    atom.kind === "literal" || stored.has(atom) ? 0 : (depth.get(atom) ?? 0);
  const costSoFar = (atom: Atom): number =>
    atom.kind === "literal" || stored.has(atom) ? 0 : (cost.get(atom) ?? 0);
  for (const equation of program.equations) {
    const { primitive, inputs, outputs } = equation;
    if (!isInlineable(equation)) continue;
    // Operands whose elements are used more than once each.
    if (primitive.name === "broadcast") storeBeforeBroadcast(equation, costSoFar, stored);
    const repeats =
      primitive.name.startsWith("reduce") || primitive.name.startsWith("arg") ? smallExtent / 2 : 1;
    const total = inputs.reduce((sum, input) => sum + costSoFar(input) * repeats, costOf(primitive.name));
    const levels = 1 + Math.max(0, ...inputs.map(depthSoFar));
    for (const output of outputs) {
      cost.set(output, total);
      depth.set(output, levels);
      const isShared = (uses.get(output) ?? 0) > 1;
      if ((isShared && total > 3) || total > 150 || levels > deepest) stored.add(output);
    }
  }
}

/** A value spread over a new axis is computed before, unless that is next to nothing or it is a scalar. */
function storeBeforeBroadcast(
  equation: Equation,
  costSoFar: (atom: Atom) => number,
  stored: Set<Variable>,
): void {
  const [operand] = equation.inputs;
  if (operand.kind === "literal" || operand.type.shape.length === 0) return;
  const growth = sizeOf((equation.params as BroadcastParams).shape) / Math.max(1, sizeOf(operand.type.shape));
  if (growth > smallExtent && costSoFar(operand) > 2) stored.add(operand);
}

/** Whether an equation writes over a part of its first operand. */
export const isUpdate = (equation: Equation): boolean =>
  ["dynamicUpdateSlice", "scatter"].includes(equation.primitive.name) && !isInlineable(equation);

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
