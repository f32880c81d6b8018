// What the compiler knows of a primitive: all of it in one entry.
import type { Atom, Equation } from "../../array/index.js";
import type { RegionBuilder } from "../fuse/builder.js";
import type { Index } from "../fuse/expressions.js";
import type { Lowering } from "../fuse/lower.js";
import type { Expression, Reduce } from "../kernel.js";
import type { ElementwiseName } from "./elementwise.js";

/** The element of an equation's result at given indices, in terms of elements of its operands. */
export type Written = (lowering: Lowering, equation: Equation, indices: readonly Index[]) => Expression;

/** What becomes of an equation whose result is not written out where it is used. */
export type Form =
  /** Elements of some axes to one, beside others over the same space. */
  | {
      readonly kind: "reduction";
      readonly operation: Reduce;
      readonly axes: (equation: Equation) => readonly number[];
    }
  /** Each operand goes to its own part of the result. */
  | { readonly kind: "concatenation"; readonly axis: (equation: Equation) => number }
  /** Sums of products, with others computed on them. */
  | { readonly kind: "product" }
  /** Steps of its own that nothing is fused with. */
  | {
      readonly kind: "step";
      readonly build: (builder: RegionBuilder, equation: Equation) => void;
      /** The operands that it would rather write over than copy. */
      readonly takes: (equation: Equation) => readonly Atom[];
    };

export interface PrimitiveEntry {
  /** Of one element of its result, roughly, in simple instructions. */
  readonly cost: number;
  /** The operation that it is in kernels, if it is one. */
  readonly operation: ElementwiseName | null;
  /** Whether it is index arithmetic only. */
  readonly isView: boolean;
  /** Whether indices of its result are affine in those of its operand, so that a product can read through it. */
  readonly isAffine: (equation: Equation) => boolean;
  /** Whether its result has the elements of its operand in the same order. */
  readonly isRelabelling: boolean;
  /** Whether its elements look at the position, which the tiles of products do not know. */
  readonly isPositional: boolean;
  /** Whether it repeats its operand along new axes. */
  readonly isSpreading: boolean;
  /** Whether it reads at places that are computed. */
  readonly isLookUp: boolean;
  /** Whether its steps write over a part of its first operand. */
  readonly isUpdate: boolean;
  /** How often it uses each element of its operands, roughly. */
  readonly repeats: number;
  /** How its elements are written out; null for what never is. */
  readonly written: Written | null;
  /** Whether the result of an equation can be written out where it is used. */
  readonly isInlineable: (equation: Equation) => boolean;
  /** Whether an operand must lie in memory, as it is or through views. */
  readonly needsMemory: (equation: Equation, operand: number) => boolean;
  /** What else becomes of it; null for what is always written out. */
  readonly form: Form | null;
  /** Whether its result depends on what other devices have, or on which device it is. */
  readonly isCollective: boolean;
}

/** An entry of which the most common is left out. */
export const entry = (given: Partial<PrimitiveEntry>): PrimitiveEntry => ({
  cost: 1,
  operation: null,
  isView: false,
  isAffine: () => false,
  isRelabelling: false,
  isPositional: false,
  isSpreading: false,
  isLookUp: false,
  isUpdate: false,
  repeats: 1,
  written: null,
  isInlineable: () => false,
  needsMemory: () => false,
  form: null,
  isCollective: false,
  ...given,
});

/** Index arithmetic: always written out. */
export const view = (written: Written, given: Partial<PrimitiveEntry> = {}): PrimitiveEntry =>
  entry({ cost: 0, isView: true, written, isInlineable: () => true, ...given });

type BuildSteps = Extract<Form, { kind: "step" }>["build"];

interface StepOptions extends Partial<Omit<PrimitiveEntry, "form">> {
  readonly takes?: (equation: Equation) => readonly Atom[];
}

/** Steps of its own, of operands in memory. An update would rather write over its first operand than copy it. */
export function step(build: BuildSteps, { takes, ...given }: StepOptions = {}): PrimitiveEntry {
  const taken = takes ?? (({ inputs }: Equation) => (given.isUpdate === true ? inputs.slice(0, 1) : []));
  return entry({ needsMemory: () => true, form: { kind: "step", build, takes: taken }, ...given });
}

/** Reductions of up to so many elements, and indices into axes up to so long, are written out. */
export const smallExtent = 8;
