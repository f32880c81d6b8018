// A network for observations of any shape: convolutions for images, dense layers for everything else.
import { fail, np, random, sizeOf, type Array, type Shape } from "../array/index.js";
import {
  CNN,
  flatRows,
  MLP,
  type Activation,
  type CNNNetworkParams,
  type CNNParams,
  type Initializer,
  type MLPParams,
} from "../nn/index.js";

/** Convolutions, and the dense layers behind them. */
export type ImageNetworkParams = CNNNetworkParams;

/** The layers of a network; for images, convolutions come first. */
export type NetworkParams = MLPParams | ImageNetworkParams;

/** Which layers look at observations. */
export const networkKinds = ["auto", "mlp", "cnn"] as const;
export type NetworkKind = (typeof networkKinds)[number];

interface InitOptions {
  readonly kernelInit: Initializer;
  /** Weights of the last layer. Default as kernelInit. */
  readonly lastKernelInit?: Initializer;
  /** How many numbers join the observation behind the convolutions, such as an action. Default 0. */
  readonly extraInputs?: number;
  /** "mlp" looks at images, too, with dense layers only, and "cnn" refuses what is no image. Default "auto". */
  readonly kind?: NetworkKind | undefined;
}

interface ApplyOptions {
  readonly activation: Activation;
  /** Whether the activation comes after the last layer too. Default false. */
  readonly activateLast?: boolean;
  /** Numbers (B, extraInputs) that join the observation. */
  readonly extra?: Array;
}

/** Least side of an image, in pixels, for 8×8 and 4×4 windows, and for 3×3 ones. */
const [largeImage, smallImage] = [20, 5];

/** The windows of the convolutions for an observation's shape; null where it is not an image to look at. */
function kernelsFor(obsShape: Shape, kind: NetworkKind): readonly number[] | null {
  const side = obsShape.length === 3 ? Math.min(obsShape[0], obsShape[1]) : 0;
  if (kind === "cnn" && side < smallImage) {
    const wanted = `images [height, width, channels] with sides of at least ${smallImage}`;
    fail("ObsNetwork.init", `network "cnn" looks at ${wanted}, got observations [${obsShape.join(", ")}]`);
  }
  if (kind === "mlp" || side < smallImage) return null;
  return side >= largeImage ? [8, 4] : [3, 3];
}

/** Windows overlap by about half. */
const stridesFor = (kernels: readonly number[]): number[] => kernels.map((size) => Math.floor(size / 2));

/**
 * Parameters for observations of a shape and layers of the given sizes, the last of which is the output. An
 * image [height, width, channels] with sides of at least 5 pixels is looked at with convolutions, unless `kind` says
 * otherwise, and the first size is that of the layer behind them.
 */
function init(key: Array, obsShape: Shape, sizes: readonly number[], options: InitOptions): NetworkParams {
  const { extraInputs = 0, kind = "auto", ...inits } = options;
  const kernels = kernelsFor(obsShape, kind);
  if (kernels === null) return layers(key, [sizeOf(obsShape) + extraInputs, ...sizes], inits);
  const [cnnKey, mlpKey] = random.split(key);
  const [features, ...rest] = sizes.length > 1 ? sizes : [256, ...sizes];
  const cnn = CNN.init(cnnKey, obsShape as [number, number, number], {
    kernels,
    strides: stridesFor(kernels),
    features,
    kernelInit: options.kernelInit,
  });
  return { cnn, mlp: layers(mlpKey, [features + extraInputs, ...rest], inits) };
}

/** No layers at all are a network too: its output is its input. */
const layers = (
  key: Array,
  sizes: readonly number[],
  inits: Omit<InitOptions, "extraInputs" | "kind">,
): MLPParams => (sizes.length > 1 ? MLP.init(key, sizes, inits) : []);

const isForImages = (params: NetworkParams): params is ImageNetworkParams => "cnn" in params;

/** The outputs (B, size) for a batch of observations (B, …). Bytes count as 0 to 1. */
function apply(params: NetworkParams, obs: Array, { extra, ...options }: ApplyOptions): Array {
  const seen = isForImages(params) ? look(params.cnn, obs) : flatRows(obs);
  const inputs = extra === undefined ? seen : np.concatenate([seen, extra], -1);
  const mlp = isForImages(params) ? params.mlp : params;
  return mlp.length === 0 ? inputs : MLP.apply(mlp, inputs, options);
}

const look = (cnn: CNNParams, obs: Array): Array =>
  CNN.apply(cnn, obs, { strides: stridesFor(cnn.conv.map(({ w }) => w.shape[0])) });

/** How many outputs a network has for observations of a shape. */
function outputSize(params: NetworkParams, obsShape: Shape): number {
  const last = (isForImages(params) ? params.mlp : params).at(-1);
  if (last !== undefined) return last.b.shape[0];
  return isForImages(params) ? params.cnn.dense.b.shape[0] : sizeOf(obsShape);
}

/** Refuses parameters that no network of the algorithms has made: they belong to networks that are not given. */
function check(operation: string, name: string, params: object): asserts params is NetworkParams {
  if (globalThis.Array.isArray(params) || "cnn" in params) return;
  fail(
    operation,
    `${name} is not what the algorithm's own networks have; give the networks that the agent was made with: { networks }`,
  );
}

/** The algorithms' own network, for observations of any shape, as pure functions. */
export const ObsNetwork: {
  readonly init: typeof init;
  readonly apply: typeof apply;
  readonly outputSize: typeof outputSize;
  readonly check: typeof check;
} = { init, apply, outputSize, check };
