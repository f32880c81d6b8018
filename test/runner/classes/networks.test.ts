// Networks of class runners: by class, by object, of one's own.
import { describe, expect, it } from "vitest";
import { mlp, type Network } from "vibe-rl/agent";
import { nn, np, random, type Array, type Shape } from "vibe-rl/array";
import { Image } from "vibe-rl/env";
import { loadPolicy } from "vibe-rl/policy";
import { CNNActor, CNNCritic, MLPActor, MLPCritic, OnPolicyRunner, PPOAgent } from "vibe-rl/runner";
import path from "node:path";
import { temporaryFolder, warningsOf } from "../../temporary.js";
import { Corridor, smallConfig } from "./corridor.js";

const { hiddenSizes: _, ...cfg } = smallConfig;

interface Linear {
  readonly w: Array;
}

/** A network that somebody else wrote. */
class Straight implements Network<Linear> {
  constructor(private readonly settings: { readonly scale?: number }) {}

  init(rng: Array, inputShape: Shape, outputSize: number): Linear {
    return { w: random.normal(rng, [inputShape[0], outputSize]).mul(this.settings.scale ?? 1) };
  }

  apply({ w }: Linear, x: Array): Array {
    return x.matmul(w);
  }
}

const widthsOf = (params: unknown): number[] =>
  (params as readonly { readonly b: Array }[]).map(({ b }) => b.shape[0]);

describe("networks", () => {
  it("are made of classes with their settings, one for the actor and another for the critic", async () => {
    const runner = new OnPolicyRunner({
      ...{ env: new Corridor(), cfg, actorClass: MLPActor, criticClass: MLPCritic },
      ...{ actorCfg: { hiddenDims: [6, 5] }, criticCfg: { hiddenDims: [7], activation: "relu" } },
    });
    const { actor, critic } = runner.agent.state.params;
    expect([widthsOf(actor), widthsOf(critic)]).toEqual([
      [6, 5, 2],
      [7, 1],
    ]);
    await runner.learn(64);
    expect((await runner.eval(2))["eval/mean_length"]).toBeGreaterThan(0);
  });

  it("have a class where only settings are said, and are the algorithm's own where nothing is", () => {
    const agent = new PPOAgent({ env: new Corridor(), cfg, actorCfg: { hiddenDims: [3] } });
    expect(widthsOf(agent.state.params.actor)).toEqual([3, 2]);
    expect(widthsOf(agent.state.params.critic)).toEqual([64, 64, 1]);
    const own = new PPOAgent({ env: new Corridor(), cfg: { ...cfg, hiddenSizes: [9] } });
    expect(widthsOf(own.state.params.actor)).toEqual([9, 2]);
    expect("networks" in own.options).toBe(false);
  });

  it("may be of one's own, by class or as objects", async () => {
    const runner = new OnPolicyRunner({
      ...{ env: new Corridor(), cfg, actorClass: Straight, actorCfg: { scale: 0 } },
      criticClass: mlp({ hiddenSizes: [4], activation: nn.relu }),
    });
    const { w } = runner.agent.state.params.actor as Linear;
    expect(np.abs(w).sum().item()).toBe(0);
    await runner.learn(16 * 64);
    expect((runner.agent.state.params.actor as Linear).w.toArray()).not.toEqual(w.toArray());
    expect((await runner.eval(4))["eval/mean_reward"]).toBeGreaterThan(0.5);
  });

  it("of images are convolutions", () => {
    const env = new Corridor();
    Object.assign(env, { observationSpace: Image({ height: 12, width: 12, channels: 2 }) });
    const cfgs = { kernels: [3, 3], strides: [2, 1], hiddenDims: [8] };
    const agent = new PPOAgent({
      ...{ env, cfg, actorClass: CNNActor, criticClass: CNNCritic, actorCfg: cfgs, criticCfg: cfgs },
    });
    expect(Object.keys(agent.state.params.actor as object)).toEqual(["cnn", "mlp"]);
  });

  it("that others could not act with are not taken for PPO's own", async () => {
    const save = async (options: object) => {
      const runner = new OnPolicyRunner({ env: new Corridor(), cfg, ...options });
      await runner.learn(32);
      return runner.saveCheckpoint(path.join(temporaryFolder(), "model"));
    };
    const tanh = await loadPolicy(await save({ actorClass: MLPActor }), { actions: "discrete" });
    expect([0, 1]).toContain(tanh.act([0, 0]));
    const relu = await save({ actorCfg: { activation: "relu" } });
    await expect(loadPolicy(relu)).rejects.toThrow(
      /networks of its program's own, .* the option networks: \{ actor, critic \}/,
    );
  });

  it("that compute something else than those of a checkpoint are told when it is loaded", async () => {
    const make = (activation: string) =>
      new OnPolicyRunner({ env: new Corridor(), cfg, actorCfg: { hiddenDims: [4], activation } });
    const folder = await make("relu").saveCheckpoint(path.join(temporaryFolder(), "model"));
    expect(await warningsOf("RunWarning", () => make("relu").loadCheckpoint(folder))).toEqual([]);
    expect(await warningsOf("RunWarning", () => make("silu").loadCheckpoint(folder))).toEqual([
      expect.stringMatching(
        /another config: networks is .*"actor":"4 arrays of 22 numbers, computing \w{8}"/,
      ),
    ]);
  });

  it("are refused where they are none, or said twice", () => {
    const refuse = (options: object) => () => new OnPolicyRunner({ env: new Corridor(), cfg, ...options });
    expect(refuse({ actorClass: 3 })).toThrow(/actorClass must be a class of networks, such as MLPActor/);
    expect(refuse({ actorClass: mlp(), actorCfg: { hiddenDims: [2] } })).toThrow(/actorCfg is for classes/);
    expect(refuse({ actorCfg: { hiddenSizes: [2] } })).toThrow(
      /MLPActor: there is no option `hiddenSizes`; did you/,
    );
    expect(refuse({ criticCfg: { hiddenDims: [0] } })).toThrow(
      /MLPCritic: hiddenDims must be a list of whole/,
    );
    expect(refuse({ actorCfg: { activation: "step" } })).toThrow(
      /activation must be a function or one of tanh, relu/,
    );
    expect(refuse({ actorClass: MLPActor, cfg: smallConfig })).toThrow(
      /config.hiddenSizes is \[8\], but it describes/,
    );
  });
});
