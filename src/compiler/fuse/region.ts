// From a Program to steps: kernels and the control flow around them, over buffers that have no address yet.
import type {
  ArgReduceParams,
  Atom,
  CondParams,
  DebugPrintParams,
  DType,
  Equation,
  Program,
  ReduceParams,
  ScanParams,
  SortParams,
  Variable,
  WhileParams,
} from "../../array/index.js";
import type { Buffer, Counter, Kernel, Place, Reduce, Step } from "../kernel.js";
import type { Target } from "../target.js";
import { analyseBlock, canFollowProduct, isInlineable, sizeOf, type Block } from "./block.js";
import { buildDot, buildLoop, buildPlainDot } from "./build.js";
import { ExpressionBuilder, type Index } from "./expressions.js";
import { Grouping, type Group } from "./groups.js";
import { Lowering } from "./lower.js";
import { findReads, type PointNode, type ReduceNode } from "./nodes.js";
import { padKernels, scatterKernel, updateKernel, windowSumKernels } from "./scattered.js";

/** What all regions of one compilation share. */
export class Shared {
  constructor(readonly target: Target) {}

  readonly buffers: Buffer[] = [];
  readonly counters: Counter[] = [];
  readonly messages: DebugPrintParams[] = [];
  readonly messageValues: { readonly place: Place; readonly shape: readonly number[] }[][] = [];

  buffer(dtype: DType, size: number, name: string): Buffer {
    const buffer = { id: this.buffers.length, dtype, size, name };
    this.buffers.push(buffer);
    return buffer;
  }

  counter(length: number): Counter {
    const counter = { id: this.counters.length, length };
    this.counters.push(counter);
    return counter;
  }
}

export const placeAt = (buffer: Buffer): Place => ({ buffer, offset: 0, counters: [] });

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

export class Region {
  readonly block: Block;
  readonly places = new Map<Variable, Place>();
  readonly steps: Step[] = [];
  private readonly grouping = new Grouping();
  private needed: ReadonlySet<Variable> = new Set();

  constructor(
    readonly shared: Shared,
    private readonly program: Program,
    inputs: readonly Place[],
    private readonly destinations: readonly (Place | null)[],
  ) {
    this.block = analyseBlock(program);
    program.inputs.forEach((input, index) => this.places.set(input, inputs[index]));
  }

  build(): BuiltRegion {
    const copies = this.assignDestinations();
    const outputs = new Set(this.program.outputs);
    const usedInside = new Set(this.program.equations.flatMap((equation) => equation.inputs));
    const deferred: Equation[] = [];
    for (const equation of this.program.equations) {
      // Results that nothing here reads come last, so that they can take the place of what they replace.
      const isResult = equation.outputs.every((output) => outputs.has(output) && !usedInside.has(output));
      if (isResult && isInlineable(equation)) deferred.push(equation);
      else this.addEquation(equation);
    }
    deferred.forEach((equation) => this.addEquation(equation));
    copies.forEach(({ atom, to }) => this.addCopy(atom, to));
    this.needed = this.grouping.variablesNeeded();
    this.grouping.inOrder(this.needed).forEach((group) => this.buildGroup(group));
    return { steps: this.steps, outputs: this.program.outputs.map((output) => this.outputPlace(output)) };
  }

  // ---- places -----------------------------------------------------------------------------------------

  /** Gives outputs that are computed here their destination; returns those that must be copied to it. */
  private assignDestinations(): { atom: Atom; to: Place }[] {
    const copies: { atom: Atom; to: Place }[] = [];
    const outputs = this.program.outputs;
    outputs.forEach((atom, index) => {
      const to = this.destinations[index] ?? null;
      if (to === null) return;
      const isHere = atom.kind === "variable" && this.block.definitions.has(atom) && !this.places.has(atom);
      const isOnly = outputs.filter((other) => other === atom).length === 1;
      if (atom.kind === "variable" && isHere && isOnly) this.places.set(atom, to);
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

  private outputPlace(output: Atom): Place {
    const index = this.program.outputs.indexOf(output);
    return output.kind === "literal"
      ? (this.destinations[index] ?? this.operandPlace(output))
      : this.placeOf(output);
  }

  push(kernel: Kernel): void {
    this.steps.push({ kind: "kernel", kernel });
  }

  /** Writes a scalar atom to a place. */
  private fill(place: Place, atom: Atom): void {
    const lowering = this.lowering(new ExpressionBuilder(0));
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
      ordered: false,
    });
  }

  copy(from: Place, to: Place, size: number): void {
    if (size > 0) this.push({ kind: "copy", name: "copy", from, to, size });
  }

  // ---- nodes ------------------------------------------------------------------------------------------

  /** Expressions that read everything stored from memory. */
  lowering(build: ExpressionBuilder): Lowering {
    return new Lowering(this.block, build, {
      at: (variable, indices) =>
        this.block.stored.has(variable)
          ? build.load(
              build.address(this.placeOf(variable), variable.type.shape, indices),
              variable.type.dtype,
            )
          : null,
      linear: (variable, position) => this.loadLinear(build, variable, position),
    });
  }

  loadLinear(build: ExpressionBuilder, variable: Variable, position: Index) {
    const size = sizeOf(variable.type.shape);
    return build.load(build.address(this.placeOf(variable), [size], [position]), variable.type.dtype);
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
    const step = (make: () => void) => this.grouping.addStep(outputs, this.readsOf(inputs), make);
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
        this.grouping.addDot(output, this.readsOf(inputs), (group) => {
          const epilogue = group.after.filter((node) => this.isNeeded(node));
          this.push(
            buildDot(this, equation, epilogue, this.needed.has(output) || this.isOutput(output), group),
          );
        });
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
        step(() => this.makeSort(equation));
        break;
      case "scan":
        step(() => this.makeScan(equation));
        break;
      case "while":
        step(() => this.makeWhile(equation));
        break;
      case "cond":
        step(() => this.makeCond(equation));
        break;
      case "debugPrint":
        step(() => this.makePrint(equation));
        break;
      default:
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
    this.grouping.addStep([output], [], () => undefined);
  }

  // ---- kernels ----------------------------------------------------------------------------------------

  isOutput(variable: Variable): boolean {
    return this.program.outputs.includes(variable);
  }

  /** Whether a node's result must be written to memory. */
  isNeeded({ variable }: PointNode | ReduceNode): boolean {
    return variable === null || this.needed.has(variable) || this.isOutput(variable);
  }

  private buildGroup(group: Group): void {
    if (group.make !== null) group.make(group);
    else {
      const kernel = buildLoop(this, group);
      if (kernel !== null) this.push(kernel);
    }
  }

  private makeSort({ inputs, outputs, params }: Equation): void {
    const { axis, keys } = params as SortParams;
    const { shape } = outputs[0].type;
    const size = sizeOf(shape);
    const length = shape[axis];
    const stride = sizeOf(shape.slice(axis + 1));
    const from = inputs.map((input) => this.operandPlace(input));
    const values = outputs.flatMap((output, index) => {
      const isNeeded = this.needed.has(output) || this.isOutput(output);
      return isNeeded ? [{ from: from[index], to: this.placeOf(output) }] : [];
    });
    if (size === 0) return;
    if (length === 1) {
      values.forEach((value) => this.copy(value.from, value.to, size));
      return;
    }
    this.push({
      kind: "sort",
      name: "sort",
      lanes: size / length,
      length,
      stride,
      outer: length * stride,
      keys: from.slice(0, keys),
      values,
      scratch: this.shared.buffer("int32", this.shared.target.sortScratch(length), "sorting"),
    });
  }

  private makePrint({ inputs, params }: Equation): void {
    const message = this.shared.messages.push(params as DebugPrintParams) - 1;
    const operands = inputs.map((input) => {
      const place = this.operandPlace(input);
      if (place.counters.length === 0) return place;
      // The host knows nothing of loop counters.
      const size = sizeOf(input.type.shape);
      const fixed = placeAt(this.shared.buffer(input.type.dtype, size, "printed"));
      this.copy(place, fixed, size);
      return fixed;
    });
    this.shared.messageValues.push(
      operands.map((place, index) => ({ place, shape: inputs[index].type.shape })),
    );
    this.push({ kind: "print", name: "print", message, operands });
  }

  // ---- control flow -----------------------------------------------------------------------------------

  /** A carry's home: the same place in every turn, starting with the initial value. */
  private home(atom: Atom, result: Variable): Place {
    const size = sizeOf(atom.type.shape);
    const place = placeAt(this.shared.buffer(atom.type.dtype, size, `carry_${result.id}`));
    if (atom.kind === "literal") this.fill(place, atom);
    else this.copy(this.placeOf(atom), place, size);
    return place;
  }

  /** Copies from the end of a turn to the homes for the next; a home that another carry takes is saved first. */
  private bringHome(outputs: readonly Place[], homes: readonly Place[], types: readonly Variable[]): Step[] {
    const steps: Step[] = [];
    const isHome = (place: Place) => homes.some((home) => home.buffer === place.buffer);
    const copy = (from: Place, to: Place, size: number) => {
      if (size > 0) steps.push({ kind: "kernel", kernel: { kind: "copy", name: "carry", from, to, size } });
    };
    const sources = outputs.map((place, index) => {
      const { dtype, shape } = types[index].type;
      if (place.buffer === homes[index].buffer || !isHome(place)) return place;
      const saved = placeAt(this.shared.buffer(dtype, sizeOf(shape), "saved"));
      copy(place, saved, sizeOf(shape));
      return saved;
    });
    sources.forEach((from, index) => {
      if (from.buffer !== homes[index].buffer) copy(from, homes[index], sizeOf(types[index].type.shape));
    });
    return steps;
  }

  private makeScan(equation: Equation): void {
    const { constants, carries, length } = equation.params as ScanParams;
    const { inputs, outputs } = equation;
    const results = outputs.slice(0, carries);
    const homes = results.map((result, index) => this.home(inputs[constants + index], result));
    if (length > 0) this.makeTurns(equation, homes);
    this.settle(results, homes);
  }

  /** Says that results lie in the homes of the carries they come from, or brings them where they should lie. */
  private settle(results: readonly Variable[], homes: readonly Place[]): void {
    results.forEach((result, index) => {
      const wanted = this.places.get(result);
      if (wanted === undefined) this.places.set(result, homes[index]);
      else this.copy(homes[index], wanted, sizeOf(result.type.shape));
    });
  }

  private makeTurns(equation: Equation, homes: readonly Place[]): void {
    const { body, constants, carries, length, reverse } = equation.params as ScanParams;
    const { inputs, outputs } = equation;
    const results = outputs.slice(0, carries);
    const counter = this.shared.counter(length);
    const sliceOf = (place: Place, size: number): Place => ({
      ...place,
      counters: [...place.counters, { counter, stride: size }],
    });
    const stacked = inputs
      .slice(constants + carries)
      .map((input) => sliceOf(this.operandPlace(input), sizeOf(input.type.shape.slice(1))));
    const rows = outputs
      .slice(carries)
      .map((output) => sliceOf(this.placeOf(output), sizeOf(output.type.shape.slice(1))));
    const fixed = inputs.slice(0, constants).map((input) => this.operandPlace(input));
    const inner = buildRegion(
      this.shared,
      body,
      [...fixed, ...homes, ...stacked],
      [...results.map(() => null), ...rows],
    );
    this.steps.push({
      kind: "loop",
      counter,
      reverse,
      body: [...inner.steps, ...this.bringHome(inner.outputs.slice(0, carries), homes, results)],
    });
  }

  private makeWhile(equation: Equation): void {
    const { test, body, testConstants, bodyConstants } = equation.params as WhileParams;
    const { inputs, outputs } = equation;
    const homes = outputs.map((output, index) =>
      this.home(inputs[testConstants + bodyConstants + index], output),
    );
    const places = inputs.slice(0, testConstants + bodyConstants).map((input) => this.operandPlace(input));
    const tested = buildRegion(this.shared, test, [...places.slice(0, testConstants), ...homes]);
    const inner = buildRegion(this.shared, body, [...places.slice(testConstants), ...homes]);
    this.steps.push({
      kind: "while",
      test: tested.steps,
      predicate: tested.outputs[0],
      body: [...inner.steps, ...this.bringHome(inner.outputs, homes, outputs)],
    });
    this.settle(outputs, homes);
  }

  private makeCond(equation: Equation): void {
    const { branches } = equation.params as CondParams;
    const [index, ...operands] = equation.inputs.map((input) => this.operandPlace(input));
    const results = equation.outputs.map((output) => this.placeOf(output));
    const cases = branches.map((branch) => {
      const { steps, outputs } = buildRegion(this.shared, branch, operands);
      const copies = outputs.flatMap((from, at): Step[] => {
        const size = sizeOf(equation.outputs[at].type.shape);
        if (size === 0) return [];
        return [{ kind: "kernel", kernel: { kind: "copy", name: "branch", from, to: results[at], size } }];
      });
      return [...steps, ...copies];
    });
    this.steps.push({ kind: "branch", index, cases });
  }
}
