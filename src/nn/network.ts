// What a network is to an agent: two pure functions that anybody can write.
import type { Array, Shape } from "../array/index.js";
import type { Tree } from "./leaves.js";

/**
 * A network: `init` makes its parameters, a tree of float32 arrays, and `apply` computes with them. Both can be traced,
 * so that they become part of compiled programs. Make a network once and give the same object to every function.
 */
export interface Network<P extends Tree = Tree> {
  /** Parameters for inputs of a shape (without the batch) and so many outputs. */
  init(rng: Array, inputShape: Shape, outputSize: number): P;
  /** The outputs (B, outputSize), float32, for a batch of inputs (B, ...inputShape). */
  apply(params: P, x: Array): Array;
}
