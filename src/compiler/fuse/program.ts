// A whole Program as steps over buffers, and where its inputs, outputs and messages lie.
import { sizeOf, type DebugPrintParams, type Program, type Shape } from "../../array/index.js";
import type { Place, Step } from "../kernel.js";
import { buildRegion } from "./region.js";
import { placeAt, Shared } from "./shared.js";

/** An array of a given shape in memory. */
export interface PlacedArray {
  readonly place: Place;
  readonly shape: Shape;
}

export interface FusedProgram {
  readonly steps: readonly Step[];
  readonly inputs: readonly PlacedArray[];
  readonly outputs: readonly PlacedArray[];
  /** By the numbers that print kernels know them by. */
  readonly messages: readonly {
    readonly params: DebugPrintParams;
    readonly values: readonly PlacedArray[];
  }[];
}

export function fuseProgram(program: Program): FusedProgram {
  const shared = new Shared();
  const inputs = program.inputs.map(({ type: { dtype, shape } }, index) => ({
    place: placeAt(shared.buffer(dtype, sizeOf(shape), `input${index}`)),
    shape,
  }));
  const { steps, outputs } = buildRegion(
    shared,
    program,
    inputs.map(({ place }) => place),
  );
  return {
    steps,
    inputs,
    outputs: outputs.map((place, index) => ({ place, shape: program.outputs[index].type.shape })),
    messages: shared.messages,
  };
}
