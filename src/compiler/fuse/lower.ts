// From equations to expressions: what the value of a variable is at given indices, in terms of arrays that lie
// in memory. How each primitive is written out, its entry says (primitives/).
import type { Atom, DType, Variable } from "../../array/index.js";
import type { Expression, OperationName } from "../kernel.js";
import { entryOf } from "../primitives/index.js";
import type { Block } from "./block.js";
import { constantIndex, type ExpressionBuilder, type Index } from "./expressions.js";

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
    const { operation, written } = entryOf(equation);
    if (operation !== null) {
      const operands = equation.inputs.map((input) =>
        this.at(input, input.type.shape.length === 0 ? none : indices),
      );
      return this.operation(operation, variable.type.dtype, operands, output === 1 ? 1 : 0);
    }
    if (written === null) throw new Error(`${equation.primitive.name} cannot be written out`);
    return written(this, equation, indices);
  }

  operation(name: OperationName, dtype: DType, inputs: readonly Expression[], result: 0 | 1 = 0): Expression {
    const [x] = inputs;
    if ((name === "convert" || name === "bitcast") && x.dtype === dtype) return x;
    return this.build.operation(name, dtype, inputs, result);
  }

  int(value: number): Expression {
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

  /** Whether an operand has no place in memory, so that it cannot be read at a computed position. */
  isWrittenOut(atom: Atom): boolean {
    return atom.kind === "variable" && !this.block.stored.has(atom);
  }

  /** One of a few values, chosen by a position that is moved inside if it lies outside. */
  chosen(extent: number, position: Expression, value: (at: number) => Expression): Expression {
    let chosen = value(extent - 1);
    for (let at = extent - 2; at >= 0; at--) {
      const isHere = this.operation("lessEqual", "bool", [position, this.int(at)]);
      chosen = this.operation("select", chosen.dtype, [isHere, value(at), chosen]);
    }
    return chosen;
  }
}
