// Rows of several arrays that are looked up together, in one array: memory hands out 32 bytes at a time, so that a number here and
// one there take many times as long as all of them side by side.
import {
  itemSize,
  lax,
  mapSubPrograms,
  newVariable,
  np,
  pruneProgram,
  sizeOf,
  substitute,
  traceClosed,
  type Array,
  type Atom,
  type Equation,
  type GatherParams,
  type Program,
  type ScanParams,
  type Shape,
  type Variable,
} from "../../array/index.js";

/** A program whose loops look up rows of large arrays, of so many bytes together, in one array. */
export function packRows(program: Program, largeBytes: number): Program {
  /** What has only been given another shape. */
  const reshaped = new Map<Atom, Atom>();
  const equations = program.equations.flatMap((given): readonly Equation[] => {
    const equation = mapSubPrograms(given, (inner) => packRows(inner, largeBytes));
    const { primitive, inputs, outputs } = equation;
    if (primitive.name === "reshape") reshaped.set(outputs[0], inputs[0]);
    return primitive.name === "scan" ? packedLoop(equation, largeBytes, reshaped) : [equation];
  });
  return { ...program, equations };
}

/** A loop, with what packs rows before it. */
function packedLoop(
  equation: Equation,
  largeBytes: number,
  reshaped: ReadonlyMap<Atom, Atom>,
): readonly Equation[] {
  const params = equation.params as ScanParams;
  const { body, constants } = params;
  const fixed = body.inputs.slice(0, constants);
  const groups = lookUpsIn(body, fixed).filter((group) => isWorthwhile(group, largeBytes));
  if (groups.length === 0) return [equation];
  const before: Equation[] = [];
  const outside: Atom[] = [];
  const inside: Variable[] = [];
  /** What stands in for the look-ups of each group, at the place of the first. */
  const made = new Map<Equation, readonly Equation[]>();
  const names = new Map<Atom, Atom>();
  for (const group of groups) {
    const arrays = group.map(({ inputs }) => equation.inputs[fixed.indexOf(inputs[0] as Variable)]);
    const packing = packed(arrays, reshaped);
    const [array] = packing.outputs;
    const own = newVariable(array.type);
    const lookUp = rowsOf(group[0], own);
    const unpacking = traceClosed([lookUp.outputs[0].type], ([rows]: Array[]) => unpacked(rows, group));
    const found = substitute(unpacking, lookUp.outputs);
    before.push(...packing.equations);
    outside.push(array);
    inside.push(own);
    group.forEach((one, at) => {
      names.set(one.outputs[0], found.outputs[at]);
      made.set(one, at === 0 ? [lookUp, ...found.equations] : []);
    });
  }
  const rename = (atom: Atom): Atom => names.get(atom) ?? atom;
  const packedBody: Program = {
    inputs: [...inside, ...body.inputs],
    equations: body.equations.flatMap((one) => made.get(one) ?? [{ ...one, inputs: one.inputs.map(rename) }]),
    outputs: body.outputs.map(rename),
  };
  return [
    ...before,
    {
      ...equation,
      inputs: [...outside, ...equation.inputs],
      params: {
        ...params,
        body: pruneProgram(packedBody),
        constants: constants + groups.length,
      } satisfies ScanParams,
    },
  ];
}

/** Look-ups of whole rows, of arrays that stay as they are, at the same places: those of other arrays in each group. */
function lookUpsIn({ equations }: Program, fixed: readonly Variable[]): Equation[][] {
  const groups: Equation[][] = [];
  for (const equation of equations) {
    if (equation.primitive.name !== "gather") continue;
    const [array, indices] = equation.inputs;
    const { batchDims } = equation.params as GatherParams;
    const isRow = batchDims === 0 && indices.type.shape.at(-1) === 1;
    if (!isRow || array.kind === "literal" || !fixed.includes(array) || itemSize(array.type.dtype) !== 4)
      continue;
    const group = groups.find(([first]) => isBeside(first, equation));
    if (group === undefined) groups.push([equation]);
    else group.push(equation);
  }
  return groups;
}

const modeOf = ({ params }: Equation) => (params as GatherParams).mode;

const isBeside = (one: Equation, other: Equation): boolean =>
  one.inputs[1] === other.inputs[1] &&
  one.inputs[0].type.shape[0] === other.inputs[0].type.shape[0] &&
  modeOf(one) === modeOf(other);

function isWorthwhile(group: readonly Equation[], largeBytes: number): boolean {
  const arrays = new Set(group.map(({ inputs }) => inputs[0]));
  const bytes = [...arrays].reduce((sum, { type }) => sum + sizeOf(type.shape) * itemSize(type.dtype), 0);
  return arrays.size === group.length && arrays.size > 1 && bytes > largeBytes;
}

/**
 * The bits of several arrays, row by row. They are put together in the shape that they had before they were given this one, if they
 * had the same: a machine may be divided along its dimensions.
 */
function packed(arrays: readonly Atom[], reshaped: ReadonlyMap<Atom, Atom>): ReturnType<typeof substitute> {
  const origins = arrays.map((array) => reshaped.get(array) ?? array);
  const leads = origins.map(({ type }, at) => leadOf(type.shape, arrays[at].type.shape));
  const [lead] = leads;
  const hasLead = lead !== null && leads.every((other) => other?.join() === lead.join());
  const sources = hasLead ? origins : arrays;
  const places = hasLead ? lead : arrays[0].type.shape.slice(0, 1);
  const packing = traceClosed(
    sources.map(({ type }) => type),
    (given: Array[]) => {
      const rows = given.map((array, at) => {
        const bits = array.dtype === "uint32" ? array : lax.bitcastConvertType(array, "uint32");
        return bits.reshape([...places, sizeOf(arrays[at].type.shape.slice(1))]);
      });
      return [np.concatenate(rows, -1).reshape([arrays[0].type.shape[0], -1])];
    },
  );
  return substitute(packing, sources);
}

/** The dimensions of a shape that become the first one of another shape, as the others stay; null where it is not so. */
function leadOf(shape: Shape, [count, ...rest]: Shape): Shape | null {
  const lead = shape.slice(0, shape.length - rest.length);
  const isSame = shape.slice(lead.length).join() === rest.join();
  return isSame && sizeOf(lead) === count ? lead : null;
}

/** The look-up of rows in another array. */
function rowsOf(lookUp: Equation, array: Variable): Equation {
  const places = lookUp.inputs[1].type.shape.slice(0, -1);
  const type = { ...array.type, shape: [...places, ...array.type.shape.slice(1)] };
  return { ...lookUp, inputs: [array, lookUp.inputs[1]], outputs: [newVariable(type)] };
}

/** What was looked up in each array, of what was looked up in all of them. */
function unpacked(rows: Array, group: readonly Equation[]): Array[] {
  let start = 0;
  return group.map(({ inputs, outputs }) => {
    const width = sizeOf(inputs[0].type.shape.slice(1));
    const [first, end] = [start, start + width];
    start = end;
    const { shape, dtype } = outputs[0].type;
    const bits = rows.slice("...", `${first}:${end}`).reshape(shape);
    return dtype === "uint32" ? bits : lax.bitcastConvertType(bits, dtype);
  });
}
