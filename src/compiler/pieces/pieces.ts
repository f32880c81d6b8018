// Programs whose activations are too large for fast memory: rows go through in pieces, each through the whole network, so
// that what is computed on the way stays there.
import {
  itemSize,
  mapSubPrograms,
  planPieces,
  sizeOf,
  type Atom,
  type DotParams,
  type Equation,
  type PiecePlan,
  type PieceSizes,
  type Program,
  type Variable,
} from "../../array/index.js";

/** Arrays with rows may take this share of fast memory: weights, gradients and sums lie there, too. */
const share = 1 / 2;
/** Pieces have so many rows at least: products of fewer leave threads idle. */
const leastRows = 32;
/** And a multiple of so many: products read them so many at a time. */
const step = 4;
/** Nothing is gained by pieces if this share of what stays in fast memory has to be kept elsewhere. */
const mostStored = 1 / 2;
/** So many regions of a program are cut at most, one after the other. */
const mostRegions = 8;

/** The program with rows in pieces wherever in it that pays; itself where it does not. */
export function takePieces(program: Program, fastBytes: number): Program {
  const equations = program.equations.map((equation) =>
    mapSubPrograms(equation, (inner) => takePieces(inner, fastBytes)),
  );
  const isSame = equations.every((equation, at) => equation === program.equations[at]);
  let current = isSame ? program : { ...program, equations };
  for (let region = 0; region < mostRegions; region++) {
    const plan = findPlan(current, share * fastBytes);
    if (plan === null) return current;
    current = plan.cut();
  }
  return current;
}

/** The first product of each number of rows of which there is enough, those with most first. */
function firstProducts({ equations }: Program, bytes: number): Variable[] {
  const products = equations.filter(({ primitive }) => primitive.name === "dot");
  const found = new Map<number, Variable>();
  for (const equation of products) {
    const [output] = equation.outputs;
    const [rows] = output.type.shape;
    if (hasRows(equation) && !found.has(rows) && bytesAlong(products, rows) > bytes) found.set(rows, output);
  }
  return [...found].sort(([a], [b]) => b - a).map(([, output]) => output);
}

/** The size of all operands and results of products that have an axis of so many elements. */
function bytesAlong(products: readonly Equation[], extent: number): number {
  const arrays = new Set<Atom>(products.flatMap(({ inputs, outputs }) => [...inputs, ...outputs]));
  return [...arrays].reduce(
    (sum, { type: { shape, dtype } }) => sum + (shape.includes(extent) ? sizeOf(shape) * itemSize(dtype) : 0),
    0,
  );
}

/** Whether the first axis of a product is one of its left operand alone. */
function hasRows({ primitive, params, inputs, outputs }: Equation): boolean {
  if (primitive.name !== "dot" || outputs[0].type.shape[0] < 2 * leastRows) return false;
  const { contract, batch } = params as DotParams;
  return batch[0].length === 0 && inputs[0].type.shape.length > contract[0].length;
}

function findPlan(program: Program, bytes: number): PiecePlan | null {
  for (const value of firstProducts(program, bytes)) {
    const [rows] = value.type.shape;
    const counts = countsOf(rows);
    const isGain = (sizes: PieceSizes) => sizes.bytes > bytes && sizes.stored < mostStored * sizes.bytes;
    const plan = (count: number) => planPieces(program, { value, count, isGain });
    const coarse = counts.length === 0 ? null : plan(counts[0]);
    if (coarse === null) continue;
    const count = counts.find((each) => coarse.bytes <= each * bytes);
    const fine = count === undefined || count === counts[0] ? coarse : plan(count);
    if (count !== undefined && fine !== null && fine.bytes <= count * bytes) return fine;
  }
  return null;
}

/** Into how many pieces so many rows can be cut. */
function countsOf(rows: number): number[] {
  const counts: number[] = [];
  for (let count = 2; rows / count >= leastRows; count++)
    if (rows % count === 0 && (rows / count) % step === 0) counts.push(count);
  return counts;
}
