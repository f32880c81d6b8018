// XLA behind a PJRT plugin: GPUs, TPUs, whatever somebody has written a plugin for.
import type { Backend } from "../../array/index.js";
import { xlaBackend } from "./backend.js";

export { xlaProblem } from "./backend.js";

export const xlaDevice = (): Backend => xlaBackend();
