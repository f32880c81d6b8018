// Loops within loops, distributed: what an iteration computes from its slices alone is computed for all iterations before the
// loop, what nothing carried depends on behind it, both at once. What is left is shorter, and so is every iteration.
import {
  batchProgram,
  hasEffect,
  mapSubPrograms,
  newVariable,
  pruneProgram,
  sizeOf,
  subPrograms,
  type Atom,
  type Equation,
  type Program,
  type ScanParams,
  type Variable,
} from "../../array/index.js";
import { entryOf } from "../primitives/index.js";
import { isHeavy, stagesOf, type Stages } from "./stages.js";

/**
 * A program whose inner loops are distributed wherever something leaves them that is worth it, and no array that comes with it
 * has more than so many elements. The outermost loops stay as they are: how long they are is how much somebody wants at a time, and
 * results shall not depend on that.
 */
export const distributeLoops = (program: Program, largest: number, isWorth: IsWorth = isHeavy): Program =>
  mapLoops(program, (body) => distributeInside(body, largest, isWorth));

type IsWorth = (equation: Equation) => boolean;

function distributeInside(program: Program, largest: number, isWorth: IsWorth): Program {
  const inner = distributeLoops(program, largest, isWorth);
  const names = new Map<Variable, Atom>();
  const rename = (atom: Atom): Atom => (atom.kind === "variable" ? (names.get(atom) ?? atom) : atom);
  const equations = inner.equations.flatMap((given): readonly Equation[] => {
    const equation = { ...given, inputs: given.inputs.map(rename) };
    const found = equation.primitive.name === "scan" ? distribute(equation, largest, isWorth) : null;
    if (found === null) return [equation];
    for (const [variable, atom] of found.names) names.set(variable, atom);
    return found.equations;
  });
  return pruneProgram({ ...inner, equations, outputs: inner.outputs.map(rename) });
}

/** The program with the bodies of its loops replaced, those in branches of its choices, too. */
function mapLoops(program: Program, map: (body: Program) => Program): Program {
  const equations = program.equations.map((equation) =>
    mapSubPrograms(equation, equation.primitive.name === "cond" ? (branch) => mapLoops(branch, map) : map),
  );
  return { ...program, equations };
}

/** What stands in for a loop, and what its results are called there. */
interface Distributed {
  readonly equations: readonly Equation[];
  readonly names: ReadonlyMap<Variable, Atom>;
}

/** What is behind a loop stays in it where all arrays for it would take too much. */
function distribute(equation: Equation, largest: number, isWorth: IsWorth): Distributed | null {
  const params = equation.params as ScanParams;
  if (params.length < 2 || hasEffect(equation)) return null;
  const most = Math.max(stackedIn(equation), largest);
  for (const hasBehind of [true, false]) {
    const stages = stagesOf(params, isWorth, hasBehind);
    if (stages === null) return null;
    const parts = new Parts(equation, stages);
    const made = parts.make();
    const kept = parts.arrays;
    /** What is only computed on the way to others, element by element, never lies in memory. */
    const isInPassing = (one: Equation, output: Variable) => entryOf(one).form === null && !kept.has(output);
    const fits = (one: Equation): boolean =>
      one === parts.loop
        ? stackedIn(one) <= most
        : one.outputs.every((output) => isInPassing(one, output) || sizeOf(output.type.shape) <= largest);
    if (made.equations.every((one) => fits(one) && isPlain(one))) return made;
    if (stages.behind.length === 0) return null;
  }
  return null;
}

/** Elements of what a loop makes in all of its iterations. */
const stackedIn = ({ params, outputs }: Equation): number =>
  outputs.slice((params as ScanParams).carries).reduce((sum, { type }) => sum + sizeOf(type.shape), 0);

/** Rules for batches may make equations of arrays that they hold, which no compiled program can. */
function isPlain(equation: Equation): boolean {
  const { form, written, operation } = entryOf(equation);
  const isKnown = form !== null || written !== null || operation !== null;
  return isKnown && subPrograms(equation).every(({ equations }) => equations.every(isPlain));
}

/** The parts that a loop falls into: chains, what is before it, the loop itself, what is behind it. */
class Parts {
  /** What is left of the loop. */
  loop: Equation | null = null;
  private readonly params: ScanParams;
  private readonly equations: Equation[] = [];
  /** Values of the body that there are outside of it for all iterations: the arrays that have them. */
  private readonly stacked = new Map<Atom, Atom>();
  /** Values of the body that are the same in all iterations. */
  private readonly fixed: ReadonlyMap<Variable, Atom>;

  constructor(
    private readonly equation: Equation,
    private readonly stages: Stages,
  ) {
    this.params = equation.params as ScanParams;
    const { body, constants, carries } = this.params;
    this.fixed = new Map(body.inputs.slice(0, constants).map((input, at) => [input, equation.inputs[at]]));
    body.inputs.slice(constants + carries).forEach((input, at) => {
      this.stacked.set(input, equation.inputs[constants + carries + at]);
    });
  }

  /** The arrays outside of the loop that have values of the body. */
  get arrays(): ReadonlySet<Atom> {
    return new Set(this.stacked.values());
  }

  make(): Distributed {
    const { equation, params, stages } = this;
    const { body, carries } = params;
    const { chain, before, main, behind, isChained } = stages;
    const names = new Map<Variable, Atom>();
    const carried = range(carries);
    const results = body.outputs.slice(carries);
    const needed = (equations: readonly Equation[]): Set<Variable> =>
      new Set(equations.flatMap(({ inputs }) => inputs.filter((atom) => atom.kind === "variable")));
    const later = (groups: readonly (readonly Equation[])[], atoms: readonly Atom[]) => {
      const wanted = needed(groups.flat());
      for (const atom of [...atoms, ...results]) if (atom.kind === "variable") wanted.add(atom);
      return wanted;
    };
    const run = (which: readonly number[], equations: readonly Equation[], wanted: ReadonlySet<Variable>) => {
      const found = this.scan(which, equations, wanted);
      which.forEach((index, at) => names.set(equation.outputs[index], found.outputs[at]));
      return found;
    };
    const [chained, others] = [true, false].map((is) => carried.filter((index) => isChained[index] === is));
    // The loop may carry on what is computed before it.
    const next = others.map((index) => body.outputs[index]);
    if (chained.length > 0) run(chained, chain, later([before, main, behind], next));
    if (before.length > 0) this.map(before, later([main, behind], next));
    this.loop = run(others, main, later([behind], []));
    if (behind.length > 0) this.map(behind, later([], []));
    results.forEach((atom, at) => {
      const found = this.stacked.get(atom);
      if (found === undefined) throw new Error("a result of a loop is in none of its parts");
      names.set(equation.outputs[carries + at], found);
    });
    return { equations: this.equations, names };
  }

  /** A loop of some carries and equations; what is wanted of it, and is in no array yet, is stacked. */
  private scan(
    which: readonly number[],
    equations: readonly Equation[],
    wanted: ReadonlySet<Variable>,
  ): Equation {
    const { equation, params } = this;
    const { body, constants, carries } = params;
    const { main, isFixed } = this.stages;
    const results = body.outputs.slice(carries);
    const own = which.map((index) => body.inputs[constants + index]);
    const next = which.map((index) => body.outputs[index]);
    const made = [...own, ...equations.flatMap(({ outputs }) => outputs)];
    const kept = made.filter((variable) => wanted.has(variable) && !isFixed(variable));
    // Results that are the same in all iterations are written by the loop itself.
    const isLast = equations === main;
    const plain = isLast ? results.filter((atom) => atom.kind === "literal" || isFixed(atom)) : [];
    const slices = this.usedSlices(equations, [...next, ...plain], made);
    const inputs = [...this.fixed.keys(), ...own, ...slices];
    const outputs = [...next, ...kept, ...plain];
    const loop: Equation = {
      ...equation,
      inputs: [
        ...this.fixed.values(),
        ...which.map((index) => equation.inputs[constants + index]),
        ...slices.map((slice) => this.stacked.get(slice) as Atom),
      ],
      outputs: outputs.map(({ type }, at) =>
        newVariable(at < next.length ? type : { ...type, shape: [params.length, ...type.shape] }),
      ),
      params: {
        ...params,
        body: { inputs, equations, outputs },
        carries: which.length,
      } satisfies ScanParams,
    };
    [...kept, ...plain].forEach((atom, at) => this.stacked.set(atom, loop.outputs[next.length + at]));
    this.equations.push(loop);
    return loop;
  }

  /** The values that equations read of what there is for all iterations. */
  private usedSlices(
    equations: readonly Equation[],
    others: readonly Atom[],
    made: readonly Variable[],
  ): Variable[] {
    const own = new Set(made);
    const read = [...equations.flatMap(({ inputs }) => inputs), ...others];
    return [...new Set(read.filter((atom) => atom.kind === "variable"))].filter(
      (atom) => this.stacked.has(atom) && !own.has(atom),
    );
  }

  /** Equations for all iterations at once. */
  private map(equations: readonly Equation[], wanted: ReadonlySet<Variable>): void {
    const { params } = this;
    const made = equations.flatMap(({ outputs }) => outputs);
    const kept = made.filter((variable) => wanted.has(variable) && !this.stages.isFixed(variable));
    const slices = this.usedSlices(equations, [], made);
    const fixed = [...this.fixed.keys()];
    const one = pruneProgram({ inputs: [...fixed, ...slices], equations, outputs: kept });
    const isSlice = [...fixed.map(() => false), ...slices.map(() => true)];
    const { program } = batchProgram(
      one,
      isSlice,
      params.length,
      kept.map(() => true),
    );
    const names = new Map<Variable, Atom>(
      program.inputs.map((input, at) => [
        input,
        (at < fixed.length ? this.fixed.get(fixed[at]) : this.stacked.get(slices[at - fixed.length])) as Atom,
      ]),
    );
    const rename = (atom: Atom): Atom => (atom.kind === "variable" ? (names.get(atom) ?? atom) : atom);
    for (const equation of program.equations)
      this.equations.push({ ...equation, inputs: equation.inputs.map(rename) });
    kept.forEach((variable, at) => this.stacked.set(variable, rename(program.outputs[at])));
  }
}

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
