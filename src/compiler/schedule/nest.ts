// How a kernel's axes become nested loops: neighbouring axes that continue each other become one, and the axis
// along which memory is walked in order becomes the one that vectors run along.
import type { Address, Expression, LoopKernel } from "../kernel.js";
import { expressionsBelow, loadsOf, reductionRoots, rootsOf } from "../walk.js";

export interface Loop {
  readonly extent: number;
  /** The kernel's axis whose strides are this loop's; an index along this axis is the loop's position. */
  readonly axis: number;
  /** Whether reductions run over it. */
  readonly isReduced: boolean;
}

export interface Nest {
  /** From the outermost inwards. */
  readonly loops: readonly Loop[];
  /** Which loop goes a vector at a time; -1 if there is none. */
  readonly vector: number;
}

/** All expressions that a loop kernel evaluates. */
export const kernelRoots = (kernel: LoopKernel): Expression[] => [
  ...rootsOf(kernel.body),
  ...reductionRoots(kernel),
  ...rootsOf(kernel.after),
];

/** Axes that expressions use the position along. */
export const axesUsed = (roots: readonly Expression[]): Set<number> =>
  new Set(
    expressionsBelow(roots).flatMap((expression) => (expression.kind === "axis" ? [expression.axis] : [])),
  );

/** Plans the loops of a kernel, for vectors of so many lanes. One of them begins with the axis `rows`, if given. */
export function planNest(kernel: LoopKernel, lanes: number, rows: number | null = null): Nest {
  const roots = kernelRoots(kernel);
  const addresses = [
    ...loadsOf(kernel).all,
    ...[...kernel.body, ...kernel.after].map(({ address }) => address),
  ];
  const loops = collapse(kernel, addresses, axesUsed(roots), rows);
  if (loops.length === 0) return { loops, vector: -1 };
  const last = loops.length - 1;
  if (kernel.order !== "free") return { loops, vector: last };
  const best = bestVectorLoop(kernel, loops, addresses, lanes);
  const vector = loops[best];
  const others = loops.filter((_, index) => index !== best);
  // A kept loop of vectors goes around the reduced loops; otherwise the vectors' loop is innermost.
  const outer = others.filter((loop) => !loop.isReduced);
  const reduced = others.filter((loop) => loop.isReduced);
  return vector.isReduced
    ? { loops: [...outer, ...reduced, vector], vector: last }
    : { loops: [...outer, vector, ...reduced], vector: outer.length };
}

/** Joins axes that can be walked as one. */
function collapse(
  { extents, outer }: LoopKernel,
  addresses: readonly Address[],
  used: ReadonlySet<number>,
  rows: number | null,
): Loop[] {
  const loops: Loop[] = [];
  let hasRows = false;
  for (let axis = extents.length - 1; axis >= 0; axis--) {
    const isReduced = axis >= outer;
    const inner = loops[0] as Loop | undefined;
    const continues =
      !hasRows &&
      inner?.isReduced === isReduced &&
      !used.has(axis) &&
      !used.has(inner.axis) &&
      addresses.every(({ strides }) => strides[axis] === strides[inner.axis] * inner.extent);
    if (extents[axis] === 1 && !used.has(axis)) continue;
    if (continues) loops[0] = { ...inner, extent: inner.extent * extents[axis] };
    else loops.unshift({ extent: extents[axis], axis, isReduced });
    hasRows = axis === rows;
  }
  return loops;
}

/** The loop along which most memory is walked in order. */
function bestVectorLoop(
  kernel: LoopKernel,
  loops: readonly Loop[],
  addresses: readonly Address[],
  lanes: number,
): number {
  const innermostReduced = loops.length - 1;
  const lastKept = loops.filter((loop) => !loop.isReduced).length - 1;
  // With reductions, only the last loop of each kind; without, any.
  const candidates =
    kernel.reductions.length > 0
      ? [...new Set([innermostReduced, lastKept])].filter((index) => index >= 0)
      : loops.map((_, index) => index);
  const isStored = new Set([...kernel.body, ...kernel.after].map(({ address }) => address));
  const score = (index: number): number => {
    const { axis, extent } = loops[index];
    const walked = addresses.reduce((sum, address) => {
      const stride = address.strides[axis];
      const weight = isStored.has(address) ? 1.5 : 1;
      return sum + (stride === 1 ? weight : stride === 0 ? weight * 0.5 : -weight);
    }, 0);
    return walked - (extent < lanes ? 100 : 0);
  };
  return candidates.reduce((best, index) => (score(index) >= score(best) ? index : best));
}
