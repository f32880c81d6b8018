// Which layout each value of a program gets: what is known of inputs, outputs and constraints spreads to what goes
// together with it, forwards and backwards, until nothing changes.
import type { CondParams } from "../control/cond.js";
import type { ScanParams } from "../control/scanParams.js";
import type { WhileParams } from "../control/while.js";
import { subPrograms, type Atom, type Equation, type Program, type Variable } from "../core/program.js";
import { wholeLayout, type Layout } from "../sharding/axes.js";
import { constraintOf } from "./constraints.js";
import { countOf, type AxisSizes } from "./layouts.js";
import { ruleFor } from "./rules.js";
import type { Factor } from "./splitRule.js";

const mostRounds = 64;

/** The layouts of a program's values, those in loops and branches included. */
export class Layouts {
  private readonly known = new Map<Variable, Layout>();
  /** Values whose layout somebody asked for. */
  private readonly fixed = new Set<Variable>();
  /** How often a layout has changed, and how often it had when each value's did last, and when each equation was seen. */
  private changes = 0;
  private readonly changed = new Map<Variable, number>();
  private readonly seen = new Map<Equation, number>();
  private readonly whole = new Map<Equation, boolean>();

  constructor(private readonly sizes: AxisSizes) {}

  of(variable: Variable): Layout {
    return this.known.get(variable) ?? wholeLayout(variable.type.shape.length);
  }

  ofAtom = (atom: Atom): Layout => (atom.kind === "variable" ? this.of(atom) : []);

  /** Whether all that an equation takes and gives is whole, in loops and branches of it as well; layouts must be settled. */
  isWhole(equation: Equation): boolean {
    const known = this.whole.get(equation);
    if (known !== undefined) return known;
    const isWhole = (atom: Atom) => this.ofAtom(atom).every((names) => names.length === 0);
    const found =
      constraintOf(equation) === null &&
      equation.inputs.every(isWhole) &&
      equation.outputs.every(isWhole) &&
      subPrograms(equation).every(
        ({ inputs, equations }) => inputs.every(isWhole) && equations.every((inner) => this.isWhole(inner)),
      );
    this.whole.set(equation, found);
    return found;
  }

  /** Gives a value the layout that is asked for. */
  fix(variable: Variable, layout: Layout): void {
    this.set(variable, layout);
    this.fixed.add(variable);
  }

  /** Offers axes for a dimension of a value; what does not go with the rest of its layout is left out. */
  offer(atom: Atom, dimension: number, names: readonly string[]): void {
    if (atom.kind === "literal" || this.fixed.has(atom) || names.length === 0) return;
    const layout = this.of(atom);
    const own = layout[dimension];
    if (own.length >= names.length || own.some((name, at) => name !== names[at])) return;
    const others = layout.filter((_, at) => at !== dimension).flat();
    let length = names.findIndex((name) => others.includes(name));
    if (length < 0) length = names.length;
    const extent = atom.type.shape[dimension];
    while (length > own.length && extent % countOf(names.slice(0, length), this.sizes) !== 0) length--;
    if (length <= own.length) return;
    this.set(
      atom,
      layout.map((axes, at) => (at === dimension ? names.slice(0, length) : axes)),
    );
  }

  private set(variable: Variable, layout: Layout): void {
    this.known.set(variable, layout);
    this.changed.set(variable, ++this.changes);
  }

  /** Whether a value of an equation has changed since the equation was seen last; it is seen now. */
  private isToBeSeen(equation: Equation): boolean {
    const last = this.seen.get(equation) ?? 0;
    this.seen.set(equation, this.changes);
    const isNews = (atom: Atom) => atom.kind === "variable" && (this.changed.get(atom) ?? 0) > last;
    return equation.inputs.some(isNews) || equation.outputs.some(isNews);
  }

  /** Spreads what is known until nothing changes. */
  settle(program: Program): void {
    this.fixConstraints(program);
    for (let round = 0; round < mostRounds; round++) {
      const before = this.changes;
      this.spread(program, round % 2 === 1);
      if (this.changes === before && round > 0) return;
    }
  }

  private fixConstraints(program: Program): void {
    for (const equation of program.equations) {
      const layouts = constraintOf(equation);
      equation.outputs.forEach((output, at) => {
        const layout = layouts?.outputs[at];
        if (layout !== undefined) this.fix(output, layout);
      });
      subPrograms(equation).forEach((inner) => {
        this.fixConstraints(inner);
      });
    }
  }

  private spread(program: Program, isBackward: boolean): void {
    const { equations } = program;
    for (const equation of isBackward ? [...equations].reverse() : equations)
      this.visit(equation, isBackward);
  }

  private visit(equation: Equation, isBackward: boolean): void {
    const { primitive, params, inputs, outputs } = equation;
    switch (primitive.name) {
      case "scan":
        this.visitScan(params as ScanParams, inputs, outputs, isBackward);
        return;
      case "while":
        this.visitWhile(params as WhileParams, inputs, outputs, isBackward);
        return;
      case "cond":
        this.visitCond(params as CondParams, inputs, outputs, isBackward);
        return;
    }
    const layouts = constraintOf(equation);
    if (layouts !== null) {
      layouts.inputs.forEach((layout, at) => this.offerAll(inputs[at], layout));
      return;
    }
    if (!this.isToBeSeen(equation)) return;
    const rule = ruleFor(equation);
    const axes = new Map<number, readonly string[]>();
    const each = (visit: (atom: Atom, dimension: number, factor: number) => void): void => {
      const side = (atoms: readonly Atom[], factors: readonly (readonly Factor[])[]) =>
        atoms.forEach((atom, at) =>
          factors[at].forEach((factor, dimension) => {
            if (factor !== null && atom.type.shape.length > 0) visit(atom, dimension, factor);
          }),
        );
      side(inputs, rule.operands);
      side(outputs, rule.results);
    };
    each((atom, dimension, factor) => {
      const names = this.ofAtom(atom)[dimension];
      if (names.length > (axes.get(factor)?.length ?? 0)) axes.set(factor, names);
    });
    if (axes.size === 0) return;
    const combined = [...(rule.combine?.keys() ?? [])].flatMap((factor) => axes.get(factor) ?? []);
    const isShared = (atom: Atom): boolean => rule.shared?.some((at) => inputs[at] === atom) ?? false;
    each((atom, dimension, factor) => {
      const names = axes.get(factor) ?? [];
      if (isShared(atom) && names.some((name) => combined.includes(name))) return;
      this.offer(atom, dimension, names);
    });
  }

  private offerAll(atom: Atom, layout: Layout): void {
    layout.forEach((names, dimension) => this.offer(atom, dimension, names));
  }

  /** Two values of one shape, but for leading dimensions that only the first has. */
  private share(outer: Atom, inner: Atom, leading = 0): void {
    inner.type.shape.forEach((_, dimension) => {
      this.offer(inner, dimension, this.ofAtom(outer)[dimension + leading] ?? []);
      this.offer(outer, dimension + leading, this.ofAtom(inner)[dimension] ?? []);
    });
  }

  private visitScan(
    { body, constants, carries }: ScanParams,
    inputs: readonly Atom[],
    outputs: readonly Variable[],
    isBackward: boolean,
  ): void {
    const exchange = (): void => {
      inputs.forEach((input, at) => this.share(input, body.inputs[at], at < constants + carries ? 0 : 1));
      body.outputs.forEach((output, at) => {
        if (at < carries) this.share(body.inputs[constants + at], output);
        this.share(outputs[at], output, at < carries ? 0 : 1);
      });
    };
    exchange();
    this.spread(body, isBackward);
    exchange();
  }

  private visitWhile(
    { test, body, testConstants, bodyConstants }: WhileParams,
    inputs: readonly Atom[],
    outputs: readonly Variable[],
    isBackward: boolean,
  ): void {
    const carry = inputs.slice(testConstants + bodyConstants);
    const exchange = (): void => {
      inputs.slice(0, testConstants).forEach((input, at) => this.share(input, test.inputs[at]));
      inputs.slice(testConstants).forEach((input, at) => this.share(input, body.inputs[at]));
      carry.forEach((_, at) => {
        const own = body.inputs[bodyConstants + at];
        this.share(own, test.inputs[testConstants + at]);
        this.share(own, body.outputs[at]);
        this.share(own, outputs[at]);
      });
    };
    exchange();
    this.spread(test, isBackward);
    this.spread(body, isBackward);
    exchange();
  }

  private visitCond(
    { branches }: CondParams,
    [, ...operands]: readonly Atom[],
    outputs: readonly Variable[],
    isBackward: boolean,
  ): void {
    for (const branch of branches) {
      const exchange = (): void => {
        operands.forEach((operand, at) => this.share(operand, branch.inputs[at]));
        outputs.forEach((output, at) => this.share(output, branch.outputs[at]));
      };
      exchange();
      this.spread(branch, isBackward);
      exchange();
    }
  }
}
