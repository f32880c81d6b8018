// The devices of this process: CPUs, of which there may be several to try out programs for several devices, and what
// other layers know of, such as GPUs.
import { checked } from "../core/checked.js";
import { environment } from "../core/environment.js";
import { fail } from "../core/errors.js";
import { range } from "../core/shape.js";
import { check, checkName, rule } from "../core/rules.js";

/** What holds arrays and runs programs. */
export class Device {
  /** @internal */
  constructor(
    readonly id: number,
    /** "cpu", or "gpu" for what XLA has a plugin for. */
    readonly platform = "cpu",
    /** What it is, as "NVIDIA H200". */
    readonly kind = "cpu",
  ) {
    Object.freeze(this);
  }

  toString(): string {
    const [first, ...rest] = this.platform;
    return `${first.toUpperCase()}${rest.join("")}Device(${this.id})`;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }
}

/** The device that arrays are on unless they were put elsewhere. */
export const firstDevice = new Device(0);

const variable = "VIBE_RL_CPU_DEVICES";
const most = 1024;
const deviceCount = rule(
  `a whole number from 1 to ${most}`,
  (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most,
);

/** What to do in order to have more devices, for messages. */
export const howToGetDevices = (count: number): string =>
  `call setCpuDevices(${count}) before anything uses devices, or set ${variable}=${count}`;

let wanted: number | null = null;
let known: readonly Device[] | null = null;

function countFromEnvironment(): number {
  const given = environment(variable);
  if (given === undefined) return 1;
  const count = /^\d+$/.test(given.trim()) ? Number(given) : given;
  check(variable, "it", count, deviceCount);
  return count as number;
}

/**
 * Makes `count` CPU devices of this process, which otherwise has one. It must come before the first use of devices;
 * afterwards it can only confirm the number.
 */
export const setCpuDevices = checked("setCpuDevices", 1, (count: number): void => {
  check("setCpuDevices", "count", count, deviceCount);
  if (known !== null && known.length !== count) {
    fail(
      "setCpuDevices",
      `devices are in use already, and there are ${known.length} of them; ` +
        `call setCpuDevices(${count}) earlier, or set ${variable}=${count} for the process`,
    );
  }
  wanted = count;
});

function cpuDevices(): readonly Device[] {
  known ??= Object.freeze(
    range(wanted ?? countFromEnvironment()).map((id) => (id === 0 ? firstDevice : new Device(id))),
  );
  return known;
}

/** What a device of another platform is. */
export interface DeviceDescription {
  readonly id: number;
  readonly kind: string;
}

/** Where devices of each platform come from; those that were found are kept. */
const platforms = new Map<string, () => readonly Device[]>([["cpu", cpuDevices]]);

/** Says where devices of a platform come from, when somebody first asks for them. */
export function offerDevices(platform: string, find: () => readonly DeviceDescription[]): void {
  let found: readonly Device[] | null = null;
  platforms.set(
    platform,
    () => (found ??= Object.freeze(find().map(({ id, kind }) => new Device(id, platform, kind)))),
  );
}

/** All devices of this process on a platform, "cpu" by default, in the order of their ids. */
export const devices = checked("devices", 1, (platform = "cpu"): readonly Device[] => {
  checkName("devices", "platform", platform, [...platforms.keys()]);
  return platforms.get(platform)?.() ?? [];
});

/** How many devices this process has on a platform, "cpu" by default. */
export const localDeviceCount = checked(
  "localDeviceCount",
  1,
  (platform = "cpu"): number => devices(platform).length,
);
