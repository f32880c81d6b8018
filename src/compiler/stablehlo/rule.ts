// What a rule is: how an equation of one primitive is written.
import type { Equation, MatmulPrecision, NamedAxis, Program } from "../../array/index.js";
import type { PrimitiveName } from "../primitives/index.js";
import type { PrintLog } from "./printing.js";
import type { Value, Writer } from "./writer.js";

/** What rules may ask of the program around them. */
export interface Context {
  readonly writer: Writer;
  /** How exact products of float32 are. */
  readonly matmulPrecision: MatmulPrecision;
  /** How the devices are arranged that run the program together, outermost axis first. */
  readonly axes: readonly NamedAxis[];
  /** Where messages go. */
  readonly log: PrintLog;
  /** A number that no other meeting of devices has. */
  readonly nextChannel: () => number;
  /** Writes the equations of a program in a context, given its inputs; returns its outputs. */
  readonly inline: (context: Context, program: Program, inputs: readonly Value[]) => Value[];
}

/** Writes an equation whose operands have been written; returns its results. */
export type Rule = (context: Context, equation: Equation, operands: readonly Value[]) => readonly Value[];

/** A rule for a primitive with one result. */
export const one =
  (write: (writer: Writer, operands: readonly Value[], equation: Equation) => Value): Rule =>
  ({ writer }, equation, operands) => [write(writer, operands, equation)];

/** Rules for some primitives; a name that is none is an error of types. */
export const rules = <Name extends PrimitiveName>(
  table: Readonly<Record<Name, Rule>>,
): Readonly<Record<Name, Rule>> => table;

export const isFloating = (dtype: string): boolean => dtype.startsWith("float");
