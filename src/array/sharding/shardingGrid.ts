// The blocks of an array as a grid, with the devices that have each: what pictures of shardings show.
import { showShape, type Shape } from "../core/shape.js";
import { NamedSharding, type Sharding } from "./namedSharding.js";
import type { Extent } from "./singleDeviceSharding.js";

/** The blocks of an array's first two dimensions; an array with fewer has one row, or one cell. */
export interface ShardingGrid {
  readonly rows: readonly Extent[];
  readonly columns: readonly Extent[];
  /** The ids of the devices that have a block, by row and column. */
  readonly holders: readonly (readonly (readonly number[])[])[];
  /** What is shown, in a line. */
  readonly title: string;
}

/** The different stretches of a dimension that devices have, from front to back. */
function stretches(extents: readonly Extent[]): Extent[] {
  const byStart = new Map(extents.map((extent) => [extent.start, extent]));
  return [...byStart.values()].sort((a, b) => a.start - b.start);
}

/** The blocks that a sharding makes of an array of a shape. */
export function gridOf(shape: Shape, sharding: Sharding): ShardingGrid {
  const blocks = [...sharding.devicesIndicesMap(shape)];
  const whole: Extent = { start: 0, stop: 1 };
  // A list reads as a row.
  const placed = blocks.map(([device, index]) => ({
    id: device.id,
    row: index.length < 2 ? whole : index[0],
    column: index[index.length < 2 ? 0 : 1] ?? whole,
  }));
  const rows = stretches(placed.map(({ row }) => row));
  const columns = stretches(placed.map(({ column }) => column));
  const holders = rows.map((row) =>
    columns.map((column) =>
      placed
        .filter((block) => block.row.start === row.start && block.column.start === column.start)
        .map(({ id }) => id),
    ),
  );
  const beyond = shape.length > 2 ? ", its first two dimensions" : "";
  const place =
    sharding instanceof NamedSharding
      ? `${sharding.spec.toString()} on ${sharding.mesh.toString()}`
      : sharding.device.toString();
  return { rows, columns, holders, title: `${showShape(shape)}, ${place}${beyond}` };
}

/** What stands in a block: `CPU 0,1`. */
export const labelOf = (ids: readonly number[]): string => `CPU ${ids.join(",")}`;
