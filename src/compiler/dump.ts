// What can be looked at of a compilation: the program after each pass, as text.
import { showProgram, type Program } from "../array/index.js";
import type { Step } from "./kernel.js";
import type { MemoryPlan } from "./plan/arena.js";
import { showSteps } from "./show/kernels.js";
import { showPlan } from "./show/plan.js";
import { disassemble } from "./wasm/disassemble.js";

/** Names of the passes, in the order in which they run. */
export const dumpPasses = ["simplify", "fuse", "plan", "wat"] as const;

export type DumpPass = (typeof dumpPasses)[number];

/** What the passes made of a program. */
export interface CompiledForms {
  readonly simplified: Program;
  readonly steps: readonly Step[];
  readonly plan: MemoryPlan;
  /** The WebAssembly module. */
  readonly bytes: Uint8Array;
}

/** A file of a dump: how its name ends, and what is in it. */
export interface DumpText {
  readonly suffix: string;
  readonly text: string;
}

const texts: Record<DumpPass, (forms: CompiledForms) => string> = {
  simplify: ({ simplified }) => `${showProgram(simplified)}\n`,
  fuse: ({ steps }) => showSteps(steps),
  plan: ({ plan, steps }) => showPlan(plan, steps),
  wat: ({ bytes }) => disassemble(bytes),
};

/** What a pass made of a program, as a file. */
export const dumpText = (pass: DumpPass, forms: CompiledForms): DumpText => ({
  suffix: pass === "wat" ? "wat" : `${pass}.txt`,
  text: texts[pass](forms),
});
