// Arrays print as NumPy prints them; every text here is NumPy 2.4's own.
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { grad, np, type Array } from "vibe-rl/array";

const lines = (...text: string[]): string => text.join("\n");

describe("String(x) is NumPy's str", () => {
  const cases: [what: string, x: Array, text: string][] = [
    ["whole floats", np.zeros([2]), "[0. 0.]"],
    ["points below each other", np.array([1, 2.5, -3.25]), "[ 1.    2.5  -3.25]"],
    [
      "a matrix",
      np.array([
        [1, 20],
        [300, 4],
      ]),
      lines("[[  1.  20.]", " [300.   4.]]"),
    ],
    [
      "integers",
      np.int32([
        [1, -20],
        [300, 4],
      ]),
      lines("[[  1 -20]", " [300   4]]"),
    ],
    ["bool", np.array([true, false]), "[ True False]"],
    ["numbers far apart, and NaN", np.array([1e-5, 1, NaN]), "[1.e-05 1.e+00    nan]"],
    ["infinities", np.array([Infinity, -Infinity, 0.1]), "[ inf -inf  0.1]"],
    ["the digits that float32 has", np.array([0.1, 0.2]).div(3), "[0.03333334 0.06666667]"],
    ["middles rounded to even", np.float64([0.001953125, 0.5]), "[0.00195312 0.5       ]"],
    ["large numbers", np.array([1e6, 2]), "[1.e+06 2.e+00]"],
    [
      "three axes",
      np.arange(12).reshape([2, 2, 3]),
      lines("[[[ 0  1  2]", "  [ 3  4  5]]", "", " [[ 6  7  8]", "  [ 9 10 11]]]"),
    ],
    [
      "long rows",
      np.arange(20).div(7),
      lines(
        "[0.         0.14285715 0.2857143  0.42857143 0.5714286  0.71428573",
        " 0.85714287 1.         1.1428572  1.2857143  1.4285715  1.5714285",
        " 1.7142857  1.8571428  2.         2.142857   2.2857144  2.4285715",
        " 2.5714285  2.7142856 ]",
      ),
    ],
    ["1,000 elements at most", np.arange(1001), "[   0    1    2 ...  998  999 1000]"],
    [
      "edges of large matrices",
      np.arange(10000).reshape([100, 100]).astype("float32"),
      lines(
        "[[0.000e+00 1.000e+00 2.000e+00 ... 9.700e+01 9.800e+01 9.900e+01]",
        " [1.000e+02 1.010e+02 1.020e+02 ... 1.970e+02 1.980e+02 1.990e+02]",
        " [2.000e+02 2.010e+02 2.020e+02 ... 2.970e+02 2.980e+02 2.990e+02]",
        " ...",
        " [9.700e+03 9.701e+03 9.702e+03 ... 9.797e+03 9.798e+03 9.799e+03]",
        " [9.800e+03 9.801e+03 9.802e+03 ... 9.897e+03 9.898e+03 9.899e+03]",
        " [9.900e+03 9.901e+03 9.902e+03 ... 9.997e+03 9.998e+03 9.999e+03]]",
      ),
    ],
    ["nothing", np.zeros([2, 0]), "[]"],
    ["a third", np.float32(1 / 3), "0.33333334"],
    ["a whole scalar", np.float32(2), "2.0"],
    ["a large scalar", np.float32(1e20), "1e+20"],
    ["a scalar that is true", np.bool(true), "True"],
    ["an integer", np.int32(-7), "-7"],
  ];
  for (const [what, x, text] of cases) {
    it(what, () => {
      expect(String(x)).toBe(text);
    });
  }
});

describe("the console shows JAX's repr", () => {
  it("with the dtype, and lines below each other", () => {
    expect(inspect(np.array([1, 2.5]))).toBe("Array([1. , 2.5], dtype=float32)");
    expect(inspect(np.int32([[1], [20]]))).toBe(lines("Array([[ 1],", "       [20]], dtype=int32)"));
    expect(inspect(np.float32(2))).toBe("Array(2., dtype=float32)");
    expect(inspect(np.zeros([2, 0]))).toBe("Array([], shape=(2, 0), dtype=float32)");
    expect(inspect({ w: np.ones([2]) })).toBe("{ w: Array([1., 1.], dtype=float32) }");
    expect(inspect(np.arange(2000).astype("float32").mul(1e7))).toBe(
      lines(
        "Array([0.000e+00, 1.000e+07, 2.000e+07, ..., 1.997e+10, 1.998e+10,",
        "       1.999e+10], dtype=float32)",
      ),
    );
  });

  it("and the type of what has no elements yet", () => {
    let seen = "";
    grad((x: Array) => {
      seen = `${String(x)} ${inspect(x)}`;
      return x;
    })(np.float32(1));
    expect(seen).toBe("Traced<float32> Traced<float32>");
  });
});
