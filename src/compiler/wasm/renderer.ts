// The renderer of WebAssembly modules.
import type { Kernel } from "../kernel.js";
import type { Renderer } from "../renderer.js";
import { disassemble } from "./disassemble.js";
import { dotScratch } from "./dot/index.js";
import type { Features } from "./math.js";
import { encodeModule } from "./module.js";
import { renderSteps } from "./render.js";
import type { SharingDevice } from "./sharing.js";
import { sortScratch } from "../schedule/sorting.js";
import { speculationMargin } from "./speculation.js";

function scratch(kernel: Kernel): number {
  switch (kernel.kind) {
    case "dot":
      return dotScratch(kernel);
    case "sort":
      return sortScratch(kernel.length);
    case "loop":
    case "copy":
    case "print":
    case "exchange":
    case "axisIndex":
      return 0;
  }
}

/** Modules for an engine with some features; for one of several devices that share a memory, if that is given. */
export const wasmRenderer = (
  features: Features,
  device: SharingDevice | null = null,
): Renderer<Uint8Array> => ({
  name: "WebAssembly",
  lanes: 4,
  // 32-bit addresses end here.
  limits: { memory: 2 ** 32 },
  scratch,
  margin: speculationMargin,
  render: (steps, plan) => encodeModule(renderSteps(steps, plan, features, device)),
  list: (code) => ({ wat: () => ({ suffix: "wat", text: disassemble(code) }) }),
});
