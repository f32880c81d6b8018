// Positions along several axes from one number, without division.
import type { PtxText } from "./text.js";
import { isNumber } from "./text.js";

/** A quotient and a remainder by a constant, of a number from 0 up to below a bound. */
export function divide(
  out: PtxText,
  value: string,
  divisor: number,
  bound: number,
): { readonly quotient: string; readonly remainder: string } {
  if (isNumber(value)) {
    const number = Number(value);
    return { quotient: String(Math.floor(number / divisor)), remainder: String(number % divisor) };
  }
  if (divisor === 1) return { quotient: value, remainder: "0" };
  if (bound <= divisor) return { quotient: "0", remainder: value };
  const { base, by } = out.shiftOf(value);
  if (by !== 0 && by % divisor === 0) {
    const { quotient, remainder } = divide(out, base, divisor, bound);
    return { quotient: out.plus(quotient, by / divisor), remainder };
  }
  const shift = Math.log2(divisor);
  if (Number.isInteger(shift)) {
    return {
      quotient: out.pure("shr.u32", "b32", value, String(shift)),
      remainder: out.pure("and.b32", "b32", value, String(divisor - 1)),
    };
  }
  const quotient = byMultiplication(out, value, divisor, bound);
  return { quotient, remainder: out.pure("mad.lo.s32", "b32", quotient, String(-divisor), value) };
}

/** ⌊value / divisor⌋ as the upper half of a product, where some factor of 32 bits is exact for all values that occur. */
function byMultiplication(out: PtxText, value: string, divisor: number, bound: number): string {
  for (let shift = 0; shift < 32; shift++) {
    const power = 2n ** BigInt(32 + shift);
    const factor = power / BigInt(divisor) + 1n;
    if (factor >= 2n ** 32n) break;
    // The factor is too large by excess / power, which must not add up to a whole divisor's share.
    const excess = factor * BigInt(divisor) - power;
    if (excess * BigInt(bound) >= power) continue;
    const upper = out.pure("mul.hi.u32", "b32", value, String(factor));
    return shift === 0 ? upper : out.pure("shr.u32", "b32", upper, String(shift));
  }
  return out.pure("div.u32", "b32", value, String(divisor));
}

/** The positions along axes, row-major, of a number below the product of their extents. */
export function positionsOf(out: PtxText, value: string, extents: readonly number[]): string[] {
  const found: string[] = [];
  let rest = value;
  let bound = extents.reduce((product, extent) => product * extent, 1);
  for (let axis = extents.length - 1; axis >= 0; axis--) {
    const { quotient, remainder } = divide(out, rest, extents[axis], bound);
    found.unshift(remainder);
    rest = quotient;
    bound = Math.ceil(bound / extents[axis]);
  }
  return found;
}

/** Where each of several things begins, one behind the other, given how long they are, and how long all are. */
export function startsIn(lengths: readonly number[]): {
  readonly from: readonly number[];
  readonly count: number;
} {
  let count = 0;
  const from = lengths.map((length) => {
    const start = count;
    count += length;
    return start;
  });
  return { from, count };
}

/** A value that holds from an index on. */
export interface Step {
  readonly from: number;
  readonly value: number;
}

/** By how much each of many steps of one index is more than the one before, if that is always the same; null otherwise. */
function evenStep(steps: readonly Step[]): number | null {
  if (steps.length < 3) return null;
  const more = steps[1].value - steps[0].value;
  const isEven = steps.every(({ from, value }, at) => from === at && value === steps[0].value + at * more);
  return isEven && more !== 0 ? more : null;
}

/** The value of the last step at or before an index, of steps in order, the first of which is at 0. */
export function choose(out: PtxText, index: string, steps: readonly Step[]): string {
  const even = evenStep(steps);
  if (even !== null) return out.pure("mad.lo.s32", "b32", index, String(even), String(steps[0].value));
  let chosen = String(steps[0].value);
  let last = steps[0].value;
  for (const { from, value } of steps.slice(1)) {
    if (value === last) continue;
    const isBehind = out.pure("setp.ge.s32", "pred", index, String(from));
    chosen = out.pure("selp.b32", "b32", String(value), chosen, isBehind);
    last = value;
  }
  return chosen;
}
