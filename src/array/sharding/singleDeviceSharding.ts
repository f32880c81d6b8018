// All of an array on one device: where arrays are unless somebody put them elsewhere.
import { checked } from "../core/checked.js";
import { constructible } from "../core/constructible.js";
import { describe, fail } from "../core/errors.js";
import { checkShape, type Shape } from "../core/shape.js";
import { Device } from "./devices.js";
import type { Sharding } from "./namedSharding.js";

/** A stretch of a dimension, without its end. */
export interface Extent {
  readonly start: number;
  readonly stop: number;
}

/** Which part of an array a device has, dimension by dimension. */
export type BlockIndex = readonly Extent[];

class OneDevice {
  readonly isFullyReplicated = true;
  readonly devices: readonly Device[];

  constructor(readonly device: Device) {
    if (!(device instanceof Device)) {
      fail("SingleDeviceSharding", `it needs a device such as devices()[0], got ${describe(device)}`);
    }
    this.devices = Object.freeze([device]);
    Object.freeze(this);
  }

  shardShape(shape: Shape): Shape {
    return checkShape("shardShape", shape);
  }

  blockIndex(_place: number, shape: Shape): BlockIndex {
    return shape.map((stop) => ({ start: 0, stop }));
  }

  devicesIndicesMap(shape: Shape): ReadonlyMap<Device, BlockIndex> {
    return new Map([[this.device, this.blockIndex(0, shape)]]);
  }

  equals(other: unknown): boolean {
    return other instanceof OneDevice && other.device === this.device;
  }

  isEquivalentTo(other: Sharding, ndim: number): boolean {
    // A mesh may have this device alone.
    return other instanceof OneDevice ? this.equals(other) : other.isEquivalentTo(this, ndim);
  }

  toString(): string {
    return `SingleDeviceSharding(${this.device.toString()})`;
  }
}

const make = checked("SingleDeviceSharding", 1, (device: Device) => new OneDevice(device));

/** All of an array on one device: `SingleDeviceSharding(devices()[0])`. */
export type SingleDeviceSharding = OneDevice;
export const SingleDeviceSharding = constructible(make, OneDevice);
