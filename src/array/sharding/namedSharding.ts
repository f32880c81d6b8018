// Where an array lies: which device has which block of it.
import { checked } from "../core/checked.js";
import { constructible } from "../core/constructible.js";
import { describe, fail } from "../core/errors.js";
import { checkShape, showShape, type Shape } from "../core/shape.js";
import { checkName } from "../core/rules.js";
import { countAlong, indexAlong, type Layout, type NamedAxis } from "./axes.js";
import { Device } from "./devices.js";
import { Mesh } from "./mesh.js";
import { PartitionSpec } from "./partitionSpec.js";

/** A stretch of a dimension, without its end. */
export interface Extent {
  readonly start: number;
  readonly stop: number;
}

/** Which part of an array a device has, dimension by dimension. */
export type BlockIndex = readonly Extent[];

class MeshSharding {
  constructor(
    readonly mesh: Mesh,
    readonly spec: PartitionSpec,
  ) {
    if (!(mesh instanceof Mesh)) fail("NamedSharding", `it needs a Mesh, got ${describe(mesh)}`);
    if (!(spec instanceof PartitionSpec)) {
      fail(
        "NamedSharding",
        `it needs a PartitionSpec such as PartitionSpec(["batch"]), got ${describe(spec)}`,
      );
    }
    const used = spec.entries.flatMap((_, dimension) => spec.axesOf(dimension));
    for (const name of used) checkName("NamedSharding", "axis", name, mesh.axisNames);
    const twice = used.find((name, index) => used.indexOf(name) !== index);
    if (twice !== undefined) {
      fail(
        "NamedSharding",
        `axis ${JSON.stringify(twice)} splits an array once at most, got ${spec.toString()}`,
      );
    }
    Object.freeze(this);
  }

  /** The devices, in the order of the mesh. */
  get devices(): readonly Device[] {
    return this.mesh.devices;
  }

  /** Whether every device has all of an array. */
  get isFullyReplicated(): boolean {
    return this.spec.entries.every((_, dimension) => this.blocksAlong(dimension) === 1);
  }

  /** Which axes split each of `ndim` dimensions. */
  layoutFor(ndim: number): Layout {
    const { spec } = this;
    if (spec.length > ndim) {
      fail(
        "NamedSharding",
        `${spec.toString()} is for ${spec.length} dimensions or more, and the array has ${ndim}`,
      );
    }
    return globalThis.Array.from({ length: ndim }, (_, dimension) => spec.axesOf(dimension));
  }

  /** The shape of the block that each device has of an array. */
  shardShape(shape: Shape): Shape {
    checkShape("shardShape", shape);
    this.layoutFor(shape.length);
    return shape.map((extent, dimension) => {
      const blocks = this.blocksAlong(dimension);
      if (extent % blocks === 0) return extent / blocks;
      const axes = this.axesAlong(dimension).map(({ name, size }) => `${name} (${size})`);
      fail(
        "NamedSharding",
        `dimension ${dimension} of an array of shape ${showShape(shape)} has extent ${extent}, which ` +
          (axes.length === 1
            ? `axis ${axes[0]} does not divide`
            : `axes ${axes.join(" × ")} = ${blocks} do not divide`),
      );
    });
  }

  /** Which block of an array the device at a place of the mesh has. */
  blockIndex(place: number, shape: Shape): BlockIndex {
    const layout = this.layoutFor(shape.length);
    return this.shardShape(shape).map((extent, dimension) => {
      const start = indexAlong(place, this.mesh.axes, layout[dimension]) * extent;
      return { start, stop: start + extent };
    });
  }

  /** Which block of an array each device has. */
  devicesIndicesMap(shape: Shape): ReadonlyMap<Device, BlockIndex> {
    return new Map(this.devices.map((device, place) => [device, this.blockIndex(place, shape)]));
  }

  /** Whether the other is a sharding with an equal mesh and spec. */
  equals(other: unknown): boolean {
    return (
      other === this ||
      (other instanceof MeshSharding && this.spec.equals(other.spec) && this.mesh.equals(other.mesh))
    );
  }

  /** Whether the other gives the same blocks of arrays of `ndim` dimensions to the same devices. */
  isEquivalentTo(other: unknown, ndim: number): boolean {
    if (other instanceof OneDevice) return this.devices.length === 1 && this.devices[0] === other.device;
    if (!(other instanceof MeshSharding)) return false;
    const same = (a: MeshSharding, b: MeshSharding): boolean =>
      a.mesh.equals(b.mesh) && JSON.stringify(a.layoutFor(ndim)) === JSON.stringify(b.layoutFor(ndim));
    return other === this || same(this, other);
  }

  toString(): string {
    return `NamedSharding(${this.mesh.toString()}, ${this.spec.toString()})`;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }

  private axesAlong(dimension: number): NamedAxis[] {
    return this.spec.axesOf(dimension).map((name) => ({ name, size: this.mesh.shape[name] }));
  }

  private blocksAlong(dimension: number): number {
    return countAlong(this.axesAlong(dimension));
  }
}

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

  isEquivalentTo(other: unknown, ndim: number): boolean {
    return other instanceof MeshSharding ? other.isEquivalentTo(this, ndim) : this.equals(other);
  }

  toString(): string {
    return `SingleDeviceSharding(${this.device.toString()})`;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }
}

/** Blocks of an array on the devices of a mesh, as a spec says: `NamedSharding(mesh, PartitionSpec(["batch"]))`. */
export type NamedSharding = MeshSharding;
export const NamedSharding = constructible(
  checked("NamedSharding", 2, (mesh: Mesh, spec: PartitionSpec) => new MeshSharding(mesh, spec)),
  MeshSharding,
);

/** All of an array on one device. */
export type SingleDeviceSharding = OneDevice;
export const SingleDeviceSharding = constructible(
  checked("SingleDeviceSharding", 1, (device: Device) => new OneDevice(device)),
  OneDevice,
);

/** Where an array lies. */
export type Sharding = NamedSharding | SingleDeviceSharding;
