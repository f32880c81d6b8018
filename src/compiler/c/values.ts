// The values of a kernel while it is written out: which of them have names now, and how each is computed.
import type { Expression, Operation } from "../kernel.js";
import { expressionsBelow } from "../walk.js";
import { loadText } from "./loads.js";
import { operationText, type Operand } from "./operations.js";
import type { KernelText } from "./surroundings.js";
import { literal, splat, typeOf, type Width } from "./types.js";

/** The points that values are computed at. */
export interface Points {
  /** How many there are at once, side by side along an axis. */
  readonly width: Width;
  /** That axis; null for none. */
  readonly axis: number | null;
  /** The position of the first of them along an axis, as C; null for axes that are not walked along. */
  readonly position: (axis: number) => string | null;
  /** Whether a value is the same at all of them. */
  readonly isUniform: (expression: Expression) => boolean;
}

interface Named {
  readonly text: string;
  readonly width: Width;
}

export class Values {
  private readonly known = new Map<Expression, Named>();
  private scope: Expression[] = [];

  constructor(
    readonly kernel: KernelText,
    public points: Points,
  ) {}

  /** Writes code; what it gave names to has none behind it. */
  inScope(code: () => void): void {
    const outer = this.scope;
    this.scope = [];
    code();
    for (const expression of this.scope) this.known.delete(expression);
    this.scope = outer;
  }

  /** Says what a value is called. */
  know(expression: Expression, text: string, width: Width): void {
    this.known.set(expression, { text, width });
    this.scope.push(expression);
  }

  /** Computes values that are not known yet, and all that they need. */
  compute(roots: Iterable<Expression>): void {
    for (const expression of expressionsBelow(roots)) this.computeOne(expression);
  }

  /** Computes a value whose operands are known. */
  computeOne(expression: Expression): void {
    if (expression.kind === "constant" || this.known.has(expression)) return;
    const width = this.points.isUniform(expression) ? 1 : this.points.width;
    if (expression.kind === "operation" && expression.name === "threefry2x32") {
      this.drawBits(expression, width);
      return;
    }
    const name = this.kernel.out.name("v");
    this.kernel.out.line(
      `const ${typeOf(expression.dtype, width)} ${name} = ${this.textOf(expression, width)};`,
    );
    this.know(expression, name, width);
  }

  /** A known value, as many times as is asked for side by side. */
  read(expression: Expression, width: Width = this.points.width): string {
    const { dtype } = expression;
    if (expression.kind === "constant") return splat(literal(expression.value, dtype), dtype, width);
    const named = this.known.get(expression);
    if (named === undefined) throw new Error(`a value of the kind ${expression.kind} is not known yet`);
    return named.width === width ? named.text : splat(named.text, dtype, width);
  }

  /** A known value at one of the points. */
  lane(expression: Expression, lane: string | number): string {
    const isAlone = expression.kind === "constant" || this.known.get(expression)?.width === 1;
    return isAlone ? this.read(expression, 1) : `${this.read(expression)}[${lane}]`;
  }

  private operand(expression: Expression, width: Width): Operand {
    return {
      text: this.read(expression, width),
      dtype: expression.dtype,
      constant: expression.kind === "constant" ? expression.value : null,
    };
  }

  private textOf(expression: Exclude<Expression, { kind: "constant" }>, width: Width): string {
    switch (expression.kind) {
      case "axis": {
        const position = this.points.position(expression.axis) ?? "0";
        return width === 1 ? `(int)(${position})` : `(int)(${position}) + IOTA${width}`;
      }
      case "load":
        return loadText(this, expression, width);
      case "operation": {
        const { name, dtype } = expression;
        const inputs = expression.inputs.map((input) => this.operand(input, width));
        const texts = inputs.map(({ text }) => text);
        return (
          operationFor(name, dtype, inputs, width) ??
          this.kernel.functions.call(name, dtype, texts, width).value
        );
      }
      case "reduced":
        throw new Error("the result of a reduction is used before it is known");
    }
  }

  /** Computes both words of a block of random bits. */
  private drawBits(operation: Operation, width: Width): void {
    const { out, functions } = this.kernel;
    const [asked, other] = [out.name("v"), out.name("v")];
    const type = typeOf(operation.dtype, width);
    const words = operation.result === 0 ? [asked, other] : [other, asked];
    const inputs = operation.inputs.map((input) => this.read(input, width));
    out.line(`${type} ${words[1]};`);
    const { value } = functions.call(operation.name, operation.dtype, [...inputs, `&${words[1]}`], width);
    out.line(`const ${type} ${words[0]} = ${value};`);
    this.know(operation, asked, width);
    this.siblings.get(operation.inputs.map(({ id }) => id).join())?.forEach((sibling) => {
      if (sibling !== operation && sibling.result !== operation.result) this.know(sibling, other, width);
    });
  }

  /** Blocks of random bits by their operands: both words of one are computed together. */
  private siblings = new Map<string, Operation[]>();

  /** Says which expressions there are. */
  expect(order: readonly Expression[]): void {
    this.siblings = new Map();
    for (const expression of order) {
      if (expression.kind !== "operation" || expression.name !== "threefry2x32") continue;
      const key = expression.inputs.map(({ id }) => id).join();
      this.siblings.set(key, [...(this.siblings.get(key) ?? []), expression]);
    }
  }
}

/** Powers of floats are formulas, those of integers are not. */
const operationFor = (
  name: string,
  dtype: Operand["dtype"],
  inputs: readonly Operand[],
  width: Width,
): string | null =>
  name === "pow" && dtype === "float32" ? null : operationText(name, { dtype, inputs, width });
