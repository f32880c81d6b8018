// Networks of other programs as policies: what a file says, and what must be told where it does not.
import { checkName, fail, np, sizeOf, type Array, type DType, type Shape } from "../array/index.js";
import type { RunningStats } from "../agent/index.js";
import type { Layer } from "../nn/index.js";
import { metadataFrom, metadataOf } from "./metadata.js";
import {
  activations,
  type ActivationName,
  type LayerConfig,
  type NetworkConfig,
  type NetworkState,
} from "./network.js";
import { chainOf, chosenOutput } from "./onnx/chain.js";
import { decodeModel, type OnnxModel } from "./onnx/model.js";
import { ChainReader } from "./onnx/read.js";
import { readLayers } from "./plainLayers.js";
import { spaceFromData } from "../env/index.js";
import type { StoredPolicy } from "./stored.js";

/** What is to be told of a network where its file does not say it. */
export interface ImportOptions {
  /** What comes after every layer but the last, in a file that holds weights alone. */
  readonly activation?: ActivationName;
  /** What actions are. */
  readonly actions?: "discrete" | "continuous";
  /** ONNX: the output that is read. Default: `action`, `logits`, …, or the first. */
  readonly output?: string;
  /** Weights alone: what the names of the layers begin with, where there are several networks. */
  readonly prefix?: string;
}

/** A file of weights alone, or an ONNX file, as it was read. */
interface Imported {
  readonly layers: readonly Layer[];
  readonly configs: readonly LayerConfig[];
  readonly head: NetworkConfig["head"];
  readonly obsShape: Shape;
  readonly obsDtype: DType;
  readonly state?: Partial<NetworkState>;
  readonly clipObs?: number;
  readonly bounds?: StoredPolicy["bounds"];
  readonly about?: Pick<StoredPolicy, "metadata" | "actionSpace" | "observationSpace" | "frameStack">;
}

function policyOf(imported: Imported): StoredPolicy {
  const { layers, configs, head, obsShape, obsDtype, state = {}, bounds = null } = imported;
  const config: NetworkConfig = { layers: configs, head, clipObs: imported.clipObs ?? largestClip };
  const about = imported.about ?? {
    metadata: metadataOf("network", { version: null }),
    actionSpace: null,
    observationSpace: null,
  };
  const arrays: NetworkState = { layers, ...state };
  return {
    algorithm: "network",
    config,
    state: arrays,
    networks: null,
    bounds,
    obsShape,
    obsDtype,
    ...about,
  };
}

/** No bounds at all: the largest float32. */
const largestClip = 3.4028234663852886e38;

/** The policy of an ONNX file that holds a chain of layers. */
export function policyFromOnnx(operation: string, bytes: Uint8Array, options: ImportOptions): StoredPolicy {
  const refuse = (what: string): never =>
    fail(operation, `this ONNX file cannot be read as a policy: ${what}`);
  const model = decodeModel(bytes, refuse);
  if (model.inputs.some(({ name }) => name === "noise")) {
    refuse("it samples from noise that it is given; export it without sample, and let loadPolicy explore");
  }
  const output = chosenOutput(model, options.output, refuse);
  const { input, steps } = chainOf(model, output, refuse);
  const seen = model.inputs.find(({ name }) => name === input);
  const isBytes = seen?.type === "uint8";
  const read = new ChainReader(isBytes, refuse).read(steps);
  const { layers, configs, bounds } = read;
  const obsShape = shapeOf(seen?.shape ?? [], layers[0].w.shape, refuse);
  const { head } = read;
  const state: Partial<NetworkState> = {
    ...statsOf(read, obsShape),
    ...(head === "squashed" && bounds !== null && { actionLow: bounds.low, actionHigh: bounds.high }),
  };
  return policyOf({
    layers,
    configs,
    head: head ?? headOf(operation, output, options),
    obsShape,
    obsDtype: isBytes || seen?.type === "int32" || seen?.type === "bool" ? seen.type : "float32",
    state,
    ...(read.clipObs !== null && { clipObs: read.clipObs }),
    bounds: head === "squashed" ? null : bounds,
    about: aboutOf(model),
  });
}

/** What our own files tell of themselves. */
function aboutOf({ producer, metadata }: OnnxModel): NonNullable<Imported["about"]> {
  if (producer !== "vibe-rl") {
    return { metadata: metadataOf("network", { version: null }), actionSpace: null, observationSpace: null };
  }
  const number = (text: string | undefined) => (text === undefined ? null : Number(text));
  const data = (text: string | undefined): unknown => (text === undefined ? null : JSON.parse(text));
  const { algorithm = "network", environment, step, seed, eval_return: evalReturn } = metadata;
  return {
    metadata: metadataFrom(algorithm, {
      environment,
      step: number(step),
      seed: number(seed),
      evalReturn: number(evalReturn),
      version: metadata.vibe_rl_version,
    }),
    actionSpace: spaceFromData(data(metadata.action_space)),
    observationSpace: spaceFromData(data(metadata.observation_space)),
    ...(metadata.frame_stack !== undefined && { frameStack: Number(metadata.frame_stack) }),
  };
}

/** Statistics that normalise as the file does. */
function statsOf(
  { mean, deviation }: { readonly mean: Array | null; readonly deviation: Array | null },
  shape: Shape,
): { readonly obsStats?: RunningStats } {
  if (mean === null && deviation === null) return {};
  const wide = (value: Array): Array => np.broadcastTo(value, shape);
  const std = wide(deviation ?? np.float32(1));
  return {
    // What normalises adds 1e-8 before it takes the root.
    obsStats: { count: np.float32(1), mean: wide(mean ?? np.float32(0)), variance: std.mul(std).sub(1e-8) },
  };
}

/** The shape of observations: the input's, or as many numbers as the first layer takes. */
function shapeOf(
  extents: readonly (number | string)[],
  [first, ...rest]: Shape,
  refuse: (what: string) => never,
): Shape {
  const own = extents.slice(1);
  const isKnown = own.length > 0 && own.every((extent) => typeof extent === "number");
  if (rest.length > 1) return isKnown ? own : refuse("it does not say how large its images are");
  return isKnown && sizeOf(own) === first ? own : [first];
}

/** How actions come from the last layer of a file that does not say it. */
function headOf(operation: string, output: string, { actions }: ImportOptions): "discrete" | "gaussian" {
  if (actions !== undefined) return actions === "discrete" ? "discrete" : "gaussian";
  if (["logits", "q_values"].includes(output)) return "discrete";
  if (["mean", "action"].includes(output)) return "gaussian";
  return fail(
    operation,
    `the file does not say what its outputs are; give actions: "discrete" (the largest is the action) or ` +
      `"continuous" (they are the action)`,
  );
}

/** The policy of a safetensors file that holds dense layers by the names that PyTorch has for them. */
export function policyFromWeights(
  operation: string,
  tensors: Readonly<Record<string, Array>>,
  options: ImportOptions,
): StoredPolicy {
  const { layers, logStd, actions } = readLayers(operation, tensors, options.prefix);
  const { activation } = options;
  const last = layers.length - 1;
  if (activation === undefined && last > 0) {
    fail(
      operation,
      `a safetensors file holds weights (here ${layers.length} dense layers), but not what is between them; give ` +
        `activation: ${Object.keys(activations)
          .map((name) => `"${name}"`)
          .join(", ")}`,
    );
  }
  const known = actions === null ? options : { actions, ...options };
  return policyOf({
    layers,
    configs: layers.map((_, at) => ({ activation: at < last ? (activation ?? "none") : "none" })),
    head: headOf(operation, "", known),
    obsShape: [layers[0].w.shape[0]],
    obsDtype: "float32",
    ...(logStd !== null && { state: { logStd } }),
  });
}

/** Refuses the name of an activation that there is not. */
export function checkActivation(operation: string, activation: string | undefined): void {
  if (activation !== undefined) checkName(operation, "activation", activation, Object.keys(activations));
}
