// Optimisers as one vector: what loops do with many arrays alike, element by element, is done once for all their elements in a row. Many
// devices can share that, whatever rows and columns the arrays have, and meet once for all of them.
import type { ScanParams } from "../control/scanParams.js";
import {
  mapSubPrograms,
  newVariable,
  type Atom,
  type Equation,
  type Program,
  type Variable,
} from "../core/program.js";
import { sizeOf } from "../core/shape.js";
import type { ReduceParams } from "../primitives/reduce.js";
import { pruneProgram } from "../transforms/prune.js";
import { familiesIn, type Family } from "./families.js";
import { packed, unpacked } from "./packing.js";
import { totalsOf } from "./totals.js";

/** A program with vectors for what its loops carry, and how long these are. */
export interface VectorProgram {
  readonly program: Program;
  readonly lengths: ReadonlySet<number>;
}

/** The program with vectors, of lengths that are multiples of a number; itself where nothing is alike. */
export function withVectors(program: Program, multiple: number): VectorProgram {
  const lengths = new Set<number>();
  const { program: made } = inside(program, { multiple, lengths });
  return { program: lengths.size === 0 ? program : pruneProgram(made), lengths };
}

/** What vectors are to be, and what they have come to. */
interface Lengths {
  readonly multiple: number;
  readonly lengths: Set<number>;
}

/** Arrays in one vector before a loop, and the vector and the arrays behind it. */
interface Packing {
  readonly sources: readonly Atom[];
  readonly first: Variable;
  readonly last: Variable;
  readonly results: readonly Atom[];
}

interface Packed {
  readonly program: Program;
  /** Of the loops in the program. */
  readonly packings: readonly Packing[];
}

function inside(program: Program, lengths: Lengths): Packed {
  const packings: Packing[] = [];
  const names = new Map<Atom, Atom>();
  const rename = (atom: Atom): Atom => names.get(atom) ?? atom;
  const equations = program.equations.flatMap((given): readonly Equation[] => {
    const equation = given.inputs.some((input) => names.has(input))
      ? { ...given, inputs: given.inputs.map(rename) }
      : given;
    if (equation.primitive.name !== "scan")
      return [mapSubPrograms(equation, (inner) => inside(inner, lengths).program)];
    const found = vectorLoop(equation, lengths);
    if (found === null) return [equation];
    packings.push(...found.packings);
    for (const [from, to] of found.names) names.set(from, to);
    return found.equations;
  });
  return { program: { ...program, equations, outputs: program.outputs.map(rename) }, packings };
}

interface VectorLoop {
  readonly equations: readonly Equation[];
  readonly names: ReadonlyMap<Atom, Atom>;
  readonly packings: readonly Packing[];
}

/** A carry that is to be: what it starts from, what it is inside, and what becomes of it. */
interface VectorCarry {
  readonly carries: readonly number[];
  readonly input: Variable;
  readonly next: Atom;
}

/** A loop with vectors that it carries besides its own carries, of which those that nobody uses any more go; null for none. */
function vectorLoop(equation: Equation, lengths: Lengths): VectorLoop | null {
  const params = equation.params as ScanParams;
  const { constants, carries } = params;
  const { program: within, packings } = inside(params.body, lengths);
  const promoted = promotedIn(within, packings, params);
  const { body, vectors } = fused(promoted.body, params, lengths);
  const all = [...promoted.vectors, ...vectors];
  if (all.length === 0) {
    if (packings.length === 0) return null;
    const loop = { ...equation, params: { ...params, body: pruneProgram(within) } satisfies ScanParams };
    return { equations: [loop], names: new Map(), packings: [] };
  }
  const before: Equation[] = [];
  const behind: Equation[] = [];
  const names = new Map<Atom, Atom>();
  const starts = all.map(({ carries: which, input }) => {
    const { equations, outputs } = packed(
      which.map((index) => equation.inputs[constants + index]),
      input.type.shape[0],
    );
    before.push(...equations);
    return outputs[0] as Variable;
  });
  const position = constants + carries;
  const own = body.inputs.slice(constants, position);
  const withAll = pruneProgram({
    ...body,
    inputs: [
      ...body.inputs.slice(0, position),
      ...all.map(({ input }) => input),
      ...body.inputs.slice(position),
    ],
    outputs: [
      ...body.outputs.slice(0, carries),
      ...all.map(({ next }) => next),
      ...body.outputs.slice(carries),
    ],
  });
  const used = new Set(withAll.equations.flatMap(({ inputs }) => inputs));
  const isGone = own.map(
    (input, index) => !used.has(input) && all.some((one) => one.carries.includes(index)),
  );
  const ends = all.map(({ input: { type } }) => newVariable(type));
  const found = all.map((vector, at): Packing => {
    const results = vector.carries.map((index) => equation.outputs[index]);
    const { equations, outputs } = unpacked(
      ends[at],
      results.map(({ type }) => type.shape),
    );
    behind.push(...equations);
    vector.carries.forEach((index, which) => {
      if (isGone[index]) names.set(results[which], outputs[which]);
    });
    const sources = vector.carries.map((index) => equation.inputs[constants + index]);
    return {
      sources,
      first: starts[at],
      last: ends[at],
      results: results.map((one) => names.get(one) ?? one),
    };
  });
  const loop: Equation = {
    ...equation,
    inputs: [...equation.inputs.slice(0, position), ...starts, ...equation.inputs.slice(position)],
    outputs: [...equation.outputs.slice(0, carries), ...ends, ...equation.outputs.slice(carries)],
    params: {
      ...params,
      carries: carries + all.length,
      // What is carried for nobody stays what it is.
      body: pruneProgram({
        ...withAll,
        outputs: withAll.outputs.map((output, index) => (isGone[index] ? own[index] : output)),
      }),
    } satisfies ScanParams,
  };
  return { equations: [...before, loop, ...behind], names, packings: found };
}

/** Vectors that a loop inside packs from what this one carries, and unpacks for it: this one may carry them itself. */
function promotedIn(
  body: Program,
  packings: readonly Packing[],
  { constants, carries }: ScanParams,
): { readonly body: Program; readonly vectors: readonly VectorCarry[] } {
  const own = body.inputs.slice(constants, constants + carries);
  const names = new Map<Atom, Atom>();
  const vectors = packings.flatMap(({ sources, first, last, results }): VectorCarry[] => {
    const which = sources.map((source) => own.indexOf(source as Variable));
    if (!which.every((index, at) => index >= 0 && body.outputs[index] === results[at])) return [];
    const input = newVariable(first.type);
    names.set(first, input);
    return [{ carries: which, input, next: last }];
  });
  if (vectors.length === 0) return { body, vectors };
  const equations = body.equations.map((one) => ({
    ...one,
    inputs: one.inputs.map((input) => names.get(input) ?? input),
  }));
  return { body: { ...body, equations }, vectors };
}

/** The body of a loop with each family of computations as one, and the vectors that it carries for them. */
function fused(
  body: Program,
  params: ScanParams,
  { multiple, lengths }: Lengths,
): { readonly body: Program; readonly vectors: readonly VectorCarry[] } {
  const families = familiesIn(body, params);
  if (families.length === 0) return { body, vectors: [] };
  const vectors: VectorCarry[] = [];
  const gone = new Set(families.flatMap(({ members }) => members.flatMap(({ equations }) => equations)));
  const added: Equation[] = [];
  const names = new Map<Atom, Atom>();
  for (const family of families) {
    const size = family.members.reduce((sum, { shape }) => sum + sizeOf(shape), 0);
    const length = Math.ceil(size / multiple) * multiple;
    lengths.add(length);
    const [first] = family.members;
    const inVector = new Map<Atom, Atom>();
    const carried = carriesOf(family, body, params);
    family.roles.forEach((role, at) => {
      const which = carried[at];
      const { type } = role[0];
      if (which === null) {
        const { equations, outputs } = packed(role, length);
        added.push(...equations);
        inVector.set(role[0], outputs[0]);
      } else inVector.set(role[0], newVariable({ ...type, shape: [length] }));
    });
    for (const one of first.equations) {
      const outputs = one.outputs.map(({ type }) => newVariable({ ...type, shape: [length] }));
      added.push({ ...one, inputs: one.inputs.map((input) => inVector.get(input) ?? input), outputs });
      one.outputs.forEach((output, at) => inVector.set(output, outputs[at]));
    }
    carried.forEach((which, at) => {
      if (which === null) return;
      const next = inVector.get(body.outputs[which[0]]) as Atom;
      vectors.push({ carries: which, input: inVector.get(family.roles[at][0]) as Variable, next });
    });
    const isPacked = (value: Atom) =>
      family.roles.some((role, at) => role[0] === value && carried[at] === null);
    for (const total of totalsOf(family, body)) {
      // The sum is taken of what the vector is filled up with, too.
      if (!staysZero(total.of, first.equations, isPacked)) continue;
      const type = total.sums[0].outputs[0].type;
      const vector = inVector.get(total.of) as Atom;
      const axes: ReduceParams = { axes: [0] };
      const sum = newVariable(type);
      added.push({ ...total.sums[0], inputs: [vector], params: axes, outputs: [sum] });
      total.sums.forEach((one) => gone.add(one));
      names.set(total.root, sum);
    }
    const shapes = family.members.map(({ shape }) => shape);
    first.equations.forEach((one, which) => {
      const { equations, outputs } = unpacked(inVector.get(one.outputs[0]) as Variable, shapes);
      added.push(...equations);
      family.members.forEach((member, at) => names.set(member.equations[which].outputs[0], outputs[at]));
    });
  }
  const rename = (atom: Atom): Atom => names.get(atom) ?? atom;
  const others = body.equations
    .filter((one) => !gone.has(one))
    .map((one) => ({ ...one, inputs: one.inputs.map(rename) }));
  const renamed = added.map((one) => ({ ...one, inputs: one.inputs.map(rename) }));
  return {
    body: { ...body, equations: inOrder([...others, ...renamed]), outputs: body.outputs.map(rename) },
    vectors,
  };
}

/** Whether a value is zero, of either sign, wherever all given values are. */
function staysZero(value: Atom, equations: readonly Equation[], isGiven: (value: Atom) => boolean): boolean {
  if (isGiven(value)) return true;
  const maker = equations.find(({ outputs }) => outputs[0] === value);
  const isZero = (input: Atom) => staysZero(input, equations, isGiven);
  switch (maker?.primitive.name) {
    case "mul":
      return maker.inputs.some(isZero);
    case "add":
    case "sub":
    case "neg":
    case "abs":
      return maker.inputs.every(isZero);
    default:
      return false;
  }
}

/** For each role of a family, the carries that its members are, if what becomes of all of them has one place in the family, too. */
function carriesOf(
  { members, roles }: Family,
  { inputs, outputs }: Program,
  { constants, carries }: ScanParams,
): (readonly number[] | null)[] {
  const own = inputs.slice(constants, constants + carries);
  return roles.map((role) => {
    const which = role.map((value) => own.indexOf(value));
    if (which.includes(-1)) return null;
    const places = which.map((index, at) =>
      members[at].equations.findIndex((one) => one.outputs[0] === outputs[index]),
    );
    return places[0] >= 0 && places.every((place) => place === places[0]) ? which : null;
  });
}

/** Equations in an order in which each comes behind those that it needs. */
function inOrder(equations: readonly Equation[]): Equation[] {
  const makers = new Map<Atom, Equation>(
    equations.flatMap((one) => one.outputs.map((output) => [output, one])),
  );
  const ordered = new Set<Equation>();
  const visit = (start: Equation): void => {
    // Without recursion, for chains can be long.
    const waiting = [start];
    for (let one = waiting.at(-1); one !== undefined; one = waiting.at(-1)) {
      const missing = one.inputs.flatMap((input) => {
        const maker = makers.get(input);
        return maker === undefined || ordered.has(maker) ? [] : [maker];
      });
      if (missing.length > 0 && !ordered.has(one)) waiting.push(...missing.toReversed());
      else {
        ordered.add(one);
        waiting.pop();
      }
    }
  };
  equations.forEach(visit);
  return [...ordered];
}
