// From a Program to kernels that have their place in memory: what all renderers begin with.
import { axes as deviceAxes, type NamedAxis, type Program } from "../array/index.js";
import type { Message, Slot } from "./compiled.js";
import { fuseProgram, type PlacedArray } from "./fuse/program.js";
import type { Buffer, Step } from "./kernel.js";
import { planMemory, type MemoryNeeds, type MemoryPlan } from "./plan/arena.js";
import type { Renderer } from "./renderer.js";
import { simplifyProgram } from "./simplify/simplify.js";
import { kernelsIn, placesOf } from "./walk.js";

export interface Lowered {
  readonly program: Program;
  readonly steps: readonly Step[];
  readonly plan: MemoryPlan;
  readonly inputs: readonly Slot[];
  readonly outputs: readonly Slot[];
  readonly messages: readonly Message[];
}

const buffersOf = (arrays: readonly PlacedArray[]): Buffer[] => arrays.map(({ place }) => place.buffer);

/** What of a renderer kernels depend on. */
type Needs = MemoryNeeds & Pick<Renderer<unknown>, "arrange">;

/**
 * Simplifies, fuses and plans a program, whose first `constants` inputs keep their values between calls, for the parts of a
 * machine that are arranged along axes.
 */
export function lowerProgram(
  given: Program,
  constants: number,
  needs: Needs,
  axes: readonly NamedAxis[] = [],
): Lowered {
  const program = simplifyProgram(given);
  const { sideBySide = null } = needs;
  const fused = fuseProgram(program, {
    copiesResults: deviceAxes.countAlong(axes) > 1,
    ...(sideBySide !== null && { sizes: sideBySide }),
  });
  const { inputs, outputs, messages } = fused;
  const buffers = buffersOf(inputs);
  const copied = kernelsIn(fused.copies).flatMap(placesOf);
  const seen = new Set([...buffers, ...buffersOf(outputs), ...copied.map(({ buffer }) => buffer)]);
  const steps = [...(needs.arrange?.(fused.steps, seen) ?? fused.steps), ...fused.copies];
  const plan = planMemory(steps, buffers, buffersOf(outputs), buffers.slice(0, constants), needs, axes);
  const { common, start } = plan.division;
  const slot = ({ place: { buffer }, shape }: PlacedArray): Slot => ({
    address: (plan.addresses.get(buffer) ?? 0) + (common.has(buffer) ? 0 : start),
    dtype: buffer.dtype,
    shape,
  });
  return {
    program,
    steps,
    plan,
    inputs: inputs.map(slot),
    outputs: outputs.map(slot),
    messages: messages.map(({ params, values }) => ({ params, values: values.map(slot) })),
  };
}
