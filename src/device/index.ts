// What runs compiled programs. Importing this layer makes WebAssembly what `jit` uses, and native code, GPUs and XLA what
// it can use.
import { offerDevices, registerBackend } from "../array/index.js";
import { cudaDevice } from "./cuda/index.js";
import { nativeDevice } from "./native/index.js";
import { wasmBackend } from "./wasm/backend.js";
import { xlaDevice, xlaDevices } from "./xla/index.js";

export { cudaProblem } from "./cuda/index.js";
export { clearCache, listCache, nativeProblem, type CacheEntry } from "./native/index.js";
export { distributedInitialize, xlaProblem, type DistributedOptions } from "./xla/index.js";

registerBackend(wasmBackend());
registerBackend(nativeDevice(), { isDefault: false });
registerBackend(cudaDevice(), { isDefault: false });
registerBackend(xlaDevice(), { isDefault: false });
offerDevices("gpu", xlaDevices);
