// The devices that a command line asks for.
import { environment, localDeviceCount, setCpuDevices } from "../array/index.js";
import type { TrainConfig } from "../config/index.js";
import { cudaProblem, nativeProblem, xlaProblem } from "../device/index.js";
import { RunnerConfig } from "../runner/index.js";

/** What keeps programs from running on a device here; null if nothing does. */
function problemOf(device: RunnerConfig["device"]): string | null {
  if (device === "native") return nativeProblem();
  if (device === "gpu") return xlaProblem();
  return device === "cuda" ? cudaProblem() : null;
}

/** A config for looking at its run: where its device is missing, as on another machine, another one does. */
export function runnableHere(config: TrainConfig): TrainConfig {
  if (problemOf(config.runner.device) === null) return config;
  return { ...config, runner: RunnerConfig({ ...config.runner, device: "auto", threads: null }) };
}

/** Gives native programs the threads that a config wants, unless the environment says how many. */
export function provideThreads({ runner: { threads } }: TrainConfig): void {
  if (threads !== null) process.env.VIBE_RL_THREADS ??= String(threads);
}

/** Makes as many CPU devices as a config wants, unless the environment says how many there are, or there are enough. */
export function provideDevices({ runner: { numDevices } }: TrainConfig): void {
  if (numDevices === null || numDevices === 1 || environment("VIBE_RL_CPU_DEVICES") !== undefined) return;
  try {
    setCpuDevices(numDevices);
  } catch (error) {
    if (localDeviceCount() < numDevices) throw error;
  }
}
