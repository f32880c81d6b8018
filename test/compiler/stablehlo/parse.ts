// A reader of the StableHLO that we write: operations with their operands, types and regions. What it does not know is an
// error, so that what we write stays what it checks.

export interface Tensor {
  readonly shape: readonly number[];
  readonly element: string;
}

export interface Operation {
  readonly line: number;
  readonly results: readonly string[];
  readonly name: string;
  /** The values that it uses, in their order. */
  readonly operands: readonly string[];
  /** What stands between the name and the types. */
  readonly text: string;
  readonly operandTypes: readonly Tensor[] | null;
  readonly resultTypes: readonly Tensor[];
  readonly regions: readonly Region[];
}

export interface Region {
  readonly inputs: readonly { readonly name: string; readonly type: Tensor }[];
  readonly operations: readonly Operation[];
}

export interface ModuleFunction extends Region {
  readonly name: string;
  readonly outputs: readonly Tensor[];
}

export const showTensor = ({ shape, element }: Tensor): string => `tensor<${[...shape, element].join("x")}>`;

function parseTensor(text: string): Tensor {
  const match = /^tensor<((?:\d+x)*)(i1|ui8|i32|ui32|ui64|f32|f64)>$/.exec(text.trim());
  if (match === null) throw new Error(`no type of a tensor: ${text}`);
  const shape = match[1].split("x").filter((part) => part !== "");
  return { shape: shape.map(Number), element: match[2] };
}

/** `tensor<…>, tensor<…>`, in parentheses or not. */
function parseTensors(text: string): Tensor[] {
  const inside = text.trim().replace(/^\((.*)\)$/s, "$1");
  return inside.trim() === "" ? [] : inside.split(/,\s*(?=tensor)/).map(parseTensor);
}

interface Signature {
  readonly operands: readonly Tensor[] | null;
  readonly results: readonly Tensor[];
}

function parseSignature(text: string, count: number): Signature {
  const [left, right] = text.split(" -> ") as [string, string | undefined];
  if (right !== undefined) return { operands: parseTensors(left), results: parseTensors(right) };
  const types = parseTensors(left);
  return { operands: null, results: count === 0 ? [] : types.slice(-count) };
}

export class Reader {
  private at = 0;
  private readonly lines: readonly string[];

  constructor(text: string) {
    this.lines = text.split("\n");
  }

  private next(): string {
    if (this.at >= this.lines.length) throw new Error("the module ends too early");
    return this.lines[this.at++].trim();
  }

  module(): ModuleFunction[] {
    if (!/^module @\w+ attributes \{.*\} \{$/.test(this.next())) throw new Error("no module");
    const functions: ModuleFunction[] = [];
    for (let line = this.next(); line !== "}"; line = this.next()) functions.push(this.function(line));
    return functions;
  }

  private function(line: string): ModuleFunction {
    const head = /^func\.func (?:public|private) @(\w+)\((.*)\) -> (.*) \{$/.exec(line);
    if (head === null) throw new Error(`no function: ${line}`);
    const [, name, inputs, outputs] = head;
    const withoutAttributes = (text: string) => text.replaceAll(/ \{(?:"[^"]*"|[^"}])*\}/g, "");
    return {
      name,
      inputs: parseInputs(withoutAttributes(inputs)),
      outputs: parseTensors(withoutAttributes(outputs)),
      operations: this.operations((last) => last === "}").operations,
    };
  }

  /** Operations up to a line that ends them. */
  private operations(isEnd: (line: string) => boolean): { operations: Operation[]; end: string } {
    const operations: Operation[] = [];
    for (;;) {
      const line = this.next();
      if (isEnd(line)) return { operations, end: line };
      operations.push(this.operation(line));
    }
  }

  private operation(line: string): Operation {
    const number = this.at;
    const match = /^(?:(%\w+)(?::(\d+))? = )?"?([a-z_]+(?:\.[a-z_0-9]+)?)"?(.*)$/.exec(line);
    if (match === null) throw new Error(`line ${number}: no operation: ${line}`);
    const [, result, several, name, rest] = match as unknown as [string, string?, string?, string?, string?];
    if (name === undefined || rest === undefined) throw new Error(`line ${number}: no operation: ${line}`);
    const count = result === undefined ? 0 : Number(several ?? 1);
    const results =
      result === undefined
        ? []
        : count === 1 && several === undefined
          ? [result]
          : Array.from({ length: count }, (_, at) => `${result}#${at}`);
    const regions: Region[] = [];
    let text = rest;
    if (rest.endsWith("({")) {
      text = rest.slice(0, -2);
      for (;;) {
        const { region, end } = this.region((last) => last === "}, {" || last.startsWith("}) : "));
        regions.push(region);
        if (end === "}, {") continue;
        text += end.slice(2);
        break;
      }
    }
    const colon = text.lastIndexOf(" : ");
    const [body, types] = colon < 0 ? [text, ""] : [text.slice(0, colon), text.slice(colon + 3)];
    const { operands: operandTypes, results: resultTypes } = parseSignature(types, count);
    const operation = { line: number, results, name, text: body, operandTypes, resultTypes };
    if (name === "stablehlo.while") return this.loop(operation);
    return { ...operation, operands: valuesIn(body), regions };
  }

  /** `while(%a = %x, …) : types`, then `cond { … } do { … }`. */
  private loop(operation: Omit<Operation, "operands" | "regions">): Operation {
    const pairs = [...operation.text.matchAll(/(%\w+) = (%\w+(?:#\d+)?)/g)];
    const inputs = pairs.map(([, name], at) => ({ name, type: operation.resultTypes[at] }));
    if (this.next() !== "cond {") throw new Error(`line ${this.at}: a loop without cond`);
    const test = this.operations((line) => line === "} do {").operations;
    const body = this.operations((line) => line === "}").operations;
    return {
      ...operation,
      operands: pairs.map(([, , value]) => value),
      operandTypes: operation.resultTypes,
      regions: [
        { inputs, operations: test },
        { inputs, operations: body },
      ],
    };
  }

  private region(isEnd: (line: string) => boolean): { region: Region; end: string } {
    const head = /^\^bb0\((.*)\):$/.exec(this.lines[this.at].trim());
    if (head !== null) this.at++;
    const { operations, end } = this.operations(isEnd);
    return { region: { inputs: head === null ? [] : parseInputs(head[1]), operations }, end };
  }
}

const parseInputs = (text: string): { name: string; type: Tensor }[] =>
  text.trim() === ""
    ? []
    : text.split(/,\s*(?=%)/).map((input) => {
        const [name, type] = input.split(": ") as [string, string];
        return { name, type: parseTensor(type) };
      });

/** The values that a text names, without those inside of attributes, which have none. */
const valuesIn = (text: string): string[] => [...text.matchAll(/%\w+(?:#\d+)?/g)].map(([name]) => name);
