// Compiled arithmetic of integers and bool, and conversions between dtypes, equal the interpreter's to the bit.
import { describe, expect, it } from "vitest";
import { lax, np, type Array, type DType } from "vibe-rl/array";
import { expectAllSame, expectSame, type Computation } from "./compare.js";
import { binaryOf, conversionSamples as samples, plainUnaryOf, unaryOf } from "./integerFunctions.js";
import { compiled, edgeIntegers, lengthDifferences, pairsOf } from "./samples.js";

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
