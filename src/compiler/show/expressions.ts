// The expressions of a kernel as text. What is used more than once gets a line and a number of its own.
import type { Address, Expression, Load, Operation, OperationName } from "../kernel.js";
import { expressionsBelow, landings, operandsOf } from "../walk.js";
import { showConstant } from "./numbers.js";
import { axisName, counterName, showSum, type Naming } from "./names.js";

/** How tightly the outermost operator of a text binds. */
const levels = {
  choice: 0,
  or: 1,
  xor: 2,
  and: 3,
  equal: 4,
  less: 5,
  shift: 6,
  add: 7,
  mul: 8,
  sign: 9,
  atom: 10,
};

const infix: Partial<Record<OperationName, readonly [symbol: string, level: number]>> = {
  or: ["|", levels.or],
  xor: ["^", levels.xor],
  and: ["&", levels.and],
  equal: ["==", levels.equal],
  notEqual: ["!=", levels.equal],
  less: ["<", levels.less],
  lessEqual: ["<=", levels.less],
  shiftLeft: ["<<", levels.shift],
  shiftRightArithmetic: [">>", levels.shift],
  shiftRightLogical: [">>>", levels.shift],
  add: ["+", levels.add],
  sub: ["-", levels.add],
  mul: ["*", levels.mul],
  div: ["/", levels.mul],
  rem: ["%", levels.mul],
};

/** Longer texts inside others get a line of their own. */
const longest = 60;

interface Piece {
  readonly text: string;
  readonly level: number;
}

/** Part of an address, with how many different values it takes. */
interface IndexTerm extends Piece {
  readonly stride: number;
  readonly extent: number;
}

/** Expressions that are needed at more than one place. */
function findShared(roots: readonly Expression[]): Set<Expression> {
  const seen = new Set<Expression>();
  const shared = new Set<Expression>();
  const need = (expression: Expression): void => {
    if (seen.has(expression)) shared.add(expression);
    seen.add(expression);
  };
  roots.forEach(need);
  for (const expression of expressionsBelow(roots)) operandsOf(expression).forEach(need);
  return shared;
}

/** Indices in the order of the array's axes, if the terms walk it row by row; null if they do not. */
function rowMajor(offset: number, terms: readonly IndexTerm[]): string[] | null {
  if (offset !== 0 || terms.length === 0) return null;
  const ordered = [...terms].sort((a, b) => b.stride - a.stride);
  let expected = 1;
  for (const { stride, extent } of ordered.toReversed()) {
    if (stride !== expected) return null;
    expected *= extent;
  }
  return ordered.map(({ text }) => text);
}

/** Writes the expressions of one kernel. */
export class ExpressionWriter {
  private readonly pieces = new Map<Expression, Piece>();
  private readonly shared: ReadonlySet<Expression>;
  private pending: string[] = [];
  private count = 0;

  constructor(
    private readonly name: Naming,
    private readonly extents: readonly number[],
    /** The names of the kernel's reductions. */
    private readonly reductions: readonly string[],
    /** Everything the kernel evaluates. */
    roots: readonly Expression[],
  ) {
    this.shared = findShared(roots);
  }

  /** Temporaries that were needed since the last call, one a line. */
  temporaries(): string[] {
    const lines = this.pending;
    this.pending = [];
    return lines;
  }

  /** The text of a whole value. */
  value(expression: Expression): string {
    for (const landing of landings(expressionsBelow([expression]))) this.piece(landing);
    return this.shared.has(expression) ? this.piece(expression).text : this.write(expression).text;
  }

  /** An element of a buffer: indexed by axis where they walk it row by row, else by position. */
  address({ buffer, offset, counters, strides, computed }: Address): string {
    const term = (text: string, stride: number, extent: number) => ({
      ...{ text, stride, extent },
      level: levels.atom,
    });
    const terms: IndexTerm[] = [
      ...counters.map(({ counter, stride }) => term(counterName(counter), stride, counter.length)),
      ...strides.map((stride, axis) => term(axisName(axis), stride, this.extents[axis] ?? 1)),
    ].filter(({ stride, extent }) => stride !== 0 && extent > 1);
    for (const { index, stride } of computed) terms.push({ ...this.piece(index), stride, extent: Infinity });
    const name = this.name(buffer);
    if (terms.length === 0 && buffer.size === 1) return name;
    const indices = rowMajor(offset, terms);
    if (indices !== null) return `${name}[${indices.join(", ")}]`;
    const sum = terms.map(({ stride, ...piece }) => ({
      stride,
      text: within(piece, stride === 1 ? levels.add : levels.sign),
    }));
    return `${name}[${showSum(offset, sum)}]`;
  }

  private piece(expression: Expression): Piece {
    const known = this.pieces.get(expression);
    if (known !== undefined) return known;
    const written = this.write(expression);
    const isRepeated = this.shared.has(expression) && operandsOf(expression).length > 0;
    const piece = isRepeated || written.text.length > longest ? this.temporary(written) : written;
    this.pieces.set(expression, piece);
    return piece;
  }

  private temporary({ text }: Piece): Piece {
    const name = `v${this.count++}`;
    this.pending.push(`${name} = ${text}`);
    return { text: name, level: levels.atom };
  }

  private write(expression: Expression): Piece {
    switch (expression.kind) {
      case "constant": {
        const text = showConstant(expression.value, expression.dtype);
        return { text, level: text.startsWith("-") ? levels.sign : levels.atom };
      }
      case "axis":
        return { text: axisName(expression.axis), level: levels.atom };
      case "load":
        return this.load(expression);
      case "reduced":
        return { text: this.reductions[expression.reduction], level: levels.atom };
      case "operation":
        return this.operation(expression);
    }
  }

  private load({ address, guard }: Load): Piece {
    const text = this.address(address);
    if (guard === null) return { text, level: levels.atom };
    return { text: `${text} where ${within(this.piece(guard), levels.or)}`, level: levels.choice };
  }

  private operation({ name, dtype, inputs, result }: Operation): Piece {
    const operand = (at: number, level: number) => within(this.piece(inputs[at]), level);
    const known = infix[name];
    if (known !== undefined) {
      const [symbol, level] = known;
      return { text: `${operand(0, level)} ${symbol} ${operand(1, level + 1)}`, level };
    }
    if (name === "neg") return { text: `-${operand(0, levels.atom)}`, level: levels.sign };
    if (name === "not")
      return { text: `${dtype === "bool" ? "!" : "~"}${operand(0, levels.atom)}`, level: levels.sign };
    if (name === "select") {
      const text = `${operand(0, levels.or)} ? ${operand(1, levels.or)} : ${operand(2, levels.choice)}`;
      return { text, level: levels.choice };
    }
    const functions: Partial<Record<OperationName, string>> = { convert: dtype, bitcast: `bitcast_${dtype}` };
    const list = inputs.map((_, at) => operand(at, levels.choice)).join(", ");
    const suffix = name === "threefry2x32" ? `.${result}` : "";
    return { text: `${functions[name] ?? name}(${list})${suffix}`, level: levels.atom };
  }
}

/** A text as an operand of something that binds at a level. */
const within = ({ text, level }: Piece, least: number): string => (level < least ? `(${text})` : text);
