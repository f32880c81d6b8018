// Where parts of a machine have what comes from outside, and what goes there.
import { axes as deviceAxes, type NamedAxis } from "../../array/index.js";
import type { Buffer, ExchangeKernel, Kernel, Step } from "../kernel.js";
import { kernelsIn } from "../walk.js";
import { accessesOf } from "./accesses.js";
import { bytesOf } from "./clusters.js";
import { align } from "./placing.js";
import { isOfAll, sharedSortsIn } from "./uniform.js";

/** Whether all parts get the same: what each of them has, side by side. */
export const isGather = ({ combine, pairs, pulls }: ExchangeKernel): boolean =>
  combine === null && pairs === null && pulls.every(({ perReceiver }) => perReceiver === 0);

/** What parts do together, and where the results are: one copy for all of them is enough. */
export interface Together {
  /** Sorts of which each part does a share. */
  readonly sorts: ReadonlySet<Kernel>;
  /** Buffers into which parts put nothing but what they gather, or sort together. */
  readonly gathered: ReadonlySet<Buffer>;
}

/** Finds it, for parts that are arranged along axes; nothing where there is one part alone. */
export function togetherIn(steps: readonly Step[], axes: readonly NamedAxis[]): Together {
  if (deviceAxes.countAlong(axes) === 1) return { sorts: new Set(), gathered: new Set() };
  let sorts: ReadonlySet<Kernel> = sharedSortsIn(steps);
  for (;;) {
    const gathered = gatheredBy(steps, sorts, axes);
    // A sort that also writes elsewhere each part does for itself, and then what it writes is each one's own.
    const left = [...sorts].filter((sort) => writesOf(sort).every((buffer) => gathered.has(buffer)));
    if (left.length === sorts.size) return { sorts, gathered };
    sorts = new Set(left);
  }
}

const writesOf = (kernel: Kernel): Buffer[] =>
  accessesOf(kernel).flatMap(({ buffer, kind }) => (kind === "write" ? [buffer] : []));

function gatheredBy(
  steps: readonly Step[],
  sorts: ReadonlySet<Kernel>,
  axes: readonly NamedAxis[],
): Set<Buffer> {
  const found = new Set<Buffer>();
  const others = new Set<Buffer>();
  for (const kernel of kernelsIn(steps)) {
    const isCommon =
      sorts.has(kernel) || (kernel.kind === "exchange" && isGather(kernel) && isOfAll(kernel, axes));
    for (const buffer of writesOf(kernel)) (isCommon ? found : others).add(buffer);
  }
  return new Set([...found].filter((buffer) => !others.has(buffer)));
}

/**
 * Addresses of inputs and outputs. An output takes the place of the first input of its kind that does not keep its value:
 * when outputs are written all inputs have been read, and a state that is handed back stays where it is.
 */
export function placeCommon(
  inputs: readonly Buffer[],
  outputs: readonly Buffer[],
  kept: ReadonlySet<Buffer>,
  common: ReadonlySet<Buffer>,
): { readonly addresses: ReadonlyMap<Buffer, number>; readonly bytes: number } {
  const addresses = new Map<Buffer, number>();
  if (common.size === 0) return { addresses, bytes: 0 };
  let bytes = 0;
  const place = (buffer: Buffer) => {
    addresses.set(buffer, bytes);
    bytes += align(bytesOf(buffer));
  };
  inputs.forEach(place);
  const free = inputs.filter((input) => !kept.has(input));
  for (const output of outputs) {
    const at = free.findIndex(({ dtype, size }) => dtype === output.dtype && size === output.size);
    if (at < 0) place(output);
    else addresses.set(output, addresses.get(free.splice(at, 1)[0]) as number);
  }
  for (const buffer of common) if (!addresses.has(buffer)) place(buffer);
  return { addresses, bytes };
}
