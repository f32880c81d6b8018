// Multilayer perceptrons: dense layers with an activation between them.
import { check, checkOptions, fail, np, random, rules, showValue, type Array } from "../array/index.js";
import { checkArray, checkList } from "./check.js";
import { applyDense, initLayer, type Activation, type Layer } from "./dense.js";
import { initializers, type Initializer } from "./initializers.js";

/** The layers from input to output, each { w: [in, out], b: [out] }. */
export type MLPParams = readonly Layer[];

export interface MLPInitOptions {
  /** Weights of every layer. Default lecunNormal. */
  readonly kernelInit?: Initializer;
  /** Weights of the last layer. Default as kernelInit. */
  readonly lastKernelInit?: Initializer;
  /** Biases. Default zeros. */
  readonly biasInit?: Initializer;
}

export interface MLPApplyOptions {
  /** What comes after every layer but the last. Default tanh. */
  readonly activation?: Activation;
  /** Whether the activation comes after the last layer too. Default false. */
  readonly activateLast?: boolean;
}

/** Parameters for layers of the given sizes: `[in, hidden…, out]`. */
function init(key: Array, sizes: readonly number[], options: MLPInitOptions = {}): MLPParams {
  checkOptions("MLP.init", options, ["kernelInit", "lastKernelInit", "biasInit"]);
  const { kernelInit = initializers.lecunNormal(), biasInit = initializers.zeros() } = options;
  const { lastKernelInit = kernelInit } = options;
  check("MLP.init", "kernelInit", kernelInit, rules.callable);
  check("MLP.init", "lastKernelInit", lastKernelInit, rules.callable);
  check("MLP.init", "biasInit", biasInit, rules.callable);
  checkList("MLP.init", "sizes", sizes, rules.whole(1), { least: 2 });
  const count = sizes.length - 1;
  return [...random.split(key, count)].map((layerKey, at) =>
    initLayer(layerKey, [sizes[at], sizes[at + 1]], at === count - 1 ? lastKernelInit : kernelInit, biasInit),
  );
}

const isLayers = (params: unknown): boolean => globalThis.Array.isArray(params) && params.length > 0;

/** The network's output [..., out] for x [..., in]. */
function apply(params: MLPParams, x: Array, options: MLPApplyOptions = {}): Array {
  checkOptions("MLP.apply", options, ["activation", "activateLast"]);
  const { activation = np.tanh, activateLast = false } = options;
  check("MLP.apply", "activation", activation, rules.callable);
  checkArray("MLP.apply", "x", x);
  if (!isLayers(params)) {
    fail("MLP.apply", `params must be the list of layers that MLP.init makes, got ${showValue(params)}`);
  }
  return params.reduce((h, layer, at) => {
    const z = applyDense("MLP.apply", `params[${at}]`, layer, h);
    return activateLast || at < params.length - 1 ? activation(z) : z;
  }, x);
}

/** Multilayer perceptrons as a pair of pure functions. */
export const MLP = { init, apply } as const;
