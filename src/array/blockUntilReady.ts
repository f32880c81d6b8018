// Waiting for what devices are busy with, while the event loop turns.
import { Array } from "./core/array.js";
import { checked } from "./core/checked.js";
import { flatten } from "./tree/structure.js";

/**
 * Resolves to a tree when all of its arrays are there: reading them does not wait for a program any more. Meanwhile timers,
 * servers and pages go on.
 */
export const blockUntilReady = checked("blockUntilReady", 1, async <T>(tree: T): Promise<T> => {
  const { leaves } = flatten(tree, null);
  await Promise.all(
    leaves.flatMap((leaf) => (leaf instanceof Array && leaf.remote?.ready ? [leaf.remote.ready()] : [])),
  );
  return tree;
});
