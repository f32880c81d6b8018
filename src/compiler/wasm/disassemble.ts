// Compiled modules as WebAssembly text, for people: one instruction a line, blocks indented.
import { showDouble, showFloat } from "../show/numbers.js";
import type { ValueType } from "./assembler.js";
import { decodeModule, type DecodedFunction, type DecodedModule, type Instruction } from "./decode.js";

/** A module that `encodeModule` made, as text. What it could not have made is an error that says where. */
export function disassemble(bytes: Uint8Array): string {
  const module = decodeModule(bytes);
  const nameOf = functionNames(module);
  const lines = [
    ...module.memories.map(({ module: from, name, minimumPages, maximumPages, isShared }) => {
      const limits = `${minimumPages}${maximumPages === null ? "" : ` ${maximumPages}`}`;
      return `(import "${from}" "${name}" (memory ${limits}${isShared ? " shared" : ""}))`;
    }),
    ...module.imports.map(
      ({ module: from, name, params, results }, index) =>
        `(import "${from}" "${name}" (func ${nameOf(index)}${list("param", params)}${list("result", results)}))`,
    ),
    ...module.exports.map(({ name, index }) => `(export "${name}" (func ${nameOf(index)}))`),
    ...module.functions.flatMap((decoded, index) =>
      showFunction(decoded, nameOf(module.imports.length + index), nameOf),
    ),
  ];
  return ["(module", ...lines.map((line) => `  ${line}`), ")", ""].join("\n");
}

type FunctionNaming = (index: number) => string;

/** $name for every function, with its index where several have the same name. */
function functionNames({ imports, functions }: DecodedModule): FunctionNaming {
  const names = [...imports, ...functions].map(({ name }) => name);
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return (index) => `$${names[index]}${repeated.has(names[index]) ? `.${index}` : ""}`;
}

const list = (kind: string, types: readonly ValueType[]): string =>
  types.length === 0 ? "" : ` (${kind} ${types.join(" ")})`;

/** Declarations of local variables on one line. */
const localsPerLine = 8;

function showFunction(
  { params, results, locals, instructions }: DecodedFunction,
  name: string,
  nameOf: FunctionNaming,
): string[] {
  const declared = params.map((type, index) => ` (param $${index} ${type})`).join("");
  const variables = locals.map((type, index) => `(local $${params.length + index} ${type})`);
  const declarations: string[] = [];
  for (let at = 0; at < variables.length; at += localsPerLine) {
    declarations.push(`  ${variables.slice(at, at + localsPerLine).join(" ")}`);
  }
  let depth = 1;
  const code = instructions.map((instruction) => {
    if (instruction.name === "end" || instruction.name === "else") depth--;
    const line = "  ".repeat(depth) + showInstruction(instruction, nameOf);
    if (instruction.immediate === "block" || instruction.name === "else") depth++;
    return line;
  });
  return [`(func ${name}${declared}${list("result", results)}`, ...declarations, ...code, ")"];
}

function showInstruction({ name, immediate, values }: Instruction, nameOf: FunctionNaming): string {
  const [first, second, third] = values;
  switch (immediate) {
    case "none":
    case "bulk":
      return name;
    case "block":
      return first === 0x40 ? name : `${name} (type 0x${first.toString(16)})`;
    case "index":
      if (name === "call") return `${name} ${nameOf(first)}`;
      return name.startsWith("local.") ? `${name} $${first}` : `${name} ${first}`;
    case "memory":
      return name + showMemory(first, second);
    case "atomic":
      return name + (second === 0 ? "" : ` offset=${second}`);
    case "memoryLane":
      return `${name}${showMemory(first, second)} ${third}`;
    case "i32":
    case "lane":
      return `${name} ${first}`;
    case "f32":
      return `${name} ${showFloat(viewOf(values).getFloat32(0, true))}`;
    case "v128":
      return `${name} ${showVector(values)}`;
    case "lanes":
      return `${name} ${values.join(" ")}`;
  }
}

/** Our accesses promise no alignment; only others say so. */
const showMemory = (alignment: number, offset: number): string =>
  (offset === 0 ? "" : ` offset=${offset}`) + (alignment === 0 ? "" : ` align=${2 ** alignment}`);

const viewOf = (bytes: readonly number[]): DataView => new DataView(Uint8Array.from(bytes).buffer);

/** Whether a number is one that someone would write: bit patterns of integers seldom are. */
const isPlain = (value: number): boolean =>
  Object.is(value, 0) || Math.abs(value) === Infinity || (Math.abs(value) > 1e-16 && Math.abs(value) < 1e16);

/** A constant vector: as floats if these are plain numbers, else as bit patterns. */
function showVector(bytes: readonly number[]): string {
  const view = viewOf(bytes);
  const words = [0, 4, 8, 12].map((at) => view.getUint32(at, true));
  const doubles = [0, 8].map((at) => view.getFloat64(at, true));
  const floats = [0, 4, 8, 12].map((at) => view.getFloat32(at, true));
  // Two halves that repeat, but not their words: doubles, or integers of 64 bits.
  const isPair = words[0] === words[2] && words[1] === words[3] && words[0] !== words[1];
  if (isPair && doubles.every(isPlain)) return `f64x2 ${doubles.map(showDouble).join(" ")}`;
  if (!isPair && floats.every(isPlain)) return `f32x4 ${floats.map(showFloat).join(" ")}`;
  return `i32x4 ${words.map((word) => `0x${word.toString(16).padStart(8, "0")}`).join(" ")}`;
}
