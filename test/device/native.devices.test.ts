// Native programs and those of a GPU are for one device, and say so.
import { afterEach, describe, expect, it, vi } from "vitest";
import { jit, meshOfShape, NamedSharding, np, PartitionSpec, type Array } from "vibe-rl/array";
import { make } from "vibe-rl/env";
import { trainDQN } from "vibe-rl/runner";

afterEach(() => void vi.unstubAllEnvs());

describe.each(["native", "cuda"] as const)("device %s with several devices", (device) => {
  it("is refused, asked for by name or by VIBE_RL_DEVICE", () => {
    const sharding = NamedSharding(meshOfShape([2], ["batch"]), PartitionSpec(["batch"]));
    const f = (x: Array) => x.add(1);
    const refusal = `device "${device}" cannot run a program on several devices; use a mesh of one, or another device`;
    expect(() => jit(f, { inShardings: sharding, device })(np.ones([4]))).toThrow(refusal);
    expect(jit(f, { inShardings: sharding, device: "auto" })(np.ones([4])).toArray()).toEqual([2, 2, 2, 2]);
    vi.stubEnv("VIBE_RL_DEVICE", device);
    expect(() => jit(f, { inShardings: sharding })(np.ones([4]))).toThrow(refusal);
  });

  it("is refused by runs that would take all devices", async () => {
    const [env, params] = make("GridWorld-v0");
    await expect(trainDQN(env, params, { runnerConfig: { device } })).rejects.toThrow(
      `trainDQN: device "${device}" is one ${device === "native" ? "device, which has threads" : "GPU"}, and there are 8; ` +
        "set numDevices to 1, or leave device out",
    );
  });
});
