// A function on its way to machine code: what each pass has made of it.
import { makeProgram, type Array } from "vibe-rl/array";
import type { CompiledForms } from "../../src/compiler/dump.js";
import { compileToWasm, type Features, type WasmProgram } from "../../src/compiler/index.js";

export interface Forms extends CompiledForms {
  readonly compiled: WasmProgram;
}

export const compileWith =
  (features: Features) =>
  <A extends readonly Array[]>(f: (...args: A) => unknown, ...args: A): Forms => {
    const { program, constants } = makeProgram(f)(...args);
    const seen: CompiledForms[] = [];
    const compiled = compileToWasm(program, constants.length, features, (forms) => void seen.push(forms));
    return { ...seen[0], compiled };
  };
