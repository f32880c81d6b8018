// Initialisers: orthogonality, variances, and the numbers that JAX draws for the same key.
import { describe, expect, it } from "vitest";
import { jit, np, random, vmap, type Array } from "vibe-rl/array";
import { initializers, type Initializer } from "vibe-rl/nn";
import { expectClose } from "../closeness.js";

const key = random.key(7);

const named: Record<string, Initializer> = {
  orthogonal: initializers.orthogonal(),
  lecunNormal: initializers.lecunNormal(),
  lecunUniform: initializers.lecunUniform(),
  xavierNormal: initializers.xavierNormal(),
  xavierUniform: initializers.xavierUniform(),
  heNormal: initializers.heNormal(),
  heUniform: initializers.heUniform(),
  uniform: initializers.uniform(0.5),
  normal: initializers.normal(2),
  zeros: initializers.zeros(),
  constant: initializers.constant(3),
};

describe("orthogonal", () => {
  const expectOrthonormal = (vectors: Array, scale: number) => {
    const product = jit((x: Array) => x.T.matmul(x))(vectors).div(scale * scale);
    expectClose(product, np.eye(vectors.shape[1]), { atol: 1e-5 });
  };

  it("has orthonormal columns where they are fewer", () => {
    expectOrthonormal(initializers.orthogonal()(key, [64, 48]), 1);
    expectOrthonormal(initializers.orthogonal(Math.SQRT2)(key, [64, 64]), Math.SQRT2);
  });

  it("has orthonormal rows where they are fewer", () => {
    expectOrthonormal(initializers.orthogonal(0.01)(key, [5, 64]).T, 0.01);
  });

  it("is the same for large matrices, which are worked on in blocks", () => {
    const [rows, columns] = [300, 310];
    const wide = initializers.orthogonal()(key, [rows, columns]);
    expectOrthonormal(wide.T, 1);
    // In the order of the rows: each is what the ones before leave of its random numbers, never turned around.
    const drawn = jit(() => random.normal(key, [columns, rows]).T)();
    const shares = jit((a: Array, b: Array) => a.matmul(b.T))(drawn, wide);
    expectClose(np.triu(shares, 1), np.zeros([rows, rows]), { atol: 1e-4 });
    expect(np.diagonal(shares).min().item()).toBeGreaterThan(0);
  });

  it("takes all axes but the last of a convolution for rows", () => {
    const kernel = initializers.orthogonal()(key, [3, 3, 4, 8]);
    expect(kernel.shape).toEqual([3, 3, 4, 8]);
    expectOrthonormal(kernel.reshape([36, 8]), 1);
  });

  it("draws signs at random", () => {
    const first = vmap((k: Array) => initializers.orthogonal()(k, [3, 3]).slice(0, 0))(
      random.split(key, 200),
    );
    const positive = first.greater(0).astype("float32").mean().item();
    expect(positive).toBeGreaterThan(0.35);
    expect(positive).toBeLessThan(0.65);
  });
});

describe("the numbers of JAX", () => {
  // jax.nn.initializers of JAX 0.10.2 for PRNGKey(7) and shape (3, 2).
  const figures: Record<string, number[]> = {
    orthogonal: [0.48973513, 0.869762, -0.56028563, 0.36721739, 0.66801167, -0.32964438],
    lecunNormal: [0.28181323, 1.0993264, -0.32208481, -0.088272288, 0.38329676, 0.20909379],
    lecunUniform: [0.34817982, 0.94923377, -0.39431286, -0.11208296, 0.46177316, 0.26185918],
    xavierNormal: [0.30871093, 1.2042518, -0.35282624, -0.096697442, 0.41988057, 0.22905079],
    xavierUniform: [0.38141188, 1.0398335, -0.43194813, -0.12278073, 0.50584716, 0.28685236],
    heNormal: [0.39854413, 1.5546824, -0.45549676, -0.12483587, 0.54206353, 0.29570332],
    heUniform: [0.49240062, 1.3424193, -0.55764258, -0.15850924, 0.65304583, 0.37032479],
    normal: [0.90247029, 3.9069018, -1.0324789, -0.28188059, 1.2309934, 0.66863298],
  };
  for (const [name, numbers] of Object.entries(figures)) {
    it(`${name} draws them`, () => {
      expectClose(named[name](key, [3, 2]), np.array(numbers).reshape([3, 2]), { rtol: 2e-6, atol: 1e-7 });
    });
  }

  it("orthogonal rows are the columns of the transposed shape", () => {
    const orthogonal = initializers.orthogonal();
    expectClose(orthogonal(key, [2, 3]), orthogonal(key, [3, 2]).T, {});
  });
});

describe("variances", () => {
  const [inputs, outputs] = [120, 80];
  const wanted: Record<string, number> = {
    lecunNormal: 1 / inputs,
    lecunUniform: 1 / inputs,
    xavierNormal: 2 / (inputs + outputs),
    xavierUniform: 2 / (inputs + outputs),
    heNormal: 2 / inputs,
    heUniform: 2 / inputs,
    uniform: 0.25 / 3,
    normal: 4,
  };
  for (const [name, variance] of Object.entries(wanted)) {
    it(`${name} has mean 0 and variance ${variance.toFixed(4)}`, () => {
      const x = named[name](key, [inputs, outputs]);
      expect(x.var().item() / variance).toBeCloseTo(1, 1);
      expect(Math.abs(x.mean().item())).toBeLessThan(4 * Math.sqrt(variance / x.size));
    });
  }

  it("a convolution's window counts among its inputs", () => {
    const x = initializers.heNormal()(key, [4, 4, 8, 64]);
    expect(x.var().item() * (4 * 4 * 8)).toBeCloseTo(2, 0);
  });

  it("normal weights are cut off at two standard deviations, uniform ones at their limit", () => {
    const std = Math.sqrt(1 / inputs) / 0.87962566;
    expect(initializers.lecunNormal()(key, [inputs, outputs]).abs().max().item()).toBeLessThanOrEqual(
      2 * std,
    );
    expect(initializers.uniform(0.5)(key, [100, 10]).abs().max().item()).toBeLessThanOrEqual(0.5);
  });
});

describe("every initialiser", () => {
  for (const [name, init] of Object.entries(named)) {
    it(`${name} depends on the key alone, compiled or not`, () => {
      const x = init(key, [6, 5]);
      expect([x.shape, x.dtype]).toEqual([[6, 5], "float32"]);
      expectClose(init(key, [6, 5]), x, {});
      expectClose(jit((k: Array) => init(k, [6, 5]))(key), x, { rtol: 1e-5, atol: 1e-6 });
      expect(init(key, [3, 2], "float64").dtype).toBe("float64");
    });
  }

  it("is vectorised by vmap like separate calls", () => {
    const keys = random.split(key, 3);
    const all = vmap((k: Array) => initializers.orthogonal()(k, [4, 3]))(keys);
    expectClose(all.slice(1), initializers.orthogonal()(keys.slice(1), [4, 3]), { atol: 1e-6 });
  });
});

describe("wrong arguments", () => {
  it("are refused by name", () => {
    expect(() => initializers.orthogonal()(key, [3])).toThrow(
      /initializers.orthogonal: needs a shape of at least 2 axes, got \[3\]/,
    );
    expect(() => initializers.heNormal()(key, [3])).toThrow(
      /initializers.heNormal: needs a shape \[..., inputs, outputs\] of at least 2 axes, got \[3\]/,
    );
    expect(() => initializers.normal(-1)).toThrow(
      /initializers.normal: std must be a number greater than 0, got -1/,
    );
    expect(() => initializers.constant(NaN)).toThrow(/value must be a finite number, got NaN/);
  });
});
