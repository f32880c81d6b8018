// Elementwise arithmetic: sums, products, powers, rounding, and choosing the larger or smaller.
import type { Array } from "../core/array.js";
import { isFloat } from "../core/dtype.js";
import { constant } from "../core/interpret.js";
import { bindOne } from "../core/trace.js";
import { convert } from "./convert.js";
import { elementwise, floats, numeric, reduceTo, type Formula } from "./elementwise.js";
import { equal, less, lessEqual } from "./logic.js";
import { choose } from "./select.js";
import { log } from "./transcendental.js";

export const neg = elementwise({
  name: "neg",
  arity: 1,
  accepts: numeric,
  formula: () => (x) => -x,
  derivatives: [(t) => t.neg()],
  transpose: (ct) => [ct.neg()],
});

export const add = elementwise({
  name: "add",
  arity: 2,
  accepts: numeric,
  formula: () => (x, y) => x + y,
  derivatives: [(t) => t, (t) => t],
  transpose: (ct, known, types) => known.map((value, index) => (value ? null : reduceTo(ct, types[index]))),
});

export const sub = elementwise({
  name: "sub",
  arity: 2,
  accepts: numeric,
  formula: () => (x, y) => x - y,
  derivatives: [(t) => t, (t) => t.neg()],
  transpose: (ct, [x, y], types) => [
    x ? null : reduceTo(ct, types[0]),
    y ? null : reduceTo(ct.neg(), types[1]),
  ],
});

export const mul = elementwise({
  name: "mul",
  arity: 2,
  accepts: numeric,
  formula: (dtype) => (isFloat(dtype) ? (x, y) => x * y : Math.imul),
  derivatives: [(t, _, _x, y) => t.mul(y), (t, _, x) => t.mul(x)],
  transpose: (ct, [x, y], types) => [
    y ? reduceTo(ct.mul(y), types[0]) : null,
    x ? reduceTo(ct.mul(x), types[1]) : null,
  ],
});

/** x · y + z rounded once, as the hardware's fused instruction does it. */
export const fma = elementwise({
  name: "fma",
  arity: 3,
  accepts: ["float32"],
  formula: () => fusedMultiplyAdd,
  derivatives: [(t, _, _x, y) => t.mul(y), (t, _, x) => t.mul(x), (t) => t],
});

const bits = new DataView(new ArrayBuffer(8));

/** In double precision the product is exact; rounding the sum to odd makes the final rounding to float32 right. */
const fusedMultiplyAdd: Formula = (x, y, z) => {
  const product = x * y;
  const sum = product + z;
  const part = sum - product;
  const lost = product - (sum - part) + (z - part);
  if (lost === 0 || !Number.isFinite(sum)) return sum;
  bits.setFloat64(0, sum);
  const word = bits.getBigInt64(0);
  if ((word & 1n) === 1n) return sum;
  // The neighbour of sum in the direction of what was lost has an odd last bit.
  bits.setBigInt64(0, word + (lost > 0 === sum > 0 ? 1n : -1n));
  return bits.getFloat64(0);
};

/** Division; integers truncate towards zero, and dividing by zero gives -1 as XLA has it. */
export const div = elementwise({
  name: "div",
  arity: 2,
  accepts: numeric,
  formula: (dtype) => (isFloat(dtype) ? (x, y) => x / y : (x, y) => (y === 0 ? -1 : Math.trunc(x / y))),
  derivatives: [(t, _, _x, y) => t.div(y), (t, output, _x, y) => t.mul(output.div(y)).neg()],
  transpose: (ct, [, y], types) => [reduceTo(ct.div(y as Array), types[0]), null],
});

/** Remainder with the sign of the dividend. */
export const rem = elementwise({
  name: "rem",
  arity: 2,
  accepts: numeric,
  formula: (dtype) => (isFloat(dtype) ? (x, y) => x % y : (x, y) => (y === 0 ? x : x % y)),
  derivatives: [(t) => t, (t, output, x, y) => t.mul(x.sub(output).div(y).round()).neg()],
});

export const pow = elementwise({
  name: "pow",
  arity: 2,
  accepts: numeric,
  formula: (dtype) => (isFloat(dtype) ? powFloat : powInteger),
  derivatives: [
    // At y = 0 the derivative is zero even where x^(y-1) is infinite.
    (t, _, x, y) => {
      const flat = y.equal(0);
      const one = constant(1, x.dtype);
      const slope = y.mul(bindOne(pow, [x, choose(flat, one, y.sub(1))], {}));
      return t.mul(choose(flat, constant(0, x.dtype), slope));
    },
    (t, output, x) => t.mul(bindOne(log, [choose(x.equal(0), constant(1, x.dtype), x)], {}).mul(output)),
  ],
});

const powFloat: Formula = (x, y) =>
  // C's pow, which JavaScript's differs from: 1 to any power is 1, and so is (-1)^±inf.
  x === 1 || (x === -1 && Math.abs(y) === Infinity) ? 1 : Math.pow(x, y);

const powInteger: Formula = (x, y) => {
  if (y < 0) return x === 1 ? 1 : x === -1 ? (y % 2 === 0 ? 1 : -1) : 0;
  let result = 1;
  for (let base = x, left = y; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result = Math.imul(result, base);
    base = Math.imul(base, base);
  }
  return result;
};

export const max = elementwise({
  name: "max",
  arity: 2,
  accepts: [...numeric, "bool"],
  formula: () => Math.max,
  derivatives: [(t, _, x, y) => t.mul(shareOfLarger(x, y)), (t, _, x, y) => t.mul(shareOfLarger(y, x))],
});

export const min = elementwise({
  name: "min",
  arity: 2,
  accepts: [...numeric, "bool"],
  formula: () => Math.min,
  derivatives: [(t, _, x, y) => t.mul(shareOfLarger(y, x)), (t, _, x, y) => t.mul(shareOfLarger(x, y))],
});

/** max(x, 0), with derivative 0 at 0; the derivative needs the result only, not x. */
export const relu = elementwise({
  name: "relu",
  arity: 1,
  accepts: numeric,
  formula: () => (x) => Math.max(x, 0),
  derivatives: [(t, y) => choose(y.greater(0), t, constant(0, t.dtype))],
});

export const abs = elementwise({
  name: "abs",
  arity: 1,
  accepts: numeric,
  formula: () => Math.abs,
  // At 0 the slope is 1, as in JAX: code such as x / |x| then meets no zero of its own making.
  derivatives: [(t, _, x) => choose(bindOne(lessEqual, [constant(0, x.dtype), x], {}), t, t.neg())],
});

export const sign = elementwise({ name: "sign", arity: 1, accepts: numeric, formula: () => Math.sign });
export const floor = elementwise({ name: "floor", arity: 1, accepts: floats, formula: () => Math.floor });
export const ceil = elementwise({ name: "ceil", arity: 1, accepts: floats, formula: () => Math.ceil });
export const trunc = elementwise({ name: "trunc", arity: 1, accepts: floats, formula: () => Math.trunc });

/** To the nearest integer, halves to the even one. */
export const round = elementwise({
  name: "round",
  arity: 1,
  accepts: floats,
  formula: () => roundHalfEven,
});

function roundHalfEven(x: number): number {
  const down = Math.floor(x);
  const rest = x - down;
  const rounded = rest < 0.5 || (rest === 0.5 && down % 2 === 0) ? down : Math.ceil(x);
  return rounded === 0 && (x < 0 || Object.is(x, -0)) ? -0 : rounded;
}

/** 1 where x is larger than y, one half where they are equal, else 0: ties share the gradient. */
const shareOfLarger = (x: Array, y: Array): Array =>
  choose(
    bindOne(equal, [x, y], {}),
    constant(0.5, x.dtype),
    bindOne(convert, [bindOne(less, [y, x], {})], { dtype: x.dtype }),
  );
