// How an equation can be split over devices: which dimensions of its operands and results go together.
import type { Array } from "../core/array.js";
import type { Primitive } from "../core/primitive.js";
import type { ArrayType } from "../core/type.js";
import type { CollectiveParams } from "../primitives/collectives.js";

/** A dimension's number among those that must be split alike; null for one that must be whole. */
export type Factor = number | null;

/** What an equation sees of the split that was chosen for it. */
export interface Split {
  /** The axes that a factor is split along. */
  readonly axesOf: (factor: Factor) => readonly string[];
  /** The first index of this device's block of a dimension of the given extent; an int32 scalar. */
  readonly startOf: (factor: Factor, extent: number) => Array;
  /** The types of the results' blocks. */
  readonly outputs: readonly ArrayType[];
}

export interface SplitRule {
  /** The factor of each dimension, by operand. */
  readonly operands: readonly (readonly Factor[])[];
  /** The factor of each dimension, by result. */
  readonly results: readonly (readonly Factor[])[];
  /** Factors that no result has: how the devices' parts of the results come together. */
  readonly combine?: ReadonlyMap<number, Primitive<CollectiveParams>>;
  /** Operands that each device needs all of where a factor of `combine` is split: indices. */
  readonly shared?: readonly number[];
  /** The equation applied to blocks; the primitive with its own parameters if left out. */
  readonly apply?: (blocks: readonly Array[], split: Split) => readonly Array[];
  /** What to do before and after devices combine their parts, if that needs another form. */
  readonly wrap?: { readonly before: (part: Array) => Array; readonly after: (whole: Array) => Array };
}
