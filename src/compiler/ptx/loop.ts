// Loop kernels as PTX: points are shared out among the threads of a block, and a reduction among several of them where
// there are few points.
import { sizeOf } from "../../array/index.js";
import type { Expression, LoopKernel } from "../kernel.js";
import { kernelRoots, planNest, type Loop, type Nest } from "../schedule/nest.js";
import { reductionRegimes } from "../schedule/sums.js";
import { expressionsBelow, operandsOf, reductionRoots, rootsOf } from "../walk.js";
import { Accumulator } from "./accumulators.js";
import { divide, positionsOf } from "./indices.js";
import type { KernelText } from "./surroundings.js";
import { Values } from "./values.js";

const warp = 32;

/** How a reduction is shared out: lanes of a warp, and warps, that work on the same point. */
interface Sharing {
  readonly lanes: number;
  readonly warps: number;
}

const extentsOf = (loops: readonly Loop[]): number[] => loops.map(({ extent }) => extent);

/** How many words of working memory a loop kernel takes: a total of each warp for each of its points. */
export function loopScratch(kernel: LoopKernel, threads: number): number {
  if (kernel.reductions.length === 0 || kernel.order !== "free") return 0;
  const { lanes, warps } = sharingOf(kernel, planNest(kernel, warp), threads);
  return warps === 1 ? 0 : (threads / lanes) * 2 * kernel.reductions.length;
}

export function renderLoop(text: KernelText, kernel: LoopKernel): void {
  const nest = planNest(kernel, warp);
  const kept = nest.loops.filter(({ isReduced }) => !isReduced);
  if (kept.some(({ extent }) => extent === 0)) return;
  if (kernel.order !== "free") renderInOrder(text, kernel, nest);
  else if (kernel.reductions.length === 0) renderPoints(text, kernel, nest.loops);
  else new Reducing(text, kernel, nest).render();
}

const positionIn =
  (loops: readonly Loop[], positions: readonly string[]) =>
  (axis: number): string => {
    const at = loops.findIndex((loop) => loop.axis === axis);
    return at < 0 ? "0" : positions[at];
  };

/** Every thread takes every so many-th point. */
function renderPoints(text: KernelText, kernel: LoopKernel, loops: readonly Loop[]): void {
  const { out, thread, threads } = text;
  const extents = extentsOf(loops);
  const count = sizeOf(extents);
  const point = (index: string) => {
    const values = new Values(text, positionIn(loops, positionsOf(out, index, extents)));
    values.store(kernel.body);
  };
  if (count > threads) out.loop(thread, String(count), String(threads), point);
  else if (count === threads) point(thread);
  else out.when(out.effect("setp.lt.s32", "pred", thread, String(count)), () => point(thread));
}

/**
 * Points that may meet at an element. Where they combine, or the last one counts, each element belongs to one thread,
 * which goes through all points in their order and does those that are its own.
 */
function renderInOrder(text: KernelText, kernel: LoopKernel, { loops }: Nest): void {
  const { out, thread, threads } = text;
  if (kernel.reductions.length > 0) {
    out.when(out.effect("setp.eq.s32", "pred", thread, "0"), () =>
      new Reducing(text, kernel, { loops, vector: -1 }, true).render(),
    );
    return;
  }
  const extents = extentsOf(loops);
  out.loop("0", String(sizeOf(extents)), "1", (index) => {
    const values = new Values(text, positionIn(loops, positionsOf(out, index, extents)));
    for (const store of kernel.body) {
      const indices = store.address.computed.map(({ index: computed }) => computed);
      values.compute(store.guard === null ? indices : [...indices, store.guard]);
      const owner = divide(out, values.element(store.address), threads, 2 ** 31).remainder;
      out.when(out.effect("setp.eq.s32", "pred", owner, thread), () => values.store([store]));
    }
  });
}

/** Roughly how many cycles a reduction takes, for each way to share it out. */
function sharingOf(kernel: LoopKernel, { loops, vector }: Nest, threads: number): Sharing {
  const points = sizeOf(extentsOf(loops.filter(({ isReduced }) => !isReduced)));
  const length = sizeOf(extentsOf(loops.filter(({ isReduced }) => isReduced)));
  const isAcross = vector >= 0 && loops[vector].isReduced;
  let best: Sharing = { lanes: 1, warps: 1 };
  let least = Infinity;
  for (let lanes = 1; lanes <= warp; lanes *= 2) {
    for (let warps = 1; warps <= threads / warp; warps *= 2) {
      // Neighbouring threads should read neighbouring elements.
      const scattered = isAcross ? Math.max(1, 8 / lanes) : Math.max(1, lanes / 4);
      const turns = Math.ceil(points / (threads / (lanes * warps)));
      const each = Math.ceil(length / (lanes * warps)) * 8 * scattered;
      const meeting =
        (Math.log2(lanes) * 30 + (warps === 1 ? 0 : 80 + warps * 10)) * kernel.reductions.length;
      const cycles = turns * (each + meeting + 40);
      if (cycles < least) [least, best] = [cycles, { lanes, warps }];
    }
  }
  return best;
}

class Reducing {
  private readonly kept: readonly Loop[];
  private readonly reduced: readonly Loop[];
  private readonly sharing: Sharing;
  /** Whether neighbouring threads work on the same point, rather than on neighbouring ones. */
  private readonly isAcross: boolean;

  constructor(
    private readonly text: KernelText,
    private readonly kernel: LoopKernel,
    nest: Nest,
    /** Whether one thread does it all. */
    private readonly isAlone = false,
  ) {
    this.kept = nest.loops.filter(({ isReduced }) => !isReduced);
    this.reduced = nest.loops.filter(({ isReduced }) => isReduced);
    this.sharing = isAlone ? { lanes: 1, warps: 1 } : sharingOf(kernel, nest, text.threads);
    this.isAcross = nest.vector >= 0 && nest.loops[nest.vector].isReduced;
  }

  private get out() {
    return this.text.out;
  }

  render(): void {
    const { text, out, kept, isAlone } = this;
    const { lanes, warps } = this.sharing;
    const points = sizeOf(extentsOf(kept));
    const groups = isAlone ? 1 : text.threads / (lanes * warps);
    const { group, member } = isAlone ? { group: "0", member: "0" } : this.place();
    const turns = Math.ceil(points / groups);
    const turn = (index: string) => {
      const isPartial = points % groups !== 0;
      // Threads without a point of their own go along, so that nobody waits for them in vain.
      const isOwn = isPartial ? out.pure("setp.lt.s32", "pred", index, String(points)) : null;
      const held = isPartial ? out.pure("min.s32", "b32", index, String(points - 1)) : index;
      this.point(held, group, member, isOwn);
      if (warps > 1 && turns > 1) text.meet();
    };
    if (turns === 1) turn(group);
    else {
      out.loop("0", String(turns * groups), String(groups), (first) =>
        turn(out.pure("add.s32", "b32", first, group)),
      );
    }
  }

  /** Which group a thread belongs to, and which of its members it is. */
  private place(): { readonly group: string; readonly member: string } {
    const { text, out, isAcross } = this;
    const { lanes, warps } = this.sharing;
    const { thread, threads } = text;
    const beside = warp / lanes;
    const { quotient: ownWarp, remainder: lane } = divide(out, thread, warp, threads);
    const inLane = divide(out, lane, isAcross ? lanes : beside, warp);
    const [ownPoint, ownLane] = isAcross
      ? [inLane.quotient, inLane.remainder]
      : [inLane.remainder, inLane.quotient];
    const set = divide(out, ownWarp, warps, threads / warp);
    const sum = (x: string, factor: number, y: string) => out.pure("mad.lo.s32", "b32", x, String(factor), y);
    return { group: sum(set.quotient, beside, ownPoint), member: sum(set.remainder, lanes, ownLane) };
  }

  private point(index: string, group: string, member: string, isOwn: string | null): void {
    const { text, out, kernel, kept, reduced } = this;
    const { lanes, warps } = this.sharing;
    const keptPositions = positionsOf(out, index, extentsOf(kept));
    const length = sizeOf(extentsOf(reduced));
    const members = lanes * warps;
    const isLong = Math.ceil(length / members) > reductionRegimes[0].upTo;
    const totals = kernel.reductions.map((reduction) => new Accumulator(text, reduction, isLong));
    const loops = [...kept, ...reduced];
    const outside = new Values(text, positionIn(kept, keptPositions));
    outside.compute(this.independent());
    const element = (at: string) => {
      const positions = [...keptPositions, ...positionsOf(out, at, extentsOf(reduced))];
      const values = new Values(text, positionIn(loops, positions));
      values.compute([...reductionRoots(kernel), ...rootsOf(kernel.body)]);
      kernel.reductions.forEach(({ value, position }, which) =>
        totals[which].add(values.read(value), position === null ? null : values.read(position)),
      );
      values.store(kernel.body, isOwn);
    };
    if (length > members) out.loop(member, String(length), String(members), element);
    else if (length === members) out.scope(() => element(member));
    else if (length > 0)
      out.when(out.pure("setp.lt.s32", "pred", member, String(length)), () => element(member));
    this.join(totals, group, member);
    const after = new Values(text, positionIn(kept, keptPositions), (which) => totals[which].result());
    const isFirst = members === 1 ? null : out.pure("setp.eq.s32", "pred", member, "0");
    const does =
      isOwn === null || isFirst === null ? (isOwn ?? isFirst) : out.pure("and.pred", "pred", isOwn, isFirst);
    out.when(does, () => after.store(kernel.after));
  }

  /** Values that the loop needs and that are the same in all its turns. */
  private independent(): Expression[] {
    const axes = new Set(this.reduced.map(({ axis }) => axis));
    const isMoving = new Set<Expression>();
    const needed = expressionsBelow([...reductionRoots(this.kernel), ...rootsOf(this.kernel.body)]);
    for (const expression of expressionsBelow(kernelRoots(this.kernel))) {
      const moves =
        expression.kind === "reduced" ||
        (expression.kind === "axis" && axes.has(expression.axis)) ||
        (expression.kind === "load" &&
          expression.address.strides.some((stride, axis) => stride !== 0 && axes.has(axis))) ||
        operandsOf(expression).some((operand) => isMoving.has(operand));
      if (moves) isMoving.add(expression);
    }
    return needed.filter((expression) => !isMoving.has(expression));
  }

  /** Brings the totals of all threads of a group together, in an order of their own. */
  private join(totals: readonly Accumulator[], group: string, member: string): void {
    const { text, out, isAcross } = this;
    const { lanes, warps } = this.sharing;
    const beside = warp / lanes;
    const bits: number[] = [];
    for (let bit = 1; bit < lanes; bit *= 2) bits.push(isAcross ? bit : bit * beside);
    for (const total of totals) total.joinLanes(bits);
    if (warps === 1) return;
    const scratch = text.scratch(this.kernel);
    const groups = text.threads / (lanes * warps);
    const own = divide(out, member, lanes, lanes * warps);
    const isFirst = out.pure("setp.eq.s32", "pred", own.remainder, "0");
    // The words of a warp's points lie side by side, those of other warps behind.
    let at = 0;
    const places = totals.map((total) =>
      total.words.map(({ dtype }) => {
        const offset = at;
        at += groups * warps;
        return { offset, buffer: { ...scratch, dtype: dtype === "float32" ? dtype : "uint32" } as const };
      }),
    );
    const reference = (place: (typeof places)[number][number], ofWarp: string) =>
      text.reference(scratch, place.offset, [
        { operand: group, factor: 1 },
        { operand: ofWarp, factor: groups },
      ]);
    out.when(isFirst, () =>
      totals.forEach((total, which) =>
        total.words.forEach(({ dtype, text: word }, part) =>
          text.store(reference(places[which][part], own.quotient), dtype, word),
        ),
      ),
    );
    text.meet();
    totals.forEach((total, which) => {
      const others = Array.from({ length: warps }, (_, ofWarp) =>
        total.words.map(({ dtype }, part) =>
          text.load(reference(places[which][part], String(ofWarp)), dtype),
        ),
      );
      total.replace(others);
    });
  }
}
