// The memory plan as text: where every buffer lies, and what has the same memory at other times.
import type { Buffer, Step } from "../kernel.js";
import type { MemoryPlan } from "../plan/arena.js";
import { bytesOf } from "../plan/clusters.js";
import { kernelsIn } from "../walk.js";
import { nameBuffers, showPlace, type Naming } from "./names.js";
import { showCount } from "./numbers.js";

/** A buffer where it lies. */
interface Placed {
  readonly buffer: Buffer;
  readonly start: number;
  readonly bytes: number;
}

/** More than so many neighbours in memory are only counted. */
const mostNamed = 6;

/** A readable listing of the memory plan of some steps, by address. Buffers of no size are left out. */
export function showPlan(plan: MemoryPlan, steps: readonly Step[]): string {
  const name = nameBuffers(plan.addresses.keys());
  const placed = [...plan.addresses]
    .map(([buffer, start]): Placed => ({ buffer, start, bytes: bytesOf(buffer) }))
    .filter(({ bytes }) => bytes > 0)
    .sort((a, b) => a.start - b.start || b.bytes - a.bytes || a.buffer.id - b.buffer.id);
  const total = placed.reduce((sum, { bytes }) => sum + bytes, 0);
  const rows = placed.map((own) => [
    showCount(own.start),
    showCount(own.bytes),
    `${own.buffer.dtype}[${own.buffer.size}]`,
    name(own.buffer),
    showNeighbours(own, placed, name),
  ]);
  return [
    `${showCount(plan.bytes)} bytes for ${placed.length} buffers of ${showCount(total)} bytes together`,
    "",
    ...table([["address", "bytes", "type", "buffer", "shares memory with"], ...rows]),
    "",
    ...showCopies(plan, steps, name),
    "",
  ].join("\n");
}

/** The buffers that have some of the same memory; first those that have exactly the same. */
function showNeighbours(own: Placed, placed: readonly Placed[], name: Naming): string {
  const { start, bytes } = own;
  const isSame = (other: Placed) => other.start === start && other.bytes === bytes;
  const others = placed.filter(
    (other) => other !== own && other.start < start + bytes && start < other.start + other.bytes,
  );
  const ordered = [...others.filter(isSame), ...others.filter((other) => !isSame(other))];
  const names = ordered.map(({ buffer }) => name(buffer));
  const rest = names.length - mostNamed;
  return names.slice(0, mostNamed).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

/** Columns side by side: numbers, the first two, to the right, the others to the left. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column < 2 ? cell.padStart(widths[column]) : cell.padEnd(widths[column])))
      .join("  ")
      .trimEnd(),
  );
}

/** Which copies the plan has made superfluous, and which are left. */
function showCopies(plan: MemoryPlan, steps: readonly Step[], name: Naming): string[] {
  const kernels = kernelsIn(steps);
  const copies = kernels.flatMap((kernel) => (kernel.kind === "copy" ? [kernel] : []));
  if (copies.length === 0) return ["no copies"];
  const left = copies.filter((kernel) => !plan.isIdle(kernel));
  return [
    `${left.length} of ${copies.length} copies are left${left.length === 0 ? "" : ":"}`,
    ...left.map(({ from, to, size }) => {
      const bytes = bytesOf({ ...to.buffer, size });
      return `  ${showPlace(to, name)} <- ${showPlace(from, name)}, ${showCount(bytes)} bytes`;
    }),
  ];
}
