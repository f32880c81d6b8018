// ObsNetwork: observations of any shape go in, rows of outputs come out.
import { describe, expect, it } from "vitest";
import { ObsNetwork } from "vibe-rl/agent";
import { DQN, DQNConfig } from "vibe-rl/algorithms/dqn";
import { PPO, PPOConfig } from "vibe-rl/algorithms/ppo";
import { SAC, SACConfig } from "vibe-rl/algorithms/sac";
import { nn, np, random, type DType, type Shape } from "vibe-rl/array";
import { initializers, type MLPParams } from "vibe-rl/nn";
import { expectClose } from "../closeness.js";

const key = random.key(0);
const options = { activation: nn.relu };
const kernelInit = initializers.orthogonal(1);

describe("ObsNetwork", () => {
  const shapes: [fact: string, obsShape: Shape, dtype: DType, isImage: boolean][] = [
    ["numbers", [], "float32", false],
    ["a choice", [], "int32", false],
    ["vectors", [4], "float32", false],
    ["tables", [3, 2], "float32", false],
    ["pictures too small to look at", [4, 4, 1], "uint8", false],
    ["small pictures", [5, 7, 2], "uint8", true],
    ["large pictures of floats", [24, 20, 1], "float32", true],
  ];
  for (const [fact, obsShape, dtype, isImage] of shapes) {
    it(`takes ${fact}`, () => {
      const params = ObsNetwork.init(key, obsShape, [8, 3], { kernelInit });
      expect("cnn" in params).toBe(isImage);
      const obs = np.ones([2, ...obsShape], { dtype });
      expect(ObsNetwork.apply(params, obs, options).shape).toEqual([2, 3]);
      expect(ObsNetwork.outputSize(params, obsShape)).toBe(3);
    });
  }

  it("has the layers that are asked for", () => {
    const small = ObsNetwork.init(key, [6, 6, 1], [8, 3], { kernelInit, kind: "mlp" });
    expect("cnn" in small).toBe(false);
    expect(ObsNetwork.apply(small, np.ones([2, 6, 6, 1]), options).shape).toEqual([2, 3]);
    expect("cnn" in ObsNetwork.init(key, [6, 6, 1], [8, 3], { kernelInit, kind: "cnn" })).toBe(true);
    for (const obsShape of [[4], [4, 4, 1]]) {
      expect(() => ObsNetwork.init(key, obsShape, [8, 3], { kernelInit, kind: "cnn" })).toThrow(
        `sides of at least 5, got observations [${obsShape.join(", ")}]`,
      );
    }
  });

  it("are those of each agent's config", () => {
    const shape = [6, 6, 1];
    const config = { network: "mlp", hiddenSizes: [8] } as const;
    const { params } = PPO.init(key, shape, 2, PPOConfig(config));
    const dqn = DQN.init(key, shape, 2, DQNConfig(config));
    const sac = SAC.init(key, shape, 1, SACConfig({ ...config, actionLow: -1, actionHigh: 1 }));
    const networks = "actor" in params ? [params.actor, params.critic] : [];
    networks.push(dqn.params, sac.actorParams, sac.criticParams.q1);
    expect(networks.map((layers) => Array.isArray(layers) && (layers as MLPParams)[0].w.shape)).toEqual([
      [36, 8],
      [36, 8],
      [36, 8],
      [36, 8],
      [37, 8],
    ]);
  });

  it("takes bytes for 0 to 1", () => {
    const params = ObsNetwork.init(key, [6], [8, 3], { kernelInit });
    const bytes = np.array(Uint8Array.of(0, 51, 102, 153, 204, 255)).slice(null);
    const floats = np.array([[0, 0.2, 0.4, 0.6, 0.8, 1]]);
    expectClose(ObsNetwork.apply(params, bytes, options), ObsNetwork.apply(params, floats, options), {
      atol: 1e-6,
    });
  });

  it("lets more numbers join behind the convolutions", () => {
    for (const obsShape of [[3], [6, 6, 1]]) {
      const params = ObsNetwork.init(key, obsShape, [8, 4, 1], { kernelInit, extraInputs: 2 });
      const obs = np.ones([5, ...obsShape]);
      const [one, other] = [0, 1].map((value) =>
        ObsNetwork.apply(params, obs, { ...options, extra: np.full([5, 2], value) }),
      );
      expect(one.shape).toEqual([5, 1]);
      expect(one.toArray()).not.toEqual(other.toArray());
    }
  });

  it("may have no hidden layers, alone or as a shared backbone", () => {
    for (const sharedBackbone of [false, true]) {
      const config = PPOConfig({ hiddenSizes: [], sharedBackbone });
      const [action] = PPO.act(PPO.init(key, [3], 2, config), np.ones([3]), { config });
      expect(action.shape).toEqual([]);
    }
  });
});
