// Gives every array its methods: importing this module puts them on the prototype.
import { Array } from "../core/array.js";
import { asMethod, checkMethods } from "../core/checked.js";
import type { ArrayMethods } from "../core/methods.js";
import { markEntry } from "../core/userCode.js";
import { cumprod, cumsum } from "./cumulative.js";
import * as elementwise from "./elementwise.js";
import { IndexedUpdate } from "./indexedUpdate.js";
import { slice, type Index } from "./indexing.js";
import { dot, matmul } from "./products.js";
import * as reductions from "./reductions.js";
import { repeat } from "./rolling.js";
import * as shaping from "./shaping.js";
import { argsort, sort } from "./sorting.js";
import { take } from "./taking.js";

/** A function whose first argument is the array, for each method but those written out below. */
type Functions = {
  [K in Exclude<keyof ArrayMethods, "slice" | "at" | "T">]: (
    x: Array,
    ...args: Parameters<ArrayMethods[K]>
  ) => ReturnType<ArrayMethods[K]>;
};

const functions: Functions = {
  add: elementwise.add,
  sub: elementwise.subtract,
  mul: elementwise.multiply,
  div: elementwise.divide,
  floorDivide: elementwise.floorDivide,
  mod: elementwise.mod,
  pow: elementwise.power,
  neg: elementwise.negative,
  abs: elementwise.abs,
  clip: elementwise.clip,
  round: elementwise.round,
  equal: elementwise.equal,
  notEqual: elementwise.notEqual,
  less: elementwise.less,
  lessEqual: elementwise.lessEqual,
  greater: elementwise.greater,
  greaterEqual: elementwise.greaterEqual,
  and: elementwise.bitwiseAnd,
  or: elementwise.bitwiseOr,
  xor: elementwise.bitwiseXor,
  not: elementwise.bitwiseNot,
  sum: reductions.sum,
  mean: reductions.mean,
  var: reductions.var_,
  std: reductions.std,
  max: reductions.max,
  min: reductions.min,
  prod: reductions.prod,
  any: reductions.any,
  all: reductions.all,
  argmax: reductions.argmax,
  argmin: reductions.argmin,
  cumsum,
  cumprod,
  reshape: shaping.reshape,
  flatten: shaping.ravel,
  ravel: shaping.ravel,
  transpose: shaping.transpose,
  swapaxes: shaping.swapaxes,
  squeeze: shaping.squeeze,
  repeat,
  astype: elementwise.astype,
  take,
  sort,
  argsort,
  dot,
  matmul,
};

const define = (name: string | symbol, descriptor: PropertyDescriptor): void => {
  Object.defineProperty(Array.prototype, name, { configurable: true, ...descriptor });
};
const defineMethod = (name: string | symbol, value: object): void => {
  define(name, { value, writable: true });
};
for (const [name, f] of Object.entries(functions)) defineMethod(name, asMethod(name, f));
defineMethod(
  "slice",
  markEntry(function (this: Array, ...index: readonly Index[]): Array {
    return slice(this, ...index);
  }, "x.slice"),
);
defineMethod(
  "at",
  markEntry(function (this: Array, ...index: readonly Index[]): IndexedUpdate {
    return new IndexedUpdate(this, index);
  }, "x.at"),
);
define("T", {
  get: markEntry(function (this: Array): Array {
    return shaping.transpose(this);
  }, "x.T"),
});
checkMethods(Array.prototype, ["data", "item", "toArray"]);
checkMethods(IndexedUpdate.prototype, ["get"], "at().", ["mode", "fillValue"]);
checkMethods(
  IndexedUpdate.prototype,
  ["set", "add", "sub", "mul", "multiply", "divide", "power", "min", "max", "apply"],
  "at().",
  ["mode"],
);
defineMethod(Symbol.toPrimitive, markEntry(Array.prototype[Symbol.toPrimitive], "x.toPrimitive"));
