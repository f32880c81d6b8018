// What C is compiled with, besides how the compiler is told of the processor at hand, which is found out by asking it.
import { environment, fail } from "../../array/index.js";
import { cFlags } from "../../compiler/index.js";

const isTuning = (flag: string): boolean => /^-m(arch|cpu|tune)=/.test(flag);
const usual = cFlags.filter((flag) => !isTuning(flag));

/** The flags of a program that is compiled now: VIBE_RL_SUBNORMALS=keep leaves the processor's mode as it is. */
export function flagsNow(): readonly string[] {
  const subnormals = environment("VIBE_RL_SUBNORMALS");
  if (subnormals === undefined || subnormals === "") return usual;
  if (subnormals === "keep") return [...usual, "-DVIBE_RL_SUBNORMALS"];
  return fail("VIBE_RL_SUBNORMALS", `must be "keep", or not set, got ${JSON.stringify(subnormals)}`, null);
}
