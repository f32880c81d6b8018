// Networks as classes: an actor or a critic is named by its class and told its sizes, as `actorClass: MLPActor`.
import { checkOptions, fail, nn, np, type Array, type Shape } from "../../array/index.js";
import {
  cnn,
  initializers,
  mlp,
  type Activation,
  type CNNNetworkParams,
  type MLPParams,
  type Network,
  type Tree,
} from "../../nn/index.js";

const activations = { tanh: np.tanh, relu: nn.relu, elu: nn.elu, gelu: nn.gelu, silu: nn.silu } as const;

/** What comes after a layer: a function, or the name of one. */
export type ActivationName = keyof typeof activations;

export interface MLPNetworkCfg {
  /** Widths of the hidden layers. Default [64, 64]. */
  readonly hiddenDims?: readonly number[];
  /** What comes after every hidden layer. Default "tanh". */
  readonly activation?: ActivationName | Activation;
}

export interface CNNNetworkCfg {
  /** Output channels of each convolution. Default [16, 32]. */
  readonly channels?: readonly number[];
  /** Side of each convolution's square window, in pixels. Default [8, 4]. */
  readonly kernels?: readonly number[];
  /** Step of each window, in pixels. Default [4, 2]. */
  readonly strides?: readonly number[];
  /** Widths of the dense layers behind the convolutions. Default [256]. */
  readonly hiddenDims?: readonly number[];
  /** What comes after every layer but the last. Default "relu". */
  readonly activation?: ActivationName | Activation;
}

function activationOf(operation: string, given: unknown): Activation {
  if (typeof given === "function") return given as Activation;
  const known = activations[given as ActivationName] as Activation | undefined;
  if (known !== undefined && Object.hasOwn(activations, given as string)) return known;
  const names = Object.keys(activations).join(", ");
  return fail(operation, `activation must be a function or one of ${names}, got ${JSON.stringify(given)}`);
}

/** Nearly equal chances to begin with; values of the size of rewards. */
const [actorHead, criticHead] = [initializers.orthogonal(0.01), initializers.orthogonal(1)];

/** A network by delegation. */
abstract class Delegating<P extends Tree> implements Network<P> {
  protected abstract readonly network: Network<P>;

  init(rng: Array, inputShape: Shape, outputSize: number): P {
    return this.network.init(rng, inputShape, outputSize);
  }

  apply(params: P, x: Array): Array {
    return this.network.apply(params, x);
  }
}

abstract class MLPNetwork extends Delegating<MLPParams> {
  protected readonly network: Network<MLPParams>;
  readonly activation: Activation;

  constructor(name: string, given: MLPNetworkCfg, head: typeof actorHead) {
    super();
    checkOptions(name, given, ["hiddenDims", "activation"]);
    const { hiddenDims = [64, 64], activation = "tanh" } = given;
    this.activation = activationOf(name, activation);
    this.network = mlp({
      ...{ hiddenSizes: checkedDims(name, hiddenDims), activation: this.activation, lastKernelInit: head },
    });
  }
}

abstract class CNNNetwork extends Delegating<CNNNetworkParams> {
  protected readonly network: Network<CNNNetworkParams>;

  constructor(name: string, given: CNNNetworkCfg, head: typeof actorHead) {
    super();
    checkOptions(name, given, ["channels", "kernels", "strides", "hiddenDims", "activation"]);
    const { hiddenDims = [256], activation = "relu", ...convolutions } = given;
    this.network = cnn({
      ...convolutions,
      hiddenSizes: checkedDims(name, hiddenDims),
      activation: activationOf(name, activation),
      lastKernelInit: head,
    });
  }
}

function checkedDims(name: string, dims: unknown): readonly number[] {
  const isList = globalThis.Array.isArray(dims);
  if (isList && dims.every((width) => Number.isSafeInteger(width) && (width as number) > 0)) {
    return dims as readonly number[];
  }
  fail(name, `hiddenDims must be a list of whole numbers of at least 1, got ${JSON.stringify(dims)}`);
}

/** Dense layers to logits, or to the means of actions. */
export class MLPActor extends MLPNetwork {
  constructor(cfg: MLPNetworkCfg = {}) {
    super("MLPActor", cfg, actorHead);
  }
}

/** Dense layers to values. */
export class MLPCritic extends MLPNetwork {
  constructor(cfg: MLPNetworkCfg = {}) {
    super("MLPCritic", cfg, criticHead);
  }
}

/** Convolutions over images, and dense layers to logits or to the means of actions. */
export class CNNActor extends CNNNetwork {
  constructor(cfg: CNNNetworkCfg = {}) {
    super("CNNActor", cfg, actorHead);
  }
}

/** Convolutions over images, and dense layers to values. */
export class CNNCritic extends CNNNetwork {
  constructor(cfg: CNNNetworkCfg = {}) {
    super("CNNCritic", cfg, criticHead);
  }
}
