// Policies that look at several frames, given one at a time: as FrameStackWrapper shows them to the agent.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { PPO } from "vibe-rl/algorithms/ppo";
import { np, random, type Array } from "vibe-rl/array";
import { FrameStackWrapper, Image, make } from "vibe-rl/env";
import { createPolicy, exportPolicy, loadPolicy, type Policy } from "vibe-rl/policy";
import { RunDir } from "vibe-rl/runDir";
import { trainPPO } from "vibe-rl/runner";
import { temporaryFolder } from "../temporary.js";
import { varied } from "./examples.js";

const config = { hiddenSizes: [16] };
const [cartPole, params] = make("CartPole-v1");
const stacked = FrameStackWrapper(cartPole, 3);

const policyOf = async (obsShape: readonly number[], extra: object): Promise<Policy<number>> => {
  const state = PPO.init(random.key(0), obsShape, 3, config);
  const changed = { ...state, params: varied(state.params) };
  return (await createPolicy("ppo", changed, { config, ...extra })) as Policy<number>;
};

/** Observations of two episodes as the wrapper gives them, and where each begins. */
function played(): { readonly obs: Array; readonly isFirst: boolean }[] {
  return [0, 1].flatMap((seed) => {
    let [obs, state] = stacked.reset(random.key(seed), params);
    const all = [{ obs, isFirst: true }];
    for (let step = 0; step < 6; step++) {
      [obs, state] = stacked.step(random.key(step), state, np.int32(step % 2), params);
      all.push({ obs, isFirst: false });
    }
    return all;
  });
}

interface Stacking {
  readonly act: (obs: Float32Array | number[]) => unknown;
  readonly reset: () => void;
}

async function moduleOf(policy: Policy): Promise<Stacking> {
  const file = path.join(temporaryFolder(), "policy.mjs");
  writeFileSync(file, (await exportPolicy(policy, { format: "js" })).bytes);
  return (await import(pathToFileURL(file).href)) as Stacking;
}

describe("a policy with frameStack", () => {
  it("takes one frame at a time and acts as on what FrameStackWrapper makes of them", async () => {
    const whole = await policyOf([12], {});
    const policy = await policyOf([12], { frameStack: 3 });
    expect([whole.frameStack, policy.frameStack]).toEqual([1, 3]);
    const onnx = await loadPolicy((await exportPolicy(policy, { format: "onnx" })).bytes);
    const again = await loadPolicy(policy.toSafetensors());
    const told = await loadPolicy(whole.toSafetensors(), { frameStack: 3 });
    const all: readonly Stacking[] = [policy, again, onnx, told, await moduleOf(policy)];
    for (const each of all) {
      for (const { obs, isFirst } of played()) {
        if (isFirst) each.reset();
        const frame = (obs.data() as Float32Array).slice(8);
        expect(each.act(frame)).toBe(whole.act(obs.data() as Float32Array));
      }
    }
    // A whole observation is taken as it is.
    const [{ obs }] = played();
    for (const each of all) expect(each.act([...obs.data()])).toBe(whole.act(obs.data() as Float32Array));
  });

  it("is what a run has that was trained with FrameStackWrapper", async () => {
    const runDir = RunDir("frames", { baseDir: temporaryFolder() });
    const ppoConfig = { hiddenSizes: [8], nSteps: 16, numEnvs: 2, nMinibatches: 1, nEpochs: 1 };
    const runnerConfig = { totalTimesteps: 32, evalEpisodes: 1 };
    await trainPPO(stacked, params, { ppoConfig, runnerConfig, runDir });
    const policy = await loadPolicy(runDir);
    const [{ obs }] = played();
    const first = (obs.data() as Float32Array).slice(8);
    expect([policy.frameStack, policy.act(first)]).toEqual([3, policy.act(obs.data() as Float32Array)]);
    expect((await loadPolicy(policy.toSafetensors())).frameStack).toBe(3);
  });

  it("stacks the channels of images", async () => {
    const observationSpace = Image({ height: 6, width: 5, channels: 8 });
    const whole = await policyOf([6, 5, 8], { observationSpace });
    const policy = await policyOf([6, 5, 8], { observationSpace, frameStack: 4 });
    const module = await moduleOf(policy);
    const frames = globalThis.Array.from({ length: 7 }, (_, at) =>
      np.array(Uint8Array.from({ length: 60 }, (_, i) => (at * 71 + i * i * 13) % 256)).reshape([6, 5, 2]),
    );
    frames.forEach((frame, at) => {
      const last = [3, 2, 1, 0].map((back) => frames[Math.max(0, at - back)]);
      const expected = whole.act(np.concatenate(last, -1).data() as Uint8Array);
      expect([policy.act(frame.toArray() as number[][][]), module.act([...frame.data()])]).toEqual([
        expected,
        expected,
      ]);
    });
  });

  it("is refused where frames do not make up an observation", async () => {
    await expect(policyOf([12], { frameStack: 5 })).rejects.toThrow(
      "frameStack is 5, but the last axis of observations [12] is no multiple of it",
    );
    await expect(policyOf([12], { frameStack: 0 })).rejects.toThrow(/frameStack must be a whole number/);
    const policy = await policyOf([12], { frameStack: 3 });
    expect(() => policy.act([1, 2, 3, 4, 5])).toThrow(/an observation has shape \[12\], 12 numbers; got 5/);
  });
});
