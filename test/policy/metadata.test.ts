// What a policy knows of itself: its spaces and where it comes from, from runs, from memory and from files.
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { PPO, PPOConfig } from "vibe-rl/algorithms/ppo";
import { SAC, SACConfig } from "vibe-rl/algorithms/sac";
import { np, random, type Array } from "vibe-rl/array";
import { fromSafetensors, toSafetensors } from "vibe-rl/checkpoint";
import { Box, Discrete, Image, make, MultiBinary, type Environment, type Space } from "vibe-rl/env";
import { mlp, type Network } from "vibe-rl/nn";
import { createPolicy, exportPolicy, loadPolicy, spaceToData } from "vibe-rl/policy";
import { RunDir } from "vibe-rl/runDir";
import { trainPPO, trainSAC } from "vibe-rl/runner";
import { spaceFromData } from "../../src/env/index.js";
import { version } from "../../src/policy/version.js";
import { temporaryFolder } from "../temporary.js";

const small = { totalTimesteps: 64, evalEvery: 64, evalEpisodes: 1, checkpointInterval: 64, seed: 5 };
const ppoConfig = PPOConfig({ hiddenSizes: [8], nSteps: 32, nMinibatches: 1, nEpochs: 1 });
const newRun = () => RunDir("known", { baseDir: temporaryFolder() });

/** Pushes a point along a line; nobody has registered it. */
const line: Environment = {
  name: "Line",
  defaultParams: () => ({ maxSteps: np.int32(10) }),
  observationSpace: () => Box({ low: [-5, -1], high: [5, 1] }),
  actionSpace: () => Box({ low: [-0.01], high: [0.02] }),
  reset: () => [np.zeros([2]), { x: np.float32(0), time: np.int32(0) }],
  step: (_key, given, action) => {
    const state = given as { readonly x: Array; readonly time: Array };
    const x = state.x.add(action.slice(0));
    const time = state.time.add(1);
    const done = time.greaterEqual(10);
    const info = { terminated: np.bool(false), truncated: done };
    return [np.stack([x, x.mul(0)]), { x, time }, x.neg(), done, info];
  },
};

it("a policy is loaded from the bytes of a checkpoint's files, which are checked", async () => {
  const runDir = newRun();
  await trainPPO(...make("CartPole-v1"), { ppoConfig, runnerConfig: small, runDir });
  const folder = runDir.latestCheckpoint?.path ?? "";
  const names = ["checkpoint.json", "tensors.safetensors"] as const;
  const [manifest, tensors] = names.map((name) => readFileSync(path.join(folder, name)));
  const files = { "checkpoint.json": manifest, "tensors.safetensors": tensors };
  const [policy, expected] = [await loadPolicy(files), await loadPolicy(runDir)];
  expect([policy.step, policy.metadata, policy.toSafetensors()]).toEqual([
    ...[64, expected.metadata, expected.toSafetensors()],
  ]);
  const loading = (given: object) => loadPolicy({ ...files, ...given });
  await expect(loading({ "checkpoint.json": undefined })).rejects.toThrow(
    "loadPolicy: the checkpoint is not a whole checkpoint: the bytes of checkpoint.json are missing",
  );
  await expect(loading({ "checkpoint.json": manifest.subarray(1) })).rejects.toThrow("cut short or not JSON");
  const altered = Uint8Array.from(tensors);
  altered[altered.length - 1] ^= 1;
  await expect(loading({ "tensors.safetensors": altered })).rejects.toThrow("its checksum differs");
  await expect(loadPolicy(files, { step: 64 })).rejects.toThrow("leave out step");
});

describe("a policy's spaces", () => {
  it("are those of the environment that its run was trained in, also of one that nobody has registered", async () => {
    const runDir = newRun();
    const params = line.defaultParams();
    const [{ agentState }] = await trainPPO(line, params, { ppoConfig, runnerConfig: small, runDir });
    const policy = await loadPolicy(runDir, { actions: "continuous" });
    expect(String(policy.space)).toBe(String(line.actionSpace(params)));
    expect(String(policy.observationSpace)).toBe(String(line.observationSpace(params)));
    expect(policy.metadata).toEqual({
      ...{ algorithm: "ppo", environment: "Line", step: 64, seed: 5, version },
      evalReturn: expect.any(Number) as number,
    });
    // Actions are kept within the bounds, which the agent's own mean goes beyond.
    const obs = [4, 1];
    const own = PPO.act(agentState, np.array(obs), { config: ppoConfig, explore: false })[0].item();
    const expected = Math.fround(Math.min(Math.max(own, Math.fround(-0.01)), Math.fround(0.02)));
    expect(policy.act(obs)[0]).toBe(expected);
    const again = await loadPolicy(policy.toSafetensors());
    expect([again.metadata, again.step, String(again.space), String(again.observationSpace)]).toEqual([
      ...[policy.metadata, 64, String(policy.space), String(policy.observationSpace)],
    ]);
  });

  it("are as far known as the agent knows them where nobody tells", async () => {
    const config = SACConfig({ hiddenSizes: [8] });
    const bounds = Box({ low: [0, -4], high: [1, 4] });
    const sac = await createPolicy("sac", SAC.init(random.key(0), [3], bounds, config), { config });
    expect([String(sac.space), String(sac.observationSpace)]).toEqual([
      ...[String(bounds), "Box(float32[3] from -Infinity to Infinity)"],
    ]);
    const gaussian = PPO.init(random.key(0), [3], bounds, ppoConfig);
    const ppo = await createPolicy("ppo", gaussian, { config: ppoConfig });
    expect(String(ppo.space)).toBe("Box(float32[2] from -Infinity to Infinity)");
    expect(ppo.metadata).toEqual({
      ...{ algorithm: "ppo", environment: null, step: null, seed: null, evalReturn: null, version },
    });
  });

  it("are refused where they do not fit", async () => {
    const state = PPO.init(random.key(0), [3], 2, ppoConfig);
    const make = (actionSpace: Space) => createPolicy("ppo", state, { config: ppoConfig, actionSpace });
    expect(String((await make(Discrete(2))).space)).toBe("Discrete(2)");
    await expect(make(Discrete(3))).rejects.toThrow(
      "actionSpace is Discrete(3), the actions of this policy are Discrete(2)",
    );
    const told = { metadata: { setp: 3 } } as never;
    await expect(createPolicy("ppo", state, told)).rejects.toThrow(
      /there is no option `setp`; the nearest are step, seed/,
    );
  });

  it("travel as JSON, infinite bounds included", () => {
    const spaces = [
      Discrete(4),
      MultiBinary(3),
      Image({ height: 5, width: 6, channels: 2 }),
      Image({ height: 5, width: 6, dtype: "float32" }),
      Box({ low: -1, high: 1, shape: [2, 2] }),
      Box({ low: [-Infinity, 0], high: [2, Infinity] }),
      Box({ low: 0, high: 9, shape: [3], dtype: "int32" }),
    ];
    for (const space of spaces) {
      const text = JSON.stringify(spaceToData(space));
      expect(String(spaceFromData(JSON.parse(text)))).toBe(String(space));
    }
    for (const nonsense of [null, 3, {}, { kind: "Tuple" }, { kind: "Box", shape: "wide" }]) {
      expect(spaceFromData(nonsense)).toBe(null);
    }
  });
});

describe("files of policies", () => {
  it("of an earlier version, which told less, load as before", async () => {
    const state = PPO.init(random.key(0), [4], 2, ppoConfig);
    const policy = await createPolicy("ppo", state, { config: ppoConfig });
    const { tree, metadata } = fromSafetensors(policy.toSafetensors());
    const said = JSON.parse(metadata.policy) as Record<string, unknown>;
    const { metadata: _, ...earlier } = said;
    const old = await loadPolicy(toSafetensors(tree, { policy: JSON.stringify(earlier) }));
    const obs = [0.1, 0.2, -0.3, 0.4];
    expect([old.act(obs), old.step]).toEqual([policy.act(obs), null]);
    expect(old.metadata).toMatchObject({ algorithm: "ppo", version: null });
  });

  it("name the version of the package", () => {
    const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string };
    expect(version).toBe(manifest.version);
  });

  it("know the spaces of SAC's environment, too", async () => {
    const [env, params] = make("Pendulum-v1");
    const sacConfig = SACConfig({ hiddenSizes: [8], batchSize: 8 });
    const runDir = newRun();
    const runnerConfig = { ...small, warmupSteps: 32, bufferSize: 64 };
    await trainSAC(env, params, { sacConfig, runnerConfig, runDir });
    const policy = await loadPolicy(runDir);
    expect([String(policy.space), policy.metadata.environment]).toEqual([
      ...[String(env.actionSpace(params)), "Pendulum-v1"],
    ]);
  });
});

describe("createPolicy with networks of one's own", () => {
  it("acts with them, and its file asks for them again", async () => {
    const network = mlp({ hiddenSizes: [6] });
    const networks = { actor: network as Network, critic: mlp() as Network };
    const state = PPO.init(random.key(3), [4], 3, PPOConfig(), { networks });
    const observationSpace = Box({ shape: [4] });
    const policy = await createPolicy("ppo", state as never, { networks, observationSpace });
    const obs = np.array([0.1, -0.2, 0.3, 2]);
    const own = PPO.act(state, obs, { networks, explore: false })[0].item();
    expect(policy.act(obs).item()).toBe(own);
    await expect(loadPolicy(policy.toSafetensors())).rejects.toThrow(/give them as the option networks/);
    const again = await loadPolicy(policy.toSafetensors(), { networks });
    expect(again.act(obs).item()).toBe(own);
    await expect(createPolicy("ppo", state as never, { networks })).rejects.toThrow(/give observationSpace/);
  });
});

describe("exportPolicy", () => {
  it("says what is wrong with what it is asked", async () => {
    const policy = await createPolicy("ppo", PPO.init(random.key(0), [4], 2, ppoConfig), {
      config: ppoConfig,
    });
    const ask = (options: object, source: unknown = policy) =>
      exportPolicy(source as never, options as never);
    await expect(ask({ format: "onxx" })).rejects.toThrow(
      /format must be onnx, js, safetensors, got "onxx"; the nearest is onnx/,
    );
    await expect(ask({})).rejects.toThrow(/format must be onnx, js, safetensors, got undefined/);
    await expect(ask({ format: "js", bach: 3 })).rejects.toThrow(/there is no option `bach`/);
    await expect(ask({ format: "onnx", batch: 0 })).rejects.toThrow(/batch must be a whole number/);
    await expect(ask({ format: "js", value: true })).rejects.toThrow(
      /value is for ONNX; leave it out for js/,
    );
    await expect(ask({ format: "js", name: "a/b" })).rejects.toThrow(/name must be a text without slashes/);
    await expect(ask({ format: "js", step: 3 })).rejects.toThrow(/step is for loading/);
    await expect(ask({ format: "js" }, { ...policy })).rejects.toThrow(
      /takes a path, a RunDir or bytes, got object/,
    );
    const sac = await createPolicy(
      "sac",
      SAC.init(random.key(0), [3], Box({ low: -1, high: 1, shape: [1] })),
    );
    await expect(ask({ format: "onnx", value: true }, sac)).rejects.toThrow(
      /SAC has no critic of observations alone/,
    );
  });
});
