// Combining what all blocks have laid out, in their order, whoever does it.
import type { DType } from "../../../array/index.js";
import type { ExchangeKernel } from "../../kernel.js";
import { divide } from "../indices.js";
import { operate } from "../operations.js";
import type { KernelText, Reference } from "../surroundings.js";
import { kindOf, type RegisterKind } from "../text.js";
import { lanesOfWarp, wholeWarps } from "../types.js";
import type { Group } from "./group.js";
import type { Layout } from "./layout.js";

/** Words that are added up at a time. */
export type Width = 1 | 4;

/** A word, or four, of which all blocks have some. */
export interface Unit {
  /** Where those of the first block are. */
  readonly source: string;
  readonly isThere: string;
  /** Takes the totals, where a condition holds. */
  readonly store: (totals: readonly string[], condition: string) => void;
}

/** The registers of a unit, as instructions that load or store have them, with their type. */
export const asOperand = (words: readonly string[]): { readonly type: string; readonly text: string } =>
  words.length === 1
    ? { type: "b32", text: words[0] }
    : { type: `v${words.length}.b32`, text: `{${words.join(", ")}}` };

/** Blocks whose words a thread loads at once, at most. */
const mostSenders = 16;

/** Threads that share the blocks of each unit: as many as there are to spare, in one warp. */
function helpersFor(units: number, parts: number, threads: number): number {
  let helpers = 1;
  while (
    helpers < lanesOfWarp &&
    parts % (2 * helpers) === 0 &&
    (2 * helpers * units <= threads || parts / helpers > mostSenders)
  )
    helpers *= 2;
  return helpers;
}

/** The most blocks that can be loaded at once, each time as many. */
function mostTogether(senders: number): number {
  let together = Math.min(senders, mostSenders);
  while (senders % together !== 0) together--;
  return together;
}

export class Totals {
  constructor(
    private readonly text: KernelText,
    private readonly kernel: ExchangeKernel,
    private readonly layout: Layout,
    private readonly group: Group,
  ) {}

  /** What all blocks have at a place, combined in their order. */
  combined(dtype: DType, place: (sender: string) => Reference): string {
    const { text } = this;
    const { out } = text;
    const parts = this.group.size;
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
    const together = parts > 8 ? 8 : 1;
    const first = parts - ((parts - 1) % together);
    for (let sender = 1; sender < parts - first + 1; sender++) take(text.load(place(String(sender)), dtype));
    const rest = parts - first + 1;
    if (rest < parts)
      out.loop(String(rest), String(parts), String(together), (sender) => {
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

  /**
   * Combines words of all blocks, one or four at a time, whatever they belong to; and with so many threads for the same ones that
   * as many loads as can be are under way together. `place` says where those of the first block are, and what to do with totals.
   */
  add(count: number, width: Width, place: (unit: string, isThere: string) => Unit): void {
    const { text, layout, group } = this;
    const { out, threads, thread } = text;
    const parts = group.size;
    const helpers = helpersFor(count, parts, threads);
    const senders = parts / helpers;
    const { quotient: number, remainder: helper } = divide(out, thread, helpers, threads);
    const isFirst = out.effect("setp.eq.s32", "pred", helper, "0");
    const first = out.pure("mul.lo.s32", "b32", helper, String(senders));
    const skip = out.effect("mul.wide.u32", "b64", group.distance(out, first), String(layout.stride));
    const turn = (start: string) => {
      const unit = start === "0" ? number : out.effect("add.s32", "b32", number, start);
      const { source, isThere, store } = place(unit, out.effect("setp.lt.s32", "pred", unit, String(count)));
      const totals = this.addSenders(out.effect("add.u64", "b64", source, skip), senders, width);
      for (let bit = 1; bit < helpers; bit *= 2)
        totals.forEach((total, word) => {
          const got = out.effect("shfl.sync.bfly.b32", this.kind, total, String(bit), "31", "-1");
          // The same bits in both threads: it does not matter which of two comes first.
          totals[word] = this.combine(total, got);
        });
      store(totals, out.effect("and.pred", "pred", isFirst, isThere));
    };
    const turns = Math.ceil((count * helpers) / threads);
    // What nobody needs is not asked for: all blocks come to the same words at the same time.
    if (turns === 1) out.when(text.isBelow(wholeWarps(count * helpers, threads)), () => turn("0"));
    else out.loop("0", String((turns * threads) / helpers), String(threads / helpers), turn);
  }

  /** Words of some blocks, combined in their order; several are under way at the same time. */
  private addSenders(source: string, senders: number, width: Width): string[] {
    const { text, layout, group } = this;
    const { out } = text;
    const unit = (place: string): string[] => {
      const words = Array.from({ length: width }, () => out.register(this.kind));
      const { type, text: operand } = asOperand(words);
      out.line(`ld.global.cg.${type} ${operand}, ${place};`);
      return words;
    };
    const together = mostTogether(senders);
    const load = (base: string) =>
      Array.from({ length: together }, (_, sender) =>
        unit(`[${base}+${group.distanceOf(sender) * layout.stride}]`),
      );
    const totals = load(source).reduce((sum, words) => sum.map((word, at) => this.combine(word, words[at])));
    if (senders === together) return totals;
    const sums = totals.map((word) => text.variable(this.dtype, word));
    out.loop(String(together), String(senders), String(together), (sender) => {
      const further = group.distance(out, sender);
      const base = out.effect("mad.wide.s32", "b64", further, String(layout.stride), source);
      const more = load(base);
      sums.forEach((sum, at) =>
        text.assign(
          this.dtype,
          sum,
          more.reduce((total, words) => this.combine(total, words[at]), sum),
        ),
      );
    });
    return sums;
  }

  /** Two words of the dtype that all operands have, combined. */
  private combine(x: string, y: string): string {
    const { dtype } = this;
    const operands = [x, y].map((text) => ({ text, dtype }));
    return operate(this.text.out, this.operation(dtype), dtype, operands);
  }

  /** What all operands are that are combined in units, and the registers of their words. */
  private get dtype(): DType {
    return this.kernel.pulls[0].from.buffer.dtype;
  }

  private get kind(): RegisterKind {
    return kindOf(this.dtype);
  }
}
