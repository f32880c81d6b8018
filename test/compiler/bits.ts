// Results to the last bit.
import { tree, type Array } from "vibe-rl/array";

/** The bytes of all arrays of a tree. */
export const bitsOf = (result: unknown): string[] =>
  tree.leaves(result as Array[]).map((x) => {
    const { buffer, byteOffset, byteLength } = x.data();
    return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
  });
