// Takes the place of index.ts in bundles for browsers (`browser` in package.json): there are no compilers there, and what
// writes and builds C would be a part of every page.
import { fail } from "../../array/index.js";
import type * as native from "./index.js";

const problem = "native programs need Node, and are not part of bundles for browsers";

const refuse = (): never => fail("native", `${problem}; device: "wasm" needs nothing`);

export const nativeProblem: typeof native.nativeProblem = () => problem;
export const listCache: typeof native.listCache = refuse;
export const clearCache: typeof native.clearCache = refuse;
export const nativeDevice: typeof native.nativeDevice = () => ({
  name: "native",
  accepts: () => true,
  compile: refuse,
});
