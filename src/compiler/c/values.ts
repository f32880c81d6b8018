// The values of a kernel while it is written out: which of them have names now, and how each is computed.
import type { Expression, Load, Operation } from "../kernel.js";
import { operandsOf } from "../walk.js";
import { loadText, placeText, strideOf } from "./loads.js";
import { columnsOf, wholeRows } from "./neighbours.js";
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
  /** Loads that are done together with others. */
  private readonly rows = new Map<Load, readonly Load[]>();
  /** Blocks of random bits by their operands: both words of one are computed together. */
  private siblings = new Map<string, Operation[]>();

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

  isKnown(expression: Expression): boolean {
    return this.known.has(expression);
  }

  /** What must be computed for some values: all of it that is not known yet, operands before what they are for. */
  missingFor(roots: Iterable<Expression>): Expression[] {
    const found = new Set<Expression>();
    const add = (expression: Expression) => {
      if (expression.kind !== "constant" && !this.known.has(expression)) found.add(expression);
    };
    for (const root of roots) add(root);
    // A set that grows while it is walked through is walked to its new end.
    for (const expression of found) operandsOf(expression).forEach(add);
    return [...found].sort((a, b) => a.id - b.id);
  }

  /** Computes values that are not known yet, and all that they need. */
  compute(roots: Iterable<Expression>): void {
    for (const expression of this.missingFor(roots)) this.computeOne(expression);
  }

  /** Computes a value whose operands are known. */
  computeOne(expression: Expression): void {
    if (expression.kind === "constant" || this.known.has(expression)) return;
    const width = this.points.isUniform(expression) ? 1 : this.points.width;
    const row = width === 1 || expression.kind !== "load" ? undefined : this.rows.get(expression);
    if (row !== undefined) {
      this.loadRow(row, width);
      return;
    }
    if (isRandomBits(expression)) {
      drawBits([this], expression, width);
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
          operationFor(name, dtype, inputs, width) ?? this.kernel.functions.call(name, dtype, texts, width)
        );
      }
      case "reduced":
        throw new Error("the result of a reduction is used before it is known");
    }
  }

  /** Says what both words of a block of random bits are called. */
  knowBits(operation: Operation, words: readonly [string, string], width: Width): void {
    const siblings = this.siblings.get(blockKey(operation)) ?? [operation];
    for (const sibling of siblings)
      if (!this.known.has(sibling)) this.know(sibling, words[sibling.result], width);
  }

  /** Loads whole rows, and finds their columns. */
  private loadRow(row: readonly Load[], width: Width): void {
    const { out } = this.kernel;
    const [{ address, dtype }] = row;
    const type = typeOf(dtype, width);
    const place = `${this.kernel.pointer(address.buffer)} + ${placeText(address, this)}`;
    const vectors = row.map((_, at) => {
      const name = out.name("l");
      out.line(`const ${type} ${name} = *(const ${type}u *)(${place} + ${at * width});`);
      return name;
    });
    columnsOf(out, dtype, width, vectors).forEach((name, at) => {
      if (!this.known.has(row[at])) this.know(row[at], name, width);
    });
  }

  /** Says which expressions there are. */
  expect(order: readonly Expression[]): void {
    const loads = order.filter((expression): expression is Load => {
      if (expression.kind !== "load" || expression.guard !== null) return false;
      return expression.address.computed.length === 0;
    });
    for (const row of wholeRows(
      loads,
      ({ address }) => address,
      (address) => strideOf(address, this),
    ))
      for (const load of row) this.rows.set(load, row);
    this.siblings = new Map();
    for (const expression of order) {
      if (!isRandomBits(expression)) continue;
      const key = blockKey(expression);
      this.siblings.set(key, [...(this.siblings.get(key) ?? []), expression]);
    }
  }
}

const isRandomBits = (expression: Expression): expression is Operation =>
  expression.kind === "operation" && expression.name === "threefry2x32";

/** Names a block of random bits: both of its words have the same operands. */
const blockKey = ({ inputs }: Operation): string => inputs.map(({ id }) => id).join();

/** Computes both words of a block of random bits, for all copies in turns. */
function drawBits(copies: readonly Values[], operation: Operation, width: Width): void {
  const { out, functions } = copies[0].kernel;
  const words = copies.map(() => [out.name("v"), out.name("v")] as const);
  const inputs = copies.flatMap((values) => operation.inputs.map((input) => values.read(input, width)));
  out.line(`${typeOf(operation.dtype, width)} ${words.flat().join(", ")};`);
  const name = functions.named(operation.name, operation.dtype, width, copies.length);
  out.line(`${name}(${[...inputs, ...words.flat().map((word) => `&${word}`)].join(", ")});`);
  copies.forEach((values, copy) => values.knowBits(operation, words[copy], width));
}

/** Computes values at several places, one value after the other, and what they need. */
export function computeTogether(copies: readonly Values[], roots: readonly Expression[]): void {
  const [first] = copies;
  // What was computed where there was only one copy, only the first knows.
  const last = copies[copies.length - 1];
  for (const expression of last.missingFor(roots)) {
    const isDrawn = isRandomBits(expression) && !first.isKnown(expression);
    if (isDrawn && !first.points.isUniform(expression)) drawBits(copies, expression, first.points.width);
    else for (const values of copies) values.computeOne(expression);
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
