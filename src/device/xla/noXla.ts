// Takes the place of index.ts in bundles for browsers (`browser` in package.json): there are no plugins there, and what
// writes StableHLO would be a part of every page.
import { fail } from "../../array/index.js";
import type * as xla from "./index.js";

const problem = "programs of XLA need Node, and are not part of bundles for browsers";

export const xlaProblem: typeof xla.xlaProblem = () => problem;
export const distributedInitialize: typeof xla.distributedInitialize = () =>
  fail("distributedInitialize", problem);
export const xlaDevices: typeof xla.xlaDevices = () => fail("gpu", problem);
export const xlaDevice: typeof xla.xlaDevice = () => ({
  name: "gpu",
  accepts: () => true,
  compile: () => fail("gpu", `${problem}; device: "wasm" needs nothing`),
});
