// Where "auto" takes native code.
import type { Program } from "../../array/index.js";

/**
 * Whether building a program pays. Never so far: how long a build takes and what it saves has not been measured over
 * enough programs to say from which size on it does.
 */
export const prefersNative = (_: Program): boolean => false;
