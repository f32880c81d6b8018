// The renderer of WebAssembly modules.
import type { Renderer } from "../renderer.js";
import { scratchOf } from "../schedule/scratch.js";
import { disassemble } from "./disassemble.js";
import { dotScratch } from "./dot/index.js";
import type { Features } from "./math.js";
import { encodeModule } from "./module.js";
import { renderSteps } from "./render.js";
import type { SharingDevice } from "./sharing.js";
import { speculationMargin } from "./speculation.js";

/** Modules for an engine with some features; for one of several devices that share a memory, if that is given. */
export const wasmRenderer = (
  features: Features,
  device: SharingDevice | null = null,
): Renderer<Uint8Array> => ({
  name: "WebAssembly",
  lanes: 4,
  // 32-bit addresses end here.
  limits: { memory: 2 ** 32 },
  scratch: (kernel) => scratchOf(kernel, dotScratch),
  margin: speculationMargin,
  render: (steps, plan) => encodeModule(renderSteps(steps, plan, features, device)),
  list: (code) => ({ wat: () => ({ suffix: "wat", text: disassemble(code) }) }),
});
