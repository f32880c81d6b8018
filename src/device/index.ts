// What runs compiled programs. Importing this layer makes the best device here the one that `jit` uses.
import { registerBackend } from "../array/index.js";
import { wasmBackend } from "./wasm/backend.js";

registerBackend(wasmBackend());
