// The WebAssembly device: compiles programs and runs them in memory that they share.
import { type Array, type Backend, type Program } from "../../array/index.js";
import {
  compile,
  isCompilable,
  programKey,
  wasmRenderer,
  type Features,
  type WasmProgram,
} from "../../compiler/index.js";
import { writeDumps } from "../dump.js";
import { MemoryExecutable } from "../executable.js";
import { detectFeatures } from "./features.js";
import { failRejected, needFeatures } from "./limits.js";
import { WasmMemory } from "./memory.js";
import { Remembered } from "../remembered.js";
import { spmdOf } from "./spmd/backend.js";

/** Makes the machine code of a program. */
const generate = (
  name: string,
  program: Program,
  constants: number,
  features: Features | null,
): WasmProgram =>
  compile(program, constants, wasmRenderer(needFeatures(features)), (forms) => writeDumps(name, forms));

/** A program in machine code, ready to be run any number of times. */
interface Ready {
  readonly compiled: WasmProgram;
  readonly module: WebAssembly.Module;
}

const executable = (
  { compiled, module }: Ready,
  constants: readonly Array[],
  donated: readonly boolean[],
  memory: WasmMemory,
): MemoryExecutable<WasmMemory> =>
  new MemoryExecutable(compiled, constants, donated, memory, (print) => {
    const instance = new WebAssembly.Instance(module, { host: { memory: memory.memory, print } });
    return instance.exports.run as () => void;
  });

/** A device for this engine, or one with the given features. */
export function wasmBackend(features = detectFeatures()): Backend {
  let shared: WasmMemory | null = null;
  // Functions made anew again and again are often the same program.
  const remembered = new Remembered<Ready>();
  const keyOf = (program: Program, constants: number): string => `${constants} ${programKey(program)}`;
  const finish = ({ compiled, module }: Ready, constants: readonly Array[], donated: readonly boolean[]) => {
    const memory = donated.includes(true) ? new WasmMemory() : (shared ??= new WasmMemory());
    return executable({ compiled, module }, constants, donated, memory);
  };
  const ready = (program: Program, name: string, constants: number): Ready => {
    const key = keyOf(program, constants);
    const known = remembered.recall(key);
    if (known !== undefined) return known;
    const compiled = generate(name, program, constants, features);
    try {
      return remembered.remember(key, {
        compiled,
        module: new WebAssembly.Module(compiled.code as BufferSource),
      });
    } catch (cause) {
      failRejected(cause, compiled.code);
    }
  };
  return {
    name: "wasm",
    accepts: isCompilable,
    compile: (program, { name, constants, donated }) =>
      finish(ready(program, name, constants.length), constants, donated),
    resident: (program, { name, constants }) => {
      const made = ready(program, name, constants.length);
      return executable(made, constants, [], new WasmMemory()).resident();
    },
    compileAsync: async (program, { name, constants, donated }) => {
      const key = keyOf(program, constants.length);
      const known = remembered.recall(key);
      if (known !== undefined) return finish(known, constants, donated);
      const compiled = generate(name, program, constants.length, features);
      const module = await WebAssembly.compile(compiled.code as BufferSource).catch((cause: unknown) =>
        failRejected(cause, compiled.code),
      );
      return finish(remembered.remember(key, { compiled, module }), constants, donated);
    },
    ...spmdOf(features),
  };
}
