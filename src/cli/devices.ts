// The devices that a command line asks for.
import { environment, localDeviceCount, setCpuDevices } from "../array/index.js";
import type { TrainConfig } from "../config/index.js";
import { nativeProblem } from "../device/index.js";
import { RunnerConfig } from "../runner/index.js";

/** A config for looking at its run: where it cannot be native, as on another machine, it need not be. */
export function runnableHere(config: TrainConfig): TrainConfig {
  if (config.runner.device !== "native" || nativeProblem() === null) return config;
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
