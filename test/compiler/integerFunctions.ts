// Functions of integers and bool by dtype, and numbers to convert.
import { lax, nn, np, type Array, type DType } from "vibe-rl/array";
import { edgeIntegers, specialFloats } from "./samples.js";

type Unary = (x: Array) => Array;
type Binary = (x: Array, y: Array) => Array;

const comparisons: Record<string, Binary> = {
  equal: np.equal,
  notEqual: np.notEqual,
  less: np.less,
  lessEqual: np.lessEqual,
  greater: np.greater,
  greaterEqual: np.greaterEqual,
};

const logic: Record<string, Binary> = {
  and: np.bitwiseAnd,
  or: np.bitwiseOr,
  xor: np.bitwiseXor,
  maximum: np.maximum,
  minimum: np.minimum,
  where: (x, y) => np.where(x.less(y), x, y),
  add: np.add,
  multiply: np.multiply,
  logicalOr: np.logicalOr,
};

const arithmetic: Record<string, Binary> = {
  subtract: np.subtract,
  divide: np.divide,
  div: lax.div,
  rem: lax.rem,
  floorDivide: np.floorDivide,
  mod: np.mod,
  power: np.power,
  shiftLeft: lax.shiftLeft,
  shiftRightLogical: lax.shiftRightLogical,
  rightShift: np.rightShift,
};

const unary: Record<string, Unary> = {
  not: np.bitwiseNot,
  logicalNot: np.logicalNot,
  isfinite: np.isfinite,
  square: np.square,
};

const numericUnary: Record<string, Unary> = {
  negative: np.negative,
  abs: np.abs,
  sign: np.sign,
  relu: nn.relu,
  floor: np.floor,
  sqrt: (x) => np.sqrt(x.abs()),
  "power 0": (x) => x.pow(0),
  "power 3": (x) => x.pow(3),
  "power 31": (x) => x.pow(31),
  clip: (x) => x.clip(3, 40),
};

/** Functions of two operands with the second one known while compiling. */
const shiftsBy = (count: number): [string, Unary][] => [
  [`shifted left by ${count}`, (x) => lax.shiftLeft(x, count)],
  [`shifted right by ${count}`, (x) => np.rightShift(x, count)],
  [`shifted right without sign by ${count}`, (x) => lax.shiftRightLogical(x, count)],
];
const shifts = [0, 1, 7, 8, 31, 32, 40].flatMap(shiftsBy);
const divisions = [1, 2, 3, 7, 10, 255, 0].flatMap((divisor): [string, Unary][] => [
  [`div ${divisor}`, (x) => lax.div(x, divisor)],
  [`rem ${divisor}`, (x) => lax.rem(x, divisor)],
  [`floorDivide ${divisor}`, (x) => x.floorDivide(divisor)],
  [`mod ${divisor}`, (x) => x.mod(divisor)],
]);
const negativeDivisions = [-1, -2, -7].flatMap((divisor): [string, Unary][] => [
  [`floorDivide ${divisor}`, (x) => x.floorDivide(divisor)],
  [`mod ${divisor}`, (x) => x.mod(divisor)],
]);

const largeConstants: Record<string, Unary> = {
  "plus the largest": (x) => x.add(0xffffffff),
  "times a large one": (x) => x.mul(0x9e3779b9),
  "less than a large one": (x) => x.less(0x80000001),
  "the larger of a large one": (x) => np.maximum(x, 0x80000000),
  "divided by a large one": (x) => x.floorDivide(0xfffffff0),
  "the bits of a large one": (x) => x.xor(0xdeadbeef).and(0xf0f0f0f0).or(0x80000000),
};

/** Those that know no second operand while compiling. */
export const plainUnaryOf = (dtype: DType): Record<string, Unary> => ({
  ...unary,
  ...(dtype === "bool" ? {} : numericUnary),
});

export const unaryOf = (dtype: DType): Record<string, Unary> => ({
  ...plainUnaryOf(dtype),
  ...(dtype === "bool" ? {} : Object.fromEntries([...shifts, ...divisions])),
  ...(dtype === "uint32" ? largeConstants : {}),
  ...(dtype === "int32" ? Object.fromEntries([...negativeDivisions, ...shiftsBy(-1)]) : {}),
});

export const binaryOf = (dtype: DType): Record<string, Binary> => ({
  ...comparisons,
  ...logic,
  ...(dtype === "bool" ? {} : arithmetic),
  ...(dtype === "int32" ? { shiftRightArithmetic: lax.shiftRightArithmetic } : {}),
});

const fractions = [0.3, 0.5, 0.999, 1.5, 99.9, 254.5, 255.5, 256, 2 ** 31 - 64, 2 ** 31 + 256, 2 ** 32 - 128];
const floats = [...specialFloats, ...fractions, ...fractions.map((x) => -x)];
/** Numbers of every dtype to convert to the others. */
export const conversionSamples: Record<string, Array> = {
  float32: np.array(Float32Array.from(floats)),
  ...Object.fromEntries(
    Object.entries(edgeIntegers).map(([dtype, numbers]) => [
      dtype,
      np.array(Float64Array.from(numbers), { dtype: dtype as DType }),
    ]),
  ),
};
