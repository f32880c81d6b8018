// XLA behind a PJRT plugin: GPUs, TPUs, whatever somebody has written a plugin for.
import type { Backend } from "../../array/index.js";
import { xlaBackend } from "./backend.js";
import { needClient, type XlaDevice } from "./client.js";

export { xlaProblem } from "./backend.js";
export { distributedInitialize, type DistributedOptions } from "./distributed/initialize.js";

/** The devices that XLA has here; an error says why there are none. */
export const xlaDevices = (): readonly XlaDevice[] => needClient().devices;

export const xlaDevice = (): Backend => xlaBackend();
