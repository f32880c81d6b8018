// The CUDA device: one NVIDIA GPU.
import type { Backend } from "../../array/index.js";
import { ptxRenderer } from "../../compiler/index.js";
import { cudaBackend } from "./backend.js";

export { cudaProblem } from "./backend.js";

export const cudaDevice = (): Backend => cudaBackend(ptxRenderer);
