// Arrays that are only computed element by element, as what optimisers carry along, in a shape with a row for each device: where
// there are more devices than an array has rows or columns, it can still be divided among all of them.
import type { BroadcastParams } from "../primitives/broadcast.js";
import type { ScanParams } from "../control/scanParams.js";
import {
  mapSubPrograms,
  newVariable,
  subPrograms,
  type Atom,
  type Equation,
  type Program,
  type Variable,
} from "../core/program.js";
import { sizeOf, type Shape } from "../core/shape.js";
import type { ReduceParams } from "../primitives/reduce.js";
import { reshape } from "../primitives/reshape.js";
import { isElementwise } from "./elementwise.js";

/**
 * The program with such carries of loops as rows for so many devices, and what is computed element by element with them; itself where
 * there are none. Shapes that the devices divide anyway stay as they are.
 */
export function flattenCarries(program: Program, devices: number): Program {
  const isFlat = (shape: Shape) =>
    sizeOf(shape) > 0 &&
    sizeOf(shape) % devices === 0 &&
    shape.every((extent) => extent % devices !== 0);
  const rows: Rows = { devices, isFlat, known: new Map() };
  const isAny = scansIn(program).some((equation) => flatCarries(equation, rows).size > 0);
  return isAny ? flattened(program, new Set(), rows) : program;
}

const scansIn = ({ equations }: Program): Equation[] =>
  equations.flatMap((equation) => [
    ...(equation.primitive.name === "scan" ? [equation] : []),
    ...subPrograms(equation).flatMap(scansIn),
  ]);

interface Rows {
  readonly devices: number;
  /** Whether arrays of a shape are to have another one. */
  readonly isFlat: (shape: Shape) => boolean;
  /** What is known of loops. */
  readonly known: Map<Equation, ReadonlySet<number>>;
}

const rowsOf = (shape: Shape, { devices }: Rows): Shape => [devices, sizeOf(shape) / devices];

const scanOf = (equation: Equation): ScanParams | null =>
  equation.primitive.name === "scan" ? (equation.params as ScanParams) : null;

/** The carries of a loop that are only computed element by element, inside of loops, too. */
function flatCarries(equation: Equation, rows: Rows): ReadonlySet<number> {
  const params = scanOf(equation);
  if (params === null) return new Set();
  const known = rows.known.get(equation);
  if (known !== undefined) return known;
  const { body, constants, carries } = params;
  const found = new Set<number>();
  rows.known.set(equation, found);
  for (let index = 0; index < carries; index++) {
    const input = body.inputs[constants + index];
    if (rows.isFlat(input.type.shape) && isOnlyCarried(body, input, body.outputs[index], rows)) found.add(index);
  }
  return found;
}

/** Whether a body only computes with a value element by element, or hands it on, and makes another one of it likewise. */
function isOnlyCarried({ equations, outputs }: Program, value: Variable, next: Atom, rows: Rows): boolean {
  const carriesIn = (equation: Equation, list: readonly Atom[], atom: Atom, first: number): boolean => {
    const flat = flatCarries(equation, rows);
    return list.every((one, at) => one !== atom || flat.has(at - first));
  };
  const users = equations.filter(({ inputs }) => inputs.includes(value));
  const maker = equations.find((equation) => equation.outputs.includes(next as Variable));
  const isMadeOfIt = maker !== undefined && (isElementwise(maker) || carriesIn(maker, maker.outputs, next, 0));
  return (
    isMadeOfIt &&
    outputs.filter((output) => output === value).length === 0 &&
    users.length > 0 &&
    users.every(
      (user) => isElementwise(user) || carriesIn(user, user.inputs, value, scanOf(user)?.constants ?? 0),
    )
  );
}

/** A program with some of its inputs, and outputs of the same numbers as far as there are, in rows. */
function flattened(program: Program, carried: ReadonlySet<number>, rows: Rows, constants = 0): Program {
  const flat = inRows(program, carried, rows, constants);
  const names = new Map<Variable, Atom>();
  const rowNames = new Map<Variable, Atom>();
  const equations: Equation[] = [];
  const shaped = (atom: Atom, shape: Shape): Atom => {
    const output = newVariable({ ...atom.type, shape });
    equations.push({ primitive: reshape, params: { shape }, inputs: [atom], outputs: [output], origin: null });
    return output;
  };
  const asIs = (atom: Atom): Atom => {
    if (atom.kind === "literal") return atom;
    const found = names.get(atom) ?? shaped(rowNames.get(atom) as Atom, atom.type.shape);
    names.set(atom, found);
    return found;
  };
  const asRows = (atom: Atom): Atom => {
    if (atom.kind === "literal" || atom.type.shape.length === 0) return asIs(atom);
    const found = rowNames.get(atom) ?? shaped(asIs(atom), rowsOf(atom.type.shape, rows));
    rowNames.set(atom, found);
    return found;
  };
  const define = (variable: Variable, isFlat: boolean): Variable => {
    const shape = isFlat ? rowsOf(variable.type.shape, rows) : variable.type.shape;
    const own = newVariable({ ...variable.type, shape });
    (isFlat ? rowNames : names).set(variable, own);
    return own;
  };
  const inputs = program.inputs.map((input, at) => define(input, carried.has(at - constants)));
  for (const equation of program.equations) {
    const own = scanOf(equation);
    const first = own?.constants ?? 0;
    const within = flatCarries(equation, rows);
    const isComputed = flat.has(equation.outputs[0]) && isOfElements(equation);
    const isTotal = isWholeSum(equation) && flat.has(equation.inputs[0] as Variable);
    const given = equation.inputs.map((input, at) =>
      isComputed || isTotal || within.has(at - first) ? asRows(input) : asIs(input),
    );
    const params =
      own !== null
        ? { ...own, body: flattened(own.body, within, rows, first) }
        : isTotal
          ? ({ ...equation.params, axes: [0, 1] } as ReduceParams)
          : isComputed && equation.primitive.name === "broadcast"
            ? ({ shape: rowsOf(equation.outputs[0].type.shape, rows), axes: [] } satisfies BroadcastParams)
            : equation.params;
    const outputs = equation.outputs.map((output, at) => define(output, isComputed || within.has(at)));
    const made = { ...equation, inputs: given, params, outputs };
    equations.push(own === null ? mapSubPrograms(made, (inner) => flattened(inner, new Set(), rows)) : made);
  }
  const outputs = program.outputs.map((output, at) => (carried.has(at) ? asRows(output) : asIs(output)));
  return { inputs, equations, outputs };
}

const isWholeSum = ({ primitive, params, inputs }: Equation): boolean =>
  primitive.name === "reduceSum" && (params as ReduceParams).axes.length === inputs[0].type.shape.length;

/** Whether an array is computed element by element, maybe of numbers alone. */
const isOfElements = (equation: Equation): boolean =>
  isElementwise(equation) ||
  (equation.primitive.name === "broadcast" && equation.inputs[0].type.shape.length === 0);

/** The values that are used in rows: carries, and all that is computed element by element with what is. */
function inRows(
  { inputs, equations, outputs }: Program,
  carried: ReadonlySet<number>,
  rows: Rows,
  constants: number,
): ReadonlySet<Variable> {
  const found = new Set<Variable>();
  const add = (atom: Atom) => {
    if (atom.kind === "variable" && rows.isFlat(atom.type.shape)) found.add(atom);
  };
  for (const at of carried) {
    add(inputs[constants + at]);
    add(outputs[at]);
  }
  for (const equation of equations) {
    const first = scanOf(equation)?.constants ?? 0;
    for (const at of flatCarries(equation, rows)) {
      add(equation.inputs[first + at]);
      add(equation.outputs[at]);
    }
  }
  const computed = equations.filter((one) => rows.isFlat(one.outputs[0]?.type.shape ?? []) && isOfElements(one));
  for (let size = -1; size < found.size;) {
    size = found.size;
    for (const one of computed) {
      const isWith = [...one.inputs, ...one.outputs].some((atom) => found.has(atom as Variable));
      if (!isWith) continue;
      [...one.inputs, ...one.outputs].forEach(add);
    }
  }
  return found;
}
