// The axes that devices are arranged along, as programs see them: names and sizes, and nothing of what a device is.

/** A direction in which devices, or the examples of a named `vmap`, are arranged. */
export interface NamedAxis {
  readonly name: string;
  readonly size: number;
}

/** How many devices there are along some axes. */
export const countAlong = (axes: readonly NamedAxis[]): number =>
  axes.reduce((product, { size }) => product * size, 1);

/**
 * Which axes split each dimension of an array, outermost first; one entry per dimension, empty where it is whole.
 * A device holds one block; along axes that are not mentioned all devices hold the same.
 */
export type Layout = readonly (readonly string[])[];

const wholeLayouts: Layout[] = [];

/** The layout of an array that every device has all of: the same object for all arrays of so many dimensions. */
export const wholeLayout = (ndim: number): Layout =>
  (wholeLayouts[ndim] ??= Object.freeze(globalThis.Array.from({ length: ndim }, () => Object.freeze([]))));

/** The position along each axis of a device, by its number; the last axis varies fastest. */
export function coordinatesOf(device: number, axes: readonly NamedAxis[]): Readonly<Record<string, number>> {
  const coordinates: Record<string, number> = {};
  let rest = device;
  for (const { name, size } of [...axes].reverse()) {
    coordinates[name] = rest % size;
    rest = Math.floor(rest / size);
  }
  return coordinates;
}

/** The number of a device within those that differ from it along `names` only; the last name varies fastest. */
export function indexAlong(device: number, axes: readonly NamedAxis[], names: readonly string[]): number {
  const coordinates = coordinatesOf(device, axes);
  const sizes = new Map(axes.map(({ name, size }) => [name, size]));
  return names.reduce((index, name) => index * (sizes.get(name) ?? 1) + coordinates[name], 0);
}
