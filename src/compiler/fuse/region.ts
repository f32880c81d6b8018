// From a Program to steps: kernels and the control flow around them, over buffers that have no address yet.
import {
  sizeOf,
  type ArgReduceParams,
  type Atom,
  type Equation,
  type Program,
  type ReduceParams,
  type ScanParams,
  type Variable,
  type WhileParams,
} from "../../array/index.js";
import { isCollective } from "../collectives.js";
import type { Expression, Kernel, Place, Reduce, Step } from "../kernel.js";
import { addPrint, addSort } from "./apart.js";
import { analyseBlock, canFollowProduct, isInlineable, isUpdate, type Block } from "./block.js";
import { buildDot, buildLoop, buildPlainDot } from "./build.js";
import { addCond, addScan, addWhile } from "./control.js";
import { addAxisIndex, addExchange } from "./exchange.js";
import { ExpressionBuilder, type Index } from "./expressions.js";
import { Grouping, type Group } from "./groups.js";
import { Lowering } from "./lower.js";
import { findReads, type PointNode, type ReduceNode } from "./nodes.js";
import { padKernels, scatterKernel, updateKernel, windowSumKernels } from "./scattered.js";
import { placeAt, type Shared } from "./shared.js";

/** What a region returns: where each output lies. */
export interface BuiltRegion {
  readonly steps: readonly Step[];
  readonly outputs: readonly Place[];
}

/**
 * Builds the steps of a program. `inputs` say where its inputs lie; an output with a destination is put
 * there, others wherever they are computed.
 */
export function buildRegion(
  shared: Shared,
  program: Program,
  inputs: readonly Place[],
  destinations: readonly (Place | null)[] = [],
): BuiltRegion {
  return new Region(shared, program, inputs, destinations).build();
}

/** Whether a product is none for tiles: of integers, of nothing, or over no depth. */
const isPlainDot = ({ inputs, outputs: [output] }: Equation): boolean =>
  output.type.dtype !== "float32" || inputs.some(({ type }) => sizeOf(type.shape) === 0);

/** The operands that an equation would rather write over than copy. */
function takenBy(equation: Equation): Variable[] {
  const { inputs, params, primitive } = equation;
  const operands = (): readonly Atom[] => {
    if (isUpdate(equation)) return inputs.slice(0, 1);
    if (primitive.name === "scan") {
      const { constants, carries } = params as ScanParams;
      return inputs.slice(constants, constants + carries);
    }
    if (primitive.name === "while") {
      const { testConstants, bodyConstants } = params as WhileParams;
      return inputs.slice(testConstants + bodyConstants);
    }
    return [];
  };
  return operands().filter((atom) => atom.kind === "variable");
}

export class Region {
  readonly block: Block;
  readonly places = new Map<Variable, Place>();
  readonly steps: Step[] = [];
  private readonly grouping = new Grouping();
  private needed: ReadonlySet<Variable> = new Set();
  private readonly outputs: ReadonlySet<Atom>;

  constructor(
    readonly shared: Shared,
    private readonly program: Program,
    inputs: readonly Place[],
    private readonly destinations: readonly (Place | null)[],
  ) {
    this.block = analyseBlock(program);
    this.outputs = new Set(program.outputs);
    program.inputs.forEach((input, index) => this.places.set(input, inputs[index]));
  }

  build(): BuiltRegion {
    const copies = this.assignDestinations();
    const usedInside = new Set(this.program.equations.flatMap((equation) => equation.inputs));
    const deferred: Equation[] = [];
    for (const equation of this.program.equations) {
      // Results that nothing here reads come last, so that they can take the place of what they replace.
      const isResult = equation.outputs.every(
        (output) => this.outputs.has(output) && !usedInside.has(output),
      );
      if (isResult && isInlineable(equation)) deferred.push(equation);
      else this.addEquation(equation);
    }
    deferred.forEach((equation) => this.addEquation(equation));
    copies.forEach(({ atom, to }) => this.addCopy(atom, to));
    this.needed = this.grouping.variablesNeeded();
    this.grouping.inOrder(this.needed).forEach((group) => this.buildGroup(group));
    const outputs = this.program.outputs.map((output, index) =>
      output.kind === "literal"
        ? (this.destinations[index] ?? this.operandPlace(output))
        : this.placeOf(output),
    );
    return { steps: this.steps, outputs };
  }

  // ---- places -----------------------------------------------------------------------------------------

  /** Gives outputs that are computed here their destination; returns those that must be copied to it. */
  private assignDestinations(): { atom: Atom; to: Place }[] {
    const copies: { atom: Atom; to: Place }[] = [];
    const isRepeated = new Map<Atom, boolean>();
    for (const atom of this.program.outputs) isRepeated.set(atom, isRepeated.has(atom));
    this.program.outputs.forEach((atom, index) => {
      const to = this.destinations[index] ?? null;
      if (to === null) return;
      const isHere = atom.kind === "variable" && this.block.definitions.has(atom) && !this.places.has(atom);
      if (isHere && isRepeated.get(atom) === false) this.places.set(atom, to);
      else copies.push({ atom, to });
    });
    return copies;
  }

  /** Where a variable lies; it gets a buffer if it has none yet. */
  placeOf(variable: Variable): Place {
    const known = this.places.get(variable);
    if (known !== undefined) return known;
    const { dtype, shape } = variable.type;
    const name = this.block.definitions.get(variable)?.equation.primitive.name ?? "input";
    const place = placeAt(this.shared.buffer(dtype, sizeOf(shape), `${name}_${variable.id}`));
    this.places.set(variable, place);
    return place;
  }

  /** Where an operand of a step lies; literals are put into memory first. */
  operandPlace(atom: Atom): Place {
    if (atom.kind === "variable") return this.placeOf(atom);
    const place = placeAt(this.shared.buffer(atom.type.dtype, 1, "literal"));
    this.fill(place, atom);
    return place;
  }

  push(kernel: Kernel): void {
    this.steps.push({ kind: "kernel", kernel });
  }

  /** Writes a scalar atom to a place. */
  fill(place: Place, atom: Atom): void {
    const lowering = this.lowering(new ExpressionBuilder([]));
    this.push({
      kind: "loop",
      name: "fill",
      extents: [],
      outer: 0,
      body: [
        {
          address: lowering.build.address(place, [], []),
          value: lowering.at(atom, []),
          combine: "set",
          guard: null,
        },
      ],
      reductions: [],
      after: [],
      order: "free",
    });
  }

  copy(from: Place, to: Place, size: number): void {
    if (size > 0) this.push({ kind: "copy", name: "copy", from, to, size });
  }

  /** Builds a program inside this one: a loop's body, a branch. */
  inside(program: Program, inputs: readonly Place[], destinations?: readonly (Place | null)[]): BuiltRegion {
    return buildRegion(this.shared, program, inputs, destinations);
  }

  // ---- nodes ------------------------------------------------------------------------------------------

  /** Expressions that read everything stored from memory. */
  lowering(build: ExpressionBuilder): Lowering {
    return new Lowering(this.block, build, {
      at: (variable, indices, guard) =>
        this.block.stored.has(variable)
          ? build.load(
              build.address(this.placeOf(variable), variable.type.shape, indices),
              variable.type.dtype,
              guard,
            )
          : null,
      linear: (variable, position, guard) => this.loadLinear(build, variable, position, guard),
    });
  }

  loadLinear(build: ExpressionBuilder, variable: Variable, position: Index, guard: Expression | null) {
    const size = sizeOf(variable.type.shape);
    return build.load(build.address(this.placeOf(variable), [size], [position]), variable.type.dtype, guard);
  }

  private addPoint(
    shape: readonly number[],
    variable: Variable | null,
    value: PointNode["value"],
    address: PointNode["address"],
    cheap: boolean,
  ): void {
    if (sizeOf(shape) === 0) return;
    const found = findReads(this.block, shape, value);
    this.grouping.addPoint(
      { kind: "point", variable, shape, value, address, combine: "set", ...found },
      cheap,
    );
  }

  /** Writes an atom to a place. */
  private addCopy(atom: Atom, to: Place): void {
    const { shape } = atom.type;
    this.addPoint(
      shape,
      null,
      (lowering, indices) => lowering.at(atom, indices),
      (lowering, indices) => lowering.build.address(to, shape, indices),
      this.canReadBehindProduct(atom),
    );
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

  private addEquation(equation: Equation): void {
    const { primitive, inputs, outputs } = equation;
    if (isInlineable(equation)) {
      for (const output of outputs) if (this.block.stored.has(output)) this.addDefinition(output);
      return;
    }
    const [output] = outputs;
    const step = (make: () => void) =>
      this.grouping.addStep(outputs, this.readsOf(inputs), takenBy(equation), make);
    switch (primitive.name) {
      case "reduceSum":
      case "reduceMax":
      case "reduceMin":
        this.addReduce(equation, (equation.params as ReduceParams).axes);
        break;
      case "argMax":
      case "argMin":
        this.addReduce(equation, [(equation.params as ArgReduceParams).axis]);
        break;
      case "concatenate":
        this.addConcatenate(equation);
        break;
      case "dot":
        if (isPlainDot(equation)) {
          step(() => {
            if (sizeOf(output.type.shape) > 0) this.push(buildPlainDot(this, equation));
          });
          break;
        }
        this.grouping.addDot(output, this.readsOf(inputs), (group) =>
          this.push(buildDot(this, equation, group)),
        );
        break;
      case "dynamicUpdateSlice":
        step(() => updateKernel(this, equation).forEach((kernel) => this.push(kernel)));
        break;
      case "scatter":
        step(() => scatterKernel(this, equation).forEach((kernel) => this.push(kernel)));
        break;
      case "windowSum":
        step(() => windowSumKernels(this, equation).forEach((kernel) => this.push(kernel)));
        break;
      case "pad":
        step(() => padKernels(this, equation).forEach((kernel) => this.push(kernel)));
        break;
      case "sort":
        step(() => addSort(this, equation));
        break;
      case "scan":
        step(() => addScan(this, equation));
        break;
      case "while":
        step(() => addWhile(this, equation));
        break;
      case "cond":
        step(() => addCond(this, equation));
        break;
      case "debugPrint":
        step(() => addPrint(this, equation));
        break;
      case "axisIndex":
        step(() => addAxisIndex(this, equation));
        break;
      default:
        if (isCollective(primitive.name)) {
          step(() => addExchange(this, equation));
          break;
        }
        throw new Error(`the compiler does not know the primitive ${primitive.name}`);
    }
  }

  /** A variable written out element by element. */
  private addDefinition(variable: Variable): void {
    const { shape } = variable.type;
    this.addPoint(
      shape,
      variable,
      (lowering, indices) => lowering.definition(variable, indices),
      (lowering, indices) => lowering.build.address(this.placeOf(variable), shape, indices),
      this.canDefineBehindProduct(variable),
    );
  }

  /** Whether everything that is written out to define a variable can follow a product. */
  private canDefineBehindProduct(variable: Variable): boolean {
    const definition = this.block.definitions.get(variable);
    if (definition === undefined) return true;
    const { primitive, inputs } = definition.equation;
    return canFollowProduct(primitive.name) && inputs.every((input) => this.canReadBehindProduct(input));
  }

  private canReadBehindProduct(atom: Atom): boolean {
    return atom.kind === "literal" || this.block.stored.has(atom) || this.canDefineBehindProduct(atom);
  }

  private addReduce(equation: Equation, axes: readonly number[]): void {
    const [operand] = equation.inputs;
    const [variable] = equation.outputs;
    const { shape } = operand.type;
    const names: Record<string, Reduce> = { reduceSum: "sum", reduceMax: "max", reduceMin: "min" };
    const roles = shape.map((extent, axis) =>
      extent === 1 ? "unit" : axes.includes(axis) ? "reduced" : "kept",
    );
    const found = findReads(this.block, shape, (lowering, indices) => lowering.at(operand, indices));
    const node: ReduceNode = {
      kind: "reduce",
      variable,
      operand,
      operation: names[equation.primitive.name] ?? (equation.primitive.name as Reduce),
      kept: shape.filter((_, axis) => roles[axis] === "kept"),
      reduced: shape.filter((_, axis) => roles[axis] === "reduced"),
      roles,
      ...found,
    };
    this.grouping.addReduce(node);
  }

  /** Every operand goes to its own part of the result. */
  private addConcatenate({ inputs, outputs: [output], params }: Equation): void {
    const { axis } = params as { readonly axis: number };
    let start = 0;
    for (const input of inputs) {
      const from = start;
      start += input.type.shape[axis];
      this.addPoint(
        input.type.shape,
        null,
        (lowering, indices) => lowering.at(input, indices),
        (lowering, indices) =>
          lowering.build.address(
            this.placeOf(output),
            output.type.shape,
            indices.map((index, at) => (at === axis ? { ...index, offset: index.offset + from } : index)),
          ),
        this.canReadBehindProduct(input),
      );
    }
    // What reads the result comes after all of its parts.
    this.grouping.addStep([output], [], [], () => undefined);
  }

  // ---- kernels ----------------------------------------------------------------------------------------

  /** Whether a variable's value must be written to memory; null stands for a part of one. */
  isNeeded(variable: Variable | null): boolean {
    return variable === null || this.needed.has(variable) || this.outputs.has(variable);
  }

  private buildGroup(group: Group): void {
    if (group.make !== null) group.make(group);
    else {
      const kernel = buildLoop(this, group);
      if (kernel !== null) this.push(kernel);
    }
  }
}
