// The compiler: Programs to machine code.
import { axes as deviceAxes, subPrograms, type DType, type NamedAxis, type Program } from "../array/index.js";
import { groupsIn } from "./collectives.js";
import type { WasmProgram, WasmSpmdProgram } from "./compiled.js";
import type { CompiledForms } from "./dump.js";
import { lowerProgram } from "./lower.js";
import type { Target } from "./target.js";
import { dotScratch } from "./wasm/dot/index.js";
import type { Features } from "./wasm/math.js";
import { encodeModule } from "./wasm/module.js";
import { renderSteps } from "./wasm/render.js";
import { shareMemory, SharingDevice } from "./wasm/sharing.js";
import { sortScratch } from "./wasm/sort.js";

export type { Features } from "./wasm/math.js";
export type { Message, Slot, WasmProgram, WasmSpmdProgram } from "./compiled.js";
export { dumpPasses, dumpText, type CompiledForms } from "./dump.js";
export { programKey } from "./key.js";
export { simplifyProgram } from "./simplify/simplify.js";
export { controlWords } from "./wasm/control.js";
export { mostPages, pageBytes } from "./wasm/module.js";

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
  groupsIn(given, []);
  const { program, steps, plan, inputs, outputs, messages } = lowerProgram(given, constants, wasm);
  const bytes = encodeModule(renderSteps(steps, plan, features));
  look({ simplified: program, steps, plan, bytes });
  return { bytes, memoryBytes: plan.bytes, inputs, outputs, messages };
}

/**
 * Compiles a program that devices along some axes run together into a WebAssembly module for each of them, unless
 * `accept` refuses the memory that they need. `look` is shown what each pass has made, for the first device.
 */
export function compileSpmd(
  given: Program,
  constants: number,
  axes: readonly NamedAxis[],
  features: Features,
  accept: (memoryBytes: number, deviceBytes: number) => void,
  look: (forms: CompiledForms) => void = () => undefined,
): WasmSpmdProgram {
  const groups = groupsIn(given, axes);
  const { program, steps, plan, inputs, outputs, messages } = lowerProgram(given, constants, wasm);
  const devices = Array.from({ length: deviceAxes.countAlong(axes) }, (_, device) => device);
  const layout = shareMemory(plan.bytes, axes, groups, devices.length);
  const { memoryBytes, deviceBytes, control } = layout;
  accept(memoryBytes, deviceBytes);
  const modules = devices.map((device) =>
    encodeModule(renderSteps(steps, plan, features, new SharingDevice(layout, device))),
  );
  look({ simplified: program, steps, plan, bytes: modules[0] });
  return {
    modules,
    bases: devices.map(layout.baseOf),
    memoryBytes,
    deviceBytes,
    arrivals: devices.map((device) => groups.map((_, kind) => control.arrival(device, kind))),
    inputs,
    outputs,
    messages,
  };
}
