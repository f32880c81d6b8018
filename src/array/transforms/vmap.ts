// vmap: a function of one example as a function of a batch.
import { markEntry } from "../core/userCode.js";
import { checked } from "../core/checked.js";
import type { Array } from "../core/array.js";
import { fail } from "../core/errors.js";
import { batchingOver, checkNewAxis, withAxes } from "../core/namedAxes.js";
import { normalizeAxis, without } from "../core/shape.js";
import { arrayType } from "../core/type.js";
import { repeatBatch } from "../primitives/linear.js";
import { moveaxis } from "../np/shaping.js";
import { rebuild } from "../lax/leaves.js";
import { leafPaths, type Structure } from "../tree/structure.js";
import { applyBatched } from "./batch.js";
import { flattenArguments, nameOf, traceCall, type AnyFunction } from "./functions.js";
import { spreadPrefix, type PrefixRules } from "../tree/prefix.js";

/** Axes for a tree: one for all arrays, `null` for none, or a tree of these with the same outer structure. */
export type AxisTree = number | null | readonly AxisTree[] | { readonly [key: string]: AxisTree };

const axisRules: PrefixRules<number | null> = {
  isLeaf: (given) => given === null || typeof given === "number",
  words: "a number, null",
  show: (given) => JSON.stringify(given),
};

/** One axis per leaf of a structure, from a tree of axes that may stop early. */
const spreadAxes = (
  operation: string,
  axes: unknown,
  structure: Structure,
  path: string,
): (number | null)[] => spreadPrefix(operation, axes, structure, path, axisRules);

export interface VmapOptions {
  /** The name by which collectives such as `lax.psum` speak of the mapped axis; without it they cannot. */
  readonly axisName?: string;
}

/**
 * A function that maps `f` over an axis of its arguments. `inAxes` is one axis for all arguments or a list
 * with one entry per argument: a number, `null` for an argument that is the same for all, or a tree of
 * these. `outAxes` says where the mapped axis goes in the results.
 */
export const vmap = checked(
  "vmap",
  4,
  ["axisName"],
  <F extends AnyFunction>(
    f: F,
    inAxes: AxisTree = 0,
    outAxes: AxisTree = 0,
    { axisName }: VmapOptions = {},
  ): F => {
    const operation = nameOf("vmap", f);
    const mapped = (...args: unknown[]): unknown => {
      if (axisName !== undefined) checkNewAxis(operation, axisName);
      const { arrays, structure } = flattenArguments(operation, args);
      if (globalThis.Array.isArray(inAxes) && inAxes.length !== args.length) {
        fail(
          operation,
          `inAxes has ${inAxes.length} entries, but the function was called with ${args.length} arguments`,
        );
      }
      const paths = leafPaths(structure);
      const axes = spreadAxes(operation, inAxes, structure, "inAxes").map((axis, index) =>
        axis === null
          ? null
          : normalizeAxis(`${operation}, argument ${paths[index]}`, axis, arrays[index].ndim),
      );
      const size = batchSize(operation, arrays, axes, paths);
      const inFront = arrays.map((array, index) => {
        const axis = axes[index] ?? null;
        return axis === null ? array : moveaxis(array, axis, 0);
      });
      const types = arrays.map(({ type }, index) => {
        const axis = axes[index] ?? null;
        return axis === null ? type : arrayType(without(type.shape, [axis]), type.dtype, type.weak);
      });
      const named = axisName === undefined ? [] : [{ name: axisName, size }];
      const call = withAxes(named, () => traceCall(operation, f, structure, types));
      const isMapped = [...call.captures.map(() => false), ...axes.map((axis) => axis !== null)];
      const result = batchingOver(axisName ?? null, () =>
        applyBatched(call.program, [...call.captures, ...inFront], isMapped, size),
      );
      const places = spreadAxes(operation, outAxes, call.structure, "outAxes");
      const outputs = result.outputs.map((output, index) =>
        place(operation, output, result.batched[index], places[index] ?? null, size),
      );
      return rebuild(call.structure, outputs);
    };
    return markEntry(mapped, operation) as unknown as F;
  },
);

function batchSize(
  operation: string,
  arrays: readonly Array[],
  axes: readonly (number | null)[],
  paths: readonly string[],
): number {
  const mapped = arrays.flatMap((array, index) => {
    const axis = axes[index] ?? null;
    return axis === null ? [] : [{ extent: array.shape[axis], path: paths[index] }];
  });
  const [first] = mapped;
  if (first === undefined) fail(operation, "inAxes maps no axis at all; give at least one argument an axis");
  const odd = mapped.find(({ extent }) => extent !== first.extent);
  if (odd !== undefined) {
    fail(
      operation,
      `mapped axes must have one extent: argument ${first.path} has ${first.extent}, argument ${odd.path} has ${odd.extent}`,
    );
  }
  return first.extent;
}

/** A result with the batch axis where it is wanted. */
function place(
  operation: string,
  output: Array,
  isBatched: boolean,
  axis: number | null,
  size: number,
): Array {
  if (axis !== null) {
    const inFront = isBatched ? output : repeatBatch(output, size);
    return moveaxis(inFront, 0, normalizeAxis(`${operation}, outAxes`, axis, inFront.ndim));
  }
  if (isBatched) fail(operation, "outAxes is null for a result that differs between the examples");
  return output;
}
