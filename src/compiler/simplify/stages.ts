// Which equations of a loop's body can be done for all iterations at once, before or behind it.
import {
  hasEffect,
  sizeOf,
  subPrograms,
  type Atom,
  type Equation,
  type ScanParams,
  type Variable,
} from "../../array/index.js";
import { entryOf } from "../primitives/index.js";

/** The equations of a body, each list in their order. Those of constants alone are in every list that needs them. */
export interface Stages {
  /** What advances the carries that need no other ones, as keys of random numbers do: a loop of their own. */
  readonly chain: readonly Equation[];
  /** What depends on slices and such carries only. */
  readonly before: readonly Equation[];
  readonly main: readonly Equation[];
  /** What no carry depends on. */
  readonly behind: readonly Equation[];
  /** Which carries are advanced by the chain. */
  readonly isChained: readonly boolean[];
  /** Values of constants alone. */
  readonly isFixed: (value: Variable) => boolean;
}

/** Carries of more elements are not advanced by themselves. */
const lightElements = 64;
/** Sums and the like over at least so many elements are worth a place outside of the loop. */
const longReduction = 16;

/** What becomes slower, or another thing, when it is done for all iterations at once. */
const staying = new Set(["sort", "while", "cond"]);

const isMovable = (equation: Equation): boolean =>
  !staying.has(equation.primitive.name) &&
  !hasEffect(equation) &&
  !entryOf(equation).isCollective &&
  subPrograms(equation).every(({ equations }) => equations.every(isMovable));

/** Whether an equation alone is reason enough to take it out of a loop. */
export function isHeavy(equation: Equation): boolean {
  const { form } = entryOf(equation);
  const { inputs, outputs, primitive } = equation;
  if (primitive.name === "threefry2x32" || primitive.name === "scan") return true;
  if (form?.kind === "product") return true;
  return (
    form?.kind === "reduction" &&
    sizeOf(inputs[0].type.shape) >= longReduction * Math.max(1, sizeOf(outputs[0].type.shape))
  );
}

/** What a value depends on: the carries of a set of bits, slices, or neither. */
interface Sources {
  readonly carries: bigint;
  readonly hasSlices: boolean;
}

const bit = (index: number): bigint => 1n << BigInt(index);
const has = (set: bigint, index: number): boolean => (set & bit(index)) !== 0n;
const isWithin = (set: bigint, larger: bigint): boolean => (set & ~larger) === 0n;

/** How a body falls into stages; null where nothing that could leave it is worth it. */
export function stagesOf(
  { body, constants, carries }: ScanParams,
  isWorth: (equation: Equation) => boolean,
): Stages | null {
  const sources = new Map<Variable, Sources>();
  body.inputs.forEach((input, index) => {
    const carry = index - constants;
    if (carry < 0) return;
    sources.set(
      input,
      carry < carries ? { carries: bit(carry), hasSlices: false } : { carries: 0n, hasSlices: true },
    );
  });
  const sourcesOf = (atoms: readonly Atom[]): Sources | null => {
    const found = atoms.flatMap((atom) => (atom.kind === "variable" ? (sources.get(atom) ?? []) : []));
    if (found.length === 0) return null;
    return {
      carries: found.reduce((set, one) => set | one.carries, 0n),
      hasSlices: found.some((one) => one.hasSlices),
    };
  };
  for (const { inputs, outputs } of body.equations) {
    const own = sourcesOf(inputs);
    if (own !== null) for (const output of outputs) sources.set(output, own);
  }
  const isFixed = (value: Variable) => !sources.has(value);
  const needs = closures(
    Array.from({ length: carries }, (_, index) => sourcesOf([body.outputs[index]])?.carries ?? 0n),
  );
  const moving = body.equations.filter(({ outputs }) => !isFixed(outputs[0]));
  /** Those that carries outside of a set, or what has to stay, need. */
  const staysBy = (chained: bigint, early: ReadonlySet<Equation>): Set<Equation> => {
    const needed = new Set<Atom>(body.outputs.slice(0, carries).filter((_, index) => !has(chained, index)));
    const stays = new Set<Equation>();
    for (const equation of moving.toReversed()) {
      if (early.has(equation)) continue;
      if (isMovable(equation) && !equation.outputs.some((output) => needed.has(output))) continue;
      stays.add(equation);
      for (const input of equation.inputs) needed.add(input);
    }
    return stays;
  };
  /** What can be done before the loop if some carries are chained; the chain itself is not among it. */
  const earlyBy = (chained: bigint, chain: ReadonlySet<Equation>): Set<Equation> => {
    const available = new Set<Variable>([...chain].flatMap(({ outputs }) => outputs));
    const isThere = (atom: Atom) =>
      atom.kind === "literal" ||
      isFixed(atom) ||
      available.has(atom) ||
      (body.inputs.includes(atom) && isWithin(sources.get(atom)?.carries ?? 0n, chained));
    const early = new Set<Equation>();
    for (const equation of moving) {
      if (chain.has(equation) || !isMovable(equation) || !equation.inputs.every(isThere)) continue;
      early.add(equation);
      for (const output of equation.outputs) available.add(output);
    }
    return early;
  };
  const chainOf = (chained: bigint): Set<Equation> =>
    neededFor(
      moving,
      body.outputs.slice(0, carries).filter((_, index) => has(chained, index)),
    );

  /** Whether a carry can be advanced with few others, and little work. */
  const isLight = needs.map((own, carry) => {
    const closure = own | bit(carry);
    const isSmall = needs.every(
      (_, index) =>
        !has(closure, index) || sizeOf(body.inputs[constants + index].type.shape) <= lightElements,
    );
    const isPlain = (equation: Equation) => isMovable(equation) && entryOf(equation).form?.kind !== "product";
    return isSmall && [...chainOf(closure)].every(isPlain);
  });
  const light = isLight.reduce((set, isIn, index) => (isIn ? set | bit(index) : set), 0n);
  // Only what heavy things need is chained.
  let chained = 0n;
  for (const equation of earlyBy(light, chainOf(light))) {
    if (!isWorth(equation)) continue;
    const own = sourcesOf(equation.inputs)?.carries ?? 0n;
    needs.forEach((needed, index) => {
      if (has(own, index)) chained |= needed | bit(index);
    });
  }
  const chain = chainOf(chained);
  let early = earlyBy(chained, chain);
  if (![...early].some(isWorth)) [chained, early] = [0n, new Set()];
  if (chained === 0n) chain.clear();
  let stays = staysBy(chained, new Set([...chain, ...early]));
  const late = moving.filter(
    (equation) => !chain.has(equation) && !early.has(equation) && !stays.has(equation),
  );
  if (!late.some(isWorth)) stays = new Set([...stays, ...late]);
  const behind = late.filter((equation) => !stays.has(equation));
  if (early.size === 0 && behind.length === 0) return null;
  const withFixed = (some: ReadonlySet<Equation> | readonly Equation[], others: readonly Atom[] = []) => {
    const list = [...some];
    const wanted = [...list.flatMap(({ inputs }) => inputs), ...others];
    const fixed = neededFor(
      body.equations.filter(({ outputs }) => isFixed(outputs[0])),
      wanted,
    );
    return body.equations.filter((equation) => list.includes(equation) || fixed.has(equation));
  };
  const isChained = needs.map((_, index) => has(chained, index));
  return {
    chain: withFixed(
      chain,
      body.outputs.filter((_, index) => isChained[index]),
    ),
    before: early.size === 0 ? [] : withFixed(early),
    main: withFixed(
      stays,
      body.outputs.filter((_, index) => !isChained[index]),
    ),
    behind: behind.length === 0 ? [] : withFixed(behind),
    isChained,
    isFixed,
  };
}

/** For each carry, all carries that it depends on in the end. */
function closures(direct: readonly bigint[]): bigint[] {
  const found = [...direct];
  for (let hasChanged = true; hasChanged;) {
    hasChanged = false;
    found.forEach((set, index) => {
      const larger = found.reduce((sum, other, at) => (has(set, at) ? sum | other : sum), set);
      if (larger === set) return;
      found[index] = larger;
      hasChanged = true;
    });
  }
  return found;
}

/** The equations of a list, in single assignment form, that some values depend on. */
function neededFor(equations: readonly Equation[], values: readonly Atom[]): Set<Equation> {
  const needed = new Set<Atom>(values);
  const found = new Set<Equation>();
  for (const equation of equations.toReversed()) {
    if (!equation.outputs.some((output) => needed.has(output))) continue;
    found.add(equation);
    for (const input of equation.inputs) needed.add(input);
  }
  return found;
}
