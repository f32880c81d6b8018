// Reading from an array into which one row was just written: the row itself, and all others from the array as it was. Whoever
// reads need not wait for the writing, which for blocks of a GPU that share the array is a meeting of all of them.
import {
  mapSubPrograms,
  np,
  sizeOf,
  substitute,
  traceClosed,
  type Array,
  type Atom,
  type Equation,
  type GatherParams,
  type Program,
  type Variable,
} from "../../array/index.js";

/** A program that reads rows of arrays of more than so many elements from what they were before the last one was written. */
export function readBefore(program: Program, largest: number): Program {
  const written = new Map<Variable, Equation>();
  const equations: Equation[] = [];
  const names = new Map<Variable, Atom>();
  const rename = (atom: Atom): Atom => (atom.kind === "variable" ? (names.get(atom) ?? atom) : atom);
  for (const given of program.equations) {
    const equation = mapSubPrograms({ ...given, inputs: given.inputs.map(rename) }, (inner) =>
      readBefore(inner, largest),
    );
    const [output] = equation.outputs;
    if (isRowWritten(equation, largest)) written.set(output, equation);
    const writing = equation.primitive.name === "gather" ? written.get(equation.inputs[0] as Variable) : null;
    const read = writing === null || writing === undefined ? null : readingBefore(equation, writing);
    if (read === null) equations.push(equation);
    else {
      equations.push(...read.equations);
      names.set(output, read.value);
    }
  }
  return { ...program, equations, outputs: program.outputs.map(rename) };
}

/** Whether an equation replaces one row of an array that has many elements. */
function isRowWritten({ primitive, inputs }: Equation, largest: number): boolean {
  if (primitive.name !== "dynamicUpdateSlice") return false;
  const [array, row] = inputs.map(({ type }) => type.shape);
  return (
    sizeOf(array) > largest &&
    row[0] === 1 &&
    row.slice(1).every((extent, axis) => extent === array[axis + 1])
  );
}

/** What reads rows of the array that is written, from what it was before; null where it reads something else of it. */
function readingBefore(reading: Equation, writing: Equation) {
  const { batchDims, mode } = reading.params as GatherParams;
  const indices = reading.inputs[1];
  if (batchDims > 0 || indices.type.shape.at(-1) !== 1) return null;
  const [array, row, at] = writing.inputs;
  const last = array.type.shape[0] - 1;
  const [output] = reading.outputs;
  const choosing = traceClosed(
    [output, row, at, indices].map(({ type }) => type),
    ([read, written, place, positions]: Array[]) => {
      const places = positions.reshape(positions.shape.slice(0, -1));
      const wanted = mode === "clip" ? np.clip(places, 0, last) : places;
      const isWritten = np.equal(wanted, np.clip(place, 0, last).astype(wanted.dtype));
      const rest = read.shape.slice(places.ndim);
      return [
        np.where(isWritten.reshape([...places.shape, ...rest.map(() => 1)]), written.reshape(rest), read),
      ];
    },
  );
  const before = { ...reading, inputs: [array, indices] };
  const chosen = substitute(choosing, [output, row, at, indices]);
  return { equations: [before, ...chosen.equations], value: chosen.outputs[0] };
}
