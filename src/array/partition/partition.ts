// The partitioner: a Program on whole arrays, and where some of them lie, to the Program that every device runs.
import type { Program, Variable } from "../core/program.js";
import { wholeLayout, type Layout, type NamedAxis } from "../sharding/axes.js";
import { joinCollectives } from "./join.js";
import { sizesOf } from "./layouts.js";
import { lowerProgram } from "./lower.js";
import { scatterSums } from "./scattered.js";
import { Layouts } from "./propagate.js";

export interface PartitionOptions {
  /** How devices are arranged, outermost axis first. */
  readonly axes: readonly NamedAxis[];
  /** Where each input lies; null leaves it to the partitioner. */
  readonly inputs: readonly (Layout | null)[];
  /** Where each output is to lie; null leaves it to the partitioner. */
  readonly outputs: readonly (Layout | null)[];
  /** Where some values inside lie, those in loops and branches included. */
  readonly within?: ReadonlyMap<Variable, Layout>;
  /** Hears of everything that had to be gathered. */
  readonly tell?: (message: string) => void;
}

/** A program for one of several devices, all of which run it, and where its inputs and outputs lie. */
export interface SplitProgram {
  readonly program: Program;
  readonly inputs: readonly Layout[];
  readonly outputs: readonly Layout[];
  /** Where a value of the program that was split lies, also in loops and branches. */
  readonly layoutOf: (value: Variable) => Layout;
}

/** Splits a program over devices. Calls must have been written out before. */
export function splitProgram(
  program: Program,
  { axes, inputs, outputs, within = new Map(), tell = () => undefined }: PartitionOptions,
): SplitProgram {
  const sizes = sizesOf(axes);
  const layouts = new Layouts(sizes);
  program.inputs.forEach((variable, at) => {
    const layout = inputs[at];
    if (layout !== null) layouts.fix(variable, layout);
  });
  program.outputs.forEach((output, at) => {
    outputs[at]?.forEach((names, dimension) => layouts.offer(output, dimension, names));
  });
  for (const [variable, layout] of within) layouts.fix(variable, layout);
  layouts.settle(program);
  const inLayouts = program.inputs.map((input) => layouts.of(input));
  const outLayouts = program.outputs.map(
    (output, at) =>
      outputs[at] ??
      (output.kind === "variable" ? layouts.of(output) : wholeLayout(output.type.shape.length)),
  );
  const local = lowerProgram(program, inLayouts, outLayouts, { sizes, layouts, tell });
  return {
    program: joinCollectives(scatterSums(local, sizes)),
    inputs: inLayouts,
    outputs: outLayouts,
    layoutOf: (value) => layouts.of(value),
  };
}
