// A function on its way to machine code: what each pass has made of it.
import { makeProgram, type Array } from "vibe-rl/array";
import type { CompiledForms } from "../../src/compiler/dump.js";
import type { Kernel, Step } from "../../src/compiler/kernel.js";
import {
  compile,
  wasmRenderer,
  type Compiled,
  type Features,
  type Renderer,
} from "../../src/compiler/index.js";

export interface Forms<Code> extends CompiledForms {
  readonly compiled: Compiled<Code>;
}

export const compileFor =
  <Code>(renderer: Renderer<Code>) =>
  <A extends readonly Array[]>(f: (...args: A) => unknown, ...args: A): Forms<Code> => {
    const { program, constants } = makeProgram(f)(...args);
    const seen: CompiledForms[] = [];
    const compiled = compile(program, constants.length, renderer, (forms) => void seen.push(forms));
    return { ...seen[0], compiled };
  };

export const compileWith = (features: Features) => compileFor(wasmRenderer(features));

/** The kernels inside loops. */
export function kernelsInLoops(steps: readonly Step[], isInside = false): Kernel[] {
  return steps.flatMap((step): Kernel[] => {
    switch (step.kind) {
      case "kernel":
        return isInside ? [step.kernel] : [];
      case "loop":
        return kernelsInLoops(step.body, true);
      case "while":
        return [...kernelsInLoops(step.test, true), ...kernelsInLoops(step.body, true)];
      case "branch":
        return step.cases.flatMap((branch) => kernelsInLoops(branch, isInside));
    }
  });
}
