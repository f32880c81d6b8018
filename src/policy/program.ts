// What a policy computes as a Program whose constants are known: what exports are written from.
import {
  expandCalls,
  makeProgram,
  variablesRead,
  type Array,
  type Concrete,
  type Program,
} from "../array/index.js";
import { simplifyProgram } from "../compiler/index.js";

/** A program that takes its constants first, and has no others than it reads. */
export interface KnownProgram {
  readonly program: Program;
  readonly constants: readonly Concrete[];
}

/** Records a function for arguments like these, without what its results do not need. */
export function programOf(f: (...args: Array[]) => readonly Array[], args: readonly Array[]): KnownProgram {
  const made = makeProgram((...given: Array[]) => f(...given))(...args);
  const expanded = expandCalls(made.program);
  const all = [...expanded.constants, ...(made.constants as Concrete[])];
  const program = simplifyProgram(expanded.program);
  const read = variablesRead(program);
  const isKept = program.inputs.map((input, at) => at >= all.length || read.has(input));
  return {
    program: { ...program, inputs: program.inputs.filter((_, at) => isKept[at]) },
    constants: all.filter((_, at) => isKept[at]),
  };
}
