// Modules of our own making taken apart again: functions and their instructions, for listings and checks.
import { typeCode, type ValueType } from "./assembler.js";
import { encodings, type Immediate } from "./opcodes.js";
import { Reader } from "./reader.js";

/** An instruction, with its immediates as they come in the binary. */
export interface Instruction {
  readonly name: string;
  readonly immediate: Immediate;
  /** An index, a number, a lane, the bytes of a vector; for memory the alignment (as a power of 2) and the offset. */
  readonly values: readonly number[];
}

interface FunctionType {
  readonly params: readonly ValueType[];
  readonly results: readonly ValueType[];
}

export interface DecodedFunction extends FunctionType {
  readonly name: string;
  readonly locals: readonly ValueType[];
  /** Without the end of the function. */
  readonly instructions: readonly Instruction[];
}

export interface ImportedFunction extends FunctionType {
  readonly module: string;
  readonly name: string;
}

export interface ImportedMemory {
  readonly module: string;
  readonly name: string;
  readonly minimumPages: number;
  readonly maximumPages: number | null;
  readonly isShared: boolean;
}

export interface DecodedModule {
  readonly memories: readonly ImportedMemory[];
  /** Imported functions come first in the index space. */
  readonly imports: readonly ImportedFunction[];
  readonly functions: readonly DecodedFunction[];
  readonly exports: readonly { readonly name: string; readonly index: number }[];
}

const valueTypes = new Map(Object.entries(typeCode).map(([type, code]) => [code, type as ValueType]));

/** Bytes that announce a longer opcode. */
const prefixes = new Set([0xfc, 0xfd, 0xfe]);

const keyOf = (prefix: number, code: number): string => `${prefix} ${code}`;

function readOpcode(reader: Reader): string {
  const first = reader.byte();
  return prefixes.has(first) ? keyOf(first, reader.unsigned()) : keyOf(0, first);
}

const opcodes = new Map(
  [...encodings].map(([name, { bytes, immediate }]) => [readOpcode(new Reader(bytes)), { name, immediate }]),
);

/** Takes a module apart. Every byte must be accounted for; what we never write is an error that says where. */
export function decodeModule(bytes: Uint8Array): DecodedModule {
  const reader = new Reader(bytes);
  const header = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
  if (header.some((byte) => reader.byte() !== byte)) reader.fail("this is no module of version 1", 0);
  let types: readonly FunctionType[] = [];
  let typesOfFunctions: readonly number[] = [];
  let bodies: readonly Body[] = [];
  let names: ReadonlyMap<number, string> = new Map();
  const memories: ImportedMemory[] = [];
  const imports: ImportedFunction[] = [];
  const exports: { name: string; index: number }[] = [];
  const sections: Record<number, (section: Reader) => void> = {
    0: (section) => (names = readNames(section)),
    1: (section) => (types = section.list(() => readFunctionType(section))),
    2: (section) => section.list(() => readImport(section, types, memories, imports)),
    3: (section) => (typesOfFunctions = section.list(() => section.unsigned())),
    7: (section) =>
      section.list(() => {
        const name = section.text();
        if (section.byte() !== 0) section.fail("only functions are exported", section.at - 1);
        exports.push({ name, index: section.unsigned() });
      }),
    10: (section) => (bodies = section.list(() => section.part(readBody))),
  };
  while (!reader.isAtEnd) {
    const id = reader.byte();
    if (sections[id] === undefined) reader.fail(`unknown section ${id}`, reader.at - 1);
    reader.part(sections[id]);
  }
  const functions = bodies.map((body, index) => ({
    ...types[typesOfFunctions[index]],
    ...body,
    name: names.get(imports.length + index) ?? `function${index}`,
  }));
  return { memories, imports, functions, exports };
}

function readType(reader: Reader): ValueType {
  const code = reader.byte();
  return valueTypes.get(code) ?? reader.fail(`unknown type 0x${code.toString(16)}`, reader.at - 1);
}

function readFunctionType(reader: Reader): FunctionType {
  if (reader.byte() !== 0x60) reader.fail("expected a function type", reader.at - 1);
  return { params: reader.list(() => readType(reader)), results: reader.list(() => readType(reader)) };
}

function readImport(
  reader: Reader,
  types: readonly FunctionType[],
  memories: ImportedMemory[],
  imports: ImportedFunction[],
): void {
  const [module, name] = [reader.text(), reader.text()];
  const kind = reader.byte();
  if (kind === 0) imports.push({ module, name, ...types[reader.unsigned()] });
  else if (kind === 2) {
    const flags = reader.byte();
    const minimumPages = reader.unsigned();
    const maximumPages = (flags & 1) === 0 ? null : reader.unsigned();
    memories.push({ module, name, minimumPages, maximumPages, isShared: (flags & 2) !== 0 });
  } else reader.fail(`unknown kind of import ${kind}`, reader.at - 1);
}

/** The functions' names out of a custom section; other sections are none of ours. */
function readNames(reader: Reader): Map<number, string> {
  const names = new Map<number, string>();
  const section = reader.text();
  if (section !== "name") reader.fail(`unknown custom section ${section}`);
  while (!reader.isAtEnd) {
    const kind = reader.byte();
    if (kind !== 1) reader.fail(`unknown kind of names ${kind}`, reader.at - 1);
    reader.part((part) => part.list(() => names.set(part.unsigned(), part.text())));
  }
  return names;
}

type Body = Pick<DecodedFunction, "locals" | "instructions">;

function readBody(reader: Reader): Body {
  const runs = reader.list(() => ({ count: reader.unsigned(), type: readType(reader) }));
  const locals = runs.flatMap(({ count, type }) => Array.from({ length: count }, () => type));
  const instructions: Instruction[] = [];
  while (!reader.isAtEnd) instructions.push(readInstruction(reader));
  if (instructions.pop()?.name !== "end") reader.fail("the function has no end");
  return { locals, instructions };
}

function readInstruction(reader: Reader): Instruction {
  const start = reader.at;
  const key = readOpcode(reader);
  const found = opcodes.get(key);
  if (found === undefined) {
    const [prefix, code] = key.split(" ").map((part) => `0x${Number(part).toString(16)}`);
    return reader.fail(`unknown opcode ${prefix === "0x0" ? "" : `${prefix} `}${code}`, start);
  }
  return { ...found, values: readImmediate(reader, found.name, found.immediate) };
}

function readImmediate(reader: Reader, name: string, immediate: Immediate): readonly number[] {
  switch (immediate) {
    case "none":
      return [];
    case "index":
      return [reader.unsigned()];
    case "block":
    case "lane":
      return [reader.byte()];
    case "memory":
    case "atomic":
      return [reader.unsigned(), reader.unsigned()];
    case "memoryLane":
      return [reader.unsigned(), reader.unsigned(), reader.byte()];
    case "i32":
      return [reader.signed()];
    case "f32":
      return [...reader.take(4)];
    case "v128":
    case "lanes":
      return [...reader.take(16)];
    case "bulk":
      return [...reader.take(name === "memory.copy" ? 2 : 1)];
  }
}
