// Exchanges between blocks as PTX. Each block lays out what it has in common memory; the blocks meet; each reads what it
// needs. Where all want the same totals, each block adds up a share of them and lays it out in its turn.
import { itemSize, sizeOf, type DType } from "../../array/index.js";
import type { AxisIndexKernel, ExchangeKernel, Pull, Step } from "../kernel.js";
import type { Division } from "../plan/arena.js";
import { align } from "../plan/placing.js";
import { kernelsIn } from "../walk.js";
import { positionsOf } from "./indices.js";
import { operate } from "./operations.js";
import type { KernelText, Part, Reference } from "./surroundings.js";

type Phase = (text: KernelText, kernel: ExchangeKernel) => void;

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
  pulls.reduce((sum, { extents }) => sum + sizeOf(extents), 0) > fewElements;

/** Where operands lie in common memory, from the beginning of one of its two sides: block after block, then totals. */
function layoutOf(kernel: ExchangeKernel, parts: number) {
  let end = 0;
  const operands = kernel.pulls.map((pull) => {
    const start = end;
    end += bytesOf(operandSize(pull, parts), pull);
    return start;
  });
  const stride = end;
  let last = parts * stride;
  const totals = kernel.pulls.map((pull) => {
    const start = last;
    if (isShared(kernel)) last += bytesOf(sizeOf(pull.extents), pull);
    return start;
  });
  return { operands, stride, totals, bytes: last };
}

const exchangesIn = (steps: readonly Step[]): ExchangeKernel[] =>
  kernelsIn(steps).filter((kernel) => kernel.kind === "exchange");

const sideBytes = (steps: readonly Step[], parts: number): number =>
  Math.max(0, ...exchangesIn(steps).map((kernel) => layoutOf(kernel, parts).bytes));

/** Bytes of common memory by which blocks hand each other something: two sides, in turns. */
export const exchangeBytes = (steps: readonly Step[], parts: number): number => 2 * sideBytes(steps, parts);

/** What is done between meetings. */
export function exchangePhases(kernel: ExchangeKernel, division: Division): readonly Phase[] {
  if (kernel.pairs !== null) throw new Error("exchanges between pairs of devices are not rendered to PTX");
  const side = (division.start - division.exchange) / 2;
  const exchange = (text: KernelText) => new Exchange(text, kernel, division, side);
  return isShared(kernel)
    ? [(text) => exchange(text).layOut(), (text) => exchange(text).addShares(), (text) => exchange(text).takeTotals()]
    : [(text) => exchange(text).layOut(), (text) => exchange(text).pull()];
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
    const side = out.effect("ld.param.u32", "b32", "[side]");
    const start = out.effect("add.u64", "b64", memory, String(division.exchange));
    const size = out.effect("mov.u64", "b64", String(sideSize));
    this.base = out.effect("mad.lo.u64", "b64", out.effect("cvt.u64.u32", "b64", side), size, start);
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

  layOut(): void {
    const { text, division, block } = this;
    this.eachPull((pull, at) => {
      const { from } = pull;
      const { dtype } = from.buffer;
      this.each(operandSize(pull, division.parts), (index) => {
        const own = [{ operand: index, factor: 1 }];
        const place = text.reference(from.buffer, from.offset, [...text.partsOf(from), ...own]);
        text.store(this.operand(at, block, own), dtype, text.load(place, dtype));
      });
    });
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
        text.assign(dtype, total, operate(out, this.operation(dtype), dtype, [operand(total), operand(value)])),
      );
    };
    // Several loads are under way at the same time.
    const together = division.parts > 8 ? 8 : 1;
    const first = division.parts - ((division.parts - 1) % together);
    for (let sender = 1; sender < division.parts - first + 1; sender++) take(text.load(place(String(sender)), dtype));
    const rest = division.parts - first + 1;
    if (rest < division.parts)
      out.loop(String(rest), String(division.parts), String(together), (sender) => {
        const values = Array.from({ length: together }, (_, further) =>
          text.load(place(further === 0 ? sender : out.pure("add.s32", "b32", sender, String(further))), dtype),
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
    const { text, division, block } = this;
    const { out, threads, thread } = text;
    this.eachPull((pull, at) => {
      const size = sizeOf(pull.extents);
      const { dtype } = pull.from.buffer;
      const share = Math.ceil(size / division.parts);
      const start = out.pure("mul.lo.s32", "b32", block, String(share));
      const end = out.pure("min.s32", "b32", out.pure("add.s32", "b32", start, String(share)), String(size));
      out.loop(out.pure("add.s32", "b32", start, thread), end, String(threads), (index) => {
        const own = [{ operand: index, factor: 1 }];
        const total = this.combined(dtype, (sender) => this.operand(at, sender, own));
        text.store(this.staged(this.layout.totals[at], own, dtype), dtype, total);
      });
    });
  }

  takeTotals(): void {
    const { text } = this;
    this.eachPull(({ extents, to }, at) => {
      const { dtype } = to.buffer;
      this.each(sizeOf(extents), (index) => {
        const own = [{ operand: index, factor: 1 }];
        const value = text.load(this.staged(this.layout.totals[at], own, dtype), dtype);
        text.store(text.reference(to.buffer, to.offset, [...text.partsOf(to), ...own]), dtype, value);
      });
    });
  }
}

/** The number of the block. */
export function renderAxisIndex(text: KernelText, { to }: AxisIndexKernel): void {
  const { out, thread } = text;
  out.when(out.effect("setp.eq.u32", "pred", thread, "0"), () =>
    text.store(text.first(to), "int32", out.effect("mov.u32", "b32", "%ctaid.x")),
  );
}
