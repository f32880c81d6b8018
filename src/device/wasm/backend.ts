// The WebAssembly device: compiles programs and runs them in memory that they share.
import { fail, type Array, type Backend, type Executable, type Program } from "../../array/index.js";
import {
  compileToWasm,
  dumpPasses,
  dumpText,
  isCompilable,
  type Features,
  type WasmProgram,
} from "../../compiler/index.js";
import { writeDumps } from "./dump.js";
import { DeviceMemory, WasmExecutable } from "./executable.js";
import { detectFeatures } from "./features.js";

/** 32-bit WebAssembly addresses end here. */
const memoryLimit = 2 ** 32;

/** Makes the machine code of a program, refusing what cannot run. */
function generate(name: string, program: Program, constants: number, features: Features | null): WasmProgram {
  if (features === null) {
    fail(
      "jit",
      "this JavaScript engine has no WebAssembly SIMD, which compiled programs need; update it, or run " +
        'without compiling: jit(f, { device: "interpreter" }) or VIBE_RL_DEVICE=interpreter',
    );
  }
  const compiled = compileToWasm(program, constants, features, (forms) =>
    writeDumps(name, dumpPasses, (pass) => dumpText(pass, forms)),
  );
  if (compiled.memoryBytes > memoryLimit) {
    fail(
      "jit",
      `the program needs ${(compiled.memoryBytes / 2 ** 30).toFixed(1)} GiB of memory at once, WebAssembly has ` +
        "4 GiB; use smaller arrays (a shorter rollout, a smaller buffer or batch)",
    );
  }
  return compiled;
}

/** Refuses a module that the engine does not take: our mistake, or a limit of the engine. */
function failRejected(cause: unknown, { bytes }: WasmProgram): never {
  fail(
    "jit",
    `the engine does not take the compiled program (${bytes.length} bytes): ${String(cause)}. Please report ` +
      'this; until it is mended, jit(f, { device: "interpreter" }) runs the program',
  );
}

/** A device for this engine, or one with the given features. */
export function wasmBackend(features = detectFeatures()): Backend {
  let shared: DeviceMemory | null = null;
  const finish = (
    compiled: WasmProgram,
    module: WebAssembly.Module,
    constants: readonly Array[],
    donated: readonly boolean[],
  ): Executable => {
    const device = donated.includes(true) ? new DeviceMemory() : (shared ??= new DeviceMemory());
    return new WasmExecutable(compiled, module, constants, donated, device);
  };
  return {
    name: "wasm",
    accepts: isCompilable,
    compile: (program, { name, constants, donated }) => {
      const compiled = generate(name, program, constants.length, features);
      let module: WebAssembly.Module;
      try {
        module = new WebAssembly.Module(compiled.bytes as BufferSource);
      } catch (cause) {
        failRejected(cause, compiled);
      }
      return finish(compiled, module, constants, donated);
    },
    compileAsync: async (program, { name, constants, donated }) => {
      const compiled = generate(name, program, constants.length, features);
      const module = await WebAssembly.compile(compiled.bytes as BufferSource).catch((cause: unknown) =>
        failRejected(cause, compiled),
      );
      return finish(compiled, module, constants, donated);
    },
  };
}
