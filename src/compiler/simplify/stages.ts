// Which equations of a loop's body can be done for all iterations at once, before or behind it.
import {
  hasEffect,
  sizeOf,
  subPrograms,
  type Atom,
  type Equation,
  type Program,
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

const hasProduct = (equation: Equation): boolean =>
  entryOf(equation).form?.kind === "product" ||
  subPrograms(equation).some(({ equations }) => equations.some(hasProduct));

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

/** Carries, by the bits of their numbers. */
type Carries = bigint;

const bit = (index: number): Carries => 1n << BigInt(index);
const has = (set: Carries, index: number): boolean => (set & bit(index)) !== 0n;

/** How a body falls into stages, with something behind it or nothing; null where nothing that could leave it is worth it. */
export function stagesOf(
  params: ScanParams,
  isWorth: (equation: Equation) => boolean,
  hasBehind: boolean,
): Stages | null {
  const body = new Body(params);
  const { moving } = body;
  // Only what needs it for something worthwhile is chained.
  let chained = body.neededBy([...body.early(body.light)].filter(isWorth));
  let early = body.early(chained);
  if (![...early].some(isWorth)) [chained, early] = [0n, new Set()];
  const chain = body.chain(chained);
  const isElsewhere = (equation: Equation) => chain.has(equation) || early.has(equation);
  const needed = body.main(chained, isElsewhere);
  const late = moving.filter((equation) => !isElsewhere(equation) && !needed.has(equation));
  const behind = hasBehind ? behindOf(late, params, isWorth) : [];
  if (early.size === 0 && behind.length === 0) return null;
  const isChained = body.areIn(chained);
  const { outputs } = params.body;
  return {
    chain: body.withFixed(
      chain,
      outputs.filter((_, index) => isChained[index]),
    ),
    before: body.withFixed(early),
    main: body.withFixed(
      moving.filter((equation) => !isElsewhere(equation) && !behind.includes(equation)),
      outputs.filter((_, index) => !isChained[index]),
    ),
    behind: body.withFixed(new Set(behind)),
    isChained,
    isFixed: body.isFixed,
  };
}

/** Operations of so many instructions or more are worth a place behind the loop. */
const manyInstructions = 10;

const isCostly = (equation: Equation): boolean =>
  entryOf(equation).operation !== null && entryOf(equation).cost >= manyInstructions;

/** Where costly operations alone are the reason, as many times as many elements may be kept for them as come of it. */
const mostKept = 4;

/** What is done behind a loop, of equations that no carry depends on. */
function behindOf(
  late: readonly Equation[],
  params: ScanParams,
  isWorth: (equation: Equation) => boolean,
): Equation[] {
  const more = worthwhileOf(late, params.body, (equation) => isWorth(equation) || isCostly(equation));
  const { kept, spared } = keptFor(more, params);
  return kept <= mostKept * spared ? more : worthwhileOf(late, params.body, isWorth);
}

/** Those that are worth it, what depends on them, and what only these need. */
function worthwhileOf(
  late: readonly Equation[],
  { outputs }: Program,
  isWorth: (equation: Equation) => boolean,
): Equation[] {
  const made = new Set<Atom>();
  const chosen = new Set<Equation>();
  for (const equation of late) {
    if (!isWorth(equation) && !equation.inputs.some((input) => made.has(input))) continue;
    chosen.add(equation);
    for (const output of equation.outputs) made.add(output);
  }
  const neededElsewhere = new Set<Atom>(outputs);
  for (const equation of late.toReversed()) {
    if (chosen.size > 0 && !equation.outputs.some((output) => neededElsewhere.has(output)))
      chosen.add(equation);
    if (!chosen.has(equation)) for (const input of equation.inputs) neededElsewhere.add(input);
  }
  return late.filter((equation) => chosen.has(equation));
}

/** Elements that an iteration has to keep for what is done behind the loop, and those that it needs not keep any more. */
function keptFor(
  behind: readonly Equation[],
  { body, constants, carries }: ScanParams,
): { readonly kept: number; readonly spared: number } {
  const made = new Set<Atom>(behind.flatMap(({ outputs }) => outputs));
  const results = body.outputs.slice(carries);
  const there = new Set<Atom>([
    ...body.inputs.slice(0, constants),
    ...body.inputs.slice(constants + carries),
    ...results,
  ]);
  const elements = (atoms: Iterable<Atom>) =>
    [...atoms].reduce((sum, { type }) => sum + sizeOf(type.shape), 0);
  const needed = new Set(
    behind.flatMap(({ inputs }) =>
      inputs.filter((atom) => atom.kind === "variable" && !made.has(atom) && !there.has(atom)),
    ),
  );
  return { kept: elements(needed), spared: elements(new Set(results.filter((atom) => made.has(atom)))) };
}

/** What depends on what in the body of a loop. */
export class Body {
  /** What is carried into an iteration, and out of it. */
  readonly carried: readonly { readonly input: Variable; readonly output: Atom }[];
  /** Equations whose results are not the same in all iterations. */
  readonly moving: readonly Equation[];
  /** Carries that can be advanced with few others, and little work. */
  readonly light: Carries;
  /** The carries that values depend on, of those that are not the same in all iterations. */
  private readonly sources = new Map<Atom, Carries>();
  /** For each carry, itself and all carries that it depends on in the end. */
  private readonly needs: readonly Carries[];
  private readonly equations: readonly Equation[];
  private readonly inputs: ReadonlySet<Atom>;

  constructor({ body, constants, carries }: ScanParams) {
    this.equations = body.equations;
    this.inputs = new Set(body.inputs);
    const inputs = body.inputs.slice(constants);
    inputs.forEach((input, index) => this.sources.set(input, index < carries ? bit(index) : 0n));
    for (const equation of body.equations) {
      const isMoving = equation.inputs.some((input) => this.sources.has(input));
      if (isMoving) for (const output of equation.outputs) this.sources.set(output, this.sourcesOf(equation));
    }
    this.moving = body.equations.filter(({ outputs }) => !this.isFixed(outputs[0]));
    this.carried = inputs.slice(0, carries).map((input, index) => ({ input, output: body.outputs[index] }));
    this.needs = closures(
      this.carried.map(({ output }, index) => bit(index) | (this.sources.get(output) ?? 0n)),
    );
    this.light = this.needs.reduce((set, own, index) => (this.isLight(own) ? set | bit(index) : set), 0n);
  }

  /** Values of constants alone. */
  readonly isFixed = (value: Variable): boolean => !this.sources.has(value);

  private sourcesOf({ inputs }: Equation): Carries {
    return inputs.reduce((set, input) => set | (this.sources.get(input) ?? 0n), 0n);
  }

  private isLight(carries: Carries): boolean {
    const isSmall = this.carried.every(
      ({ input }, index) => !has(carries, index) || sizeOf(input.type.shape) <= lightElements,
    );
    return (
      isSmall && [...this.chain(carries)].every((equation) => isMovable(equation) && !hasProduct(equation))
    );
  }

  /** All carries without which some equations cannot be. */
  neededBy(equations: readonly Equation[]): Carries {
    const direct = equations.reduce((set, equation) => set | this.sourcesOf(equation), 0n);
    return this.needs.reduce((set, own, index) => (has(direct, index) ? set | own : set), 0n);
  }

  /** Which of all carries are among some. */
  areIn(carries: Carries): boolean[] {
    return this.carried.map((_, index) => has(carries, index));
  }

  /** What advances some carries. */
  chain(carries: Carries): Set<Equation> {
    const wanted = this.carried.filter((_, index) => has(carries, index));
    return neededFor(
      this.moving,
      wanted.map(({ output }) => output),
    );
  }

  /** What needs no other carries than some, besides what advances these. */
  early(carries: Carries): Set<Equation> {
    const chain = this.chain(carries);
    const there = new Set<Atom>([...chain].flatMap(({ outputs }) => outputs));
    const isThere = (atom: Atom) =>
      !this.sources.has(atom) ||
      there.has(atom) ||
      (this.inputs.has(atom) && ((this.sources.get(atom) ?? 0n) & ~carries) === 0n);
    const early = new Set<Equation>();
    for (const equation of this.moving) {
      if (chain.has(equation) || !isMovable(equation) || !equation.inputs.every(isThere)) continue;
      early.add(equation);
      for (const output of equation.outputs) there.add(output);
    }
    return early;
  }

  /** What other carries need than some, and what has to stay; with all that these need, if it is not elsewhere. */
  main(chained: Carries, isElsewhere: (equation: Equation) => boolean): Set<Equation> {
    const needed = new Set(
      this.carried.filter((_, index) => !has(chained, index)).map(({ output }) => output),
    );
    const main = new Set<Equation>();
    for (const equation of this.moving.toReversed()) {
      if (isElsewhere(equation)) continue;
      if (isMovable(equation) && !equation.outputs.some((output) => needed.has(output))) continue;
      main.add(equation);
      for (const input of equation.inputs) needed.add(input);
    }
    return main;
  }

  /** Some equations, with those of constants alone that these, and some other values, need. */
  withFixed(some: Iterable<Equation>, values: readonly Atom[] = []): Equation[] {
    const chosen = new Set(some);
    if (chosen.size === 0 && values.length === 0) return [];
    const wanted = [...[...chosen].flatMap(({ inputs }) => inputs), ...values];
    const fixed = neededFor(
      this.equations.filter(({ outputs }) => this.isFixed(outputs[0])),
      wanted,
    );
    return this.equations.filter((equation) => chosen.has(equation) || fixed.has(equation));
  }
}

/** For each carry, all carries that it depends on in the end. */
function closures(direct: readonly Carries[]): Carries[] {
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
