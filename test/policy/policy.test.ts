// Policies for those who only want actions: the agent's own, from memory, from a run's directory and from bytes.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import { DQN, DQNConfig, type DQNState } from "vibe-rl/algorithms/dqn";
import { PPO, PPOConfig, type PPOState } from "vibe-rl/algorithms/ppo";
import { SAC, SACConfig, type SACState } from "vibe-rl/algorithms/sac";
import { jit, np, random, type Array } from "vibe-rl/array";
import { toSafetensors } from "vibe-rl/checkpoint";
import { Box, Image, make } from "vibe-rl/env";
import { createPolicy, loadPolicy, type Policy } from "vibe-rl/policy";
import { RunDir } from "vibe-rl/runDir";
import { evaluate, RunnerConfig, trainDQN, trainPPO, trainSAC } from "vibe-rl/runner";
import { temporaryFolder } from "../temporary.js";

const rows = (count: number, size: number): Float32Array[] =>
  globalThis.Array.from({ length: count }, (_, at) =>
    Float32Array.from({ length: size }, (_, i) => Math.sin(3 * at + i)),
  );

describe("createPolicy", () => {
  const ppoConfig = PPOConfig({ hiddenSizes: [16], normalizeObs: true, clipObs: 2 });
  const fresh = PPO.init(random.key(1), [4], 3, ppoConfig);
  const stats = { count: np.float32(9), mean: np.array([0.5, 0, -1, 2]), variance: np.full([4], 0.04) };
  const state: PPOState = { ...fresh, obsStats: stats };
  const observations = rows(12, 4);
  const greedy = (obs: Float32Array) =>
    PPO.act(state, np.array(obs), { config: ppoConfig, explore: false })[0].item();

  it("acts as the agent does, on typed arrays, lists and arrays", async () => {
    const policy = await createPolicy("ppo", state, { config: ppoConfig });
    expect(policy).toMatchObject({
      algorithm: "ppo",
      kind: "discrete",
      actionSize: 3,
      obsShape: [4],
      step: null,
    });
    const expected = observations.map(greedy);
    expect(new Set(expected).size).toBeGreaterThan(1);
    expect(observations.map((obs) => policy.act(obs))).toEqual(expected);
    expect(observations.map((obs) => policy.act(Float64Array.from(obs)))).toEqual(expected);
    expect(observations.map((obs) => policy.act([...obs]))).toEqual(expected);
    const arrays = observations.map((obs) => policy.act(np.array(obs)));
    expect(arrays.map((action) => action.item())).toEqual(expected);
    expect(policy.actBatch(observations)).toEqual(expected);
    expect(policy.actBatch(Float32Array.from(observations.flatMap((obs) => [...obs])))).toEqual(expected);
    expect(policy.actBatch(np.stack(observations.map((obs) => np.array(obs)))).toArray()).toEqual(expected);
    expect(policy.actBatch([])).toEqual([]);
  });

  it("becomes a part of functions that are traced", async () => {
    const policy = await createPolicy("ppo", state, { config: ppoConfig });
    const twice = jit((obs: Array) => policy.act(obs).mul(2));
    expect(twice(np.array(observations[0])).item()).toBe(2 * greedy(observations[0]));
    const [env, params] = make("CartPole-v1");
    const options = { nEpisodes: 2, maxSteps: 20, rng: random.key(0) };
    const { meanReturn } = evaluate((_: null, obs) => policy.act(obs), null, env, params, options);
    expect(meanReturn.item()).toBeGreaterThan(0);
  });

  it("samples with a seed: the same again with the same, and as the policy says", async () => {
    const flat = { ...state, obsStats: { ...stats, variance: np.full([4], 1e12) } };
    const draw = async (seed: number) => {
      const policy = await createPolicy("ppo", flat, { config: ppoConfig, explore: true, seed });
      return globalThis.Array.from({ length: 60 }, () => policy.act(observations[0]) as number);
    };
    const first = await draw(7);
    expect(await draw(7)).toEqual(first);
    expect(await draw(8)).not.toEqual(first);
    expect(new Set(first)).toEqual(new Set([0, 1, 2]));
    const policy = await createPolicy("ppo", flat, { config: ppoConfig, explore: true });
    expect(() => jit((obs: Array) => policy.act(obs))(np.array(observations[0]))).toThrow(/explores keeps/);
  });

  it("keeps PPO's continuous actions within a space, if one is given", async () => {
    const gaussian = PPO.init(random.key(2), [4], Box({ low: -1, high: 1, shape: [2] }), PPOConfig());
    const far = { ...gaussian, params: { ...gaussian.params, logStd: np.array([3, 3]) } };
    const actionSpace = Box({ low: [-1, -0.5], high: [1, 0.5] });
    const wild = await createPolicy("ppo", far, { explore: true });
    const tame = await createPolicy("ppo", far, { explore: true, actionSpace });
    const sizes = (policy: Policy) =>
      (policy.actBatch(observations) as Float32Array[]).flatMap((a) => [...a]);
    expect(Math.max(...sizes(wild))).toBeGreaterThan(1);
    expect(Math.max(...sizes(tame).map(Math.abs))).toBeLessThanOrEqual(1);
    const [, reloaded] = [0, await loadPolicy(tame.toSafetensors(), { explore: true })];
    expect(Math.max(...sizes(reloaded).map(Math.abs))).toBeLessThanOrEqual(1);
  });

  it("acts for dueling DQN, with its chance of random actions if it explores", async () => {
    const config = {
      hiddenSizes: [16],
      dueling: true,
      epsilonStart: 1,
      epsilonEnd: 0,
      epsilonDecaySteps: 100,
    };
    const dqn: DQNState = DQN.init(random.key(3), [4], 5, DQNConfig(config));
    const best = observations.map((obs) =>
      DQN.act(dqn, np.array(obs), { config: DQNConfig(config), explore: false })[0].item(),
    );
    const policy = await createPolicy("dqn", dqn, { config });
    expectTypeOf(policy).toEqualTypeOf<Policy<number>>();
    expect([policy.actionSize, policy.actBatch(observations)]).toEqual([5, best]);
    const early = await createPolicy("dqn", dqn, { config, explore: true });
    const late = await createPolicy("dqn", { ...dqn, step: np.int32(100) }, { config, explore: true });
    expect(early.actBatch(observations)).not.toEqual(best);
    expect(late.actBatch(observations)).toEqual(best);
  });

  it("keeps SAC's bounds", async () => {
    const config = SACConfig({ hiddenSizes: [16] });
    const sac: SACState = SAC.init(random.key(4), [3], Box({ low: [0, -4], high: [1, 4] }), config);
    const policy = await createPolicy("sac", sac, { config });
    expectTypeOf(policy).toEqualTypeOf<Policy<Float32Array>>();
    const obs = Float32Array.of(0.2, -1, 3);
    const action = policy.act(obs);
    expect(action).toBeInstanceOf(Float32Array);
    const own = SAC.act(sac, np.array(obs), { config, explore: false })[0];
    expect([...action]).toEqual(own.toArray());
    const bold = await createPolicy("sac", sac, { config, explore: true });
    const actions = bold.actBatch(globalThis.Array.from({ length: 200 }, () => obs));
    expect(actions.every(([a, b]) => a >= 0 && a <= 1 && Math.abs(b) <= 4)).toBe(true);
    expect(Math.max(...actions.map(([, b]) => b))).toBeGreaterThan(1);
  });

  it("takes images as bytes, if it is told their size", async () => {
    const observationSpace = Image({ height: 6, width: 6, channels: 1 });
    const config = PPOConfig({ hiddenSizes: [8] });
    const seer = PPO.init(random.key(5), [6, 6, 1], 4, config);
    await expect(createPolicy("ppo", seer, { config })).rejects.toThrow(/give observationSpace/);
    const policy = await createPolicy("ppo", seer, { config, observationSpace });
    const pixels = Uint8Array.from({ length: 36 }, (_, at) => 7 * at);
    const image = np.array(pixels).reshape([6, 6, 1]);
    const own = PPO.act(seer, image, { config, explore: false })[0].item();
    expect(policy.act(pixels)).toBe(own);
    expect(policy.act(image.toArray() as number[][][])).toBe(own);
    expect((await loadPolicy(policy.toSafetensors())).act(pixels)).toBe(own);
  });

  it("says what is wrong with an observation", async () => {
    const policy = await createPolicy("ppo", state, { config: ppoConfig });
    expect(() => policy.act([1, 2, 3])).toThrow("an observation has shape [4], 4 numbers; got 3");
    expect(() => policy.act(new Float32Array(5))).toThrow(/got a Float32Array of 5/);
    expect(() => policy.act([1, 2, 3, undefined as unknown as number])).toThrow(/got undefined in place 3/);
    expect(() => policy.act(7 as unknown as number[])).toThrow(/got 7/);
    expect(() => policy.act(np.zeros([2, 4]))).toThrow("takes an array of shape [4], got [2,4]");
    expect(() => policy.actBatch(new Float32Array(5))).toThrow(/no whole number of them/);
    expect(() => policy.actBatch([[1, 2, 3, 4], [1]])).toThrow(/got 1/);
  });

  it("says what is wrong with what it is made of", async () => {
    const make = (...args: unknown[]) => (createPolicy as (...args: unknown[]) => Promise<unknown>)(...args);
    await expect(make("a2c", state)).rejects.toThrow(/must be ppo, dqn or sac, got "a2c"/);
    await expect(make("sac", state)).rejects.toThrow(/no state of SAC: it has no actorParams/);
    await expect(make("ppo", state, { config: { learningRate: 1 } })).rejects.toThrow(/`learningRate`/);
    await expect(make("ppo", state, { greedy: true })).rejects.toThrow(/there is no option `greedy`/);
    await expect(make("ppo", state, { seed: -1 })).rejects.toThrow(/seed must be a whole number/);
    const observationSpace = Box({ low: 0, high: 1, shape: [5] });
    await expect(make("ppo", state, { config: ppoConfig, observationSpace })).rejects.toThrow(
      "observations of shape [5] have 5 numbers, the network takes 4",
    );
  });
});

describe("loadPolicy", () => {
  const small = { totalTimesteps: 128, evalEvery: 64, evalEpisodes: 1, checkpointInterval: 64 };
  const ppoConfig = PPOConfig({
    hiddenSizes: [8],
    nSteps: 32,
    nMinibatches: 1,
    nEpochs: 1,
    normalizeObs: true,
  });
  const [env, params] = make("CartPole-v1");
  const obs = Float32Array.of(0.01, -0.3, 0.02, 0.4);
  const baseDir = mkdtempSync(path.join(tmpdir(), "vibe-rl-"));
  afterAll(() => rmSync(baseDir, { recursive: true, force: true }));
  let runDir: RunDir;
  let trained: PPOState;

  beforeAll(async () => {
    runDir = RunDir("ppo", { baseDir });
    const runnerConfig = RunnerConfig(small);
    const [{ agentState }] = await trainPPO(env, params, { ppoConfig, runnerConfig, runDir });
    trained = agentState;
  });

  it("takes a run's directory, its checkpoints, one of them, and a file, and asks for no config", async () => {
    const file = path.join(temporaryFolder(), "policy.safetensors");
    const last = await loadPolicy(runDir.root, { step: 128 });
    writeFileSync(file, last.toSafetensors());
    const own = PPO.act(trained, np.array(obs), { config: ppoConfig, explore: false })[0].item();
    expect((await loadPolicy(runDir.checkpoints, { step: 128 })).act(obs)).toBe(own);
    expect((await loadPolicy(runDir.checkpointDir(128))).act(obs)).toBe(own);
    expect((await loadPolicy(file)).act(obs)).toBe(own);
    expect(last).toMatchObject({ algorithm: "ppo", step: 128, kind: "discrete", obsShape: [4] });
  });

  it("finds the checkpoints of a run that has them elsewhere", async () => {
    const apart = RunDir("apart", { baseDir: temporaryFolder() });
    const runnerConfig = { ...small, checkpointDir: temporaryFolder() };
    await trainPPO(env, params, { ppoConfig, runnerConfig, runDir: apart });
    expect(apart.listCheckpoints()).toEqual([]);
    expect((await loadPolicy(apart, { step: 128 })).act(obs)).toBe(
      (await loadPolicy(runDir, { step: 128 })).act(obs),
    );
  });

  it("takes the best checkpoint by evaluations, if it is not told a step", async () => {
    runDir.markBest(64);
    expect((await loadPolicy(runDir)).step).toBe(64);
    runDir.markBest(128);
    expect((await loadPolicy(runDir)).step).toBe(128);
  });

  it("takes bytes, which hold all that acting needs and no more", async () => {
    const bytes = (await loadPolicy(runDir, { step: 128 })).toSafetensors();
    // Two layers of an actor and a critic of 8, normalisation, and a header: no optimiser, no environment.
    expect(bytes.length).toBeLessThan(4000);
    const policy = await loadPolicy(bytes.buffer as ArrayBuffer, { actions: "discrete" });
    expectTypeOf(policy).toEqualTypeOf<Policy<number>>();
    expect(policy.act(obs)).toBe(
      PPO.act(trained, np.array(obs), { config: ppoConfig, explore: false })[0].item(),
    );
    expect(policy.toSafetensors()).toEqual(bytes);
  });

  it("knows DQN and SAC, too", async () => {
    const runnerConfig = RunnerConfig({
      ...small,
      checkpointDir: temporaryFolder(),
      warmupSteps: 32,
      bufferSize: 64,
    });
    const dqnConfig = DQNConfig({ hiddenSizes: [8], batchSize: 8, dueling: true });
    const { agentState } = await trainDQN(env, params, { dqnConfig, runnerConfig });
    const policy = await loadPolicy(runnerConfig.checkpointDir ?? "", { step: 128 });
    const own = DQN.act(agentState, np.array(obs), { config: dqnConfig, explore: false })[0];
    expect([policy.algorithm, policy.actionSize, policy.act(obs)]).toEqual(["dqn", 2, own.item()]);

    const [pendulum, pendulumParams] = make("Pendulum-v1");
    const sacConfig = SACConfig({ hiddenSizes: [8], batchSize: 8, normalizeObs: true });
    const other = RunnerConfig({ ...runnerConfig, checkpointDir: temporaryFolder() });
    const result = await trainSAC(pendulum, pendulumParams, { sacConfig, runnerConfig: other });
    const sac = await loadPolicy(other.checkpointDir ?? "", { step: 128, actions: "continuous" });
    expectTypeOf(sac).toEqualTypeOf<Policy<Float32Array>>();
    const three = Float32Array.of(0.1, 0.9, -2);
    const [action] = SAC.act(result.agentState, np.array(three), { config: sacConfig, explore: false });
    expect([...sac.act(three)]).toEqual(action.toArray());
  });

  it("takes one member of a sweep over seeds", async () => {
    const sweepDir = RunDir("sweep", { baseDir: temporaryFolder() });
    const options = { ppoConfig, runnerConfig: RunnerConfig(small), runDir: sweepDir, seeds: [3, 4] };
    const [{ agentState }] = await trainPPO(env, params, options);
    await expect(loadPolicy(sweepDir)).rejects.toThrow(/holds 2 agents, one for each seed: give member/);
    await expect(loadPolicy(sweepDir, { member: 2 })).rejects.toThrow(/from 0 to 1, got 2/);
    const bytes = (await loadPolicy(sweepDir, { member: 1, step: 128 })).toSafetensors();
    const { params: both } = agentState as unknown as { params: { actor: { w: Array }[] } };
    const { fromSafetensors } = await import("vibe-rl/checkpoint");
    const { state } = fromSafetensors(bytes).tree as { state: { params: { actor: { w: Array }[] } } };
    expect(state.params.actor[0].w.toArray()).toEqual(both.actor[0].w.slice(1).toArray());
  });

  it("says what is wrong with what it is given", async () => {
    const folder = temporaryFolder();
    await expect(loadPolicy(path.join(folder, "none"))).rejects.toThrow(
      /none does not exist; give a run directory/,
    );
    await expect(loadPolicy(folder)).rejects.toThrow(/has no checkpoints; expected folders named step_N/);
    await expect(loadPolicy(runDir, { step: 5 })).rejects.toThrow(
      /has no checkpoint of step 5; it has steps 64, 128/,
    );
    await expect(loadPolicy(toSafetensors({ w: np.ones([1]) }))).rejects.toThrow(/without a policy/);
    await expect(loadPolicy(new Uint8Array(2))).rejects.toThrow(/not a whole safetensors file/);
    await expect(loadPolicy(runDir, { actions: "continuous" })).rejects.toThrow(
      "actions should be continuous, those of this policy are discrete",
    );
    await expect(loadPolicy(null as unknown as string)).rejects.toThrow(
      /takes a path, a RunDir or bytes, got null/,
    );
    const bytes = (await loadPolicy(runDir)).toSafetensors();
    await expect(loadPolicy(bytes, { step: 3 })).rejects.toThrow(/bytes hold one policy/);
  });
});
