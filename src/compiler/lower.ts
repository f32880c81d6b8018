// From a Program to kernels that have their place in memory: what all renderers begin with.
import { sizeOf, type Program } from "../array/index.js";
import type { Message, Slot } from "./compiled.js";
import { buildRegion } from "./fuse/region.js";
import { placeAt, Shared } from "./fuse/shared.js";
import type { Place, Step } from "./kernel.js";
import { planMemory, type MemoryNeeds, type MemoryPlan } from "./plan/arena.js";
import { simplifyProgram } from "./simplify/simplify.js";

export interface Lowered {
  readonly program: Program;
  readonly steps: readonly Step[];
  readonly plan: MemoryPlan;
  readonly inputs: readonly Slot[];
  readonly outputs: readonly Slot[];
  readonly messages: readonly Message[];
}

/** Simplifies, fuses and plans a program, whose first `constants` inputs keep their values between calls. */
export function lowerProgram(given: Program, constants: number, needs: MemoryNeeds): Lowered {
  const program = simplifyProgram(given);
  const shared = new Shared();
  const inputs = program.inputs.map(({ type: { dtype, shape } }, index) =>
    placeAt(shared.buffer(dtype, sizeOf(shape), `input${index}`)),
  );
  const region = buildRegion(shared, program, inputs);
  const plan = planMemory(
    region.steps,
    inputs.map(({ buffer }) => buffer),
    region.outputs.map(({ buffer }) => buffer),
    inputs.slice(0, constants).map(({ buffer }) => buffer),
    needs,
  );
  const slot = ({ buffer }: Place, shape: readonly number[]): Slot => ({
    address: plan.addresses.get(buffer) ?? 0,
    dtype: buffer.dtype,
    shape,
  });
  return {
    program,
    steps: region.steps,
    plan,
    inputs: inputs.map((place, index) => slot(place, program.inputs[index].type.shape)),
    outputs: region.outputs.map((place, index) => slot(place, program.outputs[index].type.shape)),
    messages: shared.messages.map((params, index) => ({
      params,
      values: shared.messageValues[index].map(({ place, shape }) => slot(place, shape)),
    })),
  };
}
