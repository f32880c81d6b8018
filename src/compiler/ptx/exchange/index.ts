// Exchanges between blocks as PTX. Each block lays out what it has in common memory; the blocks meet; each reads what it
// needs. Where all want the same totals, each block adds up a share of them and lays it out in its turn.
import { itemSize, sizeOf, type DType } from "../../../array/index.js";
import type { AxisIndexKernel, ExchangeKernel, Place, Pull } from "../../kernel.js";
import type { Division, MemoryPlan } from "../../plan/arena.js";
import { choose, positionsOf, startsIn } from "../indices.js";
import { moveAll, type Move } from "../moving.js";
import { sideOf, type KernelText, type Part, type Reference } from "../surroundings.js";
import { lanesOfWarp } from "../types.js";
import type { Work } from "../work.js";
import { addBoxes, areBoxes, gatherBoxes, type Staged } from "./boxes.js";
import { groupAlong, type Group } from "./group.js";
import {
  areTotals,
  describeExchange,
  isInCommon,
  isShared,
  layoutOf,
  operandSize,
  startsOf,
  type Layout,
} from "./layout.js";
import { asOperand, Totals } from "./totals.js";

export { exchangeBytes, exchangesFrom, isInCommon, startsOnSide } from "./layout.js";
export { stagedIn } from "./staged.js";

/** What is done between two meetings; null for nothing. */
type Phase = Work | null;

/** What is done between meetings, by a place that begins so many bytes behind the beginning of a side. */
export function exchangePhases(
  kernel: ExchangeKernel,
  { division, staged }: Pick<MemoryPlan, "division" | "staged">,
  start: number,
  threads: number,
): readonly Phase[] {
  if (kernel.pairs !== null) throw new Error("exchanges between pairs of devices are not rendered to PTX");
  const phase = (write: (exchange: Exchange) => void): Work => ({
    threads,
    write: (text) => write(new Exchange(text, kernel, division, start)),
    describe: () => describeExchange(kernel, division),
  });
  if (isInCommon(kernel, division)) return [phase((exchange) => exchange.gather()), null];
  const isLaidOut = kernel.pulls.every(({ from }) => staged.has(from.buffer));
  const layOut = isLaidOut ? null : phase((exchange) => exchange.layOut());
  return isShared(kernel, groupAlong(kernel.axes, division.axes))
    ? [layOut, phase((exchange) => exchange.addShares()), phase((exchange) => exchange.takeTotals())]
    : [
        layOut,
        phase((exchange) => {
          if (areTotals(kernel)) exchange.addAll();
          else if (areBoxes(kernel)) exchange.takeBoxes();
          else exchange.pull();
        }),
      ];
}

class Exchange implements Staged {
  readonly layout: Layout;
  readonly group: Group;
  private readonly totals: Totals;
  /** Where what this block lays out begins, what those of its group do, and the totals of its group. */
  private readonly own: string;
  readonly base: string;
  private readonly sums: string;
  /** The place of this block in its group. */
  readonly place: string;

  constructor(
    readonly text: KernelText,
    readonly kernel: ExchangeKernel,
    division: Division,
    first: number,
  ) {
    const { out } = text;
    this.group = groupAlong(kernel.axes, division.axes);
    this.layout = layoutOf(kernel, this.group);
    this.totals = new Totals(text, kernel, this.layout, this.group);
    const base = out.effect("add.s64", "b64", sideOf(text), String(first));
    const block = out.effect("mov.u32", "b32", "%ctaid.x");
    const { place, first: firstBlock, number } = this.group.placeOf(out, block);
    const { stride, totals } = this.layout;
    const behind = (from: string, count: string) =>
      count === "0" ? from : out.effect("mad.wide.s32", "b64", count, String(stride), from);
    this.place = place;
    this.own = behind(base, block);
    this.base = behind(base, firstBlock);
    this.sums = behind(out.effect("add.u64", "b64", base, String(totals)), number);
  }

  /** An element in common memory. */
  private staged(start: number, parts: readonly Part[], dtype: DType): Reference {
    const { out } = this.text;
    const { register, constant } = this.text.sum(parts);
    const bytes = itemSize(dtype);
    const base = out.pure("add.u64", "b64", this.base, String(start + constant * bytes));
    const place = register === null ? base : out.pure("mad.wide.s32", "b64", register, String(bytes), base);
    return { space: "global", text: `[${place}]`, isOfOthers: true };
  }

  /** An element of what a member of the group has laid out. */
  private operand(at: number, block: string, parts: readonly Part[]): Reference {
    const { stride, operands } = this.layout;
    const { dtype } = this.kernel.pulls[at].from.buffer;
    const distance = this.group.distance(this.text.out, block);
    return this.staged(
      operands[at],
      [{ operand: distance, factor: stride / itemSize(dtype) }, ...parts],
      dtype,
    );
  }

  private each(count: number, code: (index: string) => void): void {
    const { out, thread, threads } = this.text;
    out.loop(thread, String(count), String(threads), code);
  }

  private eachPull(code: (pull: Pull, at: number) => void): void {
    this.kernel.pulls.forEach(code);
  }

  /** Whole operands or results, moved to or from common memory. */
  private moves(
    side: "from" | "to",
    staged: (at: number, index: string, further: number) => Reference,
  ): Move[] {
    const { text, group } = this;
    return this.kernel.pulls.flatMap((pull, at): Move[] => {
      const place = pull[side];
      // What lies there already.
      if (side === "from" && text.plan.staged.has(place.buffer)) return [];
      const bytes = itemSize(place.buffer.dtype) === 1 ? 1 : 4;
      const size = side === "from" ? operandSize(pull, group) : sizeOf(pull.extents);
      const own = (index: string, further: number) =>
        text.reference(place.buffer, place.offset + further, [
          ...text.partsOf(place),
          { operand: index, factor: 1 },
        ]);
      const common = (index: string, further: number) => staged(at, index, further);
      const isWide = bytes === 4 && [size, ...startsOf(place)].every((count) => count % 4 === 0);
      const ways = side === "from" ? { from: own, to: common } : { from: common, to: own };
      return [{ size, bytes, isWide, ...ways }];
    });
  }

  layOut(): void {
    const { text, own, layout } = this;
    moveAll(
      text,
      this.moves("from", (at, index, further) => this.beyond(own, layout.operands[at], at, index, further)),
    );
  }

  /** An element of a pull's operand or result that lies so many bytes behind an address. */
  private beyond(base: string, start: number, at: number, index: string, further: number): Reference {
    const { out } = this.text;
    const bytes = itemSize(this.kernel.pulls[at].from.buffer.dtype);
    const place = out.pure("mad.wide.s32", "b64", index, String(bytes), base);
    return { space: "global", text: `[${place}+${start + further * bytes}]`, isOfOthers: true };
  }

  /** Puts what this block has where it belongs among what the others have. */
  gather(): void {
    const { text, place } = this;
    const { out } = text;
    const moves = this.kernel.pulls.flatMap((pull): Move[] => {
      const { from, to, extents, fromStrides, toStrides, perSender } = pull;
      const own = { operand: place, factor: perSender };
      const size = sizeOf(extents);
      const isInOrder = extents.every(
        (extent, axis) => extent === 1 || fromStrides[axis] === toStrides[axis],
      );
      if (isInOrder) {
        const bytes = itemSize(to.buffer.dtype) === 1 ? 1 : 4;
        const steps = [size, perSender, ...[from, to].flatMap(startsOf)];
        const at = (place: Place, more: readonly Part[]) => (index: string, further: number) =>
          text.reference(place.buffer, place.offset + further, [
            ...text.partsOf(place),
            { operand: index, factor: 1 },
            ...more,
          ]);
        const isWide = bytes === 4 && steps.every((count) => count % 4 === 0);
        return [{ size, bytes, isWide, from: at(from, []), to: at(to, [own]) }];
      }
      const { dtype } = to.buffer;
      this.each(size, (index) => {
        const positions = positionsOf(out, index, extents);
        const along = (strides: readonly number[]) =>
          positions.map((operand, axis) => ({ operand, factor: strides[axis] }));
        const source = text.reference(from.buffer, from.offset, [
          ...text.partsOf(from),
          ...along(fromStrides),
        ]);
        const target = text.reference(to.buffer, to.offset, [...text.partsOf(to), ...along(toStrides), own]);
        text.store(target, dtype, text.load(source, dtype));
      });
      return [];
    });
    moveAll(text, moves);
  }

  /** Reads, from all blocks, what becomes this block's result. */
  pull(): void {
    const { text, kernel, group, place } = this;
    const { out } = text;
    this.eachPull((pull, at) => {
      const { extents, fromStrides, toStrides, perReceiver, perSender, to } = pull;
      const { dtype } = to.buffer;
      const target = (positions: readonly string[], more: readonly Part[]) =>
        text.reference(to.buffer, to.offset, [
          ...text.partsOf(to),
          ...positions.map((operand, axis) => ({ operand, factor: toStrides[axis] })),
          ...more,
        ]);
      const source = (sender: string, positions: readonly string[]) =>
        this.operand(at, sender, [
          ...positions.map((operand, axis) => ({ operand, factor: fromStrides[axis] })),
          { operand: place, factor: perReceiver },
        ]);
      const size = sizeOf(extents);
      if (kernel.combine !== null) {
        this.each(size, (index) => {
          const positions = positionsOf(out, index, extents);
          const total = this.totals.combined(dtype, (sender) => source(sender, positions));
          text.store(target(positions, []), dtype, total);
        });
        return;
      }
      this.each(size * group.size, (index) => {
        const [sender, ...positions] = positionsOf(out, index, [group.size, ...extents]);
        const value = text.load(source(sender, positions), dtype);
        text.store(target(positions, [{ operand: sender, factor: perSender }]), dtype, value);
      });
    });
  }

  /** Adds up this block's share of all totals, and lays it out for the others. */
  addShares(): void {
    const { text, group, place, layout, sums } = this;
    const { out } = text;
    const quads = layout.stride / 16;
    const share = Math.ceil(quads / group.size);
    const first = out.pure("mul.lo.s32", "b32", place, String(share));
    this.totals.add(share, 4, (at, isWanted) => {
      const quad = out.effect("add.s32", "b32", at, first);
      const isInside = out.effect("setp.lt.s32", "pred", quad, String(quads));
      const isThere = out.effect("and.pred", "pred", isWanted, isInside);
      const held = out.effect("selp.b32", "b32", quad, "0", isThere);
      const source = out.effect("mad.wide.s32", "b64", held, "16", this.base);
      const target = out.effect("mad.wide.s32", "b64", held, "16", sums);
      return {
        source,
        isThere,
        store: (totals, condition) =>
          out.line(`@${condition} st.global.v4.b32 [${target}], {${totals.join(", ")}};`),
      };
    });
  }

  /** Adds up all of the totals. */
  addAll(): void {
    const { text, layout, kernel } = this;
    const { out } = text;
    const runs = kernel.pulls.map(({ extents, to }, at) => {
      const words = sizeOf(extents);
      const { space, register, bytes } = text.pointer(to.buffer, to.offset, text.partsOf(to));
      return { words, source: layout.operands[at], space, register, bytes };
    });
    // Those that go to one kind of memory, from the same register.
    const groups = new Map<string, typeof runs>();
    for (const run of runs) {
      const key = `${run.space} ${run.register}`;
      groups.set(key, [...(groups.get(key) ?? []), run]);
    }
    for (const group of groups.values()) {
      const [{ space, register }] = group;
      // Few words are shared out one by one: each block's by a thread of its own.
      const all = group.reduce((sum, { words }) => sum + words, 0);
      const width = all * this.group.size <= text.threads ? 1 : 4;
      const bytesOfUnit = 4 * width;
      const starts = startsIn(group.map(({ words }) => Math.ceil(words / width)));
      const along = (value: (run: (typeof group)[number], from: number) => number) =>
        starts.from.map((from, at) => ({ from, value: value(group[at], from) }));
      const sources = along(({ source }, from) => source - bytesOfUnit * from);
      const results = along(({ bytes }, from) => bytes - bytesOfUnit * from);
      const limits = along(({ words }, from) => words + width * from);
      const areWhole = group.every(({ words, bytes }) => words % 4 === 0 && bytes % 16 === 0);
      this.totals.add(starts.count, width, (unit, isThere) => {
        const held = out.effect("selp.b32", "b32", unit, "0", isThere);
        const behind = out.effect("shl.b32", "b32", held, String(Math.log2(bytesOfUnit)));
        const { register: place, constant } = text.sum([
          { operand: behind, factor: 1 },
          { operand: choose(out, held, sources), factor: 1 },
        ]);
        const base = constant === 0 ? this.base : out.pure("add.s64", "b64", this.base, String(constant));
        return {
          source: out.effect("mad.wide.s32", "b64", place ?? behind, "1", base),
          isThere,
          store: (totals, condition) => {
            const moved = text.moved({ space, register, bytes: 0 }, behind, 1);
            const target = text.moved(moved, choose(out, held, results), 1);
            if (width === 1 || areWhole) {
              const { type, text: operand } = asOperand(totals);
              out.line(`@${condition} st.${space}.${type} ${text.at(target).text}, ${operand};`);
              return;
            }
            const limit = choose(out, held, limits);
            const first = out.effect("shl.b32", "b32", held, "2");
            totals.forEach((total, word) => {
              const isOwn = out.effect("setp.lt.s32", "pred", out.plus(first, word), limit);
              const stores = out.effect("and.pred", "pred", condition, isOwn);
              out.line(`@${stores} st.${space}.b32 ${text.at(target, 4 * word).text}, ${total};`);
            });
          },
        };
      });
    }
  }

  /** Takes boxes of what the others have, added up or side by side. */
  takeBoxes(): void {
    if (this.kernel.combine === null) gatherBoxes(this);
    else addBoxes(this, this.totals);
  }

  takeTotals(): void {
    const { text, layout, sums } = this;
    moveAll(
      text,
      this.moves("to", (at, index, further) => this.beyond(sums, layout.operands[at], at, index, further)),
    );
  }
}

/** The place of the block among those that differ from it along some axes only. */
export function axisIndexWork({ axes, to }: AxisIndexKernel, division: Division): Work {
  const group = groupAlong(axes, division.axes);
  return {
    threads: lanesOfWarp,
    write: (text) => {
      const { out, thread } = text;
      out.when(out.effect("setp.eq.u32", "pred", thread, "0"), () => {
        const { place } = group.placeOf(out, out.effect("mov.u32", "b32", "%ctaid.x"));
        text.store(text.first(to), "int32", place);
      });
    },
    describe: () => (group.count === 1 ? "the block's number" : `the block's place among ${group.size}`),
  };
}
