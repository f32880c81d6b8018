// The native device, and what it keeps on disk.
import type { Backend } from "../../array/index.js";
import { cFlags, cRenderer } from "../../compiler/index.js";
import { nativeBackend } from "./backend.js";

export { nativeProblem } from "./backend.js";
export { clearCache, listCache, type CacheEntry } from "./cacheKeeping.js";

/** How a compiler is told of the processor at hand is found out by asking it. */
const isTuning = (flag: string): boolean => /^-m(arch|cpu|tune)=/.test(flag);

export const nativeDevice = (): Backend =>
  nativeBackend(
    cRenderer,
    cFlags.filter((flag) => !isTuning(flag)),
  );
