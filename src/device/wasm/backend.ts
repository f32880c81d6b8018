// The WebAssembly device: compiles programs whole and runs them in one shared memory.
import { ArrayError, type Array, type Backend, type Executable, type Program } from "../../array/index.js";
import { compileToWasm, isCompilable, type Features, type WasmProgram } from "../../compiler/index.js";
import { DeviceMemory, WasmExecutable } from "./executable.js";
import { detectFeatures, hasSimd } from "./features.js";

/** 32-bit WebAssembly addresses end here. */
const memoryLimit = 2 ** 32;

const gibibytes = (bytes: number): string => (bytes / 2 ** 30).toFixed(1);

function fail(reason: string): never {
  throw new ArrayError("jit", reason, null);
}

/** Makes the machine code of a program, refusing what cannot run. */
function generate(program: Program, constants: number, features: Features): WasmProgram {
  const compiled = compileToWasm(program, constants, features);
  if (compiled.memoryBytes > memoryLimit) {
    fail(
      `the program needs ${gibibytes(compiled.memoryBytes)} GiB of memory at once, WebAssembly has 4 GiB; ` +
        `use smaller arrays (a shorter rollout, a smaller buffer or batch)`,
    );
  }
  return compiled;
}

/** The device, or null where the engine cannot run it. */
export function wasmBackend(): Backend | null {
  if (!hasSimd()) return null;
  const features = detectFeatures();
  const device = new DeviceMemory();
  const finish = (
    compiled: WasmProgram,
    module: WebAssembly.Module,
    constants: readonly Array[],
  ): Executable => new WasmExecutable(compiled, module, constants, device);
  return {
    name: "wasm",
    accepts: isCompilable,
    compile: (program, { constants }) => {
      const compiled = generate(program, constants.length, features);
      return finish(compiled, new WebAssembly.Module(compiled.bytes as BufferSource), constants);
    },
    compileAsync: async (program, { constants }) => {
      const compiled = generate(program, constants.length, features);
      return finish(compiled, await WebAssembly.compile(compiled.bytes as BufferSource), constants);
    },
  };
}
