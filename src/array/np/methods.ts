// Gives every array its methods: importing this module puts them on the prototype.
import { Array } from "../core/array.js";
import type { ArrayMethods } from "../core/methods.js";
import { cumprod, cumsum } from "./cumulative.js";
import * as elementwise from "./elementwise.js";
import { IndexedUpdate, slice } from "./indexing.js";
import { dot, matmul } from "./products.js";
import * as reductions from "./reductions.js";
import * as shaping from "./shaping.js";
import { argsort, sort } from "./sorting.js";
import { take } from "./taking.js";

const methods: ArrayMethods & ThisType<Array> = {
  add(other) {
    return elementwise.add(this, other);
  },
  sub(other) {
    return elementwise.subtract(this, other);
  },
  mul(other) {
    return elementwise.multiply(this, other);
  },
  div(other) {
    return elementwise.divide(this, other);
  },
  floorDivide(other) {
    return elementwise.floorDivide(this, other);
  },
  mod(other) {
    return elementwise.mod(this, other);
  },
  pow(other) {
    return elementwise.power(this, other);
  },
  neg() {
    return elementwise.negative(this);
  },
  abs() {
    return elementwise.abs(this);
  },
  clip(min, max = null) {
    return elementwise.clip(this, min, max);
  },
  round(decimals = 0) {
    return elementwise.round(this, decimals);
  },
  equal(other) {
    return elementwise.equal(this, other);
  },
  notEqual(other) {
    return elementwise.notEqual(this, other);
  },
  less(other) {
    return elementwise.less(this, other);
  },
  lessEqual(other) {
    return elementwise.lessEqual(this, other);
  },
  greater(other) {
    return elementwise.greater(this, other);
  },
  greaterEqual(other) {
    return elementwise.greaterEqual(this, other);
  },
  and(other) {
    return elementwise.bitwiseAnd(this, other);
  },
  or(other) {
    return elementwise.bitwiseOr(this, other);
  },
  xor(other) {
    return elementwise.bitwiseXor(this, other);
  },
  not() {
    return elementwise.bitwiseNot(this);
  },
  sum(axis, options) {
    return reductions.sum(this, axis, options);
  },
  mean(axis, options) {
    return reductions.mean(this, axis, options);
  },
  var(axis, options) {
    return reductions.var_(this, axis, options);
  },
  std(axis, options) {
    return reductions.std(this, axis, options);
  },
  max(axis, options) {
    return reductions.max(this, axis, options);
  },
  min(axis, options) {
    return reductions.min(this, axis, options);
  },
  prod(axis, options) {
    return reductions.prod(this, axis, options);
  },
  any(axis, options) {
    return reductions.any(this, axis, options);
  },
  all(axis, options) {
    return reductions.all(this, axis, options);
  },
  argmax(axis, options) {
    return reductions.argmax(this, axis, options);
  },
  argmin(axis, options) {
    return reductions.argmin(this, axis, options);
  },
  cumsum(axis) {
    return cumsum(this, axis);
  },
  cumprod(axis) {
    return cumprod(this, axis);
  },
  reshape(shape) {
    return shaping.reshape(this, shape);
  },
  flatten() {
    return shaping.ravel(this);
  },
  ravel() {
    return shaping.ravel(this);
  },
  transpose(axes) {
    return shaping.transpose(this, axes);
  },
  get T() {
    return shaping.transpose(this);
  },
  swapaxes(a, b) {
    return shaping.swapaxes(this, a, b);
  },
  squeeze(axis) {
    return shaping.squeeze(this, axis);
  },
  repeat(repeats, axis) {
    return shaping.repeat(this, repeats, axis);
  },
  astype(dtype) {
    return elementwise.astype(this, dtype);
  },
  slice(...index) {
    return slice(this, ...index);
  },
  at(...index) {
    return new IndexedUpdate(this, index);
  },
  take(indices, axis) {
    return take(this, indices, axis);
  },
  sort(axis = -1) {
    return sort(this, axis);
  },
  argsort(axis = -1) {
    return argsort(this, axis);
  },
  dot(other) {
    return dot(this, other);
  },
  matmul(other) {
    return matmul(this, other);
  },
};

for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(methods))) {
  Object.defineProperty(Array.prototype, name, { ...descriptor, enumerable: false });
}
