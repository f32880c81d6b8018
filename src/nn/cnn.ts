// A small convolutional network for images: convolutions, then one dense layer of features.
import {
  check,
  checkOptions,
  fail,
  lax,
  nn,
  random,
  rules,
  showValue,
  sizeOf,
  type Array,
} from "../array/index.js";
import { checkArray, checkList, showShape } from "./check.js";
import { applyDense, initLayer, type Activation, type Layer } from "./dense.js";
import { initializers, type Initializer } from "./initializers.js";

/** Kernels [height, width, in, out] of the convolutions, and the dense layer behind them. */
export interface CNNParams {
  readonly conv: readonly Layer[];
  readonly dense: Layer;
}

/** The options of both functions, so that one object serves both; each takes what it needs of it. */
export interface CNNOptions {
  /** Output channels of each convolution. Default [16, 32]. */
  readonly channels?: readonly number[];
  /** Side of each convolution's square window, in pixels. Default [8, 4]. */
  readonly kernels?: readonly number[];
  /** Step of each window, in pixels. Default [4, 2]. */
  readonly strides?: readonly number[];
  /** Outputs of the dense layer. Default 256. */
  readonly features?: number;
  /** Weights of every layer. Default heNormal. */
  readonly kernelInit?: Initializer;
  /** What comes after every layer. Default relu. */
  readonly activation?: Activation;
}

const optionNames = ["channels", "kernels", "strides", "features", "kernelInit", "activation"];

/** The options with their defaults, checked. */
function completeOptions(operation: string, options: CNNOptions): Required<CNNOptions> {
  checkOptions(operation, options, optionNames);
  const complete = {
    channels: [16, 32],
    kernels: [8, 4],
    strides: [4, 2],
    features: 256,
    kernelInit: initializers.heNormal(),
    activation: nn.relu,
    ...options,
  };
  const { channels, kernels, strides, features, kernelInit, activation } = complete;
  checkList(operation, "channels", channels, rules.whole(1), { least: 1 });
  const { length } = channels;
  for (const [name, list] of Object.entries({ kernels, strides })) {
    checkList(operation, name, list, rules.whole(1));
    if (list.length !== length) {
      fail(
        operation,
        `channels, kernels and strides must have one entry for each convolution, got ${showValue(channels)}, ` +
          `${showValue(kernels)} and ${showValue(strides)}`,
      );
    }
  }
  checkList(operation, "features", [features], rules.whole(1));
  check(operation, "kernelInit", kernelInit, rules.callable);
  check(operation, "activation", activation, rules.callable);
  return complete;
}

/** Parameters for images of a shape [height, width, channels]. */
function init(key: Array, shape: readonly [number, number, number], options: CNNOptions = {}): CNNParams {
  const { channels, kernels, strides, features, kernelInit } = completeOptions("CNN.init", options);
  checkList("CNN.init", "shape", shape, rules.whole(1), { length: 3 });
  const zeros = initializers.zeros();
  const keys = [...random.split(key, channels.length + 1)];
  let [height, width, inputs] = shape;
  const conv = channels.map((outputs, at) => {
    const [size, stride] = [kernels[at], strides[at]];
    if (size > Math.min(height, width)) {
      fail(
        "CNN.init",
        `kernels[${at}] is ${size}, but images of shape ${showShape(shape)} are down to ${height}×${width} there; ` +
          `give smaller kernels or strides`,
      );
    }
    const layer = initLayer(keys[at], [size, size, inputs, outputs], kernelInit, zeros);
    [height, width, inputs] = [steps(height, size, stride), steps(width, size, stride), outputs];
    return layer;
  });
  const dense = initLayer(keys[channels.length], [height * width * inputs, features], kernelInit, zeros);
  return { conv, dense };
}

/** How many windows fit into an extent. */
const steps = (extent: number, size: number, stride: number): number =>
  Math.floor((extent - size) / stride) + 1;

/** Features [..., features] of images [..., height, width, channels]; uint8 counts as 0 to 1. */
function apply(params: CNNParams, x: Array, options: CNNOptions = {}): Array {
  const { conv, dense } = params;
  const channels = conv.map(({ b }) => b.shape[0]);
  const kernels = conv.map(({ w }) => w.shape[0]);
  const { strides, activation } = completeOptions("CNN.apply", { ...options, channels, kernels });
  checkArray("CNN.apply", "x", x);
  const inputs = conv[0].w.shape[2];
  if (x.ndim < 3 || x.shape[x.ndim - 1] !== inputs) {
    fail("CNN.apply", `x must be images [..., height, width, ${inputs}], got ${showValue(x)}`);
  }
  const batch = x.shape.slice(0, -3);
  const images = x.reshape([sizeOf(batch), ...x.shape.slice(-3)]).astype("float32");
  const maps = conv.reduce((h, { w, b }, at) => {
    // Pixels are scaled by way of the kernel, which is much smaller than the images.
    const kernel = at === 0 && x.dtype === "uint8" ? w.mul(1 / 255) : w;
    return activation(lax.convGeneralDilated(h, kernel, [strides[at], strides[at]], "VALID").add(b));
  }, images);
  const flat = maps.reshape([maps.shape[0], sizeOf(maps.shape.slice(1))]);
  if (flat.shape[1] !== dense.w.shape[0]) {
    fail(
      "CNN.apply",
      `images ${showShape(x.shape)} give ${flat.shape[1]} numbers behind the convolutions with strides ` +
        `${showValue(strides)}, but params.dense takes ${dense.w.shape[0]}; give the images and the options of CNN.init`,
    );
  }
  const features = activation(applyDense("CNN.apply", "params.dense", dense, flat));
  return features.reshape([...batch, features.shape[1]]);
}

/** A convolutional network as a pair of pure functions. Give both the same options. */
export const CNN = { init, apply } as const;
