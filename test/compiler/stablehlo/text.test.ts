// What programs look like as StableHLO.
import { describe, expect, it } from "vitest";
import { debug, jit, lax, makeProgram, np, random, type Array } from "../../../src/array/index.js";
import { stablehlo } from "../../../src/compiler/index.js";
import { primitives } from "../../../src/array/primitives/index.js";
import { stablehloRules } from "../../../src/compiler/stablehlo/table.js";
import { showNumber } from "../../../src/compiler/stablehlo/types.js";
import { checkModule } from "./check.js";
import { mainOf, written } from "./text.js";

const floats = (...shape: number[]) => np.zeros(shape);

describe("StableHLO", () => {
  it("has a rule for each primitive, and for nothing else", () => {
    expect(Object.keys(stablehloRules).sort()).toEqual(primitives.map(({ name }) => name).sort());
  });

  it("is a module whose arguments that are given up lend their memory to the results", () => {
    const { text } = written((x, y) => [y.add(1), x.add(y)], [floats(2), floats(2)], [true, false]);
    expect(text).toBe(`module @test attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %0 = stablehlo.constant dense<1.0> : tensor<2xf32>
    %1 = stablehlo.add %arg1, %0 : tensor<2xf32>
    %2 = stablehlo.add %arg0, %arg1 : tensor<2xf32>
    return %1, %2 : tensor<2xf32>, tensor<2xf32>
  }
}
`);
  });

  it("multiplies float32 at full precision, and integers as int32", () => {
    expect(mainOf((x, y) => np.dot(x, y), floats(2, 3), floats(3, 4))[0]).toContain(
      "contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>",
    );
    const { program } = makeProgram((x: Array) => np.dot(x, x))(floats(3));
    const relaxed = stablehlo(program, { name: "test", donated: [], matmulPrecision: "default" });
    expect(relaxed.text).toContain("precision = [DEFAULT, DEFAULT]");
    expect(() => jit((x: Array) => x, { matmulPrecision: "low" as never })).toThrow(
      'matmulPrecision must be "default" or "tf32" or "high" or "highest", or null, got "low"',
    );
    const small = floats(3).astype("uint8");
    expect(mainOf((x, y) => np.dot(x, y), small, small).filter((line) => line.includes("dot"))).toEqual([
      "%2 = stablehlo.dot_general %0, %1, contracting_dims = [0] x [0] : (tensor<3xi32>, tensor<3xi32>) -> tensor<i32>",
    ]);
  });

  it("has loops whose bodies see what is around them", () => {
    const f = (x: Array, y: Array) => lax.scan((c: Array, row: Array) => [c.mul(y), row], floats(2), x);
    expect(mainOf(f, floats(5, 2), floats(2))).toMatchInlineSnapshot(`
      [
        "%0 = stablehlo.constant dense<0> : tensor<i32>",
        "%1 = stablehlo.constant dense<0.0> : tensor<2xf32>",
        "%2 = stablehlo.constant dense<0.0> : tensor<5x2xf32>",
        "%6:3 = stablehlo.while(%3 = %0, %4 = %1, %5 = %2) : tensor<i32>, tensor<2xf32>, tensor<5x2xf32>",
        "cond {",
        "  %7 = stablehlo.constant dense<5> : tensor<i32>",
        "  %8 = stablehlo.compare LT, %3, %7, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>",
        "  stablehlo.return %8 : tensor<i1>",
        "} do {",
        "  %9 = stablehlo.dynamic_slice %arg0, %3, %0, sizes = [1, 2] : (tensor<5x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>",
        "  %10 = stablehlo.reshape %9 : (tensor<1x2xf32>) -> tensor<2xf32>",
        "  %11 = stablehlo.multiply %4, %arg1 : tensor<2xf32>",
        "  %12 = stablehlo.reshape %10 : (tensor<2xf32>) -> tensor<1x2xf32>",
        "  %13 = stablehlo.dynamic_update_slice %5, %12, %3, %0 : (tensor<5x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<5x2xf32>",
        "  %14 = stablehlo.constant dense<1> : tensor<i32>",
        "  %15 = stablehlo.add %3, %14 : tensor<i32>",
        "  stablehlo.return %15, %11, %13 : tensor<i32>, tensor<2xf32>, tensor<5x2xf32>",
        "}",
        "return %6#1, %6#2 : tensor<2xf32>, tensor<5x2xf32>",
      ]
    `);
  });

  it.each([
    ["-x", (x: Array) => x.neg()],
    ["0 - x", (x: Array) => np.subtract(0, x)],
    ["-1 · x", (x: Array) => x.mul(-1)],
  ])("hides that integers are negated from what takes their extremum: %s", (_, f) => {
    expect(mainOf(f, floats(2).astype("int32"))).toEqual([
      "%0 = stablehlo.negate %arg0 : tensor<2xi32>",
      "%1 = stablehlo.optimization_barrier %0 : tensor<2xi32>",
      "return %1 : tensor<2xi32>",
    ]);
    expect(mainOf(f, floats(2)).join("\n")).not.toContain("barrier");
  });

  it("has arguments that are given up lend their memory to themselves, where they are results, and to nothing else", () => {
    const f = (x: Array, y: Array, z: Array) => [x.add(z), y, x, np.sin(z)];
    const { text } = written(f, [floats(2), floats(2), floats(2)], [true, true, true]);
    const places = [...text.matchAll(/%arg(\d): tensor<2xf32> \{tf.aliasing_output = (\d)/g)];
    expect(places.map(([, from, to]) => [Number(from), Number(to)])).toEqual([
      [0, 2],
      [1, 1],
      [2, 0],
    ]);
  });

  it("draws few random bits outside of loops in one function, and in loops in one for each shape", () => {
    const f = (key: Array) => {
      const [first] = random.split(key);
      return [random.bits(key, [3]), random.bits(first, [5, 4]), random.bits(first, [100])];
    };
    const functionsOf = (g: (key: Array) => unknown) =>
      written(g, [random.key(0)])
        .text.match(/private @threefry2x32\w*/g)
        ?.sort();
    expect(functionsOf(f)).toEqual(["private @threefry2x32_128", "private @threefry2x32_64"]);
    expect(functionsOf((key) => lax.map((each: Array) => f(each), key.reshape([1, 2])))).toEqual([
      "private @threefry2x32_100",
      "private @threefry2x32_2",
      "private @threefry2x32_20",
      "private @threefry2x32_3",
    ]);
  });

  it("holds floats at the bounds of integers, and takes NaN for 0", () => {
    expect(mainOf((x) => x.astype("uint8"), floats(2))).toMatchInlineSnapshot(`
      [
        "%0 = stablehlo.compare EQ, %arg0, %arg0, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>",
        "%1 = stablehlo.constant dense<0.0> : tensor<2xf32>",
        "%2 = stablehlo.select %0, %arg0, %1 : tensor<2xi1>, tensor<2xf32>",
        "%3 = stablehlo.maximum %2, %1 : tensor<2xf32>",
        "%4 = stablehlo.constant dense<256.0> : tensor<2xf32>",
        "%5 = stablehlo.compare GE, %3, %4, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>",
        "%6 = stablehlo.select %5, %1, %3 : tensor<2xi1>, tensor<2xf32>",
        "%7 = stablehlo.convert %6 : (tensor<2xf32>) -> tensor<2xui8>",
        "%8 = stablehlo.constant dense<255> : tensor<2xui8>",
        "%9 = stablehlo.select %5, %8, %7 : tensor<2xi1>, tensor<2xui8>",
        "return %9 : tensor<2xui8>",
      ]
    `);
  });

  it("lets the last of several updates of one place win, by the largest of their numbers", () => {
    const f = (x: Array, at: Array, y: Array) => x.at(at).set(y);
    const lines = mainOf(f, floats(9), floats(3).astype("int32"), floats(3));
    expect(
      lines
        .filter((line) => /scatter|unique/.test(line))
        .map((line) => /unique_indices = \w+/.exec(line)?.[0]),
    ).toEqual(["unique_indices = false", "unique_indices = true"]);
    // One update cannot meet another one.
    expect(mainOf((x, y) => x.at(2).add(y), floats(9), floats()).join("\n")).not.toContain(
      "unique_indices = false",
    );
  });

  it("writes down what debug.print prints, through loops and branches", () => {
    const f = (x: Array) =>
      lax.foriLoop(
        0,
        3,
        (i: Array, c: Array) => {
          debug.print("{} {}", i, c);
          return lax.cond(
            i.greater(1),
            (y: Array) => y,
            (y: Array) => {
              debug.print("small");
              return y.mul(2);
            },
            c,
          );
        },
        x,
      );
    const { text, messages, logSize } = written(f, [floats(4)]);
    checkModule(text);
    expect(messages.map(({ params: { format }, values }) => [format, values.length])).toEqual([
      ["{#0} {#1}", 2],
      ["small", 0],
    ]);
    expect(text).toContain(`-> (tensor<4xf32>, tensor<${logSize}xi32>, tensor<i32>)`);
  });

  it.each([
    [0.1, "0.1"],
    [-0, "-0.0"],
    [1e-7, "1.0e-7"],
    [Math.fround(1 / 3), "0.33333334"],
    [2 ** 127, "1.7014118e+38"],
    [Infinity, "0x7F800000"],
    [-Infinity, "0xFF800000"],
    [NaN, "0x7FC00000"],
    [2 ** -149, "1.0e-45"],
  ])("writes the float32 %f as %s", (value, text) => {
    expect(showNumber(Math.fround(value), "float32")).toBe(text);
  });
});
