// The renderer of PTX, NVIDIA's portable assembly.
import type { Renderer } from "../renderer.js";
import type { PtxProgram, PtxTarget } from "./types.js";

export type { PtxProgram, PtxTarget } from "./types.js";

/** PTX for a GPU. */
export const ptxRenderer = (_: PtxTarget): Renderer<PtxProgram> => ({
  name: "the GPU",
  lanes: 32,
  limits: { memory: 2 ** 40 },
  scratch: () => 0,
  render: () => ({ text: "", blocks: 1, threads: 256, sharedBytes: 0 }),
  list: ({ text }) => ({ ptx: () => ({ suffix: "ptx", text }) }),
});
