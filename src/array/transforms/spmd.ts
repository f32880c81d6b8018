// Programs that every device runs on its own blocks, as one Program over the blocks of all devices: collectives become
// operations on those.
import { concreteElements, type Array, type Concrete } from "../core/array.js";
import { allocate } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import { concrete, interpret } from "../core/interpret.js";
import { batchingOver, withAxes } from "../core/namedAxes.js";
import { typesOf, type Program } from "../core/program.js";
import { range, sizeOf } from "../core/shape.js";
import { arrayType } from "../core/type.js";
import { countAlong, indexAlong, type NamedAxis } from "../sharding/axes.js";
import { batchProgram } from "./batch.js";

export interface OverDevices {
  /** Takes and returns blocks with the axes along which they differ in front, in the order of the axes. */
  readonly program: Program;
  /** For each output, along which axes its blocks differ. */
  readonly differs: readonly (readonly boolean[])[];
}

/** A program over all devices at once, given for each input along which of the axes its blocks differ. */
export function overDevices(
  program: Program,
  axes: readonly NamedAxis[],
  inputs: readonly (readonly boolean[])[],
): OverDevices {
  let all = program;
  let differs: readonly (readonly boolean[])[] = program.outputs.map(() => []);
  withAxes(axes, () => {
    for (let at = axes.length - 1; at >= 0; at--) {
      const { name, size } = axes[at];
      const inner = all;
      const along = inputs.map((flags) => flags[at]);
      const vectorised = batchingOver(name, () => batchProgram(inner, along, size));
      all = vectorised.program;
      differs = differs.map((flags, index) => [vectorised.batched[index], ...flags]);
    }
  });
  return { program: all, differs };
}

/**
 * Runs a program that has collectives on many devices: `inputs[value][device]` to `outputs[value][device]`. All of it
 * happens here and now, equation by equation; what real devices do must agree with it.
 */
export function simulateSpmd(
  program: Program,
  axes: readonly NamedAxis[],
  inputs: readonly (readonly Array[])[],
): Array[][] {
  const devices = countAlong(axes);
  inputs.forEach((blocks, index) => {
    if (blocks.length !== devices) {
      fail("simulateSpmd", `input ${index} has ${blocks.length} blocks, and there are ${devices} devices`);
    }
  });
  return simulated(
    program,
    axes,
    inputs.map(() => true),
  )(inputs);
}

/** A program ready to be run by `simulateSpmd`; inputs that are not split are the first device's on all of them. */
export function simulated(
  program: Program,
  axes: readonly NamedAxis[],
  isSplit: readonly boolean[],
): (inputs: readonly (readonly Array[])[]) => Array[][] {
  const all = overDevices(
    program,
    axes,
    isSplit.map((flag) => axes.map(() => flag)),
  );
  const types = typesOf(program.outputs);
  return (inputs) => {
    const whole = inputs.map((blocks, index) =>
      isSplit[index] ? stack(blocks, axes) : (blocks[0] as Concrete),
    );
    return interpret(all.program, whole).map((output, index) =>
      range(countAlong(axes)).map((device) => {
        const { shape, dtype, weak } = types[index];
        const size = sizeOf(shape);
        const start = placeOf(device, axes, all.differs[index]) * size;
        return concrete(arrayType(shape, dtype, weak), output.elements.slice(start, start + size));
      }),
    );
  };
}

/** Blocks of all devices in one array, the axes in front. */
function stack(blocks: readonly Array[], axes: readonly NamedAxis[]): Concrete {
  const [{ shape, dtype }] = blocks;
  const size = sizeOf(shape);
  const elements = allocate(dtype, size * blocks.length);
  blocks.forEach((block, device) => elements.set(concreteElements(block, "simulateSpmd"), device * size));
  return concrete(arrayType([...axes.map((axis) => axis.size), ...shape], dtype), elements);
}

/** Which of the blocks that differ along some of the axes is that of a device. */
function placeOf(device: number, axes: readonly NamedAxis[], differs: readonly boolean[]): number {
  const names = axes.filter((_, at) => differs[at]).map((axis) => axis.name);
  return indexAlong(device, axes, names);
}
