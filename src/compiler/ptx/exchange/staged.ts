// Arrays that are computed only to be exchanged: they are written where the others will read them, and need not be laid out.
import type { NamedAxis } from "../../../array/index.js";
import type { Buffer, ExchangeKernel, Kernel, Step } from "../../kernel.js";
import { accessesOf } from "../../plan/accesses.js";
import type { StagedPlace } from "../../plan/arena.js";
import { bytesOf } from "../../plan/clusters.js";
import { isGather } from "../../plan/common.js";
import { isOfAll, sharedSortsIn } from "../../plan/uniform.js";
import { insideOf, kernelsIn } from "../../walk.js";
import { groupAlong } from "./group.js";
import { exchangesFrom, layoutOf, operandSize, startsOnSide } from "./layout.js";

/** The arrays of steps of which nothing is read but in an exchange right behind them. `visible` are seen from outside. */
export function stagedIn(
  steps: readonly Step[],
  axes: readonly NamedAxis[],
  visible: ReadonlySet<Buffer>,
): ReadonlyMap<Buffer, StagedPlace> {
  const found = new Map<Buffer, StagedPlace>();
  const uses = usesIn(steps);
  const sorts: ReadonlySet<Kernel> = sharedSortsIn(steps);
  const visit = (list: readonly Step[]): void => {
    /** Kernels since the last step that goes by the sides, or has others inside. */
    let before = new Set<Kernel>();
    for (let at = 0; at < list.length;) {
      const step = list[at];
      const exchanges = exchangesFrom(list, at);
      if (exchanges.length > 0) {
        const { starts } = startsOnSide(exchanges, axes);
        exchanges.forEach((kernel, which) => {
          for (const [buffer, place] of placesIn(kernel, axes, starts[which]))
            if (!visible.has(buffer) && isOnlyFor(kernel, buffer, uses, before)) found.set(buffer, place);
        });
        before = new Set();
      } else if (step.kind !== "kernel") {
        visit(insideOf(step));
        before = new Set();
      } else if (sorts.has(step.kernel)) before = new Set();
      else before.add(step.kernel);
      at += Math.max(1, exchanges.length);
    }
  };
  visit(steps);
  return found;
}

/** The kernels that touch each buffer. */
interface Uses {
  readonly readers: ReadonlyMap<Buffer, readonly Kernel[]>;
  readonly writers: ReadonlyMap<Buffer, readonly Kernel[]>;
}

function usesIn(steps: readonly Step[]): Uses {
  const [readers, writers] = [new Map<Buffer, Kernel[]>(), new Map<Buffer, Kernel[]>()];
  for (const kernel of kernelsIn(steps))
    for (const { buffer, kind } of accessesOf(kernel)) {
      const map = kind === "read" ? readers : writers;
      map.set(buffer, [...(map.get(buffer) ?? []), kernel]);
    }
  return { readers, writers };
}

/** Where the operands of an exchange lie that are whole arrays. */
function placesIn(
  kernel: ExchangeKernel,
  axes: readonly NamedAxis[],
  start: number,
): (readonly [Buffer, StagedPlace])[] {
  // What all gather they put into memory that they have in common.
  if (kernel.pairs !== null || (isGather(kernel) && isOfAll(kernel, axes))) return [];
  const group = groupAlong(kernel.axes, axes);
  const { operands, stride } = layoutOf(kernel, group);
  return kernel.pulls.flatMap((pull, at) => {
    const { buffer, offset, counters } = pull.from;
    const isWhole = offset === 0 && counters.length === 0 && buffer.size === operandSize(pull, group);
    return isWhole && bytesOf(buffer) > 0 ? [[buffer, { offset: start + operands[at], stride }]] : [];
  });
}

/** Whether kernels right before an exchange write a buffer, in the order of its elements, and nothing else reads it. */
function isOnlyFor(
  exchange: ExchangeKernel,
  buffer: Buffer,
  { readers, writers }: Uses,
  before: ReadonlySet<Kernel>,
): boolean {
  const [reading, writing] = [readers.get(buffer) ?? [], writers.get(buffer) ?? []];
  return (
    reading.length === 1 &&
    reading[0] === exchange &&
    writing.length > 0 &&
    writing.every((kernel) => before.has(kernel) && (kernel.kind === "dot" || kernel.kind === "loop"))
  );
}
