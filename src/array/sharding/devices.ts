// The devices of this process: CPUs, of which there may be several to try out programs for several devices.
import { checked } from "../core/checked.js";
import { environment } from "../core/environment.js";
import { fail } from "../core/errors.js";
import { range } from "../core/shape.js";
import { check, rule } from "../core/rules.js";

/** What holds arrays and runs programs. */
export class Device {
  readonly platform = "cpu";

  /** @internal */
  constructor(readonly id: number) {
    Object.freeze(this);
  }

  toString(): string {
    return `CpuDevice(${this.id})`;
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

/** All devices of this process, in the order of their ids. */
export const devices = checked("devices", 0, (): readonly Device[] => {
  known ??= Object.freeze(
    range(wanted ?? countFromEnvironment()).map((id) => (id === 0 ? firstDevice : new Device(id))),
  );
  return known;
});

/** How many devices this process has. */
export const localDeviceCount = checked("localDeviceCount", 0, (): number => devices().length);
