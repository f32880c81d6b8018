// Gradients that must not be too large.
import { np, rules, type Array } from "../../array/index.js";
import { checkScalar } from "../check.js";
import { arrayLeaves, mapLeaves, type Tree } from "../leaves.js";
import { stateless, type EmptyState, type Optimizer } from "./optimizer.js";

/** The length of all leaves together as one vector. */
export function globalNorm(tree: Tree): Array {
  const squares = arrayLeaves("globalNorm", "the tree", tree).map((leaf) => np.square(leaf).sum());
  return np.sqrt(squares.length === 0 ? np.float32(0) : squares.reduce((total, square) => total.add(square)));
}

/** Scales gradients whose common length is above `max` down to that length. */
export function clipByGlobalNorm(max: number | Array): Optimizer<EmptyState> {
  checkScalar("clipByGlobalNorm", "max", max, rules.positive);
  return stateless((grads) => {
    // Exactly 1 where the length is at most max.
    const factor = np.divide(max, np.maximum(globalNorm(grads), max));
    return mapLeaves("clipByGlobalNorm", ["grads"], (g) => g.mul(factor), grads);
  });
}

/** Cuts every element of the gradients off at ±max. */
export function clip(max: number | Array): Optimizer<EmptyState> {
  checkScalar("clip", "max", max, rules.positive);
  return stateless((grads) => {
    const least = np.negative(max);
    return mapLeaves("clip", ["grads"], (g) => g.clip(least, max), grads);
  });
}
