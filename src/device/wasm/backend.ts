// The WebAssembly device: compiles programs and runs them in memory that they share.
import { fail, type Array, type Backend, type Program } from "../../array/index.js";
import {
  compileToWasm,
  isCompilable,
  programKey,
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
  const compiled = compileToWasm(program, constants, features, (forms) => writeDumps(name, forms));
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

/** A program in machine code, ready to be run any number of times. */
interface Ready {
  readonly compiled: WasmProgram;
  readonly module: WebAssembly.Module;
}

/** How many compiled programs are remembered, the last ones used. */
const mostRemembered = 64;

/** A device for this engine, or one with the given features. */
export function wasmBackend(features = detectFeatures()): Backend {
  let shared: DeviceMemory | null = null;
  // Functions made anew again and again are often the same program.
  const remembered = new Map<string, Ready>();
  const recall = (key: string): Ready | undefined => {
    const known = remembered.get(key);
    if (known !== undefined) remember(key, known);
    return known;
  };
  const remember = (key: string, ready: Ready): Ready => {
    remembered.delete(key);
    remembered.set(key, ready);
    if (remembered.size > mostRemembered) remembered.delete(remembered.keys().next().value ?? "");
    return ready;
  };
  const keyOf = (program: Program, constants: number): string => `${constants} ${programKey(program)}`;
  const finish = ({ compiled, module }: Ready, constants: readonly Array[], donated: readonly boolean[]) => {
    const device = donated.includes(true) ? new DeviceMemory() : (shared ??= new DeviceMemory());
    return new WasmExecutable(compiled, module, constants, donated, device);
  };
  const ready = (program: Program, name: string, constants: number): Ready => {
    const key = keyOf(program, constants);
    const known = recall(key);
    if (known !== undefined) return known;
    const compiled = generate(name, program, constants, features);
    try {
      return remember(key, { compiled, module: new WebAssembly.Module(compiled.bytes as BufferSource) });
    } catch (cause) {
      failRejected(cause, compiled);
    }
  };
  return {
    name: "wasm",
    accepts: isCompilable,
    compile: (program, { name, constants, donated }) =>
      finish(ready(program, name, constants.length), constants, donated),
    resident: (program, { name, constants }) => {
      const { compiled, module } = ready(program, name, constants.length);
      return new WasmExecutable(compiled, module, constants, [], new DeviceMemory()).resident();
    },
    compileAsync: async (program, { name, constants, donated }) => {
      const key = keyOf(program, constants.length);
      const known = recall(key);
      if (known !== undefined) return finish(known, constants, donated);
      const compiled = generate(name, program, constants.length, features);
      const module = await WebAssembly.compile(compiled.bytes as BufferSource).catch((cause: unknown) =>
        failRejected(cause, compiled),
      );
      return finish(remember(key, { compiled, module }), constants, donated);
    },
  };
}
