// From a Program to steps: kernels and the control flow around them, over buffers that have no address yet. First a
// plan of what shares a loop, then the kernels.
import { sizeOf, type Atom, type Program, type Variable } from "../../array/index.js";
import type { Place, Step } from "../kernel.js";
import { entryOf } from "../primitives/index.js";
import { analyseBlock, type Block } from "./block.js";
import { RegionBuilder } from "./builder.js";
import type { Group } from "./groups.js";
import { buildLoop } from "./loops.js";
import { planRegion, type Copy } from "./planning.js";
import { buildDot, buildPlainDot } from "./products.js";
import type { Shared } from "./shared.js";

/** What a region returns: where each output lies. */
export interface BuiltRegion {
  readonly steps: readonly Step[];
  readonly outputs: readonly Place[];
}

/**
 * Builds the steps of a program. `inputs` say where its inputs lie; an output with a destination is put
 * there, others wherever they are computed.
 */
export type BuildRegion = (
  shared: Shared,
  program: Program,
  inputs: readonly Place[],
  destinations?: readonly (Place | null)[],
) => BuiltRegion;

export const buildRegion: BuildRegion = (shared, program, inputs, destinations = []) => {
  const block = analyseBlock(program, shared.sizes.isRowWritten);
  const { places, copies } = placesGiven(block, inputs, destinations);
  const { groups, needed } = planRegion(block, copies, shared.sizes);
  const builder = new RegionBuilder(
    shared,
    block,
    places,
    new Set<Atom>([...needed, ...program.outputs]),
    buildRegion,
  );
  for (const group of groups) buildGroup(builder, group);
  const outputs = program.outputs.map((output, index) =>
    output.kind === "literal"
      ? (destinations[index] ?? builder.operandPlace(output))
      : builder.placeOf(output),
  );
  return { steps: builder.steps, outputs };
};

/** Where inputs lie, and outputs that are computed here and have a destination; others are copied to theirs. */
function placesGiven(
  { program, definitions }: Block,
  inputs: readonly Place[],
  destinations: readonly (Place | null)[],
): { readonly places: Map<Variable, Place>; readonly copies: readonly Copy[] } {
  const places = new Map(program.inputs.map((input, index) => [input, inputs[index]]));
  const copies: Copy[] = [];
  const isRepeated = new Map<Atom, boolean>();
  for (const atom of program.outputs) isRepeated.set(atom, isRepeated.has(atom));
  program.outputs.forEach((atom, index) => {
    const to = destinations[index] ?? null;
    if (to === null) return;
    const isHere = atom.kind === "variable" && definitions.has(atom) && !places.has(atom);
    if (isHere && isRepeated.get(atom) === false) places.set(atom, to);
    else copies.push({ atom, to });
  });
  return { places, copies };
}

function buildGroup(builder: RegionBuilder, group: Group): void {
  const { kind, equation } = group;
  switch (kind) {
    case "points":
    case "rows": {
      const kernel = buildLoop(builder, group);
      if (kernel !== null) builder.push(kernel);
      break;
    }
    case "dot":
      if (equation !== null) builder.push(buildDot(builder, equation, group));
      break;
    case "step": {
      if (equation === null) break;
      const { form } = entryOf(equation);
      if (form?.kind === "step") form.build(builder, equation);
      else if (sizeOf(equation.outputs[0].type.shape) > 0) builder.push(buildPlainDot(builder, equation));
      break;
    }
  }
}
