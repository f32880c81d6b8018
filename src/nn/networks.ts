// MLP and CNN as networks for agents: all that is to be said about one is said once, where it is made.
import { fail, nn, np, random, sizeOf, type Array, type Shape } from "../array/index.js";
import { checkFunction, checkList, checkOptions, showShape, wholeAboveZero } from "./check.js";
import { CNN, type CNNParams } from "./cnn.js";
import type { Activation } from "./dense.js";
import { initializers, type Initializer } from "./initializers.js";
import { MLP, type MLPParams } from "./mlp.js";
import type { Network } from "./network.js";

/** What both kinds of networks take. */
interface LayerOptions {
  /** Weights of every layer but the last. Default orthogonal(√2). */
  readonly kernelInit?: Initializer;
  /** Weights of the last layer. Default orthogonal(1). */
  readonly lastKernelInit?: Initializer;
}

export interface MLPNetworkOptions extends LayerOptions {
  /** Widths of the hidden layers. Default [64, 64]. */
  readonly hiddenSizes?: readonly number[];
  /** What comes after every hidden layer. Default tanh. */
  readonly activation?: Activation;
  /** Biases of every layer. Default zeros. */
  readonly biasInit?: Initializer;
}

const layerDefaults = {
  kernelInit: initializers.orthogonal(Math.SQRT2),
  lastKernelInit: initializers.orthogonal(1),
} as const;

const mlpDefaults = {
  ...layerDefaults,
  hiddenSizes: [64, 64] as readonly number[],
  activation: np.tanh as Activation,
  biasInit: initializers.zeros(),
} as const;

/** Dense layers over inputs of any shape, which are flattened; bytes count as 0 to 1. */
export function mlp(options: MLPNetworkOptions = {}): Network<MLPParams> {
  checkOptions("mlp", options, Object.keys(mlpDefaults));
  const { hiddenSizes, activation, ...inits } = { ...mlpDefaults, ...options };
  checkList("mlp", "hiddenSizes", hiddenSizes, wholeAboveZero);
  for (const [name, value] of Object.entries({ activation, ...inits })) checkFunction("mlp", name, value);
  const hidden = [...hiddenSizes];
  return {
    init: (rng, inputShape, outputSize) => MLP.init(rng, [sizeOf(inputShape), ...hidden, outputSize], inits),
    apply: (params, x) => MLP.apply(params, flatRows(x), { activation }),
  };
}

/** Each input of a batch as one row of floats; bytes count as 0 to 1. */
export function flatRows(x: Array): Array {
  const rows = x.ndim === 2 ? x : x.reshape([x.shape[0], sizeOf(x.shape.slice(1))]);
  return x.dtype === "uint8" ? rows.astype("float32").mul(1 / 255) : rows.astype("float32");
}

export interface CNNNetworkOptions extends LayerOptions {
  /** Output channels of each convolution. Default [16, 32]. */
  readonly channels?: readonly number[];
  /** Side of each convolution's square window, in pixels. Default [8, 4]. */
  readonly kernels?: readonly number[];
  /** Step of each window, in pixels. Default [4, 2]. */
  readonly strides?: readonly number[];
  /** Widths of the dense layers behind the convolutions, at least one. Default [256]. */
  readonly hiddenSizes?: readonly number[];
  /** What comes after every layer but the last. Default relu. */
  readonly activation?: Activation;
}

/** Convolutions, and the dense layers behind them. */
export interface CNNNetworkParams {
  readonly cnn: CNNParams;
  readonly mlp: MLPParams;
}

const cnnDefaults = {
  ...layerDefaults,
  channels: [16, 32] as readonly number[],
  kernels: [8, 4] as readonly number[],
  strides: [4, 2] as readonly number[],
  hiddenSizes: [256] as readonly number[],
  activation: nn.relu as Activation,
} as const;

/** Convolutions over images [height, width, channels], then dense layers; bytes count as 0 to 1. */
export function cnn(options: CNNNetworkOptions = {}): Network<CNNNetworkParams> {
  checkOptions("cnn", options, Object.keys(cnnDefaults));
  const { channels, kernels, strides, hiddenSizes, activation, kernelInit, lastKernelInit } = {
    ...cnnDefaults,
    ...options,
  };
  checkList("cnn", "hiddenSizes", hiddenSizes, wholeAboveZero, { least: 1 });
  for (const [name, value] of Object.entries({ activation, kernelInit, lastKernelInit })) {
    checkFunction("cnn", name, value);
  }
  for (const [name, list] of Object.entries({ channels, kernels, strides })) {
    checkList("cnn", name, list, wholeAboveZero, { least: 1, length: channels.length });
  }
  const [features, ...hidden] = hiddenSizes;
  const convolutions = { channels, kernels, strides, features, kernelInit, activation };
  return {
    init(rng, inputShape, outputSize) {
      const [cnnKey, mlpKey] = random.split(rng);
      return {
        cnn: CNN.init(cnnKey, imageShape(inputShape), convolutions),
        mlp: MLP.init(mlpKey, [features, ...hidden, outputSize], { kernelInit, lastKernelInit }),
      };
    },
    apply: (params, x) =>
      MLP.apply(params.mlp, CNN.apply(params.cnn, x, { strides, activation }), { activation }),
  };
}

function imageShape(shape: Shape): readonly [number, number, number] {
  if (shape.length === 3) return shape as readonly [number, number, number];
  return fail("cnn", `takes images [height, width, channels], got inputs of shape ${showShape(shape)}`);
}
