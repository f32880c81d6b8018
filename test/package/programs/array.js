// The array language alone, from the package's own name, which must not bring the rest along: methods of arrays, and a compiled function. It asks for machine code by its name, so that
// a bundle without the device says so.
import { jit, np } from "vibe-rl";

const f = jit((x) => np.tanh(x).mul(2).sum(), { device: "wasm" });

globalThis.result = Promise.resolve({
  doubled: np.ones([2]).mul(2).toArray(),
  compiled: f(np.zeros([3]).add(0.5)).item(),
});
