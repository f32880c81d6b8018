// What an engine may refuse, and what to do then.
import { fail } from "../../array/index.js";
import type { Features } from "../../compiler/index.js";

/** 32-bit WebAssembly addresses end here. */
export const memoryLimit = 2 ** 32;

/** Refuses engines that compiled programs cannot run in. */
export function needFeatures(features: Features | null): Features {
  return (
    features ??
    fail(
      "jit",
      "this JavaScript engine has no WebAssembly SIMD, which compiled programs need; update it, or run " +
        'without compiling: jit(f, { device: "interpreter" }) or VIBE_RL_DEVICE=interpreter',
    )
  );
}

/** Refuses a module that the engine does not take: our mistake, or a limit of the engine. */
export function failRejected(cause: unknown, { length }: Uint8Array): never {
  fail(
    "jit",
    `the engine does not take the compiled program (${length} bytes): ${String(cause)}. Please report ` +
      'this; until it is mended, jit(f, { device: "interpreter" }) runs the program',
  );
}
