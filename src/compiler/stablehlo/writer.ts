// Writing StableHLO: lines of operations, regions inside of operations, constants where they are first needed.
import type { DType, Shape } from "../../array/index.js";
import {
  sameType,
  showNumber,
  showResults,
  showTensor,
  showTensors,
  tensor,
  type Element,
  type TensorType,
} from "./types.js";

/** A value of the text. */
export interface Value extends TensorType {
  /** What the text calls it. */
  readonly name: string;
  /** The number that all its elements are, if it is a constant. */
  readonly splat?: number;
}

/** A constant, which is only written down where somebody asks for its name. */
class Constant implements Value {
  constructor(
    private readonly writer: Writer,
    readonly splat: number,
    readonly shape: Shape,
    readonly dtype: Element,
  ) {}

  get name(): string {
    return this.writer.nameConstant(this.splat, this);
  }
}

export class Writer {
  readonly lines: string[] = [];
  private depth: number;
  private values = 0;
  /** The constants that were written, in this region and in those around it. */
  private scopes: Map<string, string>[] = [new Map<string, string>()];

  constructor(
    /** Functions that the module has besides `main`, by name. */
    readonly functions: Map<string, readonly string[]>,
    depth = 2,
  ) {
    this.depth = depth;
  }

  /** Whether what is written is in no loop and no branch. */
  get isOutside(): boolean {
    return this.scopes.length === 1;
  }

  line(text: string): void {
    this.lines.push("  ".repeat(this.depth) + text);
  }

  newName(): string {
    return `%${this.values++}`;
  }

  constant(value: number, dtype: Element, shape: Shape = []): Value {
    return new Constant(this, value, shape, dtype);
  }

  /** The name of a constant that has been written where it can be seen. */
  nameConstant(value: number, type: TensorType): string {
    const text = `dense<${type.shape.includes(0) ? "" : showNumber(value, type.dtype)}> : ${showTensor(type)}`;
    for (const scope of this.scopes) {
      const known = scope.get(text);
      if (known !== undefined) return known;
    }
    const name = this.newName();
    this.line(`${name} = stablehlo.constant ${text}`);
    this.scopes[this.scopes.length - 1].set(text, name);
    return name;
  }

  /** One operation with one result: `stablehlo.name %a, %b, details : (types) -> type`. */
  op(name: string, operands: readonly Value[], type: TensorType, details = ""): Value {
    const signature =
      operands.length === 0 ? showTensor(type) : `(${showTensors(operands)}) -> ${showTensor(type)}`;
    return this.written(name, operands, type, details, signature);
  }

  /** One operation whose operands and result have one type, which is written once. */
  same(name: string, operands: readonly Value[], details = ""): Value {
    const [{ shape, dtype }] = operands;
    return this.written(name, operands, tensor(shape, dtype), details, showTensor(operands[0]));
  }

  private written(
    name: string,
    operands: readonly Value[],
    type: TensorType,
    details: string,
    signature: string,
  ): Value {
    const names = operands.map((operand) => operand.name);
    const text = [...names, ...(details === "" ? [] : [details])].join(", ");
    return this.define([type], text, `stablehlo.${name}`, signature)[0];
  }

  /** The types of some operands, and that of a result. */
  signature(operands: readonly Value[], type: TensorType): string {
    return `(${showTensors(operands)}) -> ${showTensor(type)}`;
  }

  /** One operation as `name text : signature`. */
  define(types: readonly TensorType[], text: string, name: string, signature: string): Value[] {
    const result = this.newName();
    const count = types.length === 1 ? "" : `:${types.length}`;
    const space = text === "" || text.startsWith("(") ? "" : " ";
    this.line(`${result}${count} = ${name}${space}${text} : ${signature}`);
    return namesOf(result, types);
  }

  /** One operation in the form that all have. */
  generic(name: string, operands: readonly Value[], attributes: string, type: TensorType): Value {
    const names = operands.map((operand) => operand.name).join(", ");
    const text = `(${names}) <{${attributes}}>`;
    return this.define([type], text, `"stablehlo.${name}"`, this.signature(operands, type))[0];
  }

  /** A loop: what it carries, whether it goes on, and what it carries on. */
  while(
    initial: readonly Value[],
    test: (carried: readonly Value[]) => Value,
    body: (carried: readonly Value[]) => readonly Value[],
  ): Value[] {
    const given = initial.map((value) => value.name);
    const carried = initial.map(({ shape, dtype }) => ({ shape, dtype, name: this.newName() }));
    const result = this.newName();
    const count = initial.length === 1 ? "" : `:${initial.length}`;
    const pairs = carried.map(({ name }, at) => `${name} = ${given[at]}`).join(", ");
    this.line(`${result}${count} = stablehlo.while(${pairs}) : ${showTensors(initial)}`);
    this.line("cond {");
    this.block(() => [test(carried)]);
    this.line("} do {");
    this.block(() => body(carried));
    this.line("}");
    return namesOf(result, carried);
  }

  /** An operation with regions, each written by a function of its arguments that returns what the region does. */
  regions(
    name: string,
    operands: readonly Value[],
    attributes: string,
    types: readonly TensorType[],
    regions: readonly Region[],
  ): Value[] {
    const names = operands.map((operand) => operand.name).join(", ");
    const result = types.length === 0 ? null : this.newName();
    const count = types.length === 1 ? "" : `:${types.length}`;
    const start = `${result === null ? "" : `${result}${count} = `}"stablehlo.${name}"(${names})`;
    this.line(`${start}${attributes === "" ? "" : ` <{${attributes}}>`} ({`);
    regions.forEach((region, at) => {
      if (at > 0) this.line("}, {");
      this.region(region);
    });
    this.line(`}) : (${showTensors(operands)}) -> ${types.length === 0 ? "()" : showResults(types)}`);
    return result === null ? [] : namesOf(result, types);
  }

  /** The lines of a region, and its `return`. */
  region({ arguments: types, write }: Region): void {
    const given = types.map((type) => ({ ...type, name: this.newName() }));
    if (given.length > 0) {
      this.line(`^bb0(${given.map((one) => `${one.name}: ${showTensor(one)}`).join(", ")}):`);
    }
    this.block(() => write(given));
  }

  /** Lines further in, whose constants nobody outside sees, and a `return` of their results. */
  block(write: () => readonly Value[]): void {
    this.scopes.push(new Map());
    this.depth++;
    const results = write();
    const names = results.map((result) => result.name).join(", ");
    this.line(
      results.length === 0 ? "stablehlo.return" : `stablehlo.return ${names} : ${showTensors(results)}`,
    );
    this.depth--;
    this.scopes.pop();
  }

  /** Calls a function of the module, which is written down once for each list of types. */
  call(
    name: string,
    operands: readonly Value[],
    types: readonly TensorType[],
    write: (inner: Writer, given: readonly Value[]) => readonly Value[],
  ): Value[] {
    const symbol = [name, ...new Set(operands.map(({ shape }) => shape.join("x")))].filter(Boolean).join("_");
    if (!this.functions.has(symbol)) {
      const inner = new Writer(this.functions);
      this.functions.set(
        symbol,
        functionLines(inner, `private @${symbol}`, operands, (given) => write(inner, given)),
      );
    }
    const names = operands.map((operand) => operand.name).join(", ");
    return this.define(
      types,
      `@${symbol}(${names})`,
      "func.call",
      `(${showTensors(operands)}) -> ${showResults(types)}`,
    );
  }

  // ---- what nearly every rule needs -------------------------------------------------------------------

  /** A scalar repeated to a shape; what has the shape already as it is. */
  spread(value: Value, shape: Shape): Value {
    if (value.shape.length === shape.length && value.shape.every((extent, axis) => extent === shape[axis]))
      return value;
    return this.broadcast(value, shape, []);
  }

  /** A value laid along some axes of a shape. */
  broadcast(value: Value, shape: Shape, axes: readonly number[]): Value {
    if (value.splat !== undefined) return this.constant(value.splat, value.dtype, shape);
    return this.op("broadcast_in_dim", [value], tensor(shape, value.dtype), `dims = [${axes.join(", ")}]`);
  }

  reshape(value: Value, shape: Shape): Value {
    if (sameType(value, tensor(shape, value.dtype))) return value;
    if (value.splat !== undefined) return this.constant(value.splat, value.dtype, shape);
    return this.op("reshape", [value], tensor(shape, value.dtype));
  }

  /** The same numbers in another dtype, where all of them fit into it. */
  convert(value: Value, dtype: Element): Value {
    if (value.dtype === dtype) return value;
    return this.op("convert", [value], tensor(value.shape, dtype));
  }

  iota(shape: Shape, axis: number, dtype: DType = "int32"): Value {
    return this.op("iota", [], tensor(shape, dtype), `dim = ${axis}`);
  }

  /** All elements along some axes combined into one by an operation of two numbers. */
  reduce(operation: string, x: Value, axes: readonly number[], initial: Value): Value {
    if (axes.length === 0) return x;
    const type = tensor(
      x.shape.filter((_, axis) => !axes.includes(axis)),
      x.dtype,
    );
    const text = `(${x.name} init: ${initial.name}) applies stablehlo.${operation} across dimensions = [${axes.join(", ")}]`;
    return this.define([type], text, "stablehlo.reduce", this.signature([x, initial], type))[0];
  }

  compare(direction: "EQ" | "NE" | "LT" | "LE" | "GT" | "GE", x: Value, y: Value): Value {
    const shape = x.shape.length > 0 ? x.shape : y.shape;
    const [a, b] = [this.spread(x, shape), this.spread(y, shape)];
    const kind = a.dtype.startsWith("float") ? "FLOAT" : a.dtype === "int32" ? "SIGNED" : "UNSIGNED";
    const text = `${direction}, ${a.name}, ${b.name}, ${kind}`;
    const type = tensor(shape, "bool");
    return this.define(
      [type],
      text,
      "stablehlo.compare",
      `(${showTensors([a, b])}) -> ${showTensor(type)}`,
    )[0];
  }

  select(predicate: Value, onTrue: Value, onFalse: Value): Value {
    const shape = [predicate, onTrue, onFalse].find((value) => value.shape.length > 0)?.shape ?? [];
    const [x, y] = [this.spread(onTrue, shape), this.spread(onFalse, shape)];
    const text = [predicate, x, y].map(({ name }) => name).join(", ");
    return this.define([x], text, "stablehlo.select", showTensors([predicate, x]))[0];
  }

  /** An elementwise operation on operands of one dtype; scalars go with any shape. */
  elementwise(name: string, operands: readonly Value[]): Value {
    const shape = operands.find((operand) => operand.shape.length > 0)?.shape ?? [];
    return this.same(
      name,
      operands.map((operand) => this.spread(operand, shape)),
    );
  }
}

/** A function: its head, the lines that are written for its arguments, and its `return`. */
export function functionLines(
  writer: Writer,
  head: string,
  given: readonly (TensorType & { readonly attributes?: string })[],
  write: (given: readonly Value[]) => readonly (Value & { readonly attributes?: string })[],
): string[] {
  const values = given.map(({ shape, dtype }, at) => ({ shape, dtype, name: `%arg${at}` }));
  const results = write(values);
  const names = results.map((result) => result.name).join(", ");
  writer.line(results.length === 0 ? "return" : `return ${names} : ${showTensors(results)}`);
  const inputs = given.map((type, at) => `%arg${at}: ${withAttributes(type)}`).join(", ");
  const outputs = results.some(({ attributes }) => attributes !== undefined)
    ? `(${results.map(withAttributes).join(", ")})`
    : showResults(results);
  return [`  func.func ${head}(${inputs}) -> ${outputs} {`, ...writer.lines, "  }"];
}

const withAttributes = (type: TensorType & { readonly attributes?: string }): string =>
  type.attributes === undefined ? showTensor(type) : `${showTensor(type)} {${type.attributes}}`;

/** A region of an operation. */
export interface Region {
  readonly arguments: readonly TensorType[];
  readonly write: (given: readonly Value[]) => readonly Value[];
}

const namesOf = (result: string, types: readonly TensorType[]): Value[] =>
  types.map(({ shape, dtype }, at) => ({
    shape,
    dtype,
    name: types.length === 1 ? result : `${result}#${at}`,
  }));
