// The NumPy surface: creation, dtypes, promotion and conversion.
import { describe, expect, it } from "vitest";
import { dtypes, lax, np, type Array, type DType } from "vibe-rl/array";

const list = (x: Array) => x.toArray();

describe("creation", () => {
  it("takes numbers as float32, booleans as bool, typed arrays as what they are", () => {
    expect(np.array([1, 2, 3]).dtype).toBe("float32");
    expect(np.array([true, false]).dtype).toBe("bool");
    expect(np.array(Int32Array.of(1, 2)).dtype).toBe("int32");
    expect(np.array(Uint8Array.of(1, 2)).dtype).toBe("uint8");
    expect(np.array([1, 2], { dtype: "uint8" }).dtype).toBe("uint8");
    expect(np.array(new Float64Array(2)).dtype).toBe("float32");
    expect(np.array([np.zeros([2]), np.ones([2])]).toArray()).toEqual([
      [0, 0],
      [1, 1],
    ]);
    expect(np.array([]).shape).toEqual([0]);
  });

  it("copies what it is given and what it gives", () => {
    const data = Float32Array.of(1, 2);
    const x = np.array(data);
    data[0] = 9;
    x.data()[1] = 9;
    expect(list(x)).toEqual([1, 2]);
  });

  it("counts, spaces and fills", () => {
    expect(list(np.arange(3))).toEqual([0, 1, 2]);
    expect(np.arange(3).dtype).toBe("int32");
    expect(list(np.arange(5, 0, -2))).toEqual([5, 3, 1]);
    expect(np.arange(0, 1, 0.5).dtype).toBe("float32");
    expect(list(np.linspace(0, 1, 5))).toEqual([0, 0.25, 0.5, 0.75, 1]);
    expect(list(np.linspace(0, 1, 4, { endpoint: false }))).toEqual([0, 0.25, 0.5, 0.75]);
    expect(list(np.eye(2, 3, { k: 1 }))).toEqual([
      [0, 1, 0],
      [0, 0, 1],
    ]);
    expect(list(np.full([2], 7))).toEqual([7, 7]);
    expect(np.zerosLike(np.int32([1, 2])).dtype).toBe("int32");
    expect(list(np.tril(np.ones([2, 2])))).toEqual([
      [1, 0],
      [1, 1],
    ]);
    expect(list(np.triu(np.ones([2, 2]), 1))).toEqual([
      [0, 1],
      [0, 0],
    ]);
    expect(list(np.diag(np.array([1, 2])))).toEqual([
      [1, 0],
      [0, 2],
    ]);
    expect(
      list(
        np.diag(
          np.array([
            [1, 2],
            [3, 4],
          ]),
        ),
      ),
    ).toEqual([1, 4]);
  });
});

describe("arrays are independent of what they were made from", () => {
  it("of the shape list too", () => {
    const shape = [2, 3];
    const [x, y] = [np.zeros(shape), np.arange(6).reshape(shape)];
    shape[0] = 6;
    expect([x.shape, y.shape]).toEqual([
      [2, 3],
      [2, 3],
    ]);
  });

  it("lists of arrays and numbers meet like operands", () => {
    expect(np.array([np.int32(1), 2]).dtype).toBe("int32");
    expect(list(np.linspace(np.array([0, 1]), np.array([1, 5]), 2))).toEqual([
      [0, 1],
      [1, 5],
    ]);
    expect(list(np.linspace(-1, 1, 4, { dtype: "int32" }))).toEqual([-1, -1, 0, 1]);
  });
});

describe("promotion is JAX's", () => {
  const order: readonly DType[] = ["bool", "uint8", "uint32", "int32", "float32", "float64"];
  it("between arrays", () => {
    expect([...dtypes]).toEqual(order);
    for (const [a, left] of order.entries()) {
      for (const [b, right] of order.entries()) {
        if (a === 0 && b === 0) continue;
        const sum = np.zeros([2], { dtype: left }).mul(np.zeros([2], { dtype: right }));
        expect([left, right, sum.dtype]).toEqual([left, right, order[Math.max(a, b)]]);
      }
    }
  });

  it("plain numbers give way", () => {
    expect(np.int32([1]).add(2).dtype).toBe("int32");
    expect(np.uint8([1]).add(2).dtype).toBe("uint8");
    expect(np.int32([1]).add(2.5).dtype).toBe("float32");
    expect(np.float64([1]).add(2.5).dtype).toBe("float64");
    expect(np.bool([true]).add(1).dtype).toBe("int32");
    expect(np.where(np.bool([true]), 1, 0).dtype).toBe("int32");
    expect(np.where(np.bool([true]), 1, 0).add(np.float32([1])).dtype).toBe("float32");
    expect(np.where(np.bool([true]), 1, 0.5).dtype).toBe("float32");
    expect(np.int32([7]).div(2).toArray()).toEqual([3.5]);
    expect(np.sqrt(np.int32([4])).dtype).toBe("float32");
  });

  it("a result of plain numbers alone stays weak until it meets an array", () => {
    const weak = np.maximum(1, 2);
    expect([weak.dtype, weak.weakType]).toEqual(["int32", true]);
    expect(weak.add(np.uint8([1])).dtype).toBe("uint8");
    expect(weak.astype("int32").weakType).toBe(false);
  });
});

describe("conversion", () => {
  it("cuts floats towards zero, clamps, and wraps integers", () => {
    const floats = np.array([-1.7, 1.7, NaN, 1e20, -1e20, 300]);
    expect(list(floats.astype("int32"))).toEqual([-1, 1, 0, 2147483647, -2147483648, 300]);
    expect(list(floats.astype("uint8"))).toEqual([0, 1, 0, 255, 0, 255]);
    expect(list(np.int32([-1, 256]).astype("uint8"))).toEqual([255, 0]);
    expect(list(np.uint32([4294967295]).astype("int32"))).toEqual([-1]);
    expect(list(floats.astype("bool"))).toEqual([true, true, true, true, true, true]);
  });

  it("bit casts keep the bits", () => {
    expect(list(lax.bitcastConvertType(np.float32([1, -0]), "uint32"))).toEqual([0x3f800000, 0x80000000]);
    expect(() => lax.bitcastConvertType(np.float32([1]), "uint8")).toThrow(/widths must be equal/);
  });
});
