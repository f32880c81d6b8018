// Carries that are nothing but the slice of the iteration before, as the value of the next state is where advantages are summed
// up backwards: all of them are known before the loop, which then has them as slices and need not hand them on.
import {
  hasEffect,
  mapSubPrograms,
  np,
  sizeOf,
  substitute,
  traceClosed,
  type Array,
  type Atom,
  type Equation,
  type Program,
  type ScanParams,
  type Variable,
} from "../../array/index.js";

/** A program whose loops have slices instead of such carries, where arrays of those have at most so many elements. */
export function shiftSlices(program: Program, largest: number): Program {
  const names = new Map<Atom, Atom>();
  const rename = (atom: Atom): Atom => names.get(atom) ?? atom;
  const equations = program.equations.flatMap((given): readonly Equation[] => {
    const mapped = mapSubPrograms(given, (inner) => shiftSlices(inner, largest));
    const found: Equation[] = [];
    let equation: Equation = { ...mapped, inputs: mapped.inputs.map(rename) };
    if (equation.primitive.name === "scan" && !hasEffect(equation))
      for (let next = shiftedIn(equation, largest); next !== null; next = shiftedIn(equation, largest)) {
        found.push(...next.before);
        names.set(...next.last);
        equation = next.loop;
      }
    return [...found, equation];
  });
  return { ...program, equations, outputs: program.outputs.map(rename) };
}

interface Shifted {
  readonly before: readonly Equation[];
  readonly loop: Equation;
  /** What the carry was at the end, and what stands for it. */
  readonly last: readonly [Variable, Atom];
}

/** A loop with the first such carry as a slice; null for none. */
function shiftedIn(equation: Equation, largest: number): Shifted | null {
  const params = equation.params as ScanParams;
  const { body, constants, carries, length, reverse } = params;
  const slices = body.inputs.slice(constants + carries);
  const ofSlice = body.outputs.slice(0, carries).map((output) => slices.indexOf(output as Variable));
  const carry = ofSlice.findIndex(
    (slice) => slice >= 0 && sizeOf(equation.inputs[constants + carries + slice].type.shape) <= largest,
  );
  if (carry < 0 || length < 2) return null;
  const array = equation.inputs[constants + carries + ofSlice[carry]];
  const first = equation.inputs[constants + carry];
  const shifting = traceClosed([array.type, first.type], ([xs, start]: Array[]) => {
    const row = start.reshape([1, ...start.shape]);
    return reverse
      ? [np.concatenate([xs.slice("1:"), row]), xs.slice(0)]
      : [np.concatenate([row, xs.slice(":-1")]), xs.slice(-1)];
  });
  const { equations: before, outputs } = substitute(shifting, [array, first]);
  const isOther = (_: unknown, index: number) => index !== constants + carry;
  const isOtherResult = (_: unknown, index: number) => index !== carry;
  const loop: Equation = {
    ...equation,
    inputs: [...equation.inputs.filter(isOther), outputs[0]],
    outputs: equation.outputs.filter(isOtherResult),
    params: {
      ...params,
      carries: carries - 1,
      body: {
        ...body,
        inputs: [...body.inputs.filter(isOther), body.inputs[constants + carry]],
        outputs: body.outputs.filter(isOtherResult),
      },
    } satisfies ScanParams,
  };
  return { before, loop, last: [equation.outputs[carry], outputs[1]] };
}
