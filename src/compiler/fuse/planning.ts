// Which equations of a program share a loop, and in what order the loops run. Nothing is built here.
import {
  hasEffect,
  sizeOf,
  type Atom,
  type Equation,
  type Program,
  type Variable,
} from "../../array/index.js";
import type { Place } from "../kernel.js";
import { entryOf, isInlineable, type Form } from "../primitives/index.js";
import type { Block } from "./block.js";
import { takeApart } from "./components.js";
import { Grouping, type Group } from "./groups.js";
import { findReads, valueOf, type ReduceNode, type Target } from "./nodes.js";

/** An atom that shall lie at a place. */
export interface Copy {
  readonly atom: Atom;
  readonly to: Place;
}

/** Up to which sizes kernels are made in other ways. */
export interface FuseSizes {
  /** Whether products of so many sums hand them on to costly operations as well. */
  readonly isCostlyBehind: (sums: number) => boolean;
  /** Loops over so few points are rather many that can run side by side than few. */
  readonly smallKernels: number;
  /** Whether a single row of few elements is written out, as it is where there are several: loops for rows can then be one. */
  readonly isRowWritten: boolean;
  /**
   * How many iterations of a loop that runs so often are written out one after the other, a divisor of its length: what they
   * carry from one to the next needs not be copied.
   */
  readonly turnsAtOnce: (body: Program, length: number, timesRun: number) => number;
}

export interface RegionPlan {
  /** In the order in which they run. */
  readonly groups: readonly Group[];
  /** Variables that one group reads of another. */
  readonly needed: ReadonlySet<Variable>;
}

/** Plans a program whose outputs are brought to their places at the end by copies. */
export function planRegion(block: Block, copies: readonly Copy[], sizes: FuseSizes): RegionPlan {
  const planner = new Planner(block, sizes);
  const { outputs } = block.program;
  const equations = sizes.smallKernels === 0 ? block.program.equations : byDepth(block.program.equations);
  const results = new Set<Atom>(outputs);
  const usedInside = new Set(equations.flatMap(({ inputs }) => inputs));
  /** Results that nothing here reads come last, so that they can take the place of what they replace. */
  const isLast = (equation: Equation): boolean =>
    isInlineable(equation) &&
    equation.outputs.every((output) => results.has(output) && !usedInside.has(output));
  const isLate = equations.map(isLast);
  equations.filter((_, at) => !isLate[at]).forEach((equation) => planner.addEquation(equation));
  equations.filter((_, at) => isLate[at]).forEach((equation) => planner.addEquation(equation));
  for (const { atom, to } of copies) planner.addCopy(atom, to);
  const needed = planner.grouping.variablesNeeded();
  const groups = planner.grouping.inOrder(needed);
  return { groups: groups.flatMap((group) => takeApart(group, sizes.smallKernels)), needed };
}

/**
 * Equations in an order in which fewer steps in a row come first, so that what waits for many of them can share a loop with
 * others that do, whatever it needs besides. Effects stay in their order.
 */
function byDepth(equations: readonly Equation[]): Equation[] {
  const depths = new Map<Atom, number>();
  let effects = 0;
  const placed = equations.map((equation) => {
    const depth = Math.max(0, ...equation.inputs.map((input) => depths.get(input) ?? 0));
    const own = hasEffect(equation) ? (effects = Math.max(effects, depth)) : depth;
    for (const output of equation.outputs) depths.set(output, isInlineable(equation) ? own : own + 1);
    return { equation, depth: own };
  });
  return placed.sort((a, b) => a.depth - b.depth).map(({ equation }) => equation);
}

/** Whether a product is none for tiles: of integers, of nothing, or over no depth. */
export const isPlainDot = ({ inputs, outputs: [output] }: Equation): boolean =>
  output.type.dtype !== "float32" || inputs.some(({ type }) => sizeOf(type.shape) === 0);

class Planner {
  readonly grouping: Grouping;

  constructor(
    private readonly block: Block,
    private readonly sizes: FuseSizes,
  ) {
    const read = new Set(block.program.equations.flatMap(({ inputs }) => inputs));
    this.grouping = new Grouping(sizes, ({ variable }) => variable !== null && read.has(variable));
  }

  addEquation(equation: Equation): void {
    if (isInlineable(equation)) {
      for (const output of equation.outputs) {
        const other = this.block.aliases.get(output);
        if (other !== undefined) this.grouping.addAlias(output, other);
        else if (this.block.stored.has(output)) this.addDefinition(output);
      }
      return;
    }
    const { form } = entryOf(equation);
    if (form === null) throw new Error(`${equation.primitive.name} should have been written out`);
    switch (form.kind) {
      case "reduction":
        this.addReduce(equation, form);
        break;
      case "concatenation":
        this.addConcatenation(equation, form.axis(equation));
        break;
      case "product":
        if (isPlainDot(equation)) this.grouping.addStep(equation, this.readsOf(equation.inputs), []);
        else this.grouping.addDot(equation, this.readsOf(equation.inputs));
        break;
      case "step": {
        const takes = form.takes(equation).filter((atom) => atom.kind === "variable");
        this.grouping.addStep(equation, this.readsOf(equation.inputs), takes);
        break;
      }
    }
  }

  addCopy(atom: Atom, to: Place): void {
    this.addPoint(atom, { kind: "place", place: to }, this.canReadBehindProduct(atom));
  }

  /** A variable written out element by element. */
  private addDefinition(variable: Variable): void {
    this.addPoint(variable, { kind: "whole", variable }, this.canDefineBehindProduct(variable));
  }

  private addPoint(value: Atom, target: Target, isCheap: boolean): void {
    const { shape } = value.type;
    if (sizeOf(shape) === 0) return;
    const variable = target.kind === "whole" ? target.variable : null;
    const written = { value, variable };
    const found = findReads(this.block, shape, (lowering, indices) => valueOf(written, lowering, indices));
    this.grouping.addPoint({ kind: "point", shape, target, ...written, ...found }, isCheap);
  }

  private addReduce(equation: Equation, form: Extract<Form, { kind: "reduction" }>): void {
    const [operand] = equation.inputs;
    const { shape } = operand.type;
    const axes = form.axes(equation);
    const roles = shape.map((extent, axis) =>
      extent === 1 ? "unit" : axes.includes(axis) ? "reduced" : "kept",
    );
    const found = findReads(this.block, shape, (lowering, indices) => lowering.at(operand, indices));
    const node: ReduceNode = {
      kind: "reduce",
      variable: equation.outputs[0],
      operand,
      operation: form.operation,
      kept: shape.filter((_, axis) => roles[axis] === "kept"),
      reduced: shape.filter((_, axis) => roles[axis] === "reduced"),
      roles,
      ...found,
    };
    this.grouping.addReduce(node);
  }

  /** Every operand goes to its own part of the result. */
  private addConcatenation({ inputs, outputs: [output] }: Equation, axis: number): void {
    let start = 0;
    for (const input of inputs) {
      this.addPoint(input, { kind: "part", of: output, axis, start }, this.canReadBehindProduct(input));
      start += input.type.shape[axis];
    }
    this.grouping.closeParts(output);
  }

  /** The arrays that writing out some atoms reads. */
  private readsOf(atoms: readonly Atom[]): Set<Variable> {
    const found = new Set<Variable>();
    for (const atom of atoms) {
      const { reads } = findReads(this.block, atom.type.shape, (lowering, indices) =>
        lowering.at(atom, indices),
      );
      for (const variable of reads.keys()) found.add(variable);
    }
    return found;
  }

  /** Whether everything that is written out to define a variable can follow a product. */
  private canDefineBehindProduct(variable: Variable): boolean {
    const definition = this.block.definitions.get(variable);
    if (definition === undefined) return true;
    const { cost, isPositional } = entryOf(definition.equation);
    // Cheap and simple enough for the end of a product's inner loop.
    const isCheap = cost <= 4 || this.sizes.isCostlyBehind(sizeOf(variable.type.shape));
    const canFollow = isCheap && !isPositional;
    return canFollow && definition.equation.inputs.every((input) => this.canReadBehindProduct(input));
  }

  private canReadBehindProduct(atom: Atom): boolean {
    return atom.kind === "literal" || this.block.stored.has(atom) || this.canDefineBehindProduct(atom);
  }
}
