// What C is compiled with now.
import { environment, fail } from "../../array/index.js";
import { cFlags } from "../../compiler/index.js";

/** The flags of a program that is compiled now: VIBE_RL_SUBNORMALS=keep leaves the processor's mode as it is. */
export function flagsNow(): readonly string[] {
  const subnormals = environment("VIBE_RL_SUBNORMALS");
  if (subnormals === undefined || subnormals === "") return cFlags;
  if (subnormals === "keep") return [...cFlags, "-DVIBE_RL_SUBNORMALS"];
  return fail("VIBE_RL_SUBNORMALS", `must be "keep", or not set, got ${JSON.stringify(subnormals)}`, null);
}
