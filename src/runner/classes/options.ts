// What class runners are told besides their environments and agents, and what of it is refused.
import { check, fail, jit, np, rules, type Array } from "../../array/index.js";
import type { VecEnv } from "../../vecEnv/index.js";

/** Options that all class runners have. */
export interface ClassRunnerOptions {
  /** Where TensorBoard's event files and `metrics.jsonl` go. Default null: nowhere. */
  readonly logDir?: string | null;
  /** Where checkpoints go. Default: `checkpoints` in logDir; without that none are saved by themselves. */
  readonly saveDir?: string | null;
  /** What runs programs: "wasm", "native", "cuda", "gpu", or "interpreter" to look for mistakes. Default "auto": wasm. */
  readonly device?: string | null;
  /** Logs at every iteration whose number is a multiple of this, and at the last. Default 10. */
  readonly logInterval?: number;
  /** Saves a checkpoint likewise. Default 100. */
  readonly saveInterval?: number;
  /** Whether components of the reward are added up over episodes and logged as `reward/<name>`. Default true. */
  readonly logRewardComponents?: boolean;
  /** Everything random comes from this number: networks, actions, the seeds of environments. Default 0. */
  readonly seed?: number;
  /** Environments for `eval`. Default: those that are trained on. */
  readonly evalEnv?: VecEnv | null;
}

/** The options with their defaults. */
export type Settings = {
  readonly [K in keyof Required<ClassRunnerOptions>]: Exclude<ClassRunnerOptions[K], undefined>;
};

export const classRunnerOptionNames = [
  "logDir",
  "saveDir",
  "device",
  "logInterval",
  "saveInterval",
  "logRewardComponents",
  "seed",
  "evalEnv",
] as const satisfies readonly (keyof ClassRunnerOptions)[];

export function settingsOf(operation: string, given: ClassRunnerOptions): Settings {
  const { logDir = null, device = null, logInterval = 10, saveInterval = 100 } = given;
  const { saveDir = null, logRewardComponents = true, seed = 0, evalEnv = null } = given;
  for (const [name, value] of Object.entries({ logDir, saveDir, device })) {
    if (value !== null && (typeof value !== "string" || value === "")) {
      fail(
        operation,
        `${name} must be a text, or null, got ${typeof value === "string" ? '""' : typeof value}`,
      );
    }
  }
  check(operation, "logInterval", logInterval, rules.whole(1));
  check(operation, "saveInterval", saveInterval, rules.whole(1));
  if (typeof logRewardComponents !== "boolean") {
    fail(operation, `logRewardComponents must be true or false, got ${String(logRewardComponents)}`);
  }
  checkSeed(operation, seed);
  checkDevice(deviceOf(device));
  return { logDir, saveDir, device, logInterval, saveInterval, logRewardComponents, seed, evalEnv };
}

export function checkSeed(operation: string, seed: unknown): void {
  if (Number.isSafeInteger(seed) && (seed as number) >= 0) return;
  fail(operation, `seed must be a whole number of at least 0, got ${String(seed)}`);
}

/** A device as `jit` calls it. */
export const deviceOf = (device: string | null): string | undefined =>
  device === null || device === "auto" ? undefined : device;

/** Refuses a device that there is not before anything is played. */
function checkDevice(device: string | undefined): void {
  if (device === undefined) return;
  jit((x: Array) => x.add(1), { device })(np.float32(0));
}

/** A number on its own, or an object with it. */
export function numberIn<K extends string>(
  operation: string,
  name: K,
  given: number | Readonly<Partial<Record<K, number>>> | undefined,
  usual?: number,
): number {
  const value = (typeof given === "object" ? given?.[name] : given) ?? usual;
  check(operation, name, value, rules.whole(1));
  return value as number;
}
