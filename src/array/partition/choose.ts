// Layouts for a program that nobody has given any: its batch is looked for, and split if that pays.
import type { Program } from "../core/program.js";
import { countAlong, wholeLayout, type Layout, type NamedAxis } from "../sharding/axes.js";
import { costOf } from "./costs.js";
import { splitProgram } from "./partition.js";

/** Dimensions that a batch may be along: the first, or the second behind one of time. */
const batchDimensions = [0, 1];

/**
 * Layouts of the inputs under which the program of a device costs least: all whole, or all those split that have a
 * dimension of one extent in the same place. `given` inputs stay as they are.
 */
export function chooseLayouts(
  program: Program,
  axes: readonly NamedAxis[],
  given: readonly (Layout | null)[],
): readonly Layout[] {
  const names = axes.map(({ name }) => name);
  const shapes = program.inputs.map(({ type }) => type.shape);
  const whole = shapes.map((shape, at) => given[at] ?? wholeLayout(shape.length));
  const candidates = batchDimensions.flatMap((dimension) => {
    const extents = new Set(
      shapes.flatMap((shape, at) =>
        given[at] === null && dimension < shape.length ? [shape[dimension]] : [],
      ),
    );
    return [...extents]
      .filter((extent) => extent > 0 && extent % countAlong(axes) === 0)
      .map((extent) =>
        shapes.map((shape, at): Layout =>
          given[at] === null && shape[dimension] === extent
            ? shape.map((_, place) => (place === dimension ? names : []))
            : whole[at],
        ),
      );
  });
  const outputs = program.outputs.map(() => null);
  const costs = [whole, ...candidates].map((inputs) => ({
    inputs,
    cost: costOf(splitProgram(program, { axes, inputs, outputs }).program),
  }));
  return costs.reduce((best, other) => (other.cost < best.cost ? other : best)).inputs;
}
