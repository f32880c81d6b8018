// mlp and cnn: MLP and CNN as the networks that agents take.
import { describe, expect, expectTypeOf, it } from "vitest";
import { nn, np, random, type Array, type Shape } from "vibe-rl/array";
import { cnn, CNN, initializers, MLP, mlp, type MLPParams, type Network } from "vibe-rl/nn";

const key = random.key(0);

describe("mlp", () => {
  it("is MLP with all that there is to say about it said once", () => {
    const inits = { kernelInit: initializers.heNormal(), lastKernelInit: initializers.normal(0.1) };
    const network = mlp({ hiddenSizes: [8, 6], activation: nn.relu, ...inits });
    const params = network.init(key, [4], 3);
    const byHand = MLP.init(key, [4, 8, 6, 3], inits);
    expect(params.map(({ w }) => w.toArray())).toEqual(byHand.map(({ w }) => w.toArray()));
    const x = random.normal(random.key(1), [5, 4]);
    expect(network.apply(params, x).toArray()).toEqual(
      MLP.apply(byHand, x, { activation: nn.relu }).toArray(),
    );
  });

  it("takes inputs of any shape, and bytes as 0 to 1", () => {
    const network = mlp({ hiddenSizes: [] });
    const shapes: Shape[] = [[], [4], [3, 2], [6, 6, 1]];
    for (const shape of shapes) {
      const params = network.init(key, shape, 2);
      const bytes = np.full([7, ...shape], 255, { dtype: "uint8" });
      expect(network.apply(params, bytes).shape).toEqual([7, 2]);
      expect(network.apply(params, bytes).toArray()).toEqual(
        network.apply(params, np.ones([7, ...shape])).toArray(),
      );
    }
  });

  it("names the option that is wrong", () => {
    expect(() => mlp({ hidden: [8] } as object)).toThrow(
      /mlp: unknown option hidden; did you mean hiddenSizes/,
    );
    expect(() => mlp({ hiddenSizes: [0] })).toThrow(
      /mlp: hiddenSizes\[0\] must be a whole number above 0, got 0/,
    );
    expect(() => mlp({ activation: "relu" as never })).toThrow(
      /mlp: activation must be a function, got "relu"/,
    );
  });
});

describe("cnn", () => {
  const options = { channels: [4, 8], kernels: [3, 3], strides: [2, 1] };

  it("is CNN with dense layers behind it", () => {
    const network = cnn({ ...options, hiddenSizes: [16, 8] });
    const params = network.init(key, [9, 9, 2], 3);
    expect(params.cnn.conv.map(({ w }) => w.shape)).toEqual([
      [3, 3, 2, 4],
      [3, 3, 4, 8],
    ]);
    expect(params.mlp.map(({ w }) => w.shape)).toEqual([
      [16, 8],
      [8, 3],
    ]);
    const images = random.randint(key, [5, 9, 9, 2], 0, 256).astype("uint8");
    const byHand = MLP.apply(params.mlp, CNN.apply(params.cnn, images, { strides: [2, 1] }), {
      activation: nn.relu,
    });
    expect(network.apply(params, images).toArray()).toEqual(byHand.toArray());
  });

  it("says what does not fit", () => {
    expect(() => cnn({ hiddenSizes: [] })).toThrow(/cnn: hiddenSizes must have at least 1 entries/);
    expect(() => cnn({ ...options, strides: [2] })).toThrow(/cnn: strides must have 2 entries, got \[2\]/);
    expect(() => cnn().init(key, [4], 2)).toThrow(
      /cnn: takes images \[height, width, channels\], got inputs of shape \[4\]/,
    );
  });
});

describe("the types of", () => {
  it("networks: what init gives is what apply takes, and any network is a Network", () => {
    expectTypeOf(mlp()).toEqualTypeOf<Network<MLPParams>>();
    expectTypeOf(mlp()).toExtend<Network>();
    expectTypeOf(cnn()).toExtend<Network>();
    const own = {
      init: (_: Array, [size]: Shape, outputs: number) => ({ w: np.zeros([size, outputs]) }),
      apply: ({ w }: { w: Array }, x: Array) => x.matmul(w),
    };
    expectTypeOf(own).toExtend<Network<{ w: Array }>>();
    expectTypeOf(own).toExtend<Network>();
  });
});
