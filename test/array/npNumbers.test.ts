// The NumPy surface: what integers and floats do element by element.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lax, np, type Array } from "vibe-rl/array";
import { expectClose } from "../golden.js";

const list = (x: Array) => x.toArray();

describe("integers", () => {
  it("wrap around", () => {
    expect(list(np.int32([2147483647]).add(1))).toEqual([-2147483648]);
    expect(list(np.uint32([0]).sub(1))).toEqual([4294967295]);
    expect(list(np.uint8([200]).mul(2))).toEqual([144]);
    expect(list(np.int32([65537]).mul(65537))).toEqual([131073]);
    expect(list(np.int32([-2147483648]).abs())).toEqual([-2147483648]);
    expect(list(np.int32([[65537, 1]]).matmul(np.int32([65537, 5])))).toEqual([131078]);
  });

  it("divide as XLA does, also by zero", () => {
    expect(list(lax.div(np.int32([7, -7, 5]), np.int32([2, 2, 0])))).toEqual([3, -3, -1]);
    expect(list(lax.rem(np.int32([7, -7, 5]), np.int32([2, 2, 0])))).toEqual([1, -1, 5]);
    expect(list(lax.div(np.int32([-2147483648]), np.int32([-1])))).toEqual([-2147483648]);
  });

  it("shift beyond their width to nothing", () => {
    expect(list(np.leftShift(np.uint32([1, 1]), np.uint32([31, 32])))).toEqual([2147483648, 0]);
    expect(list(np.rightShift(np.int32([-8, -8]), np.int32([1, 40])))).toEqual([-4, -1]);
    expect(list(lax.shiftRightLogical(np.int32([-1]), np.int32([28])))).toEqual([15]);
  });

  it("powers are exact", () => {
    expect(list(np.int32([3, -2]).pow(5))).toEqual([243, -32]);
    expect(list(np.power(np.int32([3, 2]), np.int32([4, 31])))).toEqual([81, -2147483648]);
    expect(list(np.array([2, 4]).pow(-2))).toEqual([0.25, 0.0625]);
    expect(list(np.array([0, 3]).pow(0))).toEqual([1, 1]);
  });
});

describe("floats", () => {
  it("follow IEEE 754 where JavaScript would not", () => {
    expect(list(np.power(np.array([1, -1]), np.array([NaN, Infinity])))).toEqual([1, 1]);
    expect(list(np.round(np.array([0.5, 1.5, 2.5, -0.5, -1.5])))).toEqual([0, 2, 2, -0, -2]);
    expect(list(np.array([1, NaN]).max())).toBe(NaN);
    expect(list(np.maximum(np.array([1, NaN]), np.array([NaN, 1])))).toEqual([NaN, NaN]);
    expect(list(np.argmax(np.array([1, NaN, 3])))).toBe(1);
    expect(list(np.sort(np.array([3, NaN, 1])))).toEqual([1, 3, NaN]);
  });

  it("floor division and remainder agree", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -99, max: 99 }),
        fc.integer({ min: 1, max: 9 }),
        fc.boolean(),
        (a, b, flip) => {
          const divisor = flip ? -b : b;
          for (const [x, y] of [
            [np.float32(a / 4), np.float32(divisor)],
            [np.int32(a), np.int32(divisor)],
          ]) {
            const quotient = x.floorDivide(y);
            expect(quotient.mul(y).add(x.mod(y)).item()).toBeCloseTo(x.item(), 4);
            expect(quotient.item()).toBeCloseTo(Math.floor(x.item() / y.item()), 6);
          }
        },
      ),
    );
    expect(np.float32(1).floorDivide(np.float32(0.1)).item()).toBe(9);
  });

  it("compare, test and replace", () => {
    const x = np.array([1, NaN, Infinity, -Infinity]);
    expect(list(np.isnan(x))).toEqual([false, true, false, false]);
    expect(list(np.isinf(x))).toEqual([false, false, true, true]);
    expect(list(np.isfinite(x))).toEqual([true, false, false, false]);
    expect(list(np.nanToNum(x, { posinf: 9, neginf: -9 }))).toEqual([1, 0, 9, -9]);
    expect(list(x.greaterEqual(1))).toEqual([true, false, true, false]);
    expect(list(np.isclose(np.array([1, Infinity]), np.array([1.000001, Infinity])))).toEqual([true, true]);
    expect(list(np.clip(np.array([-2, 0.5, 2]), -1, null))).toEqual([-1, 0.5, 2]);
    expect(list(np.logicalXor(np.array([0, 2]), true))).toEqual([true, false]);
  });

  it("the functions made of others are accurate", () => {
    const x = np.linspace(-0.95, 0.95, 9);
    const table: readonly (readonly [(x: Array) => Array, (x: number) => number])[] = [
      [np.tan, Math.tan],
      [np.arcsin, Math.asin],
      [np.arccos, Math.acos],
      [np.arctan, Math.atan],
      [np.sinh, Math.sinh],
      [np.cosh, Math.cosh],
      [np.exp2, (v) => 2 ** v],
      [(v) => np.log2(v.add(2)), (v) => Math.log2(v + 2)],
      [(v) => np.log10(v.add(2)), (v) => Math.log10(v + 2)],
      [(v) => np.hypot(v, 2), (v) => Math.hypot(v, 2)],
      [(v) => np.logaddexp(v, 1), (v) => Math.log(Math.exp(v) + Math.exp(1))],
      [(v) => lax.rsqrt(v.add(1)), (v) => 1 / Math.sqrt(v + 1)],
    ];
    for (const [ours, theirs] of table) {
      const truth = np.array([...x.data()].map(theirs));
      expectClose(ours(x), truth, { rtol: 3e-6, atol: 1e-7 });
    }
    const far = np.array([100, -20, -10, 89]);
    expectClose(np.sinh(far), np.array([...far.data()].map(Math.sinh)), { rtol: 1e-5 });
    expectClose(np.cosh(far), np.array([...far.data()].map(Math.cosh)), { rtol: 1e-5 });
    expect(np.hypot(1e30, 1e30).item()).toBeCloseTo(Math.SQRT2 * 1e30, -24);
    expect(list(np.logaddexp(np.array([Infinity, -Infinity]), np.array([Infinity, -Infinity])))).toEqual([
      Infinity,
      -Infinity,
    ]);
  });
});
