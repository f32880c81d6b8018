// The native device, and what it keeps on disk.
import type { Backend } from "../../array/index.js";
import { cRenderer, neverMeeting } from "../../compiler/index.js";
import { nativeBackend } from "./backend.js";
import { flagsNow } from "./flags.js";

export { nativeProblem } from "./backend.js";
export { clearCache, listCache, type CacheEntry } from "../cache/keeping.js";

export const nativeDevice = (): Backend =>
  nativeBackend(
    (target, isForOneThread) => cRenderer(target, isForOneThread ? neverMeeting : undefined),
    flagsNow,
  );
