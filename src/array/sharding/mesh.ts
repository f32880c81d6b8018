// Devices arranged along named axes.
import { checked } from "../core/checked.js";
import { constructible } from "../core/constructible.js";
import { describe, fail } from "../core/errors.js";
import { showValue } from "../core/rules.js";
import { checkShape, showShape, sizeOf, type Shape } from "../core/shape.js";
import { shardingSupport } from "../transforms/sharded.js";
import { offerSharding, supportSharding } from "../transforms/shardingSupport.js";
import type { NamedAxis } from "./axes.js";
import { Device, devices as allDevices, howToGetDevices } from "./devices.js";

/** Devices in nested lists: one level of lists for each axis of a mesh. */
export type NestedDevices = Device | readonly NestedDevices[];

/** The extents of nested lists, each list as long as its siblings, and what is in them. */
function unnest(nested: unknown): { readonly shape: number[]; readonly flat: Device[] } {
  if (nested instanceof Device) return { shape: [], flat: [nested] };
  if (!globalThis.Array.isArray(nested)) {
    fail("Mesh", `it is made of nested lists of devices such as devices(), got ${describe(nested)}`);
  }
  const parts = nested.map(unnest);
  if (parts.length === 0) fail("Mesh", "it needs at least one device, got an empty list");
  const [first] = parts as [(typeof parts)[number]];
  for (const { shape } of parts) {
    if (showShape(shape) !== showShape(first.shape)) {
      fail(
        "Mesh",
        `lists side by side must be alike, got some of shape ${showShape(first.shape)} and some of ${showShape(shape)}`,
      );
    }
  }
  return { shape: [parts.length, ...first.shape], flat: parts.flatMap(({ flat }) => flat) };
}

class DeviceMesh {
  /** The names of the axes, outermost first. */
  readonly axisNames: readonly string[];
  /** How many devices there are along each axis, by its name. */
  readonly shape: Readonly<Record<string, number>>;
  /** How many devices there are in all. */
  readonly size: number;
  /** The devices in row-major order: the last axis varies fastest. */
  readonly devices: readonly Device[];
  /** The axes as programs see them. */
  readonly axes: readonly NamedAxis[];

  constructor(devices: NestedDevices, axisNames: readonly string[]) {
    const { shape, flat } = unnest(devices);
    checkNames(axisNames, shape);
    const twice = flat.find((device, index) => flat.indexOf(device) !== index);
    if (twice !== undefined) fail("Mesh", `${twice.toString()} is in it twice; every device has one place`);
    this.axes = Object.freeze(shape.map((size, index) => Object.freeze({ name: axisNames[index], size })));
    this.axisNames = Object.freeze([...axisNames]);
    this.shape = Object.freeze(Object.fromEntries(this.axes.map(({ name, size }) => [name, size])));
    this.size = flat.length;
    this.devices = Object.freeze(flat);
    Object.freeze(this);
    supportSharding();
  }

  /** Whether the other is a mesh of the same devices in the same places, with the same names. */
  equals(other: unknown): boolean {
    return (
      other === this ||
      (other instanceof DeviceMesh &&
        this.toString() === other.toString() &&
        this.devices.every((device, index) => device === other.devices[index]))
    );
  }

  toString(): string {
    return `Mesh(${this.axes.map(({ name, size }) => `${name}: ${size}`).join(", ")})`;
  }
}

function checkNames(axisNames: unknown, shape: Shape): void {
  const isName = (name: unknown): boolean => typeof name === "string" && name !== "";
  if (!globalThis.Array.isArray(axisNames) || !axisNames.every(isName)) {
    fail("Mesh", `the names of its axes must be a list of strings, got ${showValue(axisNames)}`);
  }
  if (axisNames.length !== shape.length) {
    fail(
      "Mesh",
      `the devices are arranged along ${shape.length} axes, of shape ${showShape(shape)}, ` +
        `but ${axisNames.length} have names: ${showValue(axisNames)}`,
    );
  }
  const twice = (axisNames as string[]).find((name, index) => axisNames.indexOf(name) !== index);
  if (twice !== undefined) fail("Mesh", `two axes are named ${JSON.stringify(twice)}; names must differ`);
}

const make = checked(
  "Mesh",
  2,
  (devices: NestedDevices, axisNames: readonly string[]) => new DeviceMesh(devices, axisNames),
);

/** Devices arranged along named axes: `Mesh([[d0, d1], [d2, d3]], ["batch", "fsdp"])`. */
export type Mesh = DeviceMesh;
export const Mesh = constructible(make, DeviceMesh);

/** A list as nested lists of a shape. */
const nest = (list: readonly Device[], shape: Shape): NestedDevices => {
  const [extent, ...inner] = shape;
  const step = sizeOf(inner);
  return shape.length === 0
    ? list[0]
    : globalThis.Array.from({ length: extent }, (_, at) =>
        nest(list.slice(at * step, (at + 1) * step), inner),
      );
};

/** A mesh of a shape: the first devices, or those given, row by row, as in `meshOfShape([4, 2], ["batch", "fsdp"])`. */
export const meshOfShape = checked(
  "meshOfShape",
  3,
  (shape: Shape, axisNames: readonly string[], list: readonly Device[] = allDevices()): Mesh => {
    const extents = checkShape("meshOfShape", shape);
    const count = sizeOf(extents);
    if (count === 0) {
      fail("meshOfShape", `a mesh needs a device along each axis at least, got shape ${showShape(extents)}`);
    }
    if (count > list.length) {
      fail(
        "meshOfShape",
        `a mesh of shape ${showShape(extents)} needs ${count} devices, and there are ${list.length}; ` +
          howToGetDevices(count),
      );
    }
    return Mesh(nest(list.slice(0, count), extents), axisNames);
  },
);

// For functions that look for a batch themselves, before there is any mesh.
offerSharding(() => shardingSupport(meshOfShape));
