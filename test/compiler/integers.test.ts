// Compiled arithmetic of integers and bool, and conversions between dtypes, equal the interpreter's to the bit.
import { describe, expect, it } from "vitest";
import { lax, nn, np, type Array, type DType } from "vibe-rl/array";
import { expectAllSame, expectSame, type Computation } from "./compare.js";
import { compiled, edgeIntegers, lengthDifferences, pairsOf, specialFloats } from "./samples.js";

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

const plainUnaryOf = (dtype: DType): Record<string, Unary> => ({
  ...unary,
  ...(dtype === "bool" ? {} : numericUnary),
});

const unaryOf = (dtype: DType): Record<string, Unary> => ({
  ...plainUnaryOf(dtype),
  ...(dtype === "bool" ? {} : Object.fromEntries([...shifts, ...divisions])),
  ...(dtype === "uint32" ? largeConstants : {}),
  ...(dtype === "int32" ? Object.fromEntries([...negativeDivisions, ...shiftsBy(-1)]) : {}),
});

const binaryOf = (dtype: DType): Record<string, Binary> => ({
  ...comparisons,
  ...logic,
  ...(dtype === "bool" ? {} : arithmetic),
  ...(dtype === "int32" ? { shiftRightArithmetic: lax.shiftRightArithmetic } : {}),
});

const casesOf = (functions: Record<string, Computation>, args: readonly Array[]) =>
  Object.entries(functions).map(([name, f]) => ({ name, f, args }));

describe.each(Object.entries(edgeIntegers))("%s", (name, numbers) => {
  const dtype = name as DType;
  const pairs = pairsOf(numbers, dtype);
  // Quotients and roots are floats.
  const tolerance = { ulps: 1 };

  it("functions of one number", () => expectAllSame(casesOf(unaryOf(dtype), [pairs[0]]), tolerance));
  it("functions of two numbers", () => expectAllSame(casesOf(binaryOf(dtype), pairs), tolerance));
  it("functions of a number and a scalar", () => {
    for (const scalar of [numbers[1], numbers[numbers.length - 1]].map((x) => np.array(x, { dtype }))) {
      expectAllSame(casesOf(binaryOf(dtype), [pairs[0], scalar]), tolerance);
      expectAllSame(casesOf(binaryOf(dtype), [scalar, pairs[0]]), tolerance);
    }
  });
  it("every length gives the same bits", () => {
    const wrong = [
      ...Object.entries(plainUnaryOf(dtype)).map(([key, f]) => [
        key,
        lengthDifferences(compiled(f), [pairs[0]]),
      ]),
      ...Object.entries(binaryOf(dtype)).map(([key, f]) => [key, lengthDifferences(compiled(f), pairs)]),
    ].filter(([, differences]) => differences.length > 0);
    expect(wrong).toEqual([]);
  });
});

describe("conversions", () => {
  const fractions = [
    0.3,
    0.5,
    0.999,
    1.5,
    99.9,
    254.5,
    255.5,
    256,
    2 ** 31 - 64,
    2 ** 31 + 256,
    2 ** 32 - 128,
  ];
  const floats = [...specialFloats, ...fractions, ...fractions.map((x) => -x)];
  const samples: Record<string, Array> = {
    float32: np.array(Float32Array.from(floats)),
    ...Object.fromEntries(
      Object.entries(edgeIntegers).map(([dtype, numbers]) => [
        dtype,
        np.array(Float64Array.from(numbers), { dtype: dtype as DType }),
      ]),
    ),
  };
  const dtypes = Object.keys(samples) as DType[];

  it.each(dtypes)("from %s to every other dtype, and back", (from) => {
    expectAllSame(
      dtypes.flatMap((to) => [
        { name: to, f: (x: Array) => x.astype(to), args: [samples[from]] },
        { name: `${to} and back`, f: (x: Array) => x.astype(to).astype(from), args: [samples[from]] },
      ]),
    );
  });

  it("every length gives the same bits", () => {
    const wrong = dtypes.flatMap((from) =>
      dtypes
        .map(
          (to) =>
            [
              from,
              to,
              lengthDifferences(
                compiled((x) => x.astype(to)),
                [samples[from]],
              ),
            ] as const,
        )
        .filter(([, , differences]) => differences.length > 0),
    );
    expect(wrong).toEqual([]);
  });

  it("bits are taken for another dtype", () => {
    const words = ["float32", "int32", "uint32"] as const;
    expectAllSame(
      words.flatMap((from) =>
        words.map((to) => ({
          name: `${from} for ${to}`,
          // NaN has many bit patterns; only numbers are compared.
          f: (x: Array) => np.nanToNum(lax.bitcastConvertType(x, to)),
          args: [np.nanToNum(samples[from])],
        })),
      ),
      { signedZeros: true },
    );
    expectSame(
      (x) => lax.bitcastConvertType(lax.bitcastConvertType(x, "int32").add(1), "float32"),
      [np.array([1, 2])],
    );
    expectSame((x) => lax.bitcastConvertType(x, "uint8"), [samples.uint8]);
  });

  it("operands of different dtypes meet as interpreted", () => {
    expectAllSame(
      dtypes.flatMap((left) =>
        dtypes.map((right) => {
          const [x, y] = [samples[left].slice(":20"), samples[right].slice(":20", null)];
          return {
            name: `${left} and ${right}`,
            f: (a: Array, b: Array) => [a.add(b), a.mul(b), a.less(b), np.where(a, b, 1)],
            args: [x, y],
          };
        }),
      ),
    );
  });
});
