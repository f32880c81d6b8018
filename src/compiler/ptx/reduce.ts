// Reductions as PTX: each is shared out among several threads where there are few points.
import { itemSize, sizeOf } from "../../array/index.js";
import type { Buffer, LoopKernel } from "../kernel.js";
import { planNest, type Loop, type Nest } from "../schedule/nest.js";
import { reductionRegimes, type Regime } from "../schedule/sums.js";
import { loadsIn, loadsOf, reductionRoots, rootsOf } from "../walk.js";
import { Accumulator } from "./accumulators.js";
import { divide, positionsOf } from "./indices.js";
import type { KernelText } from "./surroundings.js";
import { lanesOfWarp, wholeWarps } from "./types.js";
import { independentOf, pointsAtOnce, Values } from "./values.js";
import { wavefronts } from "./dot/wavefronts.js";

/** Elements of a reduction that a thread works on at once, at most: as many loads are on their way together. */
const mostElements = 8;

/** How a reduction is shared out: lanes of a warp, and warps, that work on the same point. */
interface Sharing {
  readonly lanes: number;
  readonly warps: number;
}

export const extentsOf = (loops: readonly Loop[]): number[] => loops.map(({ extent }) => extent);

export const positionIn =
  (loops: readonly Loop[], positions: readonly string[]) =>
  (axis: number): string => {
    const at = loops.findIndex((loop) => loop.axis === axis);
    return at < 0 ? "0" : positions[at];
  };

/** How many words of working memory a loop kernel takes: a total of each warp for each of its points. */
export function loopScratch(kernel: LoopKernel, threads: number): number {
  if (kernel.reductions.length === 0 || kernel.order !== "free") return 0;
  const { lanes, warps } = sharingOf(kernel, planNest(kernel, lanesOfWarp), threads);
  return warps === 1 ? 0 : (threads / lanes) * 2 * kernel.reductions.length;
}

/** How a reduction is shared out alone, by how many threads: it is asked for whenever something depends on it. */
const alone = new WeakMap<LoopKernel, Map<number, Sharing>>();

function sharingAlone(kernel: LoopKernel, nest: Nest, threads: number): Sharing {
  const known = alone.get(kernel) ?? new Map<number, Sharing>();
  alone.set(kernel, known);
  const found = known.get(threads) ?? bestSharing(kernel, nest, threads, threads / lanesOfWarp);
  known.set(threads, found);
  return found;
}

/** How a reduction is shared out, or several of one form as one, which have the working memory of one of them. */
function sharingOf(kernel: LoopKernel, nest: Nest, threads: number): Sharing {
  const own = planNest(kernel, lanesOfWarp);
  const sharing = sharingAlone(kernel, own, threads);
  const isAlone = sizeOf(extentsOf(nest.loops)) === sizeOf(extentsOf(own.loops));
  return isAlone || sharing.warps > 1 ? sharing : bestSharing(kernel, nest, threads, 1);
}

/** The one that should take the fewest cycles, with so many warps for a point at most. */
function bestSharing(
  kernel: LoopKernel,
  { loops, vector }: Nest,
  threads: number,
  mostWarps: number,
): Sharing {
  const points = sizeOf(extentsOf(loops.filter(({ isReduced }) => !isReduced)));
  const length = sizeOf(extentsOf(loops.filter(({ isReduced }) => isReduced)));
  const isAcross = vector >= 0 && loops[vector].isReduced;
  const fronts = wavefrontsBy(kernel, loops, isAcross);
  const many = pointsAtOnce([...reductionRoots(kernel), ...rootsOf(kernel.body)], mostElements, {
    most: mostElements,
  });
  let best: Sharing = { lanes: 1, warps: 1 };
  let least = Infinity;
  for (let lanes = 1; lanes <= lanesOfWarp; lanes *= 2) {
    // Neighbouring threads should read neighbouring elements, and different banks if what they read lies in shared memory.
    const scattered = Math.max(isAcross ? 8 / lanes : lanes / 4, fronts(lanes));
    for (let warps = 1; warps <= mostWarps; warps *= 2) {
      const turns = Math.ceil(points / (threads / (lanes * warps)));
      const own = Math.ceil(length / (lanes * warps));
      const each = (Math.ceil(own / many) * 30 + own * 4) * scattered;
      const meeting =
        (Math.log2(lanes) * 30 + (warps === 1 ? 0 : 80 + warps * 10)) * kernel.reductions.length;
      const cycles = turns * (each + meeting + 40);
      if (cycles < least) [least, best] = [cycles, { lanes, warps }];
    }
  }
  return best;
}

/** Wavefronts of a load by the lanes of a warp, on the average, if so many of them work on each point. */
function wavefrontsBy(kernel: LoopKernel, loops: readonly Loop[], isAcross: boolean) {
  const addresses = loadsIn(reductionRoots(kernel)).filter(
    ({ buffer, computed }) => itemSize(buffer.dtype) === 4 && computed.length === 0,
  );
  const [kept, reduced] = [false, true].map((is) => loops.filter(({ isReduced }) => isReduced === is));
  return (members: number): number => {
    const beside = lanesOfWarp / members;
    const lanes = Array.from({ length: lanesOfWarp }, (_, lane) =>
      isAcross
        ? { point: Math.floor(lane / members), member: lane % members }
        : { point: lane % beside, member: Math.floor(lane / beside) },
    );
    const total = addresses.reduce((sum, { strides }) => {
      const elements = lanes.map(
        ({ point, member }) => distanceAlong(kept, point, strides) + distanceAlong(reduced, member, strides),
      );
      return sum + wavefronts(elements, 1);
    }, 0);
    return addresses.length === 0 ? 1 : total / addresses.length;
  };
}

/** How many elements further something of a number is, counted along loops; no further than their last one. */
function distanceAlong(loops: readonly Loop[], number: number, strides: readonly number[]): number {
  let rest = Math.min(number, sizeOf(extentsOf(loops)) - 1);
  let distance = 0;
  for (const { axis, extent } of loops.toReversed()) {
    distance += (rest % extent) * (strides[axis] ?? 0);
    rest = Math.floor(rest / extent);
  }
  return distance;
}

/** Threads that have something to do in a reduction, from the first on. */
export function reducingThreads(kernel: LoopKernel, nest: Nest, threads: number): number {
  const { lanes, warps } = sharingOf(kernel, nest, threads);
  const points = sizeOf(extentsOf(nest.loops.filter(({ isReduced }) => !isReduced)));
  return warps > 1 ? threads : wholeWarps(points * lanes, threads);
}

/** In words, how a reduction is shared out. */
export function describeReduction(kernel: LoopKernel, nest: Nest, threads: number): string {
  const { lanes, warps } = sharingOf(kernel, nest, threads);
  const [kept, reduced] = [false, true].map((is) =>
    sizeOf(extentsOf(nest.loops.filter(({ isReduced }) => isReduced === is))),
  );
  const by = lanes * warps === 1 ? "a thread" : `${lanes} lanes x ${warps} ${warps === 1 ? "warp" : "warps"}`;
  return `reduction, ${kept} of ${reduced} elements, each by ${by}`;
}

export class Reducing {
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
    if (turns === 1 && warps === 1 && !isAlone)
      out.when(text.isBelow(wholeWarps(points * lanes, text.threads)), () => turn(group));
    else if (turns === 1) turn(group);
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
    const beside = lanesOfWarp / lanes;
    const { remainder: lane } = divide(out, thread, lanesOfWarp, threads);
    const inLane = divide(out, lane, isAcross ? lanes : beside, lanesOfWarp);
    const [ownPoint, ownLane] = isAcross
      ? [inLane.quotient, inLane.remainder]
      : [inLane.remainder, inLane.quotient];
    const set = divide(out, text.warp, warps, threads / lanesOfWarp);
    const sum = (x: string, factor: number, y: string) => out.pure("mad.lo.s32", "b32", x, String(factor), y);
    return { group: sum(set.quotient, beside, ownPoint), member: sum(set.remainder, lanes, ownLane) };
  }

  private point(index: string, group: string, member: string, isOwn: string | null): void {
    const { text, out, kernel, kept, reduced } = this;
    const { lanes, warps } = this.sharing;
    const keptPositions = positionsOf(out, index, extentsOf(kept));
    const length = sizeOf(extentsOf(reduced));
    const members = lanes * warps;
    const roots = [...reductionRoots(kernel), ...rootsOf(kernel.body)];
    // Elements that are worked on at once have totals of their own, so that they need not wait for each other.
    const many = pointsAtOnce(roots, Math.floor(length / members), { most: mostElements });
    const { block } = reductionRegimes.find(({ upTo }) => length <= upTo) as Regime;
    const isLong = Math.ceil(length / (members * many)) > block;
    const chains = Array.from({ length: many }, () =>
      kernel.reductions.map((reduction) => new Accumulator(text, reduction, isLong)),
    );
    const [totals] = chains;
    const loops = [...kept, ...reduced];
    const outside = new Values(text, positionIn(kept, keptPositions));
    const elements = (first: string, count: number) => {
      const values = Array.from({ length: count }, (_, at) => {
        const index = out.plus(first, at * members);
        const positions = [...keptPositions, ...positionsOf(out, index, extentsOf(reduced))];
        return new Values(text, positionIn(loops, positions), undefined, String(at));
      });
      Values.computeAll(values, roots);
      values.forEach((value, at) =>
        kernel.reductions.forEach((reduction, which) => {
          const { value: element, position } = reduction;
          chains[at][which].add(value.read(element), position === null ? null : value.read(position));
        }),
      );
      for (const value of values) value.put(kernel.body);
    };
    const whole = Math.floor(length / (members * many)) * members * many;
    // Who has no point of its own must not read what others may write in place meanwhile.
    out.when(isOwn, () => {
      outside.compute(independentOf(roots, new Set(reduced.map(({ axis }) => axis))));
      out.stride(member, whole, members * many, members, (first) => elements(first, many));
      out.stride(out.plus(member, whole), length, members, members, (at) => elements(at, 1));
    });
    for (const chain of chains.slice(1)) totals.forEach((total, which) => total.join(chain[which]));
    this.join(totals, group, member);
    // What lanes have read may be written over by the first of them.
    if (lanes > 1 && warps === 1 && this.isInPlace()) out.line("bar.warp.sync -1;");
    const after = new Values(text, positionIn(kept, keptPositions), (which) => totals[which].result());
    const isFirst = members === 1 ? null : out.pure("setp.eq.s32", "pred", member, "0");
    const does =
      isOwn === null || isFirst === null ? (isOwn ?? isFirst) : out.pure("and.pred", "pred", isOwn, isFirst);
    out.when(does, () => after.store(kernel.after));
  }

  /** Whether results lie where something is read. */
  private isInPlace(): boolean {
    const { kernel, text } = this;
    const { addresses, fast } = text.plan;
    const placeOf = (buffer: Buffer) => `${fast.has(buffer)} ${addresses.get(buffer)}`;
    const read = new Set(loadsOf(kernel).all.map(({ buffer }) => placeOf(buffer)));
    return kernel.after.some(({ address }) => read.has(placeOf(address.buffer)));
  }

  /** Brings the totals of all threads of a group together, in an order of their own. */
  private join(totals: readonly Accumulator[], group: string, member: string): void {
    const { text, out, isAcross } = this;
    const { lanes, warps } = this.sharing;
    const beside = lanesOfWarp / lanes;
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
