// Exchanges between blocks as PTX. Each block lays out what it has in common memory; the blocks meet; each reads what it
// needs. Where all want the same totals, each block adds up a share of them and lays it out in its turn.
import { itemSize, sizeOf, type DType } from "../../array/index.js";
import type { AxisIndexKernel, ExchangeKernel, Place, Pull, Step } from "../kernel.js";
import type { Division } from "../plan/arena.js";
import { isGather } from "../plan/common.js";
import { align } from "../plan/placing.js";
import { kernelsIn } from "../walk.js";
import { divide, positionsOf } from "./indices.js";
import { moveAll, type Move } from "./moving.js";
import { operate } from "./operations.js";
import { sharedSortBytes } from "./sharedSort.js";
import type { KernelText, Part, Reference } from "./surroundings.js";

/** What is done between two meetings; null for nothing. */
type Phase = ((text: KernelText) => void) | null;

/** Totals of more elements than these are added up in shares. */
const fewElements = 512;

/** Elements of an operand. */
const operandSize = ({ extents, perReceiver }: Pull, parts: number): number =>
  sizeOf(extents) * (perReceiver === 0 ? 1 : parts);

const bytesOf = (size: number, { from }: Pull): number => align(size * itemSize(from.buffer.dtype));

/** Whether each block adds up a share of what all get. */
const isShared = ({ combine, pulls }: ExchangeKernel): boolean =>
  combine !== null &&
  pulls.every(({ perReceiver }) => perReceiver === 0) &&
  // Words of one kind, which can be added up whatever array they belong to.
  pulls.every(({ from }) => from.buffer.dtype === pulls[0].from.buffer.dtype) &&
  itemSize(pulls[0].from.buffer.dtype) === 4 &&
  pulls.reduce((sum, { extents }) => sum + sizeOf(extents), 0) > fewElements;

/** Whether each block gets a total of its own, which lies in one piece. */
const isScattered = ({ combine, pulls }: ExchangeKernel): boolean =>
  combine !== null &&
  pulls.every(({ from, to, extents, perReceiver, fromStrides, toStrides }) => {
    const size = sizeOf(extents);
    return (
      perReceiver === size &&
      itemSize(from.buffer.dtype) === 4 &&
      from.buffer.dtype === pulls[0].from.buffer.dtype &&
      [size, ...startsOf(to)].every((count) => count % 4 === 0) &&
      extents.every((extent, axis) => extent === 1 || fromStrides[axis] === toStrides[axis])
    );
  });

/** Where operands lie in common memory, from the beginning of one of its two sides: block after block, then totals. */
function layoutOf(kernel: ExchangeKernel, parts: number) {
  let end = 0;
  const operands = kernel.pulls.map((pull) => {
    const start = end;
    end += bytesOf(operandSize(pull, parts), pull);
    return start;
  });
  // All totals lie together as the operands of one block do.
  return { operands, stride: end, totals: parts * end, bytes: (parts + (isShared(kernel) ? 1 : 0)) * end };
}

/** Elements to where a place begins, and between its places in the turns of loops. */
const startsOf = ({ offset, counters }: Place): number[] => [offset, ...counters.map(({ stride }) => stride)];

const exchangesIn = (steps: readonly Step[]): ExchangeKernel[] =>
  kernelsIn(steps).filter((kernel) => kernel.kind === "exchange");

const sideBytes = (steps: readonly Step[], parts: number): number =>
  Math.max(0, ...exchangesIn(steps).map((kernel) => layoutOf(kernel, parts).bytes));

/** Bytes of common memory by which blocks hand each other something: two sides, in turns, or one block's work. */
export const exchangeBytes = (steps: readonly Step[], parts: number): number => {
  const sorts = kernelsIn(steps).filter((kernel) => kernel.kind === "sort");
  return 2 * align(Math.max(sideBytes(steps, parts), ...sorts.map((sort) => sharedSortBytes(sort) / 2)));
};

/** Whether blocks gather something in memory that they have in common. */
const isInCommon = (kernel: ExchangeKernel, { common }: Division): boolean =>
  isGather(kernel) && kernel.pulls.every(({ to }) => common.has(to.buffer));

/** What is done between meetings. */
export function exchangePhases(kernel: ExchangeKernel, division: Division): readonly Phase[] {
  if (kernel.pairs !== null) throw new Error("exchanges between pairs of devices are not rendered to PTX");
  const side = (division.start - division.exchange) / 2;
  const exchange = (text: KernelText) => new Exchange(text, kernel, division, side);
  // Nobody may still be reading what was gathered before.
  if (isInCommon(kernel, division)) return [null, (text) => exchange(text).gather(), null];
  return isShared(kernel)
    ? [
        (text) => exchange(text).layOut(),
        (text) => exchange(text).addShares(),
        (text) => exchange(text).takeTotals(),
      ]
    : [
        (text) => exchange(text).layOut(),
        (text) => (isScattered(kernel) ? exchange(text).scatter() : exchange(text).pull()),
      ];
}

/** In words, what is exchanged and how. */
export function describeExchange(kernel: ExchangeKernel, division: Division): string {
  const { combine, pulls } = kernel;
  const bytes = pulls.reduce(
    (sum, pull) => sum + operandSize(pull, division.parts) * itemSize(pull.from.buffer.dtype),
    0,
  );
  const what = isInCommon(kernel, division)
    ? "gather in common memory"
    : combine === null
      ? isGather(kernel)
        ? "gather"
        : "all to all"
      : isShared(kernel)
        ? `all-reduce (${combine}), each block a share`
        : pulls.every(({ perReceiver }) => perReceiver === 0)
          ? `all-reduce (${combine}), each block all of it`
          : `reduce and scatter (${combine})`;
  return `${what}, ${bytes} bytes of each block`;
}

class Exchange {
  private readonly layout: ReturnType<typeof layoutOf>;
  /** Where the side begins that it goes by. */
  private readonly base: string;
  private readonly block: string;

  constructor(
    private readonly text: KernelText,
    private readonly kernel: ExchangeKernel,
    private readonly division: Division,
    sideSize: number,
  ) {
    const { out, memory } = text;
    this.layout = layoutOf(kernel, division.parts);
    const start = out.effect("add.u64", "b64", memory, String(division.exchange));
    const size = out.effect("mov.u64", "b64", String(sideSize));
    this.base = out.effect(
      "mad.lo.u64",
      "b64",
      out.effect("cvt.u64.u32", "b64", text.grid.side),
      size,
      start,
    );
    this.block = out.effect("mov.u32", "b32", "%ctaid.x");
  }

  /** An element in common memory. */
  private staged(start: number, parts: readonly Part[], dtype: DType): Reference {
    const { out } = this.text;
    const { register, constant } = this.text.sum(parts);
    const bytes = itemSize(dtype);
    const base = out.pure("add.u64", "b64", this.base, String(start + constant * bytes));
    const place = register === null ? base : out.pure("mad.wide.s32", "b64", register, String(bytes), base);
    return { space: "global", text: `[${place}]` };
  }

  /** An element of what a block has laid out. */
  private operand(at: number, block: string, parts: readonly Part[]): Reference {
    const { stride, operands } = this.layout;
    const { dtype } = this.kernel.pulls[at].from.buffer;
    return this.staged(operands[at], [{ operand: block, factor: stride / itemSize(dtype) }, ...parts], dtype);
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
    const { text, division } = this;
    return this.kernel.pulls.map((pull, at): Move => {
      const place = pull[side];
      const bytes = itemSize(place.buffer.dtype) === 1 ? 1 : 4;
      const size = side === "from" ? operandSize(pull, division.parts) : sizeOf(pull.extents);
      const own = (index: string, further: number) =>
        text.reference(place.buffer, place.offset + further, [
          ...text.partsOf(place),
          { operand: index, factor: 1 },
        ]);
      const common = (index: string, further: number) => staged(at, index, further);
      const isWide = bytes === 4 && [size, ...startsOf(place)].every((count) => count % 4 === 0);
      return {
        size,
        bytes,
        isWide,
        ...(side === "from" ? { from: own, to: common } : { from: common, to: own }),
      };
    });
  }

  layOut(): void {
    const { text, block, layout } = this;
    const { out } = text;
    const stride = out.effect("mov.u64", "b64", String(layout.stride));
    const far = out.effect("cvt.u64.u32", "b64", block);
    const base = out.effect("mad.lo.u64", "b64", far, stride, this.base);
    moveAll(
      text,
      this.moves("from", (at, index, further) => this.beyond(base, layout.operands[at], at, index, further)),
    );
  }

  /** An element of a pull's operand or result that lies so many bytes behind an address. */
  private beyond(base: string, start: number, at: number, index: string, further: number): Reference {
    const { out } = this.text;
    const bytes = itemSize(this.kernel.pulls[at].from.buffer.dtype);
    const place = out.pure("mad.wide.s32", "b64", index, String(bytes), base);
    return { space: "global", text: `[${place}+${start + further * bytes}]` };
  }

  /** Puts what this block has where it belongs among what the others have. */
  gather(): void {
    const { text, block } = this;
    const { out } = text;
    const moves = this.kernel.pulls.flatMap((pull): Move[] => {
      const { from, to, extents, fromStrides, toStrides, perSender } = pull;
      const own = { operand: block, factor: perSender };
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
    const { text, kernel, division, block } = this;
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
          { operand: block, factor: perReceiver },
        ]);
      const size = sizeOf(extents);
      if (kernel.combine !== null) {
        this.each(size, (index) => {
          const positions = positionsOf(out, index, extents);
          const total = this.combined(dtype, (sender) => source(sender, positions));
          text.store(target(positions, []), dtype, total);
        });
        return;
      }
      this.each(size * division.parts, (index) => {
        const [sender, ...positions] = positionsOf(out, index, [division.parts, ...extents]);
        const value = text.load(source(sender, positions), dtype);
        text.store(target(positions, [{ operand: sender, factor: perSender }]), dtype, value);
      });
    });
  }

  /** What all blocks have at a place, combined in their order. */
  private combined(dtype: DType, place: (sender: string) => Reference): string {
    const { text, division } = this;
    const { out } = text;
    const total = text.variable(dtype, text.load(place("0"), dtype));
    const take = (value: string) => {
      const operand = (register: string) => ({ text: register, dtype });
      out.scope(() =>
        text.assign(
          dtype,
          total,
          operate(out, this.operation(dtype), dtype, [operand(total), operand(value)]),
        ),
      );
    };
    // Several loads are under way at the same time.
    const together = division.parts > 8 ? 8 : 1;
    const first = division.parts - ((division.parts - 1) % together);
    for (let sender = 1; sender < division.parts - first + 1; sender++)
      take(text.load(place(String(sender)), dtype));
    const rest = division.parts - first + 1;
    if (rest < division.parts)
      out.loop(String(rest), String(division.parts), String(together), (sender) => {
        const values = Array.from({ length: together }, (_, further) =>
          text.load(
            place(further === 0 ? sender : out.pure("add.s32", "b32", sender, String(further))),
            dtype,
          ),
        );
        values.forEach(take);
      });
    return total;
  }

  private operation(dtype: DType): string {
    const { combine } = this.kernel;
    if (dtype === "bool") return combine === "min" ? "and" : "or";
    return combine ?? "add";
  }

  /** Adds up this block's share of all totals, and lays it out for the others. */
  addShares(): void {
    const { text, division, block, layout } = this;
    const { out } = text;
    const quads = layout.stride / 16;
    const share = Math.ceil(quads / division.parts);
    const first = out.pure("mul.lo.s32", "b32", block, String(share));
    this.addQuads(share, (at, isWanted) => {
      const quad = out.effect("add.s32", "b32", at, first);
      const isInside = out.effect("setp.lt.s32", "pred", quad, String(quads));
      const isThere = out.effect("and.pred", "pred", isWanted, isInside);
      const held = out.effect("selp.b32", "b32", quad, "0", isThere);
      const place = out.effect("mad.wide.s32", "b64", held, "16", this.base);
      const target = out.effect("add.u64", "b64", place, String(layout.totals));
      return { source: place, isThere, target: { space: "global", text: `[${target}]` } };
    });
  }

  /** Adds up this block's share of each total, which is its own. */
  scatter(): void {
    const { text, block, layout } = this;
    const { out } = text;
    this.eachPull(({ extents, to }, at) => {
      const size = sizeOf(extents);
      const skipped = out.effect("mul.wide.u32", "b64", block, String(size * 4));
      const start = out.effect("add.u64", "b64", this.base, String(layout.operands[at]));
      const base = out.effect("add.u64", "b64", start, skipped);
      this.addQuads(size / 4, (quad, isThere) => {
        const held = out.effect("selp.b32", "b32", quad, "0", isThere);
        const source = out.effect("mad.wide.s32", "b64", held, "16", base);
        const parts = [...text.partsOf(to), { operand: held, factor: 4 }];
        return { source, isThere, target: text.reference(to.buffer, to.offset, parts) };
      });
    });
  }

  /**
   * Combines words of all blocks, four at a time, whatever they belong to; and with so many threads for the same ones.
   * `place` says where those of the first block are, and where to put the total.
   */
  private addQuads(
    count: number,
    place: (
      quad: string,
      isThere: string,
    ) => { readonly source: string; readonly isThere: string; readonly target: Reference },
  ): void {
    const { text, division, layout } = this;
    const { out, threads, thread } = text;
    const { parts } = division;
    const helpers = Math.min(8, 2 ** Math.max(0, Math.floor(Math.log2(parts / 8))));
    const senders = parts / helpers;
    const { quotient: number, remainder: helper } = divide(out, thread, helpers, threads);
    const isFirst = out.effect("setp.eq.s32", "pred", helper, "0");
    const skip = out.effect("mul.wide.u32", "b64", helper, String(senders * layout.stride));
    const turn = (start: string) => {
      const quad = out.effect("add.s32", "b32", number, start);
      const found = place(quad, out.effect("setp.lt.s32", "pred", quad, String(count)));
      const totals = this.addSenders(out.effect("add.u64", "b64", found.source, skip), senders);
      for (let bit = 1; bit < helpers; bit *= 2)
        totals.forEach((total, word) => {
          const got = out.effect("shfl.sync.bfly.b32", "b32", total, String(bit), "31", "-1");
          totals[word] = this.combineWords(total, got, bit, helper);
        });
      const stores = out.effect("and.pred", "pred", isFirst, found.isThere);
      const { space, text: target } = found.target;
      out.line(`@${stores} st.${space}.v4.u32 ${target}, {${totals.join(", ")}};`);
    };
    const turns = Math.ceil((count * helpers) / threads);
    if (turns === 1) turn("0");
    else out.loop("0", String((turns * threads) / helpers), String(threads / helpers), turn);
  }

  /** Four words of some blocks, combined in their order; several are under way at the same time. */
  private addSenders(source: string, senders: number): string[] {
    const { text, layout } = this;
    const { out } = text;
    const quad = (place: string): string[] => {
      const words = Array.from({ length: 4 }, () => out.register("b32"));
      out.line(`ld.global.v4.u32 {${words.join(", ")}}, ${place};`);
      return words;
    };
    const together = Math.min(senders, 16);
    const load = (base: string) =>
      Array.from({ length: together }, (_, sender) => quad(`[${base}+${sender * layout.stride}]`));
    const totals = load(source).reduce((sum, words) => sum.map((word, at) => this.combine(word, words[at])));
    if (senders === together) return totals;
    const sums = totals.map((word) => text.variable("uint32", word));
    const step = together * layout.stride;
    out.loop("1", String(senders / together), "1", (round) => {
      const base = out.effect("mad.wide.s32", "b64", round, String(step), source);
      const more = load(base);
      sums.forEach((sum, at) =>
        text.assign(
          "uint32",
          sum,
          more.reduce((total, words) => this.combine(total, words[at]), sum),
        ),
      );
    });
    return sums;
  }

  /** The totals of two threads: those of the lower one first. */
  private combineWords(own: string, theirs: string, bit: number, helper: string): string {
    const { out } = this.text;
    const part = out.effect("and.b32", "b32", helper, String(bit));
    const isLower = out.effect("setp.eq.s32", "pred", part, "0");
    const lower = out.effect("selp.b32", "b32", own, theirs, isLower);
    const upper = out.effect("selp.b32", "b32", theirs, own, isLower);
    return this.combine(lower, upper);
  }

  /** Two words of the dtype that all operands have, combined. */
  private combine(x: string, y: string): string {
    const { out } = this.text;
    const { dtype } = this.kernel.pulls[0].from.buffer;
    const value = (word: string) => ({
      text: dtype === "float32" ? out.effect("mov.b32", "f32", word) : word,
      dtype,
    });
    const total = operate(out, this.operation(dtype), dtype, [value(x), value(y)]);
    return dtype === "float32" ? out.effect("mov.b32", "b32", total) : total;
  }

  takeTotals(): void {
    const { text, layout } = this;
    moveAll(
      text,
      this.moves("to", (at, index, further) =>
        this.beyond(this.base, layout.totals + layout.operands[at], at, index, further),
      ),
    );
  }
}

/** The number of the block. */
export function renderAxisIndex(text: KernelText, { to }: AxisIndexKernel): void {
  const { out, thread } = text;
  out.when(out.effect("setp.eq.u32", "pred", thread, "0"), () =>
    text.store(text.first(to), "int32", out.effect("mov.u32", "b32", "%ctaid.x")),
  );
}
