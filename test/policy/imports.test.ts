// Networks of other programs as policies: ONNX files and PyTorch's weights, in all the ways that they are written.
import { describe, expect, it } from "vitest";
import { PPO } from "vibe-rl/algorithms/ppo";
import { np, random, type Array } from "vibe-rl/array";
import { toSafetensors } from "vibe-rl/checkpoint";
import { MLP, type Layer } from "vibe-rl/nn";
import { createPolicy, exportPolicy, loadPolicy, networkParamsOf } from "vibe-rl/policy";
import { encodeModel, type OnnxModel, type OnnxNode, type OnnxTensor } from "../../src/policy/onnx/model.js";
import { joined } from "../../src/files/index.js";
import { nested, whole } from "../../src/policy/onnx/protobuf.js";
import { distance, examples, observationsOf, varied } from "./examples.js";

const layers: readonly Layer[] = varied(MLP.init(random.key(4), [4, 8, 8, 3]));
const observations = globalThis.Array.from({ length: 16 }, (_, row) =>
  Float32Array.from({ length: 4 }, (_, at) => 2 * Math.sin(3 * row + 2 * at)),
);
const batch = np.stack(observations.map((obs) => np.array(obs)));
const outputs = (activation: (x: Array) => Array) => MLP.apply(layers, batch, { activation });
const choices = (activation = np.tanh as (x: Array) => Array) =>
  outputs(activation).argmax(-1).toArray() as number[];

const tensor = (name: string, x: Array): OnnxTensor => ({
  ...{ name, type: "float32", shape: x.shape, elements: x.data() },
});
const node = (
  op: string,
  inputs: string[],
  output: string,
  attributes: OnnxNode["attributes"] = {},
): OnnxNode => ({
  ...{ op, name: output, inputs, outputs: [output], attributes },
});

/** A model as another program would write it. */
const model = (
  nodes: readonly OnnxNode[],
  initializers: readonly OnnxTensor[],
  output = "output",
  inputs: OnnxModel["inputs"] = [{ name: "input", type: "float32", shape: ["batch_size", 4] }],
): Uint8Array =>
  encodeModel({
    ...{ opset: 17, name: "main_graph", producer: "pytorch", producerVersion: "2.4", metadata: {} },
    ...{
      nodes,
      initializers,
      inputs,
      outputs: [{ name: output, type: "float32", shape: ["batch_size", 3] }],
    },
  });

type Style = "transB" | "plain" | "matmul" | "matmulReversed";

/** The layers as nodes: Gemm with weights [out, in] or [in, out], or MatMul and Add. */
function dense(style: Style, activation = "Tanh"): { nodes: OnnxNode[]; tensors: OnnxTensor[] } {
  const [nodes, tensors]: [OnnxNode[], OnnxTensor[]] = [[], []];
  let value = "input";
  layers.forEach(({ w, b }, at) => {
    const [weight, bias, z, h] = [`${at}.weight`, `${at}.bias`, `z${at}`, `h${at}`];
    tensors.push(tensor(weight, style === "transB" ? w.transpose() : w), tensor(bias, b));
    const last = at === layers.length - 1;
    const result = last ? "output" : z;
    if (style === "transB" || style === "plain") {
      const attributes = { alpha: { float: 1 }, beta: { float: 1 }, transB: style === "transB" ? 1 : 0 };
      nodes.push(node("Gemm", [value, weight, bias], result, attributes));
    } else {
      nodes.push(node("MatMul", [value, weight], `m${at}`));
      nodes.push(node("Add", style === "matmul" ? [`m${at}`, bias] : [bias, `m${at}`], result));
    }
    if (!last) nodes.push(node(activation, [z], h));
    value = h;
  });
  return { nodes, tensors };
}

describe("loadPolicy of an ONNX file of another program", () => {
  it.each(["transB", "plain", "matmul", "matmulReversed"] as const)("reads layers as %s", async (style) => {
    const { nodes, tensors } = dense(style);
    const policy = await loadPolicy(model(nodes, tensors), { actions: "discrete" });
    expect(policy).toMatchObject({ algorithm: "network", kind: "discrete", actionSize: 3, obsShape: [4] });
    expect(new Set(choices()).size).toBeGreaterThan(1);
    expect(policy.actBatch(observations)).toEqual(choices());
    const params = networkParamsOf(policy) as readonly Layer[];
    expect(params.map(({ w }) => w.toArray())).toEqual(layers.map(({ w }) => w.toArray()));
  });

  it("reads tensors of float_data and packed shapes, Constant nodes and copies of constants", async () => {
    const { nodes, tensors } = dense("transB");
    const [weight, bias, second, ...rest] = tensors;
    const constant = node("Constant", [], bias.name, { value: { tensor: { ...bias, name: "" } } });
    const copied = node("Identity", ["shared"], second.name);
    const bytes = model([constant, copied, ...nodes], [{ ...second, name: "shared" }, ...rest]);
    // A tensor as older exporters write it: its shape packed, its elements as a packed list of floats.
    const list = Float32Array.from(weight.elements);
    const raw = new Uint8Array(list.buffer);
    const dims = nested(1, Uint8Array.from(weight.shape));
    const written = [dims, whole(2, 1), nested(8, weight.name), nested(4, raw)];
    // A second graph message is merged with the first by the rules of the format; ours takes one, so it is spliced in.
    const withTensor = spliced(bytes, nested(5, written));
    const policy = await loadPolicy(withTensor, { actions: "discrete" });
    expect(policy.actBatch(observations)).toEqual(choices());
  });

  it("takes the layers of the policy where the file has a critic as well", async () => {
    const { nodes, tensors } = dense("transB");
    const flat = node("Flatten", ["input"], "flat", { axis: 1 });
    const policyNodes = nodes.map((one, at) =>
      at === 0 ? { ...one, inputs: ["flat", ...one.inputs.slice(1)] } : one,
    );
    const critic = node("Gemm", ["flat", "v", "vb"], "values");
    const chosen = node("ArgMax", ["output"], "actions", { axis: 1, keepdims: 0 });
    const all = [...tensors, tensor("v", np.ones([4, 1])), tensor("vb", np.zeros([1]))];
    const bytes = model([flat, ...policyNodes, critic, chosen], all, "actions");
    expect((await loadPolicy(bytes)).actBatch(observations)).toEqual(choices());
  });

  it("knows other activations, continuous actions, and bounds that come behind", async () => {
    const { nodes, tensors } = dense("plain", "Relu");
    const clip = node("Clip", ["output", "low", "high"], "clipped");
    const bytes = model(
      [...nodes, clip],
      [...tensors, tensor("low", np.float32(-1)), tensor("high", np.float32(0.5))],
      "clipped",
    );
    const policy = await loadPolicy(bytes, { actions: "continuous" });
    const ours = outputs((x) => np.maximum(x, 0))
      .clip(-1, 0.5)
      .toArray() as number[][];
    expect(
      distance(
        policy.actBatch(observations),
        ours.map((row) => Float32Array.from(row)),
      ),
    ).toBeLessThan(1e-6);
    expect([policy.kind, String(policy.space)]).toEqual(["continuous", "Box(float32[3] from -1 to 0.5)"]);
  });

  it("knows a last layer that is squashed and scaled", async () => {
    const { nodes, tensors } = dense("plain");
    const tail = [
      node("Tanh", ["output"], "squashed"),
      node("Mul", ["squashed", "scale"], "scaled"),
      node("Add", ["scaled", "middle"], "action"),
    ];
    const bytes = model(
      [...nodes, ...tail],
      [...tensors, tensor("scale", np.array([2, 3, 4])), tensor("middle", np.float32(1))],
      "action",
    );
    const ours = np
      .tanh(outputs(np.tanh))
      .mul(np.array([2, 3, 4]))
      .add(1)
      .toArray() as number[][];
    const policy = await loadPolicy(bytes);
    expect(
      distance(
        policy.actBatch(observations),
        ours.map((row) => Float32Array.from(row)),
      ),
    ).toBeLessThan(1e-6);
  });

  it("says what it cannot read", async () => {
    const { nodes, tensors } = dense("transB");
    const load = (bytes: Uint8Array, options = {}) => loadPolicy(bytes, options);
    await expect(load(model(nodes, tensors))).rejects.toThrow(
      /does not say what its outputs are; give actions/,
    );
    const lstm = node("LSTM", ["output", "0.weight"], "h");
    await expect(load(model([...nodes, lstm], tensors, "h"))).rejects.toThrow(
      /it has LSTM behind layer 2, which is not read/,
    );
    const skip = node("Add", ["output", "output2"], "sum");
    await expect(
      load(model([...nodes, node("Neg", ["z0"], "output2"), skip], tensors, "sum")),
    ).rejects.toThrow(/sum \(Add\) takes 2 results \(output, output2\); a chain of layers is read/);
    const leaky = dense("transB", "LeakyRelu");
    const steep = leaky.nodes.map((one) =>
      one.op === "LeakyRelu" ? { ...one, attributes: { alpha: { float: 0.3 } } } : one,
    );
    await expect(load(model(steep, leaky.tensors), { actions: "discrete" })).rejects.toThrow(
      /LeakyRelu has alpha 0.3/,
    );
    await expect(load(model(nodes, tensors.slice(1)))).rejects.toThrow(/nothing makes|takes 2 results/);
    await expect(load(model(nodes, tensors), { output: "logits" })).rejects.toThrow(
      /has no output logits; it has output/,
    );
    await expect(load(model(nodes, tensors).subarray(0, 300), { actions: "discrete" })).rejects.toThrow(
      /this ONNX file cannot be read as a policy: it ends within/,
    );
    const { bytes } = await exportPolicy(await examples["PPO, discrete"](), { format: "onnx", sample: true });
    await expect(load(bytes)).rejects.toThrow(
      /it samples from noise that it is given; export it without sample/,
    );
  });
});

/** A model with one more field in its graph. */
function spliced(bytes: Uint8Array, field: Uint8Array): Uint8Array {
  const [graphKey, parts] = [0x3a, [] as Uint8Array[]];
  for (let at = 0; at < bytes.length;) {
    const start = at;
    const key = bytes[at++];
    let [value, shift] = [0, 0];
    for (;;) {
      const byte = bytes[at++];
      value += (byte & 127) * 2 ** shift;
      shift += 7;
      if (byte < 128) break;
    }
    if (key % 8 === 0) parts.push(bytes.subarray(start, at));
    else {
      const content = bytes.subarray(at, (at += value));
      parts.push(key === graphKey ? nested(7, [content, field]) : bytes.subarray(start, at));
    }
  }
  return joined(parts);
}

describe("loadPolicy of PyTorch's weights", () => {
  const state = (prefix: string): Record<string, Array> =>
    Object.fromEntries(
      layers.flatMap(({ w, b }, at) => [
        [`${prefix}${2 * at}.weight`, w.transpose()],
        [`${prefix}${2 * at}.bias`, b],
      ]),
    );
  /** As the safetensors library writes it: names and tensors, nothing of ours. */
  const foreign = (tensors: Readonly<Record<string, Array>>): Uint8Array => {
    let end = 0;
    const entries = Object.entries(tensors).map(([name, x]) => {
      const start = end;
      end += 4 * x.size;
      return [name, { dtype: "F32", shape: x.shape, data_offsets: [start, end] }];
    });
    const header = new TextEncoder().encode(JSON.stringify(Object.fromEntries(entries)));
    const length = new Uint8Array(8);
    new DataView(length.buffer).setBigUint64(0, BigInt(header.length), true);
    const data = Object.values(tensors).map((x) => new Uint8Array(Float32Array.from(x.data()).buffer));
    return joined([length, header, ...data]);
  };

  it("takes a Sequential, and is told what is between its layers", async () => {
    for (const prefix of ["net.", "", "actor.mlp."]) {
      const policy = await loadPolicy(foreign(state(prefix)), { activation: "tanh", actions: "discrete" });
      expect(policy.actBatch(observations)).toEqual(choices());
    }
    const relu = await loadPolicy(foreign(state("net.")), { activation: "relu", actions: "discrete" });
    expect(relu.actBatch(observations)).toEqual(choices((x) => np.maximum(x, 0)));
  });

  it("takes the policy of Stable-Baselines3's ActorCriticPolicy, deviations included", async () => {
    const [first, second, last] = layers;
    const weights = {
      log_std: np.array([-1, 0, 1]),
      "mlp_extractor.policy_net.0.weight": first.w.transpose(),
      "mlp_extractor.policy_net.0.bias": first.b,
      "mlp_extractor.policy_net.2.weight": second.w.transpose(),
      "mlp_extractor.policy_net.2.bias": second.b,
      "mlp_extractor.value_net.0.weight": np.ones([8, 4]),
      "mlp_extractor.value_net.0.bias": np.zeros([8]),
      "action_net.weight": last.w.transpose(),
      "action_net.bias": last.b,
      "value_net.weight": np.ones([1, 8]),
      "value_net.bias": np.zeros([1]),
    };
    const policy = await loadPolicy(foreign(weights), { activation: "tanh", actions: "continuous" });
    const ours = (outputs(np.tanh).toArray() as number[][]).map((row) => Float32Array.from(row));
    expect(distance(policy.actBatch(observations), ours)).toBeLessThan(1e-6);
    const bold = await loadPolicy(foreign(weights), { activation: "tanh", explore: true });
    const drawn = globalThis.Array.from({ length: 400 }, () => [
      ...(bold.act(observations[0]) as Float32Array),
    ]);
    const spread = [0, 1, 2].map((at) => {
      const column = np.array(drawn.map((row) => row[at]));
      return Math.log(column.std().item());
    });
    spread.forEach((one, at) => expect(Math.abs(one - [-1, 0, 1][at])).toBeLessThan(0.15));
  });

  it("keeps what it has read: as our own file, and as parameters to train on", async () => {
    const policy = await loadPolicy(foreign(state("net.")), { activation: "tanh", actions: "discrete" });
    const again = await loadPolicy(policy.toSafetensors());
    expect(again.actBatch(observations)).toEqual(choices());
    const config = { hiddenSizes: [8, 8] };
    const fresh = PPO.init(random.key(0), [4], 3, config);
    const warm = { ...fresh, params: { ...fresh.params, actor: networkParamsOf(policy) } };
    const trained = await createPolicy("ppo", warm, { config });
    expect(trained.actBatch(observations)).toEqual(choices());
  });

  it("says what is missing or does not fit", async () => {
    const load = (tensors: Readonly<Record<string, Array>>, options = {}) =>
      loadPolicy(foreign(tensors), { actions: "discrete", ...options });
    await expect(load(state("net."))).rejects.toThrow(
      /holds weights \(here 3 dense layers\), but not what is between them/,
    );
    await expect(load(state("net."), { activation: "tahn" })).rejects.toThrow(
      /no activation `tahn`; did you mean `tanh`/,
    );
    await expect(loadPolicy(foreign(state("net.")), { activation: "relu" })).rejects.toThrow(/give actions/);
    const two = { ...state("actor."), ...state("critic.") };
    await expect(load(two, { activation: "tanh" })).rejects.toThrow(
      /several networks: "actor.", "critic."; say which with prefix/,
    );
    const chosen = await load(two, { activation: "tanh", prefix: "critic." });
    expect(chosen.actBatch(observations)).toEqual(choices());
    await expect(load(two, { activation: "tanh", prefix: "q." })).rejects.toThrow(/no layers of prefix "q."/);
    const short = { ...state("net."), "net.2.weight": np.ones([8, 7]) };
    await expect(load(short, { activation: "tanh" })).rejects.toThrow(
      /net.2.weight takes 7 numbers, the layer before it gives 8/,
    );
    const conv = { "net.0.weight": np.ones([4, 3, 8, 8]), "net.0.bias": np.ones([4]) };
    await expect(load(conv, { activation: "relu" })).rejects.toThrow(/net.0.weight has shape \[4,3,8,8\]/);
    await expect(loadPolicy(toSafetensors({ step: np.ones([1]) }))).rejects.toThrow(/without a policy/);
    const module = (await exportPolicy(await examples["PPO, discrete"](), { format: "js" })).bytes;
    await expect(loadPolicy(module)).rejects.toThrow(
      /this is a JavaScript module, which acts by itself: import its function act/,
    );
  });
});

describe("what was exported", () => {
  it.each(Object.keys(examples))("opens again, from ONNX and from safetensors: %s", async (name) => {
    const policy = await examples[name]();
    const seen = observationsOf(policy) as Float32Array[];
    const ours = policy.actBatch(seen);
    for (const format of ["onnx", "safetensors"] as const) {
      const { bytes } = await exportPolicy(policy, { format });
      const again = await loadPolicy(bytes);
      expect(distance(again.actBatch(seen), ours)).toBeLessThan(1e-5);
      expect(String(again.space)).toBe(String(policy.space));
      expect(String(again.observationSpace)).toBe(String(policy.observationSpace));
      // And once more, from what was read.
      const once = await loadPolicy((await exportPolicy(again, { format: "onnx" })).bytes);
      expect(distance(once.actBatch(seen), ours)).toBeLessThan(1e-5);
    }
  });
});
