// The StableHLO of a function.
import { expandCalls, makeProgram, type Array } from "../../../src/array/index.js";
import { stablehlo, type StablehloProgram } from "../../../src/compiler/index.js";

/** What a function of some arguments is written as, with some of its arguments given up. */
export function written(
  f: (...args: Array[]) => unknown,
  args: readonly Array[],
  donated: readonly boolean[] = [],
): StablehloProgram {
  const { program } = makeProgram(f)(...args);
  return stablehlo(expandCalls(program).program, { name: "test", donated });
}

/** The lines of `main`, without what is the same in every module. */
export function mainOf(f: (...args: Array[]) => unknown, ...args: readonly Array[]): string[] {
  const lines = written(f, args).text.split("\n");
  const end = lines.indexOf("  }");
  return lines.slice(2, end).map((line) => line.replace(/^ {4}/, ""));
}
