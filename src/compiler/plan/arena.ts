// Addresses for buffers: what is never in use at the same time shares memory, and results take the place of
// what they replace wherever that is safe.
import { axes as deviceAxes, type NamedAxis } from "../../array/index.js";
import type { Buffer, Kernel, Step, Store } from "../kernel.js";
import type { Renderer } from "../renderer.js";
import { kernelsIn, loadsOf } from "../walk.js";
import { Clusters, type Cluster } from "./clusters.js";
import { alone, companyOf, type Company } from "./company.js";
import { placeCommon, togetherIn } from "./common.js";
import { placeFast } from "./fast.js";
import { findLifetimes, type Lifetimes } from "./lifetimes.js";
import { keptOnce } from "./once.js";
import { align, placeClusters } from "./placing.js";
import { runsIn } from "./runs.js";
import { differingIn } from "./uniform.js";

export interface MemoryPlan {
  /** The address of every buffer that is used, in bytes. */
  readonly addresses: ReadonlyMap<Buffer, number>;
  /** What kernels work in while they run. */
  readonly scratch: ReadonlyMap<Kernel, Buffer>;
  /** Memory needed, in bytes. */
  readonly bytes: number;
  /** Buffers that lie where parts exchange something, each by what a renderer knows its place by. */
  readonly staged: ReadonlyMap<Buffer, StagedPlace>;
  /** Buffers that lie in fast memory, which has addresses of its own, and how much of it is needed. */
  readonly fast: ReadonlySet<Buffer>;
  readonly fastBytes: number;
  /** How memory is divided where several parts of the machine run the program, each with buffers of its own. */
  readonly division: Division;
  /** Copies that turned out to be from a buffer to itself. */
  readonly isIdle: (kernel: Kernel) => boolean;
}

/**
 * Parts of a machine that run a program together. What comes from outside and goes there they have in common, at the
 * beginning of memory; all other buffers each part has for itself, at addresses from where its own memory begins.
 */
export interface Division {
  /** How the parts are arranged, outermost axis first, and how many there are. */
  readonly axes: readonly NamedAxis[];
  readonly parts: number;
  readonly common: ReadonlySet<Buffer>;
  /** Sorts that they do together, each a share. */
  readonly sorts: ReadonlySet<Kernel>;
  /** Where the memory begins by which parts hand each other something. */
  readonly exchange: number;
  /** Where the first part's own memory begins, and how far the next one's is from there. */
  readonly start: number;
  readonly stride: number;
}

/** Where a part writes what it hands to others: so many bytes behind where the memory begins that an exchange goes by. */
export interface StagedPlace {
  readonly offset: number;
  /** Bytes from one part's to the next one's. */
  readonly stride: number;
}

/** What of a renderer the plan depends on: how much its code needs besides the buffers. */
export type MemoryNeeds = Pick<
  Renderer<unknown>,
  "scratch" | "margin" | "rest" | "fastBytes" | "exchange" | "staged" | "onceFrom" | "inRuns" | "sideBySide"
>;

/** Plans the memory of a program. Buffers in `kept` keep what is in them from call to call. */
export function planMemory(
  steps: readonly Step[],
  inputs: readonly Buffer[],
  outputs: readonly Buffer[],
  kept: readonly Buffer[],
  needs: MemoryNeeds,
  axes: readonly NamedAxis[] = [],
): MemoryPlan {
  const parts = deviceAxes.countAlong(axes);
  const { sorts, gathered } = togetherIn(steps, axes);
  const common = new Set(parts === 1 ? [] : [...inputs, ...outputs, ...gathered]);
  const seen = new Set([...inputs, ...outputs, ...kept, ...common]);
  const nothing: ReadonlyMap<Buffer, StagedPlace> = new Map();
  const staged = parts === 1 ? nothing : (needs.staged?.(steps, axes, seen) ?? nothing);
  const stays = [...kept, ...common, ...staged.keys()];
  const scratch = scratchBuffers(steps, (kernel) => needs.scratch(kernel, sorts.has(kernel) ? parts : 1));
  const lifetimes = findLifetimes(steps, [...inputs, ...kept], [...outputs, ...kept], scratch);
  const clusters = new Clusters(lifetimes, new Set(stays));
  uniteCopies(lifetimes, clusters);
  const rest = 2 * (needs.rest ?? 0);
  const company = { ...(needs.sideBySide === undefined ? alone : companyOf(lifetimes)), rest };
  uniteInPlace(lifetimes, clusters, company);
  const margin = needs.margin?.(steps) ?? { before: 0, behind: 0 };
  const first = align(margin.before);
  const isVisible = new Set([...inputs, ...outputs, ...stays]);
  const runs = needs.inRuns === true ? runsIn(steps) : [];
  const fast = placeFast([...clusters], steps, isVisible, needs.fastBytes ?? 0, company, runs);
  const isOwn = (cluster: Cluster) =>
    !fast.offsets.has(cluster) &&
    ![...cluster.buffers].some((buffer) => common.has(buffer) || staged.has(buffer));
  const own = [...clusters].filter(isOwn);
  const worksIn = new Set(scratch.values());
  const mayBeOnce = own.filter(({ buffers }) => ![...buffers].some((buffer) => worksIn.has(buffer)));
  const most = (needs.onceFrom ?? Infinity) / Math.max(1, parts - 1);
  const once = keptOnce(mayBeOnce, most, () => differingIn(steps));
  const { offsets, bytes } = placeClusters(
    own.filter((cluster) => !once.has(cluster)),
    company,
  );
  const shared = placeCommon(inputs, outputs, new Set(kept), common);
  const addresses = new Map(shared.addresses);
  let exchange = shared.bytes;
  for (const { buffers, bytes: size } of once) {
    for (const buffer of buffers) {
      common.add(buffer);
      addresses.set(buffer, exchange);
    }
    exchange += align(size);
  }
  const start = parts === 1 ? 0 : align(exchange + (needs.exchange?.(steps, axes) ?? 0));
  for (const [cluster, offset] of offsets) {
    for (const buffer of cluster.buffers) addresses.set(buffer, first + offset);
  }
  for (const [cluster, offset] of fast.offsets) {
    for (const buffer of cluster.buffers) addresses.set(buffer, offset);
  }
  const stride = first + bytes;
  return {
    addresses,
    scratch,
    staged,
    bytes: start + parts * stride + align(margin.behind),
    fast: new Set([...fast.offsets.keys()].flatMap(({ buffers }) => [...buffers])),
    fastBytes: fast.bytes,
    division: { axes, parts, common, sorts, exchange, start, stride },
    isIdle: (kernel) =>
      kernel.kind === "copy" &&
      kernel.from.offset === kernel.to.offset &&
      kernel.from.counters.length === 0 &&
      kernel.to.counters.length === 0 &&
      clusters.of(kernel.from.buffer) === clusters.of(kernel.to.buffer),
  };
}

function scratchBuffers(
  steps: readonly Step[],
  scratchOf: (kernel: Kernel) => number,
): ReadonlyMap<Kernel, Buffer> {
  const found = new Map<Kernel, Buffer>();
  for (const kernel of kernelsIn(steps)) {
    const size = scratchOf(kernel);
    if (size > 0) found.set(kernel, { id: found.size, dtype: "uint32", size, name: `scratch${found.size}` });
  }
  return found;
}

/** Makes copies superfluous: the copy takes the place of the original if that is not needed any more. */
function uniteCopies({ kernels }: Lifetimes, clusters: Clusters): void {
  for (const { kernel } of kernels) {
    if (kernel.kind !== "copy") continue;
    const { from, to, size } = kernel;
    const isWhole = [from, to].every(
      (place) => place.offset === 0 && place.counters.length === 0 && place.buffer.size === size,
    );
    if (isWhole) clusters.unite(from.buffer, to.buffer);
  }
}

/** Lets results take the place of operands that are read for the last time, by no other kernel at the same time. */
function uniteInPlace({ kernels }: Lifetimes, clusters: Clusters, company: Company): void {
  for (const { kernel, position } of kernels) {
    for (const { sources, target } of successionsOf(kernel)) {
      sources.some(
        (source) =>
          clusters.endsAt(source, position) &&
          !company.touches(source, position) &&
          clusters.unite(source, target),
      );
    }
  }
}

/** A result, and the operands of whose place it would be content with any. */
interface Succession {
  readonly sources: readonly Buffer[];
  readonly target: Buffer;
}

function successionsOf(kernel: Kernel): Succession[] {
  const ofStores = (stores: readonly Store[]): Succession[] => {
    const sources = [...new Set(loadsOf(kernel).all.map(({ buffer }) => buffer))];
    return stores.map(({ address }) => ({ sources, target: address.buffer }));
  };
  switch (kernel.kind) {
    case "loop":
      return ofStores(kernel.body);
    case "dot":
      return ofStores(kernel.stores);
    case "exchange":
      return kernel.pulls.map(({ from, to }) => ({ sources: [from.buffer], target: to.buffer }));
    case "sort":
    case "copy":
    case "print":
    case "axisIndex":
      return [];
  }
}
