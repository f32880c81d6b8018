// A whole Program as steps over buffers, and where its inputs, outputs and messages lie.
import { sizeOf, type DebugPrintParams, type Program, type Shape } from "../../array/index.js";
import type { Buffer, Place, Step } from "../kernel.js";
import type { FuseSizes } from "./planning.js";
import { withPositions } from "./positions.js";
import { buildRegion } from "./region.js";
import { placeAt, Shared } from "./shared.js";

/** An array of a given shape in memory. */
export interface PlacedArray {
  readonly place: Place;
  readonly shape: Shape;
}

export interface FusedProgram {
  readonly steps: readonly Step[];
  /** What comes behind all of them: copies of results, if these are copies. */
  readonly copies: readonly Step[];
  readonly inputs: readonly PlacedArray[];
  readonly outputs: readonly PlacedArray[];
  /** By the numbers that print kernels know them by. */
  readonly messages: readonly {
    readonly params: DebugPrintParams;
    readonly values: readonly PlacedArray[];
  }[];
}

export interface FuseOptions {
  /** Whether outputs are copies of what is computed, made at the end. */
  readonly copiesResults?: boolean;
  readonly sizes?: FuseSizes;
}

const defaults: FuseSizes = {
  isCostlyBehind: () => false,
  smallKernels: 0,
  isRowWritten: false,
  turnsAtOnce: () => 1,
};

/** Fuses a program into kernels over buffers. */
export function fuseProgram(
  program: Program,
  { copiesResults = false, sizes = defaults }: FuseOptions = {},
): FusedProgram {
  const shared = new Shared(sizes);
  const inputs = program.inputs.map(({ type: { dtype, shape } }, index) => ({
    place: placeAt(shared.buffer(dtype, sizeOf(shape), `input${index}`)),
    shape,
  }));
  const region = buildRegion(
    shared,
    program,
    inputs.map(({ place }) => place),
  );
  const { steps, copies, outputs } = copiesResults
    ? copyResults(shared, region, new Set(inputs.map(({ place }) => place.buffer)))
    : { ...region, copies: [] };
  const kept = [
    ...[...inputs, ...shared.messages.flatMap(({ values }) => values)].map(({ place }) => place),
    ...[...region.outputs, ...outputs],
  ];
  return {
    steps: withPositions(steps, new Set(kept.map(({ buffer }) => buffer))),
    copies,
    inputs,
    outputs: outputs.map((place, index) => ({ place, shape: program.outputs[index].type.shape })),
    messages: shared.messages,
  };
}

interface Region {
  readonly steps: readonly Step[];
  readonly outputs: readonly Place[];
}

/** Adds copies of results, before which all that is read of the inputs has been read. */
function copyResults(
  shared: Shared,
  { steps, outputs }: Region,
  inputs: ReadonlySet<Buffer>,
): Region & Pick<FusedProgram, "copies"> {
  const [saving, copying]: Step[][] = [[], []];
  const copied = (from: Place, name: string, into: Step[]): Place => {
    const { dtype, size } = from.buffer;
    const to = placeAt(shared.buffer(dtype, size, name));
    into.push({ kind: "kernel", kernel: { kind: "copy", name, from, to, size } });
    return to;
  };
  const results = outputs.map((place, at) => {
    const from = inputs.has(place.buffer) ? copied(place, `kept${at}`, saving) : place;
    return copied(from, `result${at}`, copying);
  });
  return { steps: [...steps, ...saving], copies: copying, outputs: results };
}
