// Where an array lies: which device has which block of it.
import { checked } from "../core/checked.js";
import { constructible } from "../core/constructible.js";
import { describe, fail } from "../core/errors.js";
import { checkShape, showShape, type Shape } from "../core/shape.js";
import { checkName } from "../core/rules.js";
import { countAlong, indexAlong, type Layout, type NamedAxis } from "./axes.js";
import type { Device } from "./devices.js";
import type { Mesh } from "./mesh.js";
import { PartitionSpec } from "./partitionSpec.js";
import { SingleDeviceSharding, type BlockIndex } from "./singleDeviceSharding.js";

// The class is not asked for: a mesh brings the compiler for several devices along, a sharding alone does not.
const isMesh = (value: unknown): value is Mesh =>
  typeof value === "object" && value !== null && "axisNames" in value && "axes" in value;

class MeshSharding {
  constructor(
    readonly mesh: Mesh,
    readonly spec: PartitionSpec,
  ) {
    if (!isMesh(mesh)) fail("NamedSharding", `it needs a Mesh, got ${describe(mesh)}`);
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
  isEquivalentTo(other: Sharding, ndim: number): boolean {
    if (other instanceof SingleDeviceSharding) {
      return this.devices.length === 1 && this.devices[0] === other.device;
    }
    const layout = (sharding: NamedSharding): string => JSON.stringify(sharding.layoutFor(ndim));
    return other === this || (this.mesh.equals(other.mesh) && layout(this) === layout(other));
  }

  toString(): string {
    return `NamedSharding(${this.mesh.toString()}, ${this.spec.toString()})`;
  }

  private axesAlong(dimension: number): NamedAxis[] {
    return this.spec.axesOf(dimension).map((name) => ({ name, size: this.mesh.shape[name] }));
  }

  private blocksAlong(dimension: number): number {
    return countAlong(this.axesAlong(dimension));
  }
}

const make = checked("NamedSharding", 2, (mesh: Mesh, spec: PartitionSpec) => new MeshSharding(mesh, spec));

/** Blocks of an array on the devices of a mesh, as a spec says: `NamedSharding(mesh, PartitionSpec(["batch"]))`. */
export type NamedSharding = MeshSharding;
export const NamedSharding = constructible(make, MeshSharding);

/** Where an array lies. */
export type Sharding = NamedSharding | SingleDeviceSharding;
