// What runs compiled programs. Importing this layer makes WebAssembly what `jit` uses, and native code and GPUs what it
// can use.
import { registerBackend } from "../array/index.js";
import { cudaDevice } from "./cuda/index.js";
import { nativeDevice } from "./native/index.js";
import { wasmBackend } from "./wasm/backend.js";

export { cudaProblem } from "./cuda/index.js";
export { clearCache, listCache, nativeProblem, type CacheEntry } from "./native/index.js";

registerBackend(wasmBackend());
registerBackend(nativeDevice(), { isDefault: false });
registerBackend(cudaDevice(), { isDefault: false });
