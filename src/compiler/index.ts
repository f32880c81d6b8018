// The compiler: Programs to machine code.
import { sizeOf, subPrograms, type DebugPrintParams, type DType, type Program } from "../array/index.js";
import { buildRegion } from "./fuse/region.js";
import { placeAt, Shared } from "./fuse/shared.js";
import type { Place } from "./kernel.js";
import type { CompiledForms } from "./dump.js";
import { planMemory } from "./plan/arena.js";
import { simplifyProgram } from "./simplify/simplify.js";
import type { Target } from "./target.js";
import { dotScratch } from "./wasm/dot/index.js";
import type { Features } from "./wasm/math.js";
import { encodeModule } from "./wasm/module.js";
import { renderSteps } from "./wasm/render.js";
import { sortScratch } from "./wasm/sort.js";

export type { Features } from "./wasm/math.js";
export { dumpPasses, dumpText, type CompiledForms } from "./dump.js";
export { programKey } from "./key.js";
export { pageBytes } from "./wasm/module.js";

/** Where an array lies in the module's memory. */
export interface Slot {
  /** In bytes. */
  readonly address: number;
  readonly dtype: DType;
  readonly shape: readonly number[];
}

/** A message that the program asks the host to print, and where its values lie. */
export interface Message {
  readonly params: DebugPrintParams;
  readonly values: readonly Slot[];
}

export interface WasmProgram {
  readonly bytes: Uint8Array;
  readonly memoryBytes: number;
  readonly inputs: readonly Slot[];
  readonly outputs: readonly Slot[];
  readonly messages: readonly Message[];
}

const wasm: Target = { dotScratch, sortScratch };

/** Whether every value of a program has a dtype that machine code is made for. */
export function isCompilable(program: Program): boolean {
  const isKnown = ({ type }: { readonly type: { readonly dtype: DType } }) => type.dtype !== "float64";
  return (
    program.inputs.every(isKnown) &&
    program.outputs.every(isKnown) &&
    program.equations.every(
      (equation) =>
        equation.inputs.every(isKnown) &&
        equation.outputs.every(isKnown) &&
        subPrograms(equation).every(isCompilable),
    )
  );
}

/**
 * Compiles a program into a WebAssembly module. The first `constants` inputs keep their values between calls.
 * `look` is shown what each pass has made.
 */
export function compileToWasm(
  given: Program,
  constants: number,
  features: Features,
  look: (forms: CompiledForms) => void = () => undefined,
): WasmProgram {
  const program = simplifyProgram(given);
  const shared = new Shared(wasm);
  const inputs = program.inputs.map(({ type: { dtype, shape } }, index) =>
    placeAt(shared.buffer(dtype, sizeOf(shape), `input${index}`)),
  );
  const region = buildRegion(shared, program, inputs);
  const plan = planMemory(
    region.steps,
    inputs.map(({ buffer }) => buffer),
    region.outputs.map(({ buffer }) => buffer),
    inputs.slice(0, constants).map(({ buffer }) => buffer),
  );
  const bytes = encodeModule(renderSteps(region.steps, plan, features));
  look({ simplified: program, steps: region.steps, plan, bytes });
  const slot = ({ buffer }: Place, shape: readonly number[]): Slot => ({
    address: plan.addresses.get(buffer) ?? 0,
    dtype: buffer.dtype,
    shape,
  });
  return {
    bytes,
    memoryBytes: plan.bytes,
    inputs: inputs.map((place, index) => slot(place, program.inputs[index].type.shape)),
    outputs: region.outputs.map((place, index) => slot(place, program.outputs[index].type.shape)),
    messages: shared.messages.map((params, index) => ({
      params,
      values: shared.messageValues[index].map(({ place, shape }) => slot(place, shape)),
    })),
  };
}
