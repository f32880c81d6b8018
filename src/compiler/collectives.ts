// What the compiler knows of devices that work together: which equations are theirs, and who meets whom.
import {
  axes as deviceAxes,
  fail,
  subPrograms,
  type CollectiveParams,
  type NamedAxis,
  type Program,
} from "../array/index.js";
import { entryOf } from "./primitives/index.js";

/** Devices that meet, in the order of their places along the axes in which they differ. */
export interface DeviceGroup {
  readonly members: readonly number[];
  /** The place of the device in question. */
  readonly rank: number;
}

/** The group of a device along some axes. */
export function groupOf(device: number, axes: readonly NamedAxis[], names: readonly string[]): DeviceGroup {
  const own = deviceAxes.coordinatesOf(device, axes);
  const others = axes.filter(({ name }) => !names.includes(name));
  const members: number[] = [];
  for (let other = 0; other < deviceAxes.countAlong(axes); other++) {
    const theirs = deviceAxes.coordinatesOf(other, axes);
    if (others.some(({ name }) => theirs[name] !== own[name])) continue;
    members[deviceAxes.indexAlong(other, axes, names)] = other;
  }
  return { members, rank: deviceAxes.indexAlong(device, axes, names) };
}

/** The axes that each kind of group in a program goes along, once each. Refuses axes that there are not. */
export function groupsIn(program: Program, axes: readonly NamedAxis[]): string[][] {
  const found = new Map<string, string[]>();
  const visit = ({ equations }: Program): void => {
    for (const equation of equations) {
      if (entryOf(equation).isCollective) {
        const { name } = equation.primitive;
        const { axes: names, size } = equation.params as CollectiveParams & { readonly size?: number };
        checkAxes(name, names, size, axes);
        found.set(names.join(), [...names]);
      }
      subPrograms(equation).forEach(visit);
    }
  };
  visit(program);
  return [...found.values()];
}

function checkAxes(
  operation: string,
  names: readonly string[],
  size: number | undefined,
  axes: readonly NamedAxis[],
): void {
  const given = names.map((wanted) => axes.find(({ name }) => name === wanted) ?? wanted);
  const missing = given.find((axis) => typeof axis === "string");
  if (missing !== undefined) {
    const known = axes.map(({ name }) => JSON.stringify(name)).join(", ");
    fail(
      operation,
      axes.length === 0
        ? `it goes along the axis ${JSON.stringify(missing)}, and the program runs on one device: ` +
            "use it in shardMap, or in vmap with an axisName"
        : `there is no axis ${JSON.stringify(missing)}; the devices are arranged along ${known}`,
    );
  }
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  if (repeated !== undefined) fail(operation, `the axis ${JSON.stringify(repeated)} is named twice`);
  const count = deviceAxes.countAlong(given as NamedAxis[]);
  if (size !== undefined && size !== count)
    fail(operation, `it was made for ${size} devices along ${names.join(", ")}; there are ${count}`);
}
