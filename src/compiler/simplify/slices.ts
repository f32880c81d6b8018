// Few elements of what is put together from parts, taken from the parts: keys of random numbers come as rows of one array, which
// nobody need wait for to be whole. They are drawn once more for it, by threads that have nothing else to do.
import {
  arrayType,
  mapSubPrograms,
  newVariable,
  pruneProgram,
  sizeOf,
  type Atom,
  type Equation,
  type Primitive,
  type Program,
  type SliceParams,
  type Variable,
} from "../../array/index.js";

/** Slices of up to so many elements are taken from the parts, which may have to be computed twice. */
const few = 16;

/** A program with slices of parts instead of slices of concatenations, where they are small. */
export function sliceParts(program: Program): Program {
  const taking = new Taking();
  program.equations.forEach((equation) => taking.add(mapSubPrograms(equation, sliceParts)));
  const outputs = program.outputs.map((atom) => taking.rename(atom));
  return pruneProgram({ ...program, equations: taking.equations, outputs });
}

/** A range along each axis. */
interface Range {
  readonly start: readonly number[];
  readonly limit: readonly number[];
}

class Taking {
  readonly equations: Equation[] = [];
  private readonly definitions = new Map<Variable, Equation>();
  private readonly names = new Map<Variable, Atom>();
  /** Random words of a range, by the words that it is a range of. */
  private readonly drawn = new Map<Equation, Map<string, Equation>>();
  /** Where what is made now comes from. */
  private origin: Equation["origin"] = null;

  rename(atom: Atom): Atom {
    return atom.kind === "variable" ? (this.names.get(atom) ?? atom) : atom;
  }

  add(given: Equation): void {
    this.origin = given.origin;
    const equation = { ...given, inputs: given.inputs.map((input) => this.rename(input)) };
    const [output] = equation.outputs;
    if (equation.primitive.name === "slice" && sizeOf(output.type.shape) <= few) {
      const { start, limit, step } = equation.params as SliceParams;
      if (step.every((distance) => distance === 1) && this.isOfParts(equation.inputs[0])) {
        this.names.set(output, this.take(equation.inputs[0], { start, limit }, equation.primitive));
        return;
      }
    }
    this.push(equation);
  }

  private push(equation: Equation): void {
    this.equations.push(equation);
    for (const output of equation.outputs) this.definitions.set(output, equation);
  }

  private bind(
    primitive: Primitive,
    inputs: readonly Atom[],
    params: object,
    shape: readonly number[],
  ): Atom {
    const output = newVariable(arrayType(shape, inputs[0].type.dtype));
    this.push({ primitive, inputs, params, outputs: [output], origin: this.origin });
    return output;
  }

  private definitionOf(atom: Atom): Equation | null {
    return atom.kind === "variable" ? (this.definitions.get(atom) ?? null) : null;
  }

  private isOfParts(atom: Atom): boolean {
    const definition = this.definitionOf(atom);
    if (definition?.primitive.name === "concatenate") return true;
    return definition !== null && isOtherUnits(definition) && this.isOfParts(definition.inputs[0]);
  }

  /** A range of an array. */
  private take(atom: Atom, { start, limit }: Range, slice: Primitive): Atom {
    const { shape } = atom.type;
    if (shape.every((extent, axis) => start[axis] === 0 && limit[axis] === extent)) return atom;
    const definition = this.definitionOf(atom);
    const extents = limit.map((end, axis) => end - start[axis]);
    if (definition?.primitive.name === "concatenate") {
      const { axis } = definition.params as { readonly axis: number };
      const parts = this.takeAlong(definition, axis, { start, limit }, slice);
      if (parts.length === 1) return parts[0];
      if (parts.length > 1) return this.bind(definition.primitive, parts, { axis }, extents);
    }
    if (definition !== null && isOtherUnits(definition)) {
      const [given] = definition.inputs;
      const inner = this.take(given, withUnitsOf(given.type.shape, { start, limit }, shape), slice);
      return this.bind(definition.primitive, [inner], { shape: extents }, extents);
    }
    if (definition?.primitive.name === "threefry2x32") {
      const words = this.draw(definition, { start, limit }, slice);
      return words.outputs[definition.outputs.indexOf(atom as Variable)];
    }
    const step = shape.map(() => 1);
    return this.bind(slice, [atom], { start, limit, step }, extents);
  }

  /** A range of random words, from what they are drawn from. */
  private draw(words: Equation, { start, limit }: Range, slice: Primitive): Equation {
    const ranges = this.drawn.get(words) ?? new Map<string, Equation>();
    this.drawn.set(words, ranges);
    const key = `${start.join()} ${limit.join()}`;
    const known = ranges.get(key);
    if (known !== undefined) return known;
    const shape = limit.map((end, axis) => end - start[axis]);
    const inputs = words.inputs.map((input) =>
      input.type.shape.length === 0 ? input : this.take(input, { start, limit }, slice),
    );
    const outputs = words.outputs.map(({ type }) => newVariable(arrayType(shape, type.dtype)));
    const drawn = { ...words, inputs, outputs };
    this.push(drawn);
    ranges.set(key, drawn);
    return drawn;
  }

  /** What of each operand of a concatenation lies in a range. */
  private takeAlong(
    { inputs }: Equation,
    axis: number,
    { start, limit }: Range,
    slice: Primitive,
  ): readonly Atom[] {
    const at = (values: readonly number[], value: number) => values.with(axis, value);
    let first = 0;
    return inputs.flatMap((input) => {
      const extent = input.type.shape[axis];
      const from = Math.max(start[axis] - first, 0);
      const to = Math.min(limit[axis] - first, extent);
      first += extent;
      return from < to ? [this.take(input, { start: at(start, from), limit: at(limit, to) }, slice)] : [];
    });
  }
}

/** Whether an equation only adds or drops axes of extent 1. */
function isOtherUnits({ primitive, inputs, outputs }: Equation): boolean {
  const significant = ({ type: { shape } }: Atom) => shape.filter((extent) => extent !== 1).join();
  return primitive.name === "reshape" && significant(inputs[0]) === significant(outputs[0]);
}

/** The range of an array that has other axes of extent 1 than the one of which a range is given. */
function withUnitsOf(shape: readonly number[], { start, limit }: Range, given: readonly number[]): Range {
  const ranges = given.flatMap((extent, axis) => (extent === 1 ? [] : [[start[axis], limit[axis]]]));
  const own = shape.map((extent) => (extent === 1 ? [0, 1] : (ranges.shift() ?? [0, 0])));
  return { start: own.map(([from]) => from), limit: own.map(([, to]) => to) };
}
