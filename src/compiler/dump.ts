// What can be looked at of a compilation: the program after each pass, as text.
import { showProgram, type Program } from "../array/index.js";
import type { Step } from "./kernel.js";
import type { MemoryPlan } from "./plan/arena.js";
import { showSteps } from "./show/kernels.js";
import { showPlan } from "./show/plan.js";

/** A file of a dump: how its name ends, and what is in it. */
export interface DumpText {
  readonly suffix: string;
  readonly text: string;
}

/** What the passes made of a program. */
export interface CompiledForms extends HandedOn {
  readonly steps: readonly Step[];
  readonly plan: MemoryPlan;
}

/** The forms of a program that another compiler takes over, before there are kernels and memory. */
export interface HandedOn {
  readonly simplified: Program;
  /** What can be seen of the code, by name. */
  readonly listings: Readonly<Partial<Record<string, () => DumpText>>>;
}

type Forms = HandedOn & Partial<CompiledForms>;

/** The passes that all machines have in common, in the order in which they run. */
const passes: Readonly<Partial<Record<string, (forms: Forms) => string | null>>> = {
  simplify: ({ simplified }) => `${showProgram(simplified)}\n`,
  fuse: ({ steps }) => (steps === undefined ? null : showSteps(steps)),
  plan: ({ plan, steps }) => (plan === undefined || steps === undefined ? null : showPlan(plan, steps)),
};

/** Names of all that can be dumped, in the order in which it is made: passes, then the listings of renderers. */
export const dumpPasses: readonly string[] = [
  ...Object.keys(passes),
  "wat",
  "c",
  "schedule",
  "ptx",
  "stablehlo",
];

/** What a pass made of a program, as a file; null where a program has no such form. */
export function dumpText(pass: string, forms: Forms): DumpText | null {
  const show = passes[pass];
  if (show !== undefined) {
    const text = show(forms);
    return text === null ? null : { suffix: `${pass}.txt`, text };
  }
  return forms.listings[pass]?.() ?? null;
}
