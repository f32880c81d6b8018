// Takes the place of index.ts in bundles for browsers (`browser` in package.json): there are no drivers there, and what
// writes PTX would be a part of every page.
import { fail } from "../../array/index.js";
import type * as cuda from "./index.js";

const problem = "programs for NVIDIA GPUs need Node, and are not part of bundles for browsers";

export const cudaProblem: typeof cuda.cudaProblem = () => problem;
export const cudaDevice: typeof cuda.cudaDevice = () => ({
  name: "cuda",
  accepts: () => true,
  compile: () => fail("cuda", `${problem}; device: "wasm" needs nothing`),
});
