// When equations of a program run that is cut into pieces of rows. What depends on a sum over all rows comes in a later phase
// than the sum: each phase is a loop over the pieces, and what is not cut runs between them.
import { itemSize } from "../core/dtype.js";
import { hasEffect, type Atom, type Equation, type Program, type Variable } from "../core/program.js";
import { sizeOf } from "../core/shape.js";
import type { ArrayType } from "../core/type.js";
import type { Cut, RowRule } from "./rowRules.js";

/** An equation, what it makes of pieces (null: it takes whole arrays), and where it stands in its program. */
export interface Item {
  readonly equation: Equation;
  readonly rule: RowRule | null;
  readonly position: number;
}

/** Where an operand comes from. */
interface Use {
  readonly variable: Variable;
  readonly cut: Cut;
  /** The item that computes it, null for an input of the program. */
  readonly from: Item | null;
  /** Whether a piece of it is read as it was computed, so that both can be in one phase. */
  readonly isRow: boolean;
}

/** The items of a program by phases. */
export interface Phases {
  /** Those between the loops: before the first, before the second, …, behind the last. */
  readonly between: readonly (readonly Item[])[];
  readonly loops: readonly Loop[];
}

/** A value and the dimension along which it is cut. */
export interface CutValue {
  readonly variable: Variable;
  readonly cut: number;
}

/** One phase. */
export interface Loop {
  readonly items: readonly Item[];
  /** Whole arrays of which it reads pieces. */
  readonly sliced: readonly CutValue[];
  /** Values of which all rows are needed behind it. */
  readonly stored: readonly CutValue[];
  /** What its arrays take at most at a time, of all rows. */
  readonly bytes: number;
}

export const bytesOf = ({ shape, dtype }: ArrayType): number => sizeOf(shape) * itemSize(dtype);

const isProduct = ({ equation }: Item): boolean => equation.primitive.name === "dot";

/** Computed once and kept rather than once more in a later phase. */
const costly = new Set(["dot", "sort", "gather", "scatter", "threefry2x32", "reduceSum"]);

export class Schedule {
  private readonly items: readonly Item[];
  private readonly producers = new Map<Variable, Item>();
  private readonly uses: readonly (readonly Use[])[];
  /** What prints comes behind what printed before. */
  private readonly behind = new Map<Item, Item>();
  private readonly cheap = new Map<Item, boolean>();
  /** The phase of each item, for those without a rule the first one they come before. */
  private readonly phases: number[];
  private readonly count: number;
  private readonly stored: ReadonlySet<Atom>;

  constructor(
    private readonly program: Program,
    rules: readonly (RowRule | null)[],
  ) {
    this.items = program.equations.map((equation, position) => ({
      equation,
      rule: rules[position],
      position,
    }));
    for (const item of this.items)
      for (const output of item.equation.outputs) this.producers.set(output, item);
    const effects = this.items.filter(({ equation }) => hasEffect(equation));
    effects.slice(1).forEach((item, at) => this.behind.set(item, effects[at]));
    this.uses = this.items.map((item) => this.findUses(item));
    const earliest = this.forwards(() => null);
    const rows = this.items.filter(({ rule }) => rule !== null);
    this.count = rows.reduce((most, { position }) => Math.max(most, earliest[position] + 1), 0);
    const latest = this.backwards();
    this.phases = this.forwards(({ rule, position }) => (rule === null ? null : latest[position]));
    this.stored = this.findStored();
  }

  /** Items in each phase that belong to its products: what leads to them, and what becomes of them. */
  around(): Item[] {
    const chosen = new Set<Item>();
    const links = (item: Item): Item[] =>
      this.usesOf(item).flatMap(({ from, isRow }) =>
        isRow && from !== null && this.phaseOf(from) === this.phaseOf(item) ? [from] : [],
      );
    const rows = this.items.filter(({ rule }) => rule !== null);
    for (const item of rows)
      if (isProduct(item) || links(item).some((other) => chosen.has(other))) chosen.add(item);
    for (const item of rows.toReversed())
      if (chosen.has(item)) links(item).forEach((other) => chosen.add(other));
    return rows.filter((item) => chosen.has(item));
  }

  phaseOf({ position }: Item): number {
    return this.phases[position];
  }

  build(): Phases {
    const between = Array.from({ length: this.count + 1 }, (_, phase) =>
      this.items.filter((item) => item.rule === null && this.phaseOf(item) === phase),
    );
    return { between, loops: Array.from({ length: this.count }, (_, phase) => this.loopOf(phase)) };
  }

  private usesOf({ position }: Item): readonly Use[] {
    return this.uses[position];
  }

  private findUses({ equation, rule }: Item): Use[] {
    return equation.inputs.flatMap((atom, at) => {
      if (atom.kind === "literal") return [];
      const from = this.producers.get(atom) ?? null;
      const cut = rule?.operands[at] ?? null;
      const isRow = cut !== null && from !== null && this.cutOf(from, atom) === cut;
      return [{ variable: atom, cut, from, isRow }];
    });
  }

  /** The dimension along which an item computes a value in pieces. */
  private cutOf({ equation, rule }: Item, variable: Variable): Cut {
    return rule?.join === null ? rule.results[equation.outputs.indexOf(variable)] : null;
  }

  /** The first phase that each can be in, or the one that is given. */
  private forwards(given: (item: Item) => number | null): number[] {
    const phases: number[] = [];
    for (const item of this.items) {
      const least = this.usesOf(item).map(({ from, isRow }) => {
        if (from === null) return 0;
        return phases[from.position] + (isRow || from.rule === null ? 0 : 1);
      });
      const other = this.behind.get(item);
      phases.push(given(item) ?? Math.max(other === undefined ? 0 : phases[other.position], ...least));
    }
    return phases;
  }

  /** The last phase that each can be in. */
  private backwards(): number[] {
    const phases = this.items.map(({ rule }) => this.count - (rule === null ? 0 : 1));
    const bound = ({ position }: Item, most: number): void => {
      phases[position] = Math.min(phases[position], most);
    };
    for (const item of this.items.toReversed()) {
      const own = phases[item.position];
      const other = this.behind.get(item);
      if (other !== undefined) bound(other, own);
      for (const { from, isRow } of this.usesOf(item))
        if (from !== null) bound(from, own - (isRow || from.rule === null ? 0 : 1));
    }
    return phases;
  }

  /** Whether a value is rather computed again in another phase than kept for it. */
  private isCheap(item: Item): boolean {
    const known = this.cheap.get(item);
    if (known !== undefined) return known;
    const { equation, rule } = item;
    const isCheap =
      rule?.join === null &&
      !costly.has(equation.primitive.name) &&
      this.usesOf(item).every(({ from, isRow }) => !isRow || from === null || this.isCheap(from));
    this.cheap.set(item, isCheap);
    return isCheap;
  }

  private loopOf(phase: number): Loop {
    const own = new Set(this.items.filter((item) => item.rule !== null && this.phaseOf(item) === phase));
    const sliced = new Map<string, CutValue>();
    // A set that grows while it is walked through is walked to its new end.
    for (const item of own) {
      for (const { variable, cut, from, isRow } of this.usesOf(item)) {
        if (cut === null || (isRow && from !== null && own.has(from))) continue;
        if (isRow && from !== null && this.isCheap(from)) own.add(from);
        else sliced.set(`${variable.id} ${cut}`, { variable, cut });
      }
    }
    const items = [...own].sort((a, b) => a.position - b.position);
    const stored = items
      .filter((item) => this.phaseOf(item) === phase)
      .flatMap((item) =>
        item.equation.outputs.map((variable) => ({ variable, cut: this.cutOf(item, variable) })),
      )
      .filter((value): value is CutValue => value.cut !== null && this.stored.has(value.variable));
    return { items, sliced: [...sliced.values()], stored, bytes: this.peakOf(phase) };
  }

  /** The values of which all rows are needed somewhere. */
  private findStored(): Set<Atom> {
    const stored = new Set<Atom>(this.program.outputs);
    for (const item of this.items)
      for (const { variable, from, isRow } of this.usesOf(item))
        if (!isRow || from === null || (this.phaseOf(from) !== this.phaseOf(item) && !this.isCheap(from)))
          stored.add(variable);
    return stored;
  }

  /** Results of products, and what others read of them, are arrays; what lies between is computed along with those. */
  private peakOf(phase: number): number {
    const items = this.items.filter((item) => item.rule !== null && this.phaseOf(item) === phase);
    const arrays = new Map<Variable, Item>();
    for (const item of items) {
      if (!isProduct(item)) continue;
      if (item.rule?.join === null) arrays.set(item.equation.outputs[0], item);
      for (const { variable, from, isRow } of this.usesOf(item))
        if (isRow && from !== null && this.phaseOf(from) === phase) arrays.set(variable, from);
    }
    /** Where a value is read last, itself or what is computed along with an array. */
    const last = new Map<Atom, number>();
    for (const item of items.toReversed()) {
      const { equation, rule, position } = item;
      const isKept = rule?.join !== null || equation.outputs.some((output) => arrays.has(output));
      const end = isKept
        ? position
        : Math.max(position, ...equation.outputs.map((output) => last.get(output) ?? 0));
      for (const { variable, isRow } of this.usesOf(item))
        if (isRow) last.set(variable, Math.max(last.get(variable) ?? 0, end));
    }
    const lives = [...arrays].map(([variable, { position }]) => ({
      bytes: bytesOf(variable.type),
      from: position,
      to: last.get(variable) ?? position,
    }));
    const at = (position: number): number =>
      lives.reduce((sum, { bytes, from, to }) => sum + (from <= position && position <= to ? bytes : 0), 0);
    return Math.max(0, ...lives.map(({ from }) => at(from)));
  }
}
