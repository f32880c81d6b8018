// Loop kernels as PTX: points are shared out among the threads of a block.
import { sizeOf } from "../../array/index.js";
import type { LoopKernel } from "../kernel.js";
import { pieceLength } from "../plan/runs.js";
import { planNest, type Loop, type Nest } from "../schedule/nest.js";
import { loadsOf, rootsOf } from "../walk.js";
import { positionsOf, startsIn } from "./indices.js";
import { describeReduction, extentsOf, positionIn, Reducing, reducingThreads } from "./reduce.js";
import { renderInOrder } from "./scatter.js";
import { variantAxis, type KernelText, type Variants } from "./surroundings.js";
import { lanesOfWarp, wholeWarps } from "./types.js";
import { goesByQuads, quad } from "./quads.js";
import { costBelow, independentOf, pointsAtOnce, Values } from "./values.js";
import { countOf, perThread } from "./words.js";
import { variantPlaces } from "./variants.js";
import type { Manner, Work } from "./work.js";

export { loopScratch } from "./reduce.js";

/** A loop kernel, or several of one form as one. */
export function loopWork(kernels: readonly LoopKernel[], { threads, isShort, isFast }: Manner): Work {
  const [kernel] = kernels;
  const own = planNest(kernel, lanesOfWarp);
  const isNothing = own.loops.some(({ isReduced, extent }) => !isReduced && extent === 0);
  if (isNothing) return { threads: 0, write: () => undefined, describe: () => "nothing" };
  if (kernel.order !== "free") {
    const points = sizeOf(extentsOf(own.loops));
    return {
      threads,
      write: (text) => renderInOrder(text, kernel, own),
      describe: () =>
        kernel.reductions.length > 0
          ? `loop in order, ${points} points by one thread`
          : `loop in order, ${points} points, each element by the thread that it belongs to`,
    };
  }
  const { nest, variants, gaps } = together(kernels, own);
  const of = kernels.length === 1 ? "" : ` of ${kernels.length} kernels`;
  if (kernel.reductions.length > 0)
    return {
      threads: reducingThreads(kernel, nest, threads),
      write: (text) => new Reducing(text.of(variants), kernel, nest).render(),
      describe: () => `${describeReduction(kernel, nest, threads)}${of}`,
    };
  const points = sizeOf(extentsOf(nest.loops));
  const turns = Math.floor(points / threads);
  // Two ways to do them, several at once and singly, are longer than one.
  const isNear = loadsOf(kernel).all.every(isFast);
  const many =
    isShort && isNear && turns < manyTurns ? 1 : pointsAtOnce(rootsOf(kernel.body), turns, { isNear });
  return {
    threads: wholeWarps(points, threads),
    write: (text) =>
      renderPoints(text.of(variants, isShort && points <= threads), kernel, {
        loops: nest.loops,
        gaps,
        many,
        isShort,
      }),
    describe: () =>
      `loop, ${countOf(points, "point")}${of}, ${perThread(points, threads)}${many > 1 ? `, ${many} at once` : ""}`,
  };
}

/** Several kernels as one: a loop around theirs, and points of it that are none of theirs. */
interface Together {
  readonly nest: Nest;
  readonly variants: Variants | null;
  readonly gaps: readonly Gap[];
}

/** Points from one on to before another. */
interface Gap {
  readonly from: number;
  readonly to: number;
}

function together(kernels: readonly LoopKernel[], nest: Nest): Together {
  if (kernels.length === 1) return { nest, variants: null, gaps: [] };
  const around = (loops: readonly Loop[], extent: number): Nest => ({
    loops: [{ extent, axis: variantAxis, isReduced: false }, ...loops],
    vector: nest.vector < 0 ? -1 : nest.vector + 1,
  });
  const places = variantPlaces(kernels);
  const lengths = kernels.map((one) => sizeOf(extentsOf(planNest(one, lanesOfWarp).loops)));
  if (lengths.every((length) => length === lengths[0]))
    return {
      nest: around(nest.loops, kernels.length),
      variants: { from: kernels.map((_, at) => at), places, pieces: null },
      gaps: [],
    };
  const { from, count } = startsIn(lengths.map((length) => Math.ceil(length / pieceLength)));
  const [{ axis }] = nest.loops;
  return {
    nest: around([{ extent: pieceLength, axis, isReduced: false }], count),
    variants: { from, places, pieces: { axis, points: pieceLength } },
    gaps: lengths.flatMap((length, at) => {
      const [first, next] = [from[at], from[at + 1] ?? count].map((piece) => piece * pieceLength);
      return first + length < next ? [{ from: first + length, to: next }] : [];
    }),
  };
}

/** Where threads have so many points each, it is worth the code to do several at once. */
const manyTurns = 8;

/** Points of loops, those that nothing is to be done for, and how many a thread does at once. */
interface Points {
  readonly loops: readonly Loop[];
  readonly gaps: readonly Gap[];
  readonly many: number;
  /** Whether code should be short: one loop for all points, then, with a gap behind the last of them. */
  readonly isShort: boolean;
}

/** Gaps of so many points, and all points behind these up to an end. */
function gapsUpTo(end: number, gaps: readonly Gap[], count: number): readonly Gap[] {
  if (end === count) return gaps;
  const last = gaps.at(-1);
  return last?.to === count
    ? [...gaps.slice(0, -1), { from: last.from, to: end }]
    : [...gaps, { from: count, to: end }];
}

/** Whether a point, of so many, is in none of some gaps; null where there are none. */
function isOutside(text: KernelText, index: string, gaps: readonly Gap[], count: number): string | null {
  const { out } = text;
  return text.all(
    gaps.map(({ from, to }) => {
      if (to === count) return out.pure("setp.lt.s32", "pred", index, String(from));
      const behind = out.pure("sub.s32", "b32", index, String(from));
      return out.pure("setp.ge.u32", "pred", behind, String(to - from));
    }),
  );
}

/** Every thread takes every so many-th point, several of them at a time where there are enough. */
function renderPoints(
  text: KernelText,
  kernel: LoopKernel,
  { loops, gaps: given, many: most, isShort }: Points,
): void {
  const { out, thread, threads } = text;
  const extents = extentsOf(loops);
  const count = sizeOf(extents);
  const roots = rootsOf(kernel.body);
  const round = most * threads;
  const end = isShort && most > 1 ? Math.ceil(count / round) * round : count;
  const gaps = gapsUpTo(end, given, count);
  // Each thread has several points, so that none of them writes what all of them read.
  if (count > threads) {
    const axes = new Set(loops.map(({ axis }) => axis));
    const fixed = independentOf(roots, axes, (address) => text.hasVariants(address));
    new Values(text, positionIn([], [])).compute(fixed);
  }
  if (renderQuads(text, kernel, loops, gaps, count)) return;
  const points = (first: string, many: number) => {
    const indices = Array.from({ length: many }, (_, at) => out.plus(first, at * threads));
    const conditions = indices.map((index) => isOutside(text, index, gaps, end));
    const values = indices.map((index, at) => {
      const position = positionIn(loops, positionsOf(out, index, extents));
      return new Values(text, position, undefined, String(at), conditions[at]);
    });
    Values.computeAll(values, roots);
    values.forEach((one, at) => one.put(kernel.body, conditions[at]));
  };
  const whole = most === 1 ? 0 : Math.floor(end / round) * round;
  out.stride(thread, whole, round, threads, (first) => points(first, most));
  out.stride(out.plus(thread, whole), end, threads, threads, (index) => points(index, 1));
}

/** Words that each thread has under way at once, about, where it goes by quads. */
const wordsAtOnce = 32;
/** Simple instructions for a point, of kernels that mostly wait for memory. */
const fewInstructions = 16;
/** Others may have so many if each thread does its four points at once, instead of one after the other: the code is longer. */
const someInstructions = 128;

/** Every thread takes four neighbours at a time, where kernels can go so and threads have so many; whether it does. */
function renderQuads(
  text: KernelText,
  kernel: LoopKernel,
  loops: readonly Loop[],
  gaps: readonly Gap[],
  count: number,
): boolean {
  const { out, thread, threads } = text;
  const inner = loops.at(-1);
  const isEven =
    inner !== undefined &&
    inner.extent % quad === 0 &&
    gaps.every(({ from, to }) => from % quad === 0 && to % quad === 0);
  if (!isEven || count < 2 * threads) return false;
  if (!goesByQuads(kernel, inner.axis, (address) => text.beginsWithQuads(address))) return false;
  const roots = rootsOf(kernel.body);
  if (costBelow(roots) > (count <= quad * threads ? someInstructions : fewInstructions)) return false;
  const extents = extentsOf(loops);
  const quads = count / quad;
  const loads = new Set(loadsOf(kernel).all.filter(({ strides }) => strides[inner.axis] === 1)).size;
  const most = Math.max(1, Math.min(wordsAtOnce / quad / Math.max(1, loads), Math.floor(quads / threads)));
  const many = 2 ** Math.floor(Math.log2(most));
  const some = (first: string, together: number) => {
    const found = Array.from({ length: together }, (_, at) => {
      const index = out.pure("shl.b32", "b32", out.plus(first, at * threads), String(Math.log2(quad)));
      const condition = isOutside(text, index, gaps, count);
      const positions = positionsOf(out, index, extents);
      const last = positions[positions.length - 1];
      const row = Array.from({ length: quad }, (_, which) => {
        const position = positionIn(loops, [...positions.slice(0, -1), out.plus(last, which)]);
        return new Values(text, position, undefined, `${at}.${which}`, condition);
      });
      return { row, condition };
    });
    Values.computeRows(
      found.map(({ row }) => row),
      roots,
      inner.axis,
    );
    for (const { row, condition } of found) Values.putRow(row, kernel.body, condition);
  };
  const whole = many === 1 ? 0 : Math.floor(quads / (many * threads)) * many * threads;
  out.stride(thread, whole, many * threads, threads, (first) => some(first, many));
  out.stride(out.plus(thread, whole), quads, threads, threads, (index) => some(index, 1));
  return true;
}
