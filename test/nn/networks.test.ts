// MLP and CNN: shapes, values against plain arithmetic, gradients, and the refusal of what does not fit.
import { describe, expect, expectTypeOf, it } from "vitest";
import { checkGrads, evalShape, grad, jit, nn, np, random, tree, vmap, type Array } from "vibe-rl/array";
import { CNN, MLP, initializers, type CNNParams, type MLPParams } from "vibe-rl/nn";
import { expectClose } from "../closeness.js";

const key = random.key(3);
const toDouble = <T>(of: T): T => tree.map((x: unknown) => (x as Array).astype("float64"), of) as T;

describe("MLP", () => {
  const params = MLP.init(key, [3, 5, 4, 2]);

  it("has one layer between any two sizes", () => {
    expect(params.map(({ w, b }) => [w.shape, b.shape])).toEqual([
      [[3, 5], [5]],
      [[5, 4], [4]],
      [[4, 2], [2]],
    ]);
    expectTypeOf(params).toEqualTypeOf<MLPParams>();
  });

  it("computes x·w + b with tanh between the layers", () => {
    const x = random.normal(random.key(1), [6, 3]);
    const h = params.slice(0, 2).reduce((z, { w, b }) => np.tanh(z.matmul(w).add(b)), x);
    const expected = h.matmul(params[2].w).add(params[2].b);
    expectClose(MLP.apply(params, x), expected, {});
    expectClose(MLP.apply(params, x, { activateLast: true }), np.tanh(expected), {});
    expectClose(jit(MLP.apply)(params, x), expected, { atol: 1e-6 });
  });

  it("takes any batch axes, and vmap gives the same", () => {
    const x = random.normal(random.key(1), [2, 4, 3]);
    const y = MLP.apply(params, x, { activation: nn.relu });
    expect(y.shape).toEqual([2, 4, 2]);
    expect(MLP.apply(params, x.slice(0, 0)).shape).toEqual([2]);
    const each = vmap(vmap((row: Array) => MLP.apply(params, row, { activation: nn.relu })));
    expectClose(each(x), y, { atol: 1e-6 });
  });

  it("initialises each kind of parameter as told", () => {
    const layers = MLP.init(key, [4, 4, 4], {
      kernelInit: initializers.constant(1),
      lastKernelInit: initializers.constant(2),
      biasInit: initializers.constant(3),
    });
    expect(layers.map(({ w, b }) => [w.slice(0, 0).item(), b.slice(0).item()])).toEqual([
      [1, 3],
      [2, 3],
    ]);
  });

  it("draws different weights for equal layers, and the same ones inside jit", () => {
    const [first, second] = MLP.init(key, [4, 4, 4]);
    expect(tree.allClose(first, second)).toBe(false);
    expectClose(jit((k: Array) => MLP.init(k, [4, 4, 4]))(key), MLP.init(key, [4, 4, 4]), { rtol: 1e-5 });
  });

  it("is vectorised over its parameters, as twin critics want", () => {
    const twins = vmap((k: Array) => MLP.init(k, [3, 4, 1]))(random.split(key));
    const x = np.ones([5, 3]);
    const y = vmap((p: MLPParams) => MLP.apply(p, x))(twins);
    expect(y.shape).toEqual([2, 5, 1]);
    const second = tree.map((leaf: Array) => leaf.slice(1), twins);
    expectClose(y.slice(1), MLP.apply(second, x), { atol: 1e-6 });
  });

  it("has the right gradients", () => {
    const x = random.normal(random.key(1), [4, 3]).astype("float64");
    checkGrads((p: MLPParams) => np.square(MLP.apply(p, x)).mean(), [toDouble(params)], 2);
  });

  it("refuses what does not fit, by name", () => {
    const x = np.ones([2, 4]);
    expect(() => MLP.apply(params, x)).toThrow(
      /MLP.apply: params\[0\] takes 3 inputs \(w is \[3,5\]\), got float32\[2,4\] .* with 4 at the end/,
    );
    expect(() => MLP.init(key, [3, 2.5])).toThrow(
      /MLP.init: sizes\[1\] must be a whole number of at least 1, got 2.5/,
    );
    expect(() => MLP.init(key, [3])).toThrow(/sizes must have at least 2 entries, got \[3\]/);
    expect(() => MLP.init(key, [3, 2], { kernellInit: initializers.zeros() } as object)).toThrow(
      /MLP.init: there is no option `kernellInit`; did you mean `kernelInit`\?/,
    );
    expect(() => MLP.apply([], x)).toThrow(/params must be the list of layers/);
    expect(() => MLP.apply(params, x, { activation: "relu" } as object)).toThrow(
      /activation must be a function, got "relu"/,
    );
  });
});

describe("CNN", () => {
  const options = { channels: [3, 4], kernels: [3, 2], strides: [2, 1], features: 5 };
  const params = CNN.init(key, [9, 8, 2], options);
  const images = random.randint(random.key(5), [3, 9, 8, 2], 0, 256).astype("uint8");

  it("has the shapes of its convolutions and features", () => {
    expect(evalShape((p: CNNParams) => p, params)).toMatchObject({
      conv: [
        { w: { shape: [3, 3, 2, 3] }, b: { shape: [3] } },
        { w: { shape: [2, 2, 3, 4] }, b: { shape: [4] } },
      ],
      dense: { w: { shape: [3 * 2 * 4, 5] }, b: { shape: [5] } },
    });
    expect(CNN.apply(params, images, options).shape).toEqual([3, 5]);
    expect(CNN.apply(params, images.slice(0), options).shape).toEqual([5]);
    expect(CNN.apply(params, images.reshape([3, 1, 9, 8, 2]), options).shape).toEqual([3, 1, 5]);
  });

  it("fits 84×84 frames and 40×40 grids by default", () => {
    for (const shape of [
      [84, 84, 4],
      [40, 40, 3],
    ] as const) {
      const f = (k: Array) => CNN.apply(CNN.init(k, shape), np.zeros([2, ...shape], { dtype: "uint8" }));
      expect(evalShape(f, key)).toMatchObject({ shape: [2, 256], dtype: "float32" });
    }
  });

  it("takes uint8 for 0 to 1 and floats as they are", () => {
    const scaled = images.astype("float32").div(255);
    const expected = CNN.apply(params, scaled, options);
    expectClose(CNN.apply(params, images, options), expected, { atol: 1e-5 });
    expectClose(jit((p: CNNParams, x: Array) => CNN.apply(p, x, options))(params, images), expected, {
      atol: 1e-5,
    });
  });

  it("gives every image of a batch what it gives that image alone", () => {
    const all = CNN.apply(params, images, options);
    expectClose(all.slice(2), CNN.apply(params, images.slice(2), options), { atol: 1e-6 });
    expectClose(vmap((x: Array) => CNN.apply(params, x, options))(images), all, { atol: 1e-6 });
  });

  it("has the right gradients, compiled too", () => {
    const x = random.uniform(random.key(1), [2, 9, 8, 2]);
    const smooth = { ...options, activation: np.tanh };
    const loss = (p: CNNParams, of: Array) => np.square(CNN.apply(p, of, smooth)).sum();
    checkGrads((p: CNNParams) => loss(p, x), [params], 1, { atol: 3e-2 });
    expectClose(jit(grad(loss))(params, x), grad(loss)(params, x), { rtol: 1e-4, atol: 1e-5 });
  });

  it("refuses what does not fit, by name", () => {
    expect(() => CNN.init(key, [6, 6, 1])).toThrow(
      /CNN.init: kernels\[0\] is 8, but images of shape \[6,6,1\] are down to 6×6 there/,
    );
    expect(() => CNN.init(key, [40, 40, 3], { channels: [8] })).toThrow(
      /channels, kernels and strides must have one entry for each convolution, got \[8\], \[8, 4\] and \[4, 2\]/,
    );
    expect(() => CNN.apply(params, images, { ...options, strides: [1, 1] })).toThrow(
      /CNN.apply: images \[3,9,8,2\] give .* params.dense takes 24; give the images and the options of CNN.init/,
    );
    expect(() => CNN.apply(params, np.ones([3, 9, 8]), options)).toThrow(
      /x must be images \[..., height, width, 2\], got float32\[3,9,8\]/,
    );
    expect(() => CNN.init(key, [9, 8, 2], { stride: [1] } as object)).toThrow(
      /there is no option `stride`; did you mean `strides`\?/,
    );
  });
});
