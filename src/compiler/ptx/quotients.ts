// Quotients and square roots. The machine's exact instructions for them have jumps in them, so that nothing else goes on
// meanwhile; these do for several points at once what those do, with one jump for all.
import type { Operation } from "../kernel.js";
import { floatOf, literal, type PtxText } from "./text.js";

const float = (value: number): string => literal(value, "float32");

/** Sizes of numbers, from one to another. */
type Range = readonly [least: number, most: number];

/** Sizes for which nothing on the way to a quotient is too large, or so small that bits are lost. */
const dividends: Range = [2 ** -100, 2 ** 80];
const divisors: Range = [2 ** -46, 2 ** 24];
/** The same where the other one is known: quotients are between these. */
const [leastQuotient, mostQuotient] = [2 ** -124, 2 ** 120];
const anyKnown: Range = [2 ** -96, 2 ** 96];
/** The same for square roots: there is none too large but infinity. */
const squares: Range = [2 ** -100, 2 ** 127 * (2 - 2 ** -23)];
/** More than the inverse of any of their roots. */
const mostInverse = 2 ** 51;

/** A quotient inside of formulas, which may be a unit off. */
export function quickQuotient(out: PtxText, x: string, y: string): string {
  const quick = out.pure("div.full.f32", "f32", x, y);
  const better = improved(out, quick, y, x, out.pure("rcp.approx.f32", "f32", y));
  // Beyond all numbers there is nothing left to add.
  const isNumber = out.pure("setp.lt.f32", "pred", out.pure("abs.f32", "f32", better), float(Infinity));
  return out.pure("selp.f32", "f32", better, quick, isNumber);
}

/** Something and what it leaves of x when it is multiplied by y, times a factor. */
function improved(out: PtxText, value: string, y: string, x: string, factor: string): string {
  const rest = out.pure("fma.rn.f32", "f32", out.pure("neg.f32", "f32", value), y, x);
  return out.pure("fma.rn.f32", "f32", rest, factor, value);
}

/** An extremum of some numbers, which is out of range where it compares so with a limit. */
interface Test {
  readonly comparison: string;
  readonly limit: string;
  readonly extremum: string;
}

/** Whether numbers of several points are all in range, by the extrema of them: there are few registers for conditions. */
class Limits {
  private readonly tests = new Map<string, Test>();

  constructor(private readonly out: PtxText) {}

  private see(comparison: string, limit: string, extremum: string, kind: "f32" | "b32", value: string): void {
    const key = `${comparison} ${limit}`;
    const known = this.tests.get(key);
    const seen = known === undefined ? value : this.out.pure(extremum, kind, known.extremum, value);
    this.tests.set(key, { comparison, limit, extremum: seen });
  }

  private isKnown(value: string, [least, most]: Range, isZeroFine: boolean): boolean {
    const known = floatOf(value);
    if (known === null) return false;
    const size = Math.abs(known);
    return (size >= least && size <= most) || (isZeroFine && size === 0);
  }

  /** The size of a number must be in a range. NaN may be anywhere. */
  size(value: string, range: Range): void {
    if (this.isKnown(value, range, false)) return;
    const size = this.out.pure("abs.f32", "f32", value);
    this.see("lt.f32", float(range[0]), "min.f32", "f32", size);
    this.see("gt.f32", float(range[1]), "max.f32", "f32", size);
  }

  /** The same, or it is 0, which comes behind all others where 1 is taken from the bits. */
  sizeOrZero(value: string, range: Range): void {
    if (this.isKnown(value, range, true)) return;
    const { out } = this;
    const bits = out.pure("mov.b32", "b32", value);
    const twice = out.pure("mad.lo.u32", "b32", bits, "2", "-1");
    this.see("lt.u32", String(2 * bitsOf(range[0]) - 1), "min.u32", "b32", twice);
    this.see("gt.f32", float(range[1]), "max.f32", "f32", out.pure("abs.f32", "f32", value));
  }

  /** Whether some number is out of range; null where that is known not to be. */
  isBroken(): string | null {
    const { out } = this;
    let broken: string | null = null;
    for (const { comparison, limit, extremum } of this.tests.values()) {
      broken =
        broken === null
          ? out.pure(`setp.${comparison}`, "pred", extremum, limit)
          : out.pure(`setp.${comparison.replace(".", ".or.")}`, "pred", extremum, limit, broken);
    }
    return broken;
  }
}

const words = new DataView(new ArrayBuffer(4));

function bitsOf(value: number): number {
  words.setFloat32(0, value);
  return words.getUint32(0);
}

/** Sizes that x may have where it is divided by a number of a known size. */
const dividendsOf = (y: number): Range => [
  Math.max(anyKnown[0], leastQuotient * y),
  Math.min(anyKnown[1], mostQuotient * y),
];

/** Sizes that y may have where a number of a known size is divided by it. */
const divisorsOf = (x: number): Range => [
  Math.max(anyKnown[0], x / mostQuotient),
  Math.min(anyKnown[1], x / leastQuotient),
];

/** The size of an operand that is known and neither very large nor very small; null for others. */
function knownSize(operand: string): number | null {
  const value = floatOf(operand);
  const size = value === null ? NaN : Math.abs(value);
  return size >= anyKnown[0] && size <= anyKnown[1] ? size : null;
}

function quotient(out: PtxText, limits: Limits, given: string, y: string): string {
  const [xSize, ySize] = [knownSize(given), knownSize(y)];
  limits.sizeOrZero(given, ySize === null ? dividends : dividendsOf(ySize));
  if (ySize === null) limits.size(y, xSize === null ? divisors : divisorsOf(xSize));
  const x = out.pure("mov.f32", "f32", given);
  const inverse = inverseOf(out, y);
  const first = out.pure("mul.f32", "f32", x, inverse);
  const second = improved(out, first, y, x, inverse);
  // Nothing added to -0 is 0.
  return out.effect("copysign.f32", "f32", first, improved(out, second, y, x, inverse));
}

function inverseOf(out: PtxText, y: string): string {
  const known = floatOf(y);
  if (known !== null && knownSize(y) !== null) return float(1 / known);
  const quick = out.pure("rcp.approx.ftz.f32", "f32", y);
  return improved(out, quick, y, float(1), quick);
}

function root(out: PtxText, limits: Limits, x: string): string {
  limits.sizeOrZero(x, squares);
  // The inverse of 0 must be a number, for 0 times it is 0.
  const size = out.pure("abs.f32", "f32", out.pure("rsqrt.approx.ftz.f32", "f32", x));
  const inverse = out.pure("min.NaN.f32", "f32", size, float(mostInverse));
  const first = out.pure("mul.f32", "f32", x, inverse);
  const half = out.pure("mul.f32", "f32", inverse, float(0.5));
  const rest = out.pure("fma.rn.f32", "f32", out.pure("neg.f32", "f32", first), first, x);
  return out.effect("fma.rn.f32", "f32", rest, half, first);
}

export type Inexact = Operation & { readonly name: "div" | "sqrt" };

/** Whether an operation is one that `exactTogether` is for. */
export const isInexact = (operation: Operation): operation is Inexact =>
  (operation.name === "div" || operation.name === "sqrt") && operation.dtype === "float32";

/** Quotients, or square roots, of several points. */
export function exactTogether(
  out: PtxText,
  name: Inexact["name"],
  points: readonly (readonly string[])[],
): string[] {
  const limits = new Limits(out);
  const results = points.map(([x, y]) =>
    name === "div" ? quotient(out, limits, x, y) : root(out, limits, x),
  );
  const broken = limits.isBroken();
  if (broken !== null)
    out.when(broken, () =>
      results.forEach((result, at) => out.line(`${name}.rn.f32 ${[result, ...points[at]].join(", ")};`)),
    );
  return results;
}
