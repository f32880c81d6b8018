// What runners look at before anything is computed: devices, environments, listeners and seeds.
import { check, fail, rules } from "../array/index.js";
import { PPOConfig } from "../algorithms/index.js";
import type { RunnerConfig } from "./config.js";

/** Options that every run takes. */
export const runOptionNames = [
  "callback",
  "logger",
  "onProgress",
  "signal",
  "onStart",
  "onCheckpoint",
  "runDir",
] as const;

/** Refuses devices that would otherwise be passed over in silence. */
export function checkDevices(operation: string, { numDevices, fsdpDevices }: RunnerConfig): void {
  if ((numDevices ?? 1) === 1 && fsdpDevices === 1) return;
  fail(
    operation,
    `runs on one device, got numDevices ${String(numDevices)} and fsdpDevices ${fsdpDevices}; leave them out, or ` +
      "train PPO with trainPPOMultiGPU",
  );
}

/** PPO's config with the environments of a device, which either config can say. */
export function withEnvironments(config: PPOConfig, runner: RunnerConfig): PPOConfig {
  const [own, perDevice] = [config.numEnvs, runner.numEnvs];
  if (own !== 1 && perDevice !== 1 && own !== perDevice) {
    fail(
      "trainPPO",
      `ppoConfig.numEnvs is ${own} and runnerConfig.numEnvs is ${perDevice}: both say how many environments run side ` +
        "by side on a device; give one of them, or the same twice",
    );
  }
  return perDevice === 1 ? config : PPOConfig({ ...config, numEnvs: perDevice });
}

/** Refuses listeners that cannot be called. */
export function checkListeners(operation: string, options: Readonly<Record<string, unknown>>): void {
  for (const name of ["callback", "onProgress", "onStart", "onCheckpoint"]) {
    check(operation, name, options[name] ?? null, rules.orNull(rules.callable));
  }
  check(operation, "logger", options.logger ?? null, rules.orNull(logger));
  checkSignal(operation, options.signal);
}

/** Refuses what does not tell a run to stop: it would never be heard. */
export const checkSignal = (operation: string, signal: unknown): void =>
  check(operation, "signal", signal ?? null, rules.orNull(stopSignal));

const stopSignal = rules.rule(
  "an AbortSignal, such as `signal` of an AbortController, or another object with a boolean `aborted`",
  (value) => typeof (value as { readonly aborted?: unknown } | undefined)?.aborted === "boolean",
);

const logger = rules.rule(
  "an object with a function log",
  (value) => typeof (value as { readonly log?: unknown }).log === "function",
);

const seedList = rules.orNull(rules.listOf("whole numbers of at least 0", rules.whole(0), 1));

/** Refuses seeds that are none. */
export const checkSeeds = (operation: string, seeds: unknown): void =>
  check(operation, "seeds", seeds ?? null, seedList);
