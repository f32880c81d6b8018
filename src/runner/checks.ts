// What runners look at before anything is computed: the names of options, and those that are functions or lists.
import { fail, nearestName } from "../array/index.js";
import { PPOConfig } from "../algorithms/index.js";
import type { RunnerConfig } from "./config.js";

/** Options that every run takes. */
export const runOptionNames = ["callback", "logger", "onProgress", "signal", "onStart", "runDir"] as const;

/** Refuses options that there are not; `given` may be anything. */
export function checkOptions(operation: string, given: unknown, known: readonly string[]): void {
  if (typeof given !== "object" || given === null) {
    fail(operation, `needs its options as an object, got ${String(given)}`);
  }
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const nearest = nearestName(name, known);
    const hint = nearest === null ? "." : `; did you mean \`${nearest}\`?`;
    fail(operation, `there is no option \`${name}\`${hint} The options are ${known.join(", ")}`);
  }
}

/** Refuses devices that would otherwise be passed over in silence. */
export function checkDevices(operation: string, { numDevices, fsdpDevices }: RunnerConfig): void {
  if ((numDevices ?? 1) === 1 && fsdpDevices === 1) return;
  fail(
    operation,
    `runs on one device, got numDevices ${String(numDevices)} and fsdpDevices ${fsdpDevices}; leave them out`,
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
  for (const name of ["callback", "onProgress", "onStart"]) {
    const value = options[name];
    if ((value ?? null) !== null && typeof value !== "function") {
      fail(operation, `${name} must be a function, or null, got ${typeof value}`);
    }
  }
  const { logger } = options as { readonly logger?: { readonly log?: unknown } | null };
  if ((logger ?? null) !== null && typeof logger?.log !== "function") {
    fail(operation, "logger must be an object with a function log, or null");
  }
}

const isSeed = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

/** Refuses seeds that are none. */
export function checkSeeds(operation: string, seeds: unknown): void {
  if (seeds === undefined || seeds === null) return;
  if (Array.isArray(seeds) && seeds.length > 0 && seeds.every(isSeed)) return;
  const given = Array.isArray(seeds) ? `[${seeds.map(String).join(", ")}]` : typeof seeds;
  fail(operation, `seeds must be a list of whole numbers of at least 0, with at least one, got ${given}`);
}

/** Refuses what is not a whole number of at least 1. */
export function checkCount(operation: string, name: string, value: unknown): void {
  if (Number.isSafeInteger(value) && (value as number) >= 1) return;
  fail(operation, `${name} must be a whole number of at least 1, got ${String(value)}`);
}
