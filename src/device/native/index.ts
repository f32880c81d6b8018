// The native device, and what it keeps on disk.
import type { Backend } from "../../array/index.js";
import { cFlags } from "./flags.js";
import { cRenderer } from "./pending.js";
import { nativeBackend } from "./backend.js";

export { nativeProblem } from "./backend.js";
export { clearCache, listCache, type CacheEntry } from "./cache.js";

export const nativeDevice = (): Backend => nativeBackend(cRenderer, cFlags);
