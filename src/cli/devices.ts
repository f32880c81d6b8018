// The devices that a command line asks for.
import { environment, localDeviceCount, setCpuDevices } from "../array/index.js";
import type { TrainConfig } from "../config/index.js";

/** Makes as many CPU devices as a config wants, unless the environment says how many there are, or there are enough. */
export function provideDevices({ runner: { numDevices } }: TrainConfig): void {
  if (numDevices === null || numDevices === 1 || environment("VIBE_RL_CPU_DEVICES") !== undefined) return;
  try {
    setCpuDevices(numDevices);
  } catch (error) {
    if (localDeviceCount() < numDevices) throw error;
  }
}
