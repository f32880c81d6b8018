// Networks of other programs as policies: layers that were read from a file, and how actions come from their outputs.
// They act by the same functions as the algorithms do.
import { normalizeObs, type ObsStats } from "../agent/index.js";
import type { Acting, ActionKind, Noise } from "../algorithms/index.js";
import { fail, lax, nn, np, random, type Array } from "../array/index.js";
import { isRecord } from "../files/index.js";
import { Categorical, flatRows, TanhNormal, type Activation, type Layer } from "../nn/index.js";

/** What comes after a layer, by name. */
export const activations = {
  none: (x: Array) => x,
  tanh: np.tanh as Activation,
  relu: nn.relu as Activation,
  sigmoid: nn.sigmoid as Activation,
  elu: ((x) => nn.elu(x)) as Activation,
  leakyRelu: ((x) => nn.leakyRelu(x)) as Activation,
  gelu: ((x) => nn.gelu(x, { approximate: false })) as Activation,
  silu: nn.silu as Activation,
  softplus: nn.softplus as Activation,
} as const;

export type ActivationName = keyof typeof activations;

/** What a layer does besides its weights. */
export interface LayerConfig {
  readonly activation: ActivationName;
  /** Of a convolution: the distance of its windows. */
  readonly strides?: readonly [number, number];
}

/** How actions come from the outputs of the last layer. */
export interface NetworkConfig {
  readonly layers: readonly LayerConfig[];
  /**
   * "discrete": the largest output is the action. "gaussian": the outputs are the action. "squashed": the first half
   * are, by tanh within the bounds; the second half are the logarithms of deviations.
   */
  readonly head: "discrete" | "gaussian" | "squashed";
  /** What normalised observations are kept within. */
  readonly clipObs: number;
}

/** The arrays of a network. */
export interface NetworkState extends ObsStats {
  /** Dense layers have w [in, out], convolutions [height, width, in, out]. */
  readonly layers: readonly Layer[];
  /** Of a Gaussian head: the logarithms of the deviations, if the file has them. */
  readonly logStd?: Array;
  /** Of a squashed head: the bounds. */
  readonly actionLow?: Array;
  readonly actionHigh?: Array;
}

interface Parts {
  readonly config: NetworkConfig;
}

function outputOf(state: NetworkState, obs: Array, { config }: Parts): Array {
  const seen = normalizeObs(state, obs, { normalizeObs: true, clipObs: config.clipObs });
  return state.layers.reduce((h, { w, b }, at) => {
    const { activation, strides } = config.layers[at];
    // Bytes count as 0 to 1; where a convolution sees them, its kernel is scaled, which is smaller than images.
    const kernel = strides !== undefined && h.dtype === "uint8" ? w.mul(1 / 255) : w;
    const z =
      strides === undefined
        ? np.matmul(flatRows(h), w)
        : lax.convGeneralDilated(h.astype("float32"), kernel, strides, "VALID");
    return activations[activation](z.add(b));
  }, seen);
}

/** The distribution of a squashed head. */
function squashed(state: NetworkState, obs: Array, parts: Parts) {
  const { actionLow = np.float32(-1), actionHigh = np.float32(1) } = state;
  const [mean, spread] = np.split(outputOf(state, obs, parts), 2, -1);
  // The bounds that SAC has unless it is told others.
  const logStd = spread.clip(-20, 2);
  return { mean, logStd, policy: TanhNormal(mean, logStd, { low: actionLow, high: actionHigh }) };
}

const lastSize = ({ layers }: NetworkState): number => layers.at(-1)?.b.shape[0] ?? 0;

const noiseOf = ({ kind, size }: ActionKind): Noise => ({
  kind: kind === "discrete" ? "uniform" : "normal",
  size,
});

function actionKind(state: NetworkState, { head }: NetworkConfig): ActionKind {
  const size = lastSize(state);
  return {
    kind: head === "discrete" ? "discrete" : "continuous",
    size: head === "squashed" ? size / 2 : size,
  };
}

function sampled(state: NetworkState, obs: Array, noise: Array, parts: Parts): Array {
  const { head } = parts.config;
  if (head === "squashed") return squashed(state, obs, parts).policy.fromNoise(noise)[0];
  const output = outputOf(state, obs, parts);
  if (head === "discrete") return Categorical(output).fromNoise(noise);
  const { logStd } = state;
  if (logStd === undefined) {
    fail("policy", "the file of this policy has no standard deviations (log_std), so that it cannot sample");
  }
  return noise.mul(np.exp(logStd)).add(output);
}

function mode(state: NetworkState, obs: Array, parts: Parts): Array {
  const { head } = parts.config;
  if (head === "squashed") return squashed(state, obs, parts).policy.mode();
  const output = outputOf(state, obs, parts);
  return head === "discrete" ? output.argmax(-1) : output;
}

/** How networks act, as the algorithms' definitions say it of theirs. */
export const networkActing: Acting<NetworkState, NetworkConfig> = {
  fields: ["layers"],
  isUnbounded: true,
  actBatch(state, obs, { config, explore }) {
    const { rng } = state as unknown as { readonly rng: Array };
    if (!explore) return [mode(state, obs, { config }), rng];
    const [next, key] = random.split(rng);
    const { kind, size } = noiseOf(actionKind(state, config));
    const draw = kind === "normal" ? random.normal : random.uniform;
    return [sampled(state, obs, draw(key, [obs.shape[0], size]), { config }), next];
  },
  actionKind: (state, _obsShape, { config }) => actionKind(state, config),
  outputs(state, obs, parts) {
    if (parts.config.head === "squashed") {
      const { mean, logStd } = squashed(state, obs, parts);
      return { mean, log_std: logStd };
    }
    const output = outputOf(state, obs, parts);
    return parts.config.head === "discrete" ? { logits: output } : { mean: output };
  },
  noise: noiseOf,
  sampled,
  firstNetwork: ({ layers }) => layers,
  networkNames: [],
  networkParams: () => ({}),
};

const heads: readonly string[] = ["discrete", "gaussian", "squashed"];

/** Refuses what is no network as `loadPolicy` makes them of files. */
export function checkNetwork(operation: string, config: unknown, state: unknown): void {
  const known = isRecord(config) ? config : {};
  const layers: unknown = isRecord(state) ? state.layers : undefined;
  const isSound =
    heads.includes(String(known.head)) &&
    typeof known.clipObs === "number" &&
    globalThis.Array.isArray(known.layers) &&
    globalThis.Array.isArray(layers) &&
    layers.length === known.layers.length &&
    layers.length > 0 &&
    known.layers.every((layer) => isRecord(layer) && String(layer.activation) in activations);
  if (!isSound) fail(operation, "what the file says about its network is not what vibe-rl writes");
}
