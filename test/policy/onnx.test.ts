// Policies as ONNX files, run by onnxruntime-web: they do what ours do.
import * as ort from "onnxruntime-web";
import { describe, expect, it } from "vitest";
import { PPO } from "vibe-rl/algorithms/ppo";
import { lax, nn, np, random, type Array } from "vibe-rl/array";
import { Box } from "vibe-rl/env";
import { cnn, mlp, type Network } from "vibe-rl/nn";
import { exportPolicy, loadPolicy, type Policy } from "vibe-rl/policy";
import { decodeModel } from "../../src/policy/onnx/model.js";
import { distance, examples, observationsOf } from "./examples.js";
import { ownPolicy } from "./ownPolicy.js";

ort.env.wasm.numThreads = 1;

const modelOf = (bytes: Uint8Array) =>
  decodeModel(bytes, (what) => {
    throw new Error(what);
  });

type Feeds = Readonly<Record<string, ort.Tensor>>;

const tensorOf = (policy: Policy, observations: readonly (Float32Array | Uint8Array)[]): ort.Tensor => {
  const dims = [observations.length, ...policy.obsShape];
  const all = observations.flatMap((obs) => [...obs]);
  return policy.observationSpace.dtype === "uint8"
    ? new ort.Tensor("uint8", Uint8Array.from(all), dims)
    : new ort.Tensor("float32", Float32Array.from(all), dims);
};

async function run(bytes: Uint8Array, feeds: Feeds): Promise<Readonly<Record<string, ort.Tensor>>> {
  const session = await ort.InferenceSession.create(bytes);
  try {
    return await session.run(feeds);
  } finally {
    await session.release();
  }
}

/** The actions of a file, one for each observation. */
const actionsIn = ({ action }: Readonly<Record<string, ort.Tensor>>, policy: Policy) => {
  const data = action.data as Float32Array | Int32Array;
  return policy.kind === "discrete"
    ? [...data]
    : globalThis.Array.from({ length: action.dims[0] }, (_, at) =>
        Float32Array.from(data.slice(at * policy.actionSize, (at + 1) * policy.actionSize)),
      );
};

describe("exportPolicy to ONNX", () => {
  it.each(Object.keys(examples))(
    "acts as the policy does, for any number of observations: %s",
    async (name) => {
      const policy = await examples[name]();
      const { bytes, files } = await exportPolicy(policy, { format: "onnx", name: "agent" });
      expect(files).toEqual([{ name: "agent.onnx", bytes }]);
      const { inputs, outputs, opset } = modelOf(bytes);
      expect(opset).toBeGreaterThanOrEqual(17);
      expect(inputs.map(({ name, shape }) => [name, shape])).toEqual([
        ["obs", ["batch", ...policy.obsShape]],
      ]);
      expect(outputs[0].name).toBe("action");
      for (const count of [1, 12]) {
        const observations = observationsOf(policy, count);
        const results = await run(bytes, { obs: tensorOf(policy, observations) });
        const ours = policy.actBatch(observations as Float32Array[]);
        if (count === 12 && policy.kind === "discrete") expect(new Set(ours).size).toBeGreaterThan(1);
        expect(distance(actionsIn(results, policy), ours)).toBeLessThan(1e-5);
      }
    },
  );

  it("says what the action comes from, and the critic's value if it is asked for", async () => {
    const { policy, obs, state, config } = await ownPolicy();
    const { bytes } = await exportPolicy(policy, { format: "onnx", value: true });
    const { logits, value } = await run(bytes, {
      obs: new ort.Tensor("float32", obs.data() as Float32Array, obs.shape),
    });
    const ours = {
      logits: PPO.logitsBatch(state, obs, { config }),
      value: PPO.getValueBatch(state, obs, { config }),
    };
    const apart = (a: ArrayLike<unknown>, b: Array) =>
      Math.max(...[...b.data()].map((one, at) => Math.abs(one - Number(a[at]))));
    expect(apart(logits.data as Float32Array, ours.logits)).toBeLessThan(1e-5);
    expect(apart(value.data as Float32Array, ours.value)).toBeLessThan(1e-5);
  });

  it("reads well: layers are Gemm and Conv, and know their names", async () => {
    const ops = async (name: string) =>
      modelOf((await exportPolicy(await examples[name](), { format: "onnx" })).bytes).nodes.map(
        ({ op }) => op,
      );
    expect(await ops("PPO, normalised")).toEqual([
      "Sub",
      "Div",
      "Clip",
      "Gemm",
      "Tanh",
      "Gemm",
      "Tanh",
      "Gemm",
      "ArgMax",
      "Cast",
    ]);
    expect(await ops("PPO, images")).toEqual([
      ...["Cast", "Transpose", "Conv", "Relu", "Conv", "Relu", "Transpose", "Reshape"],
      ...["Gemm", "Relu", "Gemm", "Tanh", "Gemm", "ArgMax", "Cast"],
    ]);
    const model = modelOf((await exportPolicy(await examples["PPO, discrete"](), { format: "onnx" })).bytes);
    expect(model.initializers.map(({ name }) => name)).toEqual(
      [0, 1, 2].flatMap((at) => [`dense_${at}.weight`, `dense_${at}.bias`]),
    );
  });

  it("samples from noise: what the noise says, and as often as the policy says", async () => {
    const policy = await examples["PPO, discrete"]();
    const { bytes } = await exportPolicy(policy, { format: "onnx", sample: true });
    expect(modelOf(bytes).inputs.map(({ name, shape }) => [name, shape])).toEqual([
      ["obs", ["batch", 4]],
      ["noise", ["batch", 3]],
    ]);
    expect(modelOf(bytes).metadata.noise).toBe("uniform");
    const [obs] = observationsOf(policy);
    const count = 4000;
    const noise = random.uniform(random.key(3), [count, 3]).data() as Float32Array;
    const feeds = {
      obs: tensorOf(
        policy,
        globalThis.Array.from({ length: count }, () => obs),
      ),
      noise: new ort.Tensor("float32", noise, [count, 3]),
    };
    const { action, logits } = await run(bytes, feeds);
    const chances = nn.softmax(np.array((logits.data as Float32Array).slice(0, 3))).toArray() as number[];
    for (const [choice, chance] of chances.entries()) {
      const share = [...(action.data as Int32Array)].filter((one) => one === choice).length / count;
      // Four standard deviations of a share.
      expect(Math.abs(share - chance)).toBeLessThan(4 * Math.sqrt((chance * (1 - chance)) / count) + 1e-3);
    }
  });

  it("samples continuous actions around the mean, and stays within the bounds", async () => {
    for (const name of ["PPO, continuous within bounds", "SAC"]) {
      const policy = await examples[name]();
      const { bytes } = await exportPolicy(policy, { format: "onnx", sample: true });
      expect(modelOf(bytes).metadata.noise).toBe("normal");
      const observations = observationsOf(policy, 3);
      const feed = async (value: number) =>
        actionsIn(
          await run(bytes, {
            obs: tensorOf(policy, observations),
            noise: new ort.Tensor("float32", new Float32Array(6).fill(value), [3, 2]),
          }),
          policy,
        );
      expect(distance(await feed(0), policy.actBatch(observations as Float32Array[]))).toBeLessThan(1e-5);
      expect((await feed(1e12)).map((action) => [...(action as Float32Array)])).toEqual([
        [1, 0.25],
        [1, 0.25],
        [1, 0.25],
      ]);
      expect((await feed(-1e12)).map((action) => [...(action as Float32Array)])).toEqual([
        [-1, -0.5],
        [-1, -0.5],
        [-1, -0.5],
      ]);
    }
  });

  it("explores as DQN does: the first numbers of the noise choose, the last says whether", async () => {
    const policy = await examples["DQN, dueling"]();
    const { bytes } = await exportPolicy(policy, { format: "onnx", sample: true });
    const observations = observationsOf(policy, 2);
    const best = policy.actBatch(observations as Float32Array[]) as number[];
    const noise = [...[0.1, 0.2, 0.9, 0.49], ...[0.1, 0.2, 0.9, 0.51]];
    const feeds = { obs: tensorOf(policy, observations), noise: new ort.Tensor("float32", noise, [2, 4]) };
    expect([...((await run(bytes, feeds)).action.data as Int32Array)]).toEqual([2, best[1]]);
  });

  it("takes networks of one's own, whatever they are made of", async () => {
    const custom: Network = {
      init: (rng, inputShape, outputSize) => ({ w: random.normal(rng, [inputShape[0], outputSize]) }),
      apply: (params, x) => {
        const { w } = params as unknown as { readonly w: Array };
        const h = nn.gelu(np.flip(x, 1).matmul(w), { approximate: false });
        const padded = np.pad(h, [
          [0, 0],
          [1, 1],
        ]);
        const wide = np.concatenate([np.expm1(h), np.log1p(np.abs(h)), np.trunc(h.mul(3)), padded], -1);
        const rest = nn
          .softplus(wide)
          .add(nn.elu(wide))
          .mul(np.where(wide.greater(0.1), 1, -1));
        const mean = rest.reshape([x.shape[0], 2, rest.shape[1] / 2]).max(2);
        return np
          .einsum("bi,bj->bj", mean, h)
          .add(np.power(np.abs(h), 1.5))
          .sub(lax.logistic(h).min(-1, { keepdims: true }));
      },
    };
    const networks = { actor: custom, critic: mlp({ hiddenSizes: [4] }) };
    const { policy, observations } = await ownPolicy({ networks });
    const { bytes } = await exportPolicy(policy, { format: "onnx" });
    const results = await run(bytes, { obs: tensorOf(policy, observations) });
    expect(distance(actionsIn(results, policy), policy.actBatch(observations))).toBeLessThan(1e-5);
  });

  it("names what has no counterpart in ONNX, and what depends on the batch", async () => {
    const sorted: Network = {
      init: (rng, inputShape, outputSize) => ({ w: random.normal(rng, [inputShape[0], outputSize]) }),
      apply: (params, x) => np.sort(x.matmul((params as unknown as { readonly w: Array }).w), -1),
    };
    const { policy } = await ownPolicy({ networks: { actor: sorted, critic: mlp() } });
    await expect(exportPolicy(policy, { format: "onnx" })).rejects.toThrow(
      /the policy computes with `sort`, which has no counterpart in our ONNX files; export it as js/,
    );
    const numbered: Network = {
      init: (rng, inputShape, outputSize) => ({ w: random.normal(rng, [inputShape[0], outputSize]) }),
      apply: (params, x) =>
        x.matmul((params as unknown as { readonly w: Array }).w).add(np.arange(x.shape[0]).slice(":", null)),
    };
    const { policy: other, observations } = await ownPolicy({ networks: { actor: numbered, critic: mlp() } });
    await expect(exportPolicy(other, { format: "onnx" })).rejects.toThrow(/batch/);
    const { bytes } = await exportPolicy(other, { format: "onnx", batch: 2 });
    expect(modelOf(bytes).inputs[0].shape).toEqual([2, 4]);
    const two = observations.slice(0, 2);
    const results = await run(bytes, { obs: tensorOf(other, two) });
    expect(distance(actionsIn(results, other), other.actBatch(two))).toBeLessThan(1e-5);
  });

  it("takes convolutions of one's own, with padding and other strides", async () => {
    const networks = {
      actor: cnn({
        channels: [4, 6],
        kernels: [3, 2],
        strides: [2, 1],
        hiddenSizes: [8],
        activation: np.tanh,
      }),
      critic: mlp(),
    };
    const actions = Box({ low: -1, high: 1, shape: [2] });
    const { policy, observations } = await ownPolicy({ networks, images: [9, 8, 2], actions });
    const { bytes } = await exportPolicy(policy, { format: "onnx" });
    expect(modelOf(bytes).nodes.filter(({ op }) => op === "Conv")).toHaveLength(2);
    const results = await run(bytes, { obs: tensorOf(policy, observations) });
    expect(distance(actionsIn(results, policy), policy.actBatch(observations))).toBeLessThan(1e-5);
  });

  it("carries where the policy comes from", async () => {
    const told = { environment: "CartPole-v1", step: 5120, seed: 3, evalReturn: 410.5 };
    const { policy } = await ownPolicy({ metadata: told });
    expect([policy.metadata, policy.step]).toEqual([{ algorithm: "ppo", version: "0.1.0", ...told }, 5120]);
    const { bytes } = await exportPolicy(policy, { format: "onnx" });
    const { producer, metadata } = modelOf(bytes);
    expect(producer).toBe("vibe-rl");
    expect(metadata).toMatchObject({
      ...{ algorithm: "ppo", environment: "CartPole-v1", step: "5120", seed: "3", eval_return: "410.5" },
      action_space: '{"kind":"Discrete","n":3}',
    });
    expect((await loadPolicy(bytes)).metadata).toMatchObject({
      environment: "CartPole-v1",
      step: 5120,
      evalReturn: 410.5,
    });
  });
});
