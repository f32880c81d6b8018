// The compiler: Programs to machine code.
import { axes as deviceAxes, type NamedAxis, type Program } from "../array/index.js";
import { groupsIn } from "./collectives.js";
import type { WasmSpmdProgram } from "./compiled.js";
import type { CompiledForms } from "./dump.js";
import { lowerProgram } from "./lower.js";
import type { Features } from "./wasm/math.js";
import { wasmRenderer } from "./wasm/renderer.js";
import { shareMemory, SharingDevice } from "./wasm/sharing.js";

export type { Features } from "./wasm/math.js";
export { poolSource } from "./c/pool.js";
export {
  cFlags,
  cRenderer,
  neverMeeting,
  type CProgram,
  type CTarget,
  type ParallelWork,
  type ThreadCosts,
} from "./c/renderer.js";
export { compile, isCompilable } from "./compile.js";
export type { Compiled, Message, Slot, WasmProgram, WasmSpmdProgram } from "./compiled.js";
export { dumpPasses, dumpText, type CompiledForms, type HandedOn } from "./dump.js";
export { programKey } from "./key.js";
export { ptxRenderer, type PtxProgram, type PtxTarget } from "./ptx/renderer.js";
export { controlBytes } from "./ptx/types.js";
export {
  logWords,
  inHalves,
  stablehlo,
  type Halves,
  type LoggedMessage,
  type Placement,
  type StablehloProgram,
} from "./stablehlo/index.js";
export { simplifyProgram } from "./simplify/simplify.js";
export type { Renderer } from "./renderer.js";
export { controlWords } from "./wasm/control.js";
export { mostPages, pageBytes } from "./wasm/module.js";
export { wasmRenderer } from "./wasm/renderer.js";

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
  const { program, steps, plan, inputs, outputs, messages } = lowerProgram(
    given,
    constants,
    wasmRenderer(features),
  );
  const devices = Array.from({ length: deviceAxes.countAlong(axes) }, (_, device) => device);
  const layout = shareMemory(plan.bytes, axes, groups, devices.length);
  const { memoryBytes, deviceBytes, control } = layout;
  accept(memoryBytes, deviceBytes);
  const renderers = devices.map((device) => wasmRenderer(features, new SharingDevice(layout, device)));
  const modules = renderers.map(({ render }) => render(steps, plan));
  look({ simplified: program, steps, plan, listings: renderers[0].list(modules[0]) });
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
