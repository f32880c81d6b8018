// Programs to machine code: simplified, fused into kernels, laid out in memory, rendered.
import { fail, subPrograms, type DType, type Program } from "../array/index.js";
import { groupsIn } from "./collectives.js";
import type { Compiled } from "./compiled.js";
import type { CompiledForms } from "./dump.js";
import { lowerProgram } from "./lower.js";
import type { Renderer } from "./renderer.js";

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
 * Compiles a program for the machine of a renderer. The first `constants` inputs keep their values between calls.
 * `look` is shown what each pass has made.
 */
export function compile<Code>(
  given: Program,
  constants: number,
  renderer: Renderer<Code>,
  look: (forms: CompiledForms) => void = () => undefined,
): Compiled<Code> {
  groupsIn(given, []);
  const divided = renderer.divide?.(given, constants) ?? null;
  const whole = divided?.program ?? given;
  const suited = renderer.suited?.(whole) ?? renderer;
  const { program, steps, plan, inputs, outputs, messages } = lowerProgram(
    whole,
    constants,
    suited,
    divided?.axes,
  );
  refuseOversized(plan.bytes, suited);
  const code = suited.render(steps, plan);
  look({ simplified: program, steps, plan, listings: suited.list(code) });
  return { code, memoryBytes: plan.bytes, inputs, outputs, messages };
}

/** Refuses programs that need more memory than their machine can address. */
function refuseOversized(bytes: number, { name, limits }: Pick<Renderer<unknown>, "name" | "limits">): void {
  if (bytes <= limits.memory) return;
  const gibibytes = (size: number, digits: number) => `${(size / 2 ** 30).toFixed(digits)} GiB`;
  fail(
    "jit",
    `the program needs ${gibibytes(bytes, 1)} of memory at once, ${name} has ${gibibytes(limits.memory, 0)}; ` +
      "use smaller arrays (a shorter rollout, a smaller buffer or batch)",
  );
}
