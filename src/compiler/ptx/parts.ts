// Programs in parts, each an entry of its own, which are started one after the other: a driver's compiler, which takes as long
// as everything before it, can then take all of them at once. Loops stay whole, so that this is what sets a program up, and
// what it does from there on.
import { fairCut } from "../cut.js";
import { worksIn, type Action } from "./actions.js";

/** What is not worth a start of its own. */
const leastShare = 1 / 5;

/** Two parts that are as much work for a compiler as possible, or one. */
export function inParts(actions: readonly Action[], partedFrom: number): readonly (readonly Action[])[] {
  const { at: cut, lighter, total } = fairCut(actions.map((action) => worksIn([action]).length));
  if (total < partedFrom || lighter < leastShare) return [actions];
  // A part begins when all have ended the one before.
  const rest = actions.findIndex(({ kind }, at) => at >= cut && kind !== "wait");
  return [actions.slice(0, cut), actions.slice(rest)];
}
