// Programs in parts, each an entry of its own, which are started one after the other: a driver's compiler, which takes as long
// as everything before it, can then take all of them at once. Loops stay whole, so that this is what sets a program up, and
// what it does from there on.
import { worksIn, type Action } from "./actions.js";

/** What is not worth a start of its own. */
const leastShare = 1 / 5;

/** Two parts that are as much work for a compiler as possible, or one. */
export function inParts(actions: readonly Action[], partedFrom: number): readonly (readonly Action[])[] {
  const counts = actions.map((action) => worksIn([action]).length);
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total < partedFrom) return [actions];
  let [best, least, before] = [0, total, 0];
  counts.forEach((count, at) => {
    const larger = Math.max(before, total - before);
    if (larger < least) [best, least] = [at, larger];
    before += count;
  });
  if (total - least < leastShare * total) return [actions];
  // A part begins when all have ended the one before.
  const rest = actions.findIndex(({ kind }, at) => at >= best && kind !== "wait");
  return [actions.slice(0, best), actions.slice(rest)];
}
