// Arrays in runs: what kernels of one form do to one array each, one loop can do to all of them if they lie one behind the other.
import { itemSize, sizeOf } from "../../array/index.js";
import type { Address, Buffer, LoopKernel, Step } from "../kernel.js";
import { formOf } from "../schedule/forms.js";
import { insideOf } from "../walk.js";
import type { Cluster } from "./clusters.js";
import { joined } from "./intervals.js";

/** Points that loops of different lengths are cut into where they are done as one: each loop begins a new piece. */
export const pieceLength = 32;

/** Arrays that should lie one behind the other, each from a new piece on. */
export type Run = readonly Buffer[];

/** The runs that kernels which follow each other would like, the longest first. */
export function runsIn(steps: readonly Step[]): Run[] {
  return runsOf(steps).sort((a, b) => sizeOfRun(b) - sizeOfRun(a));
}

const sizeOfRun = (run: Run): number => run.reduce((sum, { size }) => sum + size, 0);

function runsOf(steps: readonly Step[]): Run[] {
  const found: Run[] = [];
  let alike: LoopKernel[] = [];
  let key: string | null = null;
  const end = (): void => {
    if (alike.length > 1) found.push(...placesOf(alike));
    alike = [];
  };
  for (const step of steps) {
    const kernel = step.kind === "kernel" && step.kernel.kind === "loop" ? step.kernel : null;
    const own = kernel === null ? null : (formOf(kernel)?.key ?? null);
    if (own === null || own !== key) end();
    if (kernel !== null && own !== null) alike.push(kernel);
    key = own;
    if (step.kind !== "kernel") found.push(...runsOf(insideOf(step)));
  }
  end();
  return found;
}

/** The arrays in each place of kernels of one form, where every kernel has all of one of its own. */
function placesOf(kernels: readonly LoopKernel[]): Run[] {
  const forms = kernels.map((kernel) => formOf(kernel)?.places ?? []);
  const points = kernels.map(({ extents }) => sizeOf(extents));
  return forms[0].flatMap((_, at): Run[] => {
    const places = forms.map((form) => form[at] as Address);
    const run = places.map(({ buffer }) => buffer);
    const areWhole = places.every(
      ({ buffer, offset, counters, computed }, which) =>
        buffer.size === points[which] && offset === 0 && counters.length === 0 && computed.length === 0,
    );
    return areWhole && new Set(run).size === run.length ? [run] : [];
  });
}

/** Where each array of a run lies from where the run begins, and how long it is. */
export function layRun(run: Run): { readonly offsets: readonly number[]; readonly bytes: number } {
  let bytes = 0;
  const offsets = run.map(({ size, dtype }) => {
    const start = bytes;
    bytes += Math.ceil(size / pieceLength) * pieceLength * itemSize(dtype);
    return start;
  });
  return { offsets, bytes };
}

/** Clusters of a run as one, which is in use as long as any of them is. */
export const asOne = (clusters: readonly Cluster[], bytes: number): Cluster => ({
  bytes,
  buffers: new Set(clusters.flatMap(({ buffers }) => [...buffers])),
  intervals: joined(clusters.flatMap(({ intervals }) => intervals)),
  users: new Set(clusters.flatMap(({ users }) => [...users])),
});
