// Products of TF32 in tensor cores: cut up so that banks do not conflict, with the right sums in tiles of every kind, and as
// exact as TF32 is.
import { describe, expect, it } from "vitest";
import { grad, jit, lax, np, registerBackend, type Array } from "../../../src/array/index.js";
import { dumpText, ptxRenderer } from "../../../src/compiler/index.js";
import { frontsOf } from "../../../src/compiler/ptx/dot/tensor/cost.js";
import { tensorTilingOf } from "../../../src/compiler/ptx/dot/tensor/tiling.js";
import { tilingOf } from "../../../src/compiler/ptx/dot/tiling.js";
import { padRows } from "../../../src/compiler/schedule/pitch.js";
import { kernelsIn, placesOf } from "../../../src/compiler/walk.js";
import { isWithoutNative } from "../../device/native.js";
import { wholeNumbers, type Computation } from "../compare.js";
import { compileFor } from "../forms.js";
import { matrices } from "../productPrograms.js";
import { expectTogether, type BatchedCase } from "../together.js";
import { emulatedPtx, target } from "./backend.js";
import { product } from "./products.js";

const forms = { forward: [true, false], "to the input": [true, true], "to the weights": [false, false] };
const shapes = [
  [64, 64, 64],
  [32, 64, 256],
  [256, 32, 16],
] as const;
const all = Object.entries(forms).flatMap(([name, form]) => shapes.map((shape) => ({ name, form, shape })));

describe("tilings", () => {
  it.each(all)("of a product $name of $shape meet each bank twice at most", ({ form, shape }) => {
    const kernel = product(shape, form[0], form[1]);
    const tensor = tensorTilingOf(kernel, { threads: 256 });
    if (tensor === null) throw new Error("there is no tiling");
    for (const side of ["left", "right"] as const) {
      const { isAlong } = tensor.tiling[side];
      expect(frontsOf(tensor.tiling, side, true)).toBeLessThanOrEqual(isAlong ? 8 : 2);
    }
    expect(tensor.cycles).toBeLessThan(tilingOf(kernel, { threads: 256 }).cycles);
  });

  it.each(Object.entries(forms))("of products %s take less time with rows apart", (_, [left, right]) => {
    const kernel = product([64, 64, 64], left, right);
    const given = [[{ kind: "kernel", kernel } as const], padRows([{ kind: "kernel", kernel }], new Set())];
    const [before, after] = given.flatMap(kernelsIn).map((one) => {
      const tensor = one.kind === "dot" ? tensorTilingOf(one, { threads: 256 }) : null;
      if (tensor === null) throw new Error("there is no tiling");
      return tensor;
    });
    expect(after.cycles).toBeLessThan(before.cycles);
    // Each load meets a bank once for every element, or twice, though no lanes take turns.
    for (const side of ["left", "right"] as const) {
      const { isAlong, turns } = after.tiling[side];
      expect(turns).toBe(1);
      expect(frontsOf(after.tiling, side, true)).toBeLessThanOrEqual(isAlong ? 4 : 2);
    }
  });

  it("are none for sums that are so long that they are taken in blocks", () => {
    expect(tensorTilingOf(product([64, 64, 1024], true, true), { threads: 256 })).toBeNull();
  });
});

/** Products in every layout of two products, which nobody sees. */
const chained = (rows: number, depth: number, columns: number): BatchedCase => ({
  name: `${rows} × ${depth} × ${columns} of products`,
  f: (a, b, c, d) => {
    const [x, y] = [a.matmul(b), c.matmul(d)];
    return [x.matmul(y), x.T.matmul(x), x.matmul(x.T), y.T.matmul(x.T)];
  },
  args: [
    [rows, 3],
    [3, depth],
    [depth, 3],
    [3, columns],
  ].map((shape, at) => wholeNumbers(shape, "float32", at)),
});

/** Whole numbers of up to 11 bits are what they are in TF32. */
const programs: BatchedCase[] = [
  ...[
    [64, 64, 64],
    [8, 64, 64],
    [4, 64, 64],
    [64, 4, 64],
    [33, 68, 36],
    [64, 64, 2],
    [48, 20, 40],
    [100, 7, 64],
    [130, 32, 66],
    [64, 16, 16],
    [5, 13, 9],
    [3, 1, 17],
  ].map(([rows, depth, columns]) => matrices(rows, depth, columns)),
  ...[chained(33, 64, 36), chained(64, 96, 72)],
  {
    name: "sums over two axes, in batches",
    f: (x, y) => [np.einsum("bijk,bljk->bil", x, y), np.einsum("bijk,bljk->li", x, y)],
    args: [wholeNumbers([3, 17, 5, 8], "float32", 1), wholeNumbers([3, 20, 5, 8], "float32", 2)],
  },
  {
    name: "what follows a product in tiles that stick out",
    f: (x, w, b, y) => [np.maximum(x.matmul(w).add(b), 0).mul(y), x.matmul(w).T],
    args: [
      wholeNumbers([33, 20], "float32", 1),
      wholeNumbers([20, 36], "float32", 2),
      wholeNumbers([36], "float32", 3),
      wholeNumbers([33, 36], "float32", 4),
    ],
  },
];

const numbers = (shape: readonly number[], seed: number): Array =>
  np.sin(np.arange(shape.reduce((a, b) => a * b, 1)).mul(0.37 + seed)).reshape([...shape]);

/** A layer and what its weights should change by. */
const layer = (x: Array, w: Array, b: Array): Array[] => {
  const loss = (weights: Array) => np.tanh(x.matmul(weights).add(b)).sum();
  return [np.tanh(x.matmul(w).add(b)), grad(loss)(w)];
};

/** The gradients of a network by its weights and biases. */
const slopes: Computation = (x, ...parameters) =>
  grad(
    (a: Array, b: Array, c: Array, d: Array) =>
      np.square(np.tanh(np.tanh(x.matmul(a).add(b)).matmul(c).add(d))).sum(),
    { argnums: [0, 1, 2, 3] },
  )(...(parameters as [Array, Array, Array, Array]));

const onTensorCores = { device: "emulated ptx in TF32" };
const tf32 = { ...target, isTf32: true, threads: 128 };

describe.skipIf(isWithoutNative("test/compiler/ptx/tensor.test.ts"))("blocks", { timeout: 600_000 }, () => {
  registerBackend(emulatedPtx(onTensorCores.device, tf32), { isDefault: false });

  it.each(programs)("give the right sums: $name", (one) => expectTogether([one], onTensorCores.device));

  it("multiply 10 bits of each number's fraction, and give tanh of sums as exactly", () => {
    const [x, w, b] = [numbers([48, 64], 1), numbers([64, 64], 2), numbers([64], 3)];
    const exact = jit(layer, { device: "interpreter" })(x, w, b);
    const rough = jit(layer, onTensorCores)(x, w, b);
    exact.forEach((one, at) => {
      const distance = np.abs(one.sub(rough[at])).max().item();
      expect(distance / np.abs(one).max().item()).toBeLessThan(2 ** -7);
      expect(distance).toBeGreaterThan(0);
    });
  });

  it("give the gradients of a network from arrays whose rows lie apart", () => {
    const shapes = [[32, 64], [64, 64], [64], [64, 64], [64]];
    const args = shapes.map((shape, at) => numbers(shape, at).mul(at === 0 ? 1 : 0.1));
    const compiled = compileFor(ptxRenderer(tf32))(slopes, ...args);
    const sizes = kernelsIn(compiled.steps).flatMap((kernel) =>
      placesOf(kernel).map(({ buffer }) => buffer.size),
    );
    // All that lies between the products: rows of what goes in and comes out stay where they are.
    expect(new Set(sizes)).toEqual(new Set([32 * 64, 64 * 64, 64, 32 * 72]));
    expect(dumpText("schedule", compiled)?.text).toContain("steps in pairs");
    const tolerance = { rtol: 5e-3, atol: 5e-3 };
    expectTogether([{ name: "gradients", f: slopes, args, tolerance }], onTensorCores.device);
  });

  it("read weights before a loop of few kernels that leaves them as they are, and in it where it changes them", () => {
    const turns = (x: Array, w: Array, changes: boolean) =>
      lax.scan(
        ([y, v]: [Array, Array], at: Array) => {
          const next = y.matmul(v).clip(-9, 9).sub(at.mod(3));
          return [[next, changes ? np.flip(v, 1).sub(at.mod(2)) : v] as [Array, Array], next.sum(1)];
        },
        [x, w] as [Array, Array],
        np.arange(16),
      );
    const args = [wholeNumbers([8, 32], "float32", 1), wholeNumbers([32, 32], "float32", 2)] as const;
    /** How often a lane reads something in the product. */
    const readsOf = (f: (x: Array, w: Array) => unknown): number => {
      const { text } = compileFor(ptxRenderer({ ...tf32, mostBlocks: 1 }))(f, ...args).compiled.code;
      const [, product] = /\/\/ k\d+_product\w*\n(.*?)\/\/ k/s.exec(text) ?? [];
      expect(product).toContain("mma.sync");
      return product.split(/\bld\.\w+/).length - 1;
    };
    const [same, other] = [false, true].map((changes) => {
      const f = (x: Array, w: Array) => turns(x, w, changes);
      expectTogether([{ name: `changes: ${changes}`, f, args: [...args] }], onTensorCores.device);
      return readsOf(f);
    });
    expect([same, 2 * same < other]).toEqual([2, true]);
  });

  it("let no NaN and no infinity get lost", () => {
    const x = np.broadcastTo(np.array([NaN, Infinity, -Infinity, 3e38]).reshape([4, 1]), [4, 64]);
    const sums = jit((a: Array, b: Array) => a.matmul(b).max(1), onTensorCores)(x, np.eye(64));
    const [notANumber, infinite, negative, large] = sums.toArray() as number[];
    expect([notANumber, infinite, negative]).toEqual([NaN, NaN, NaN]);
    expect(large / 3e38).toBeCloseTo(1, 3);
  });
});
