// Blocks that exchange something among themselves: those that differ along some axes only.
import type { NamedAxis } from "../../../array/index.js";
import { divide, positionsOf } from "../indices.js";
import { isNumber, type PtxText } from "../text.js";

/** A digit of a block's place in its group: how many values it has, and how many blocks further each is. */
interface Digit {
  readonly extent: number;
  readonly stride: number;
}

/** How the members of each group lie among all blocks. */
export class Group {
  /** Blocks of a group. */
  readonly size: number;

  constructor(
    /** Outermost first. */
    private readonly digits: readonly Digit[],
    /** All blocks. */
    readonly parts: number,
  ) {
    this.size = digits.reduce((product, { extent }) => product * extent, 1);
  }

  /** How many groups there are. */
  get count(): number {
    return this.parts / this.size;
  }

  /** How many blocks behind the first of its group a member is. */
  distanceOf(member: number): number {
    let [rest, distance] = [member, 0];
    for (const { extent, stride } of this.digits.toReversed()) {
      distance += (rest % extent) * stride;
      rest = Math.floor(rest / extent);
    }
    return distance;
  }

  /** The same for a member that is known when the program runs. */
  distance(out: PtxText, member: string): string {
    if (isNumber(member)) return String(this.distanceOf(Number(member)));
    const positions = positionsOf(
      out,
      member,
      this.digits.map(({ extent }) => extent),
    );
    return this.digits
      .map(({ stride }, at) =>
        stride === 1 ? positions[at] : out.pure("mul.lo.s32", "b32", positions[at], String(stride)),
      )
      .reduce((sum, part) => out.pure("add.s32", "b32", sum, part));
  }

  /** A block's place in its group, the first block of the group, and which of the groups it is. */
  placeOf(
    out: PtxText,
    block: string,
  ): { readonly place: string; readonly first: string; readonly number: string } {
    const { digits, parts } = this;
    let place = "0";
    for (const { extent, stride } of digits) {
      const { quotient } = divide(out, block, stride, parts);
      const { remainder } = divide(out, quotient, extent, parts / stride);
      place = out.pure("mad.lo.s32", "b32", place, String(extent), remainder);
    }
    if (this.count === 1) return { place, first: "0", number: "0" };
    const first = out.pure("sub.s32", "b32", block, this.distance(out, place));
    // What is left of the number of the first when the digits of its members, all 0, are taken out.
    let number = first;
    for (const { extent, stride } of digits.toSorted((a, b) => b.stride - a.stride)) {
      const { quotient, remainder } = divide(out, number, stride * extent, parts);
      number = out.pure("mad.lo.s32", "b32", quotient, String(stride), remainder);
    }
    return { place, first, number };
  }
}

/** The groups along some of the axes along which blocks are arranged. */
export function groupAlong(names: readonly string[], axes: readonly NamedAxis[]): Group {
  const strides = new Map<string, Digit>();
  let parts = 1;
  for (const { name, size } of axes.toReversed()) {
    strides.set(name, { extent: size, stride: parts });
    parts *= size;
  }
  const digits: Digit[] = [];
  for (const name of names) {
    const digit = strides.get(name);
    if (digit === undefined) throw new Error(`blocks are not arranged along ${name}`);
    const last = digits.at(-1);
    // Neighbouring axes are as one.
    if (last?.stride === digit.extent * digit.stride)
      digits[digits.length - 1] = { extent: last.extent * digit.extent, stride: digit.stride };
    else digits.push(digit);
  }
  return new Group(digits, parts);
}
