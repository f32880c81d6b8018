// From equations to expressions: what the value of a variable is at given indices, in terms of arrays that lie
// in memory. Views (broadcast, transpose, slice, …) vanish into index arithmetic here.
import type {
  ArgReduceParams,
  Atom,
  BroadcastParams,
  DType,
  Equation,
  GatherParams,
  PadParams,
  ReduceParams,
  ScatterParams,
  SliceParams,
  Variable,
  WindowParams,
} from "../../array/index.js";
import type { Expression } from "../kernel.js";
import { elementwise } from "../costs.js";
import { isTrivialReshape, type Block } from "./block.js";
import {
  addIndex,
  constantIndex,
  isConstant,
  scaleIndex,
  type ExpressionBuilder,
  type Index,
} from "./expressions.js";

/** What is in memory, or computed elsewhere in the same kernel. */
export interface Resolver {
  /** The element of a variable at indices, wanted where a guard holds; null if its definition should be written out. */
  at(variable: Variable, indices: readonly Index[], guard: Expression | null): Expression | null;
  /** The element of a variable in memory at a row-major position, wanted where a guard holds. */
  linear(variable: Variable, position: Index, guard: Expression | null): Expression;
}

const none: readonly Index[] = [];

const indexKey = ({ offset, axes, computed }: Index): string =>
  `${offset}:${axes.join()}:${computed.map(({ index, stride }) => `${index.id}*${stride}`).join()}`;

/** All index tuples of a shape, in row-major order. */
function* everyIndex(shape: readonly number[]): Generator<Index[]> {
  if (shape.length === 0) {
    yield [];
    return;
  }
  for (const rest of everyIndex(shape.slice(0, -1))) {
    for (let at = 0; at < shape[shape.length - 1]; at++) yield [...rest, constantIndex(at)];
  }
}

/** What is known where a guard holds, at some indices; lists that say the same share it. */
class Known {
  private readonly byIndices = new Map<readonly Index[], Map<Variable, Expression>>();
  private readonly byText = new Map<string, Map<Variable, Expression>>();

  constructor(readonly guard: Expression | null) {}

  at(indices: readonly Index[]): Map<Variable, Expression> {
    const found = this.byIndices.get(indices);
    if (found !== undefined) return found;
    const text = indices.map(indexKey).join(" ");
    const here = this.byText.get(text) ?? new Map<Variable, Expression>();
    this.byText.set(text, here);
    this.byIndices.set(indices, here);
    return here;
  }
}

/** Writes out variables of a block as expressions of one kernel. */
export class Lowering {
  private known = new Known(null);
  private readonly knownUnder = new Map<Expression | null, Known>([[null, this.known]]);

  constructor(
    private readonly block: Block,
    readonly build: ExpressionBuilder,
    private readonly resolver: Resolver,
  ) {}

  /** The element of an atom at indices. */
  at(atom: Atom, indices: readonly Index[]): Expression {
    if (atom.kind === "literal") return this.build.constant(atom.value, atom.type.dtype);
    const here = this.known.at(indices);
    const known = here.get(atom);
    if (known !== undefined) return known;
    const value = this.resolver.at(atom, indices, this.known.guard) ?? this.definition(atom, indices);
    here.set(atom, value);
    return value;
  }

  /** The element of a variable in memory at a row-major position. */
  linear(variable: Variable, position: Index): Expression {
    return this.resolver.linear(variable, position, this.known.guard);
  }

  /** What is written out here is only wanted where a condition holds: elsewhere its loads may leave their arrays. */
  where<T>(condition: Expression, write: () => T): T {
    const outer = this.known;
    const guard = outer.guard === condition ? condition : this.both(outer.guard, condition);
    this.known = this.knownUnder.get(guard) ?? new Known(guard);
    this.knownUnder.set(guard, this.known);
    const written = write();
    this.known = outer;
    return written;
  }

  /** The value of a scalar atom. */
  scalar(atom: Atom): Expression {
    return this.at(atom, none);
  }

  /** The element that the variable's own equation defines. */
  definition(variable: Variable, indices: readonly Index[]): Expression {
    const definition = this.block.definitions.get(variable);
    if (definition === undefined) throw new Error(`variable ${variable.id} has no definition and no place`);
    const { equation, output } = definition;
    const { primitive, inputs } = equation;
    const { dtype } = variable.type;
    if (elementwise.has(primitive.name)) {
      const operands = inputs.map((input) => this.at(input, input.type.shape.length === 0 ? none : indices));
      return this.operation(primitive.name, dtype, operands, output === 1 ? 1 : 0);
    }
    const rule = rules[primitive.name];
    if (rule === undefined) throw new Error(`${primitive.name} cannot be written out`);
    return rule(this, equation, indices);
  }

  operation(name: string, dtype: DType, inputs: readonly Expression[], result: 0 | 1 = 0): Expression {
    const [x] = inputs;
    if (name === "stopGradient" || ((name === "convert" || name === "bitcast") && x.dtype === dtype))
      return x;
    return this.build.operation(name, dtype, inputs, result);
  }

  private int(value: number): Expression {
    return this.build.constant(value, "int32");
  }

  both(a: Expression | null, b: Expression): Expression {
    return a === null ? b : this.operation("and", "bool", [a, b]);
  }

  /** Whether 0 ≤ value < extent. */
  isInside(value: Expression, extent: number): Expression {
    const notBefore = this.operation("lessEqual", "bool", [this.int(0), value]);
    return this.both(notBefore, this.operation("less", "bool", [value, this.int(extent)]));
  }

  /** A computed position moved into 0 … last. */
  clamped(value: Expression, last: number): Index {
    if (value.kind === "constant") return constantIndex(Math.min(Math.max(value.value, 0), last));
    const raised = this.operation("max", "int32", [value, this.int(0)]);
    const index = this.operation("min", "int32", [raised, this.int(last)]);
    return { offset: 0, axes: [], computed: [{ index, stride: 1 }] };
  }

  /** The operand that a position along the axis falls into: known where the position is, else chosen. */
  smallConcatenate({ inputs, params, outputs: [output] }: Equation, indices: readonly Index[]): Expression {
    const { axis } = params as { readonly axis: number };
    const parts = inputs.flatMap((input) =>
      Array.from({ length: input.type.shape[axis] }, (_, at) => ({ input, at })),
    );
    const element = (position: number): Expression => {
      const { input, at } = parts[position];
      return this.at(
        input,
        indices.map((index, other) => (other === axis ? constantIndex(at) : index)),
      );
    };
    if (isConstant(indices[axis])) return element(indices[axis].offset);
    return this.chooseAlong(output.type.shape[axis], this.build.indexValue(indices[axis]), element);
  }

  gather({ inputs: [x, table], params, outputs: [output] }: Equation, indices: readonly Index[]): Expression {
    const { batchDims, mode } = params as GatherParams;
    const count = table.type.shape[table.type.shape.length - 1];
    const positions = table.type.shape.length - 1;
    const rest = indices.slice(positions);
    const batch = indices.slice(0, batchDims);
    const chosen = Array.from({ length: count }, (_, at) =>
      this.at(table, [...indices.slice(0, positions), constantIndex(at)]),
    );
    const extents = x.type.shape.slice(batchDims, batchDims + count);
    let inside: Expression | null = null;
    if (mode === "drop") {
      chosen.forEach((position, at) => (inside = this.both(inside, this.isInside(position, extents[at]))));
    }
    const value = this.isWrittenOut(x)
      ? this.chooseAlong(extents[0], chosen[0], (at) => this.at(x, [...batch, constantIndex(at), ...rest]))
      : this.at(x, [
          ...batch,
          ...chosen.map((position, at) => this.clamped(position, extents[at] - 1)),
          ...rest,
        ]);
    const zero = this.build.constant(0, output.type.dtype);
    return inside === null ? value : this.operation("select", value.dtype, [inside, value, zero]);
  }

  /** Whether an operand has no place in memory, so that it cannot be read at a computed position. */
  private isWrittenOut(atom: Atom): boolean {
    return atom.kind === "variable" && !this.block.stored.has(atom);
  }

  /** One of a few values, chosen by a position that is moved inside if it lies outside. */
  private chooseAlong(extent: number, position: Expression, value: (at: number) => Expression): Expression {
    let chosen = value(extent - 1);
    for (let at = extent - 2; at >= 0; at--) {
      const isHere = this.operation("lessEqual", "bool", [position, this.int(at)]);
      chosen = this.operation("select", chosen.dtype, [isHere, value(at), chosen]);
    }
    return chosen;
  }

  smallScatter({ inputs: [x, updates, table], params }: Equation, indices: readonly Index[]): Expression {
    const { batchDims, mode, operation } = params as ScatterParams;
    const batch = indices.slice(0, batchDims);
    const rest = indices.slice(batchDims + 1);
    const here = this.build.indexValue(indices[batchDims]);
    const last = x.type.shape[batchDims] - 1;
    let value = this.at(x, indices);
    for (const position of everyIndex(table.type.shape.slice(batchDims, -1))) {
      const given = this.at(table, [...batch, ...position, constantIndex(0)]);
      const target = mode === "clip" ? this.build.indexValue(this.clamped(given, last)) : given;
      const isMeant = this.operation("equal", "bool", [target, here]);
      const update = this.at(updates, [...batch, ...position, ...rest]);
      const met = operation === "set" ? update : this.operation(operation, value.dtype, [value, update]);
      value = this.operation("select", value.dtype, [isMeant, met, value]);
    }
    return value;
  }

  /** The indices of the operand for a result's indices, for every position along the reduced axes. */
  private *reducedIndices(x: Atom, axes: readonly number[], indices: readonly Index[]): Generator<Index[]> {
    for (const reduced of everyIndex(axes.map((axis) => x.type.shape[axis]))) {
      let next = 0;
      yield x.type.shape.map((_, axis) =>
        axes.includes(axis) ? reduced[axes.indexOf(axis)] : indices[next++],
      );
    }
  }

  smallReduce(operation: string, { inputs: [x], params }: Equation, indices: readonly Index[]): Expression {
    const { axes } = params as ReduceParams;
    const elements = [...this.reducedIndices(x, axes, indices)].map((at) => this.at(x, at));
    const { dtype } = x.type;
    // Of nothing, all are true; other smallest and largest values do not exist.
    if (elements.length === 0) return this.build.constant(operation === "min" ? 1 : 0, dtype);
    if (dtype === "float32" && operation !== "add") return this.extremum(operation, elements);
    const name = dtype === "bool" ? (operation === "max" ? "or" : "and") : operation;
    return elements.reduce((total, element) => this.operation(name, dtype, [total, element]));
  }

  /** The largest or smallest of some floats, NaN if there is one: cheaper than asking for NaN at every step. */
  private extremum(operation: string, elements: readonly Expression[]): Expression {
    const [first] = elements;
    if (elements.length === 1) return first;
    const isNaN = elements.map((element) => this.operation("notEqual", "bool", [element, element]));
    const anyNaN = isNaN.reduce((any, one) => this.operation("or", "bool", [any, one]));
    const best = elements.reduce((a, b) => this.operation(`${operation}Number`, first.dtype, [a, b]));
    return this.operation("select", first.dtype, [anyNaN, this.build.constant(NaN, first.dtype), best]);
  }

  smallArgReduce(largest: boolean, { inputs: [x], params }: Equation, indices: readonly Index[]): Expression {
    const { axis } = params as ArgReduceParams;
    const elements = [...this.reducedIndices(x, [axis], indices)].map((at) => this.at(x, at));
    let [best] = elements;
    let position = this.int(0);
    for (let at = 1; at < elements.length; at++) {
      const element = elements[at];
      const beats = this.operation("less", "bool", largest ? [best, element] : [element, best]);
      // The first NaN wins against every number.
      const isNaN = this.operation("notEqual", "bool", [element, element]);
      const bestIsNumber = this.operation("equal", "bool", [best, best]);
      const wins =
        x.type.dtype === "float32"
          ? this.operation("or", "bool", [beats, this.both(isNaN, bestIsNumber)])
          : beats;
      best = this.operation("select", best.dtype, [wins, element, best]);
      position = this.operation("select", "int32", [wins, this.int(at), position]);
    }
    return position;
  }
}

type Rule = (self: Lowering, equation: Equation, indices: readonly Index[]) => Expression;

const rules: Record<string, Rule> = {
  stopGradient: (self, { inputs }, indices) => self.at(inputs[0], indices),
  gammaSample: (self, { inputs }, indices) => self.at(inputs[0], indices),

  barrier: (self, { inputs }, indices) => self.at(inputs[0], indices),

  broadcast: (self, { inputs: [x], params }, indices) => {
    const { axes } = params as BroadcastParams;
    const { shape } = x.type;
    return self.at(
      x,
      axes.map((axis, at) => (shape[at] === 1 ? constantIndex(0) : indices[axis])),
    );
  },

  reshape: (self, { inputs: [x], outputs: [output] }, indices) => {
    const { shape } = output.type;
    if (isTrivialReshape(x.type.shape, shape)) {
      const kept = indices.filter((_, axis) => shape[axis] !== 1);
      let next = 0;
      return self.at(
        x,
        x.type.shape.map((extent) => (extent === 1 ? constantIndex(0) : kept[next++])),
      );
    }
    let stride = 1;
    let position = constantIndex(0);
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      position = addIndex(position, scaleIndex(indices[axis], stride));
      stride *= shape[axis];
    }
    if (x.kind === "literal") return self.at(x, []);
    return self.linear(x, position);
  },

  transpose: (self, { inputs: [x], params }, indices) => {
    const { permutation } = params as { readonly permutation: readonly number[] };
    const moved: Index[] = [];
    permutation.forEach((axis, at) => (moved[axis] = indices[at]));
    return self.at(x, moved);
  },

  flip: (self, { inputs: [x], params }, indices) => {
    const { axes } = params as { readonly axes: readonly number[] };
    return self.at(
      x,
      indices.map((index, axis) =>
        axes.includes(axis) ? scaleIndex(index, -1, x.type.shape[axis] - 1) : index,
      ),
    );
  },

  slice: (self, { inputs: [x], params }, indices) => {
    const { start, step } = params as SliceParams;
    return self.at(
      x,
      indices.map((index, axis) => scaleIndex(index, step[axis], start[axis])),
    );
  },

  window: (self, { inputs: [x], params }, indices) => {
    const { axis, stride, dilation } = params as WindowParams;
    const inside = addIndex(scaleIndex(indices[axis], stride), scaleIndex(indices[axis + 1], dilation));
    return self.at(x, [...indices.slice(0, axis), inside, ...indices.slice(axis + 2)]);
  },

  iota: (self, { params, outputs: [output] }, indices) => {
    const { axis } = params as { readonly axis: number };
    return self.operation("convert", output.type.dtype, [self.build.indexValue(indices[axis])]);
  },

  dynamicSlice: (self, { inputs: [x, ...starts], params }, indices) => {
    const { sizes } = params as { readonly sizes: readonly number[] };
    return self.at(
      x,
      indices.map((index, axis) => {
        const last = x.type.shape[axis] - sizes[axis];
        return last === 0 ? index : addIndex(index, self.clamped(self.scalar(starts[axis]), last));
      }),
    );
  },

  pad: (self, { inputs: [x, padding], params }, indices) => {
    const { low, high } = params as PadParams;
    const isEmpty = x.type.shape.includes(0);
    const isKnownOutside = indices.some((index, axis) => {
      const at = index.offset - low[axis];
      return isConstant(index) && (at < 0 || at >= x.type.shape[axis]);
    });
    if (isEmpty || isKnownOutside) return self.scalar(padding);
    let inside: Expression | null = null;
    const shifted = indices.map((index, axis) => {
      if (low[axis] === 0 && high[axis] === 0) return index;
      const moved = scaleIndex(index, 1, -low[axis]);
      if (!isConstant(index) && (low[axis] > 0 || high[axis] > 0)) {
        inside = self.both(inside, self.isInside(self.build.indexValue(moved), x.type.shape[axis]));
      }
      // Held inside, a computed place needs no guard.
      const isComputed = moved.computed.length > 0;
      return isComputed ? self.clamped(self.build.indexValue(moved), x.type.shape[axis] - 1) : moved;
    });
    if (inside === null) return self.at(x, shifted);
    const value = self.where(inside, () => self.at(x, shifted));
    return self.operation("select", value.dtype, [inside, value, self.scalar(padding)]);
  },

  concatenate: (self, equation, indices) => self.smallConcatenate(equation, indices),
  gather: (self, equation, indices) => self.gather(equation, indices),
  scatter: (self, equation, indices) => self.smallScatter(equation, indices),
  reduceSum: (self, equation, indices) => self.smallReduce("add", equation, indices),
  reduceMax: (self, equation, indices) => self.smallReduce("max", equation, indices),
  reduceMin: (self, equation, indices) => self.smallReduce("min", equation, indices),
  argMax: (self, equation, indices) => self.smallArgReduce(true, equation, indices),
  argMin: (self, equation, indices) => self.smallArgReduce(false, equation, indices),
};
