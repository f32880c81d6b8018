// A policy as an ONNX file: what it computes, its names, and what is known about it.
import { np, type Array, type DType } from "../../array/index.js";
import { actionKindOf, actBatchOf, anyKey, noiseOf, outputsOf, sampledOf, valueOf } from "../acting.js";
import { factsOf } from "../facts.js";
import { programOf, type KnownProgram } from "../program.js";
import type { StoredPolicy } from "../stored.js";
import { version } from "../version.js";
import { comparedExtents, largeBatch, plainExtents, smallBatch, type Extent } from "./extents.js";
import { encodeModel, type OnnxValue } from "./model.js";
import { translate } from "./translate.js";

/** The version of ONNX's operations that files are written in. */
export const opset = 17;

export interface OnnxOptions {
  /** Whether actions are sampled, from an input `noise`. */
  readonly sample: boolean;
  /** How many observations at once; `null`: any number. */
  readonly batch: number | null;
  /** Whether there is an output `value`. */
  readonly value: boolean;
}

/** What the file computes from observations, and noise where actions are sampled: the results by name. */
function resultsOf(
  stored: StoredPolicy,
  { sample, value }: OnnxOptions,
  obs: Array,
  noise: Array | undefined,
): Readonly<Record<string, Array>> {
  const action =
    sample && noise !== undefined
      ? sampledOf(stored, obs, noise)
      : actBatchOf(stored)(obs, anyKey(), false)[0];
  const values = value ? valueOf(stored, obs) : null;
  return { action, ...outputsOf(stored, obs), ...(values !== null && { value: values }) };
}

/** The file of a policy. */
export function policyToOnnx(operation: string, stored: StoredPolicy, options: OnnxOptions): Uint8Array {
  const { obsShape, obsDtype } = stored;
  const noise = options.sample ? noiseOf(stored) : null;
  let names: readonly string[] = [];
  const record = (batch: number): KnownProgram => {
    const obs = np.zeros([batch, ...obsShape], { dtype: obsDtype });
    const drawn = noise === null ? [] : [np.zeros([batch, noise.size])];
    return programOf(
      (given, random) => {
        const results = resultsOf(stored, options, given, random);
        names = Object.keys(results);
        return Object.values(results);
      },
      [obs, ...drawn],
    );
  };
  const program = record(options.batch ?? smallBatch);
  const extentsOf =
    options.batch === null ? comparedExtents(operation, program, record(largeBatch)) : plainExtents;
  const inputNames = noise === null ? ["obs"] : ["obs", "noise"];
  const { graph, inputs, outputs } = translate(operation, program, extentsOf, inputNames, names);
  const describe = (name: string, dtype: DType, extents: readonly Extent[]): OnnxValue => ({
    name,
    type: dtype,
    shape: extents.map((extent) =>
      typeof extent === "number" ? extent : extent.batches === 1 ? "batch" : `${extent.batches} batch`,
    ),
  });
  const { inputs: taken, outputs: given } = program.program;
  const offered = taken.slice(program.constants.length);
  return encodeModel({
    opset,
    name: `${stored.algorithm} policy`,
    producer: "vibe-rl",
    producerVersion: version,
    nodes: graph.nodes,
    initializers: graph.initializers,
    inputs: offered.map(({ type }, at) => describe(inputNames[at], type.dtype, inputs[at])),
    outputs: given.map(({ type }, at) => describe(names[at], type.dtype, outputs[at])),
    metadata: { ...factsOf(stored, actionKindOf(stored)), ...(noise !== null && { noise: noise.kind }) },
  });
}
