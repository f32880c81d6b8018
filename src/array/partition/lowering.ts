// What the parts of lowering share.
import type { Array } from "../core/array.js";
import type { Atom, Program } from "../core/program.js";
import type { Layout } from "../sharding/axes.js";
import type { AxisSizes } from "./layouts.js";
import type { Layouts } from "./propagate.js";

/** A value's block in one layout. */
export interface Placed {
  readonly block: Array;
  readonly layout: Layout;
}

/** The block of an operand in a layout. */
export type Read = (atom: Atom, layout: Layout) => Array;

/** What lowering needs at every level of a program. */
export interface Lowering {
  readonly sizes: AxisSizes;
  readonly layouts: Layouts;
  /** Hears of everything that had to be gathered. */
  readonly tell: (message: string) => void;
  /** The program of one device, for inputs and outputs in the given layouts. */
  readonly lower: (program: Program, inLayouts: readonly Layout[], outLayouts: readonly Layout[]) => Program;
}
