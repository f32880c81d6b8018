// Putting functions together into a WebAssembly module.
import { typeCode, type Assembler, type ValueType } from "./assembler.js";
import { Bytes } from "./bytes.js";

/** A host function that the module calls. */
export interface HostFunction {
  readonly name: string;
  readonly params: readonly ValueType[];
}

export interface ModuleParts {
  /** Host functions come first in the index space. */
  readonly imports: readonly HostFunction[];
  readonly functions: readonly Assembler[];
  /** Index of the function to export as `run`. */
  readonly entry: number;
  /** Size of the memory the module needs, in bytes. */
  readonly memoryBytes: number;
  /** Whether threads share the memory. */
  readonly isShared?: boolean;
}

export const pageBytes = 65536;

/** Pages that 32-bit addresses reach. */
export const mostPages = 65536;

/** The binary of a module that imports `host.memory` and exports `run`. */
export function encodeModule(parts: ModuleParts): Uint8Array {
  const { imports, functions, entry, memoryBytes, isShared = false } = parts;
  const module = new Bytes();
  for (const byte of [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]) module.byte(byte);
  const types = new Map<string, { params: readonly ValueType[]; results: readonly ValueType[] }>();
  const typeIndex = (params: readonly ValueType[], results: readonly ValueType[] = []): number => {
    const key = `${params.join()}>${results.join()}`;
    if (!types.has(key)) types.set(key, { params, results });
    return [...types.keys()].indexOf(key);
  };
  const importTypes = imports.map(({ params }) => typeIndex(params));
  const functionTypes = functions.map(({ params, results }) => typeIndex(params, results));

  const section = (id: number, content: Bytes): void => {
    module.byte(id).unsigned(content.length).append(content);
  };
  const list = <T>(items: readonly T[], write: (bytes: Bytes, item: T, index: number) => void): Bytes => {
    const bytes = new Bytes().unsigned(items.length);
    items.forEach((item, index) => write(bytes, item, index));
    return bytes;
  };
  const valueTypes = (bytes: Bytes, list_: readonly ValueType[]): void => {
    bytes.unsigned(list_.length);
    for (const type of list_) bytes.byte(typeCode[type]);
  };

  section(
    1,
    list([...types.values()], (bytes, { params, results }) => {
      bytes.byte(0x60);
      valueTypes(bytes, params);
      valueTypes(bytes, results);
    }),
  );
  const imported = new Bytes().unsigned(imports.length + 1);
  const pages = Math.ceil(memoryBytes / pageBytes);
  imported
    .text("host")
    .text("memory")
    .byte(0x02)
    .byte(isShared ? 0x03 : 0x00)
    .unsigned(pages);
  if (isShared) imported.unsigned(mostPages);
  imports.forEach(({ name }, index) =>
    imported.text("host").text(name).byte(0x00).unsigned(importTypes[index]),
  );
  section(2, imported);
  section(
    3,
    list(functionTypes, (bytes, type) => {
      bytes.unsigned(type);
    }),
  );
  section(7, new Bytes().unsigned(1).text("run").byte(0x00).unsigned(entry));
  section(
    10,
    list(functions, (bytes, assembler) => {
      const body = assembler.body();
      bytes.unsigned(body.length).append(body);
    }),
  );
  section(0, nameSection(imports, functions));
  return module.view().slice();
}

/** The custom section that gives functions names in profiles and stack traces. */
function nameSection(imports: readonly HostFunction[], functions: readonly Assembler[]): Bytes {
  const names = new Bytes().unsigned(functions.length);
  functions.forEach(({ name }, index) => names.unsigned(imports.length + index).text(name));
  return new Bytes().text("name").byte(0x01).unsigned(names.length).append(names);
}
