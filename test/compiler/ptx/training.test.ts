// Training as an H200 would do it, emulated: divided over as many blocks, in clusters, cut into functions, with tensor cores. What is
// learned is what WebAssembly learns. It takes minutes (npm run test:ptx).
import { describe, expect, it } from "vitest";
import { DQN, DQNConfig } from "vibe-rl/algorithms/dqn";
import { PPO, PPOConfig } from "vibe-rl/algorithms/ppo";
import { SAC, SACConfig } from "vibe-rl/algorithms/sac";
import { jit, lax, np, random, vmap } from "vibe-rl/array";
import { presets } from "vibe-rl/config";
import { AutoResetWrapper, make } from "vibe-rl/env";
import { RunnerConfig, trainPPO } from "vibe-rl/runner";
import { registerBackend, type Array } from "../../../src/array/index.js";
import { ptxRenderer, type PtxTarget } from "../../../src/compiler/index.js";
import { differences } from "../../closeness.js";
import { isWithoutNative } from "../../device/native.js";
import { compileFor } from "../forms.js";
import { emulatedPtx } from "./backend.js";

const isWhole = process.env.VIBE_RL_PTX_TESTS === "all";

const h200: PtxTarget = { multiprocessors: 132, sharedBytes: 232_448, clusterBlocks: 16 };

/** A rollout of PPO, and the agent that has learned from it. */
const ppo =
  (numEnvs: number, nSteps: number) =>
  (key: Array, _count: Array): unknown => {
    const config = PPOConfig({ numEnvs, nSteps });
    const [game, params] = make("CartPole-v1");
    const env = AutoResetWrapper(game);
    const [initKey, resetKey] = random.split(key);
    const [obs, envState] = vmap((k: Array) => env.reset(k, params))(random.split(resetKey, numEnvs));
    const agent = PPO.init(initKey, env.observationSpace(params).shape, env.actionSpace(params), config);
    const step: typeof env.step = (...turn) => env.step(...turn);
    const options = { config };
    const [played, rollout, , , lastValue] = PPO.collectRolloutBatch(
      ...[agent, obs, envState, step, params, options],
    );
    return PPO.update(played, rollout, lastValue, options)[0];
  };

/** So many transitions, drawn at random. */
function transitions(key: Array, count: number, obsSize: number) {
  const [obs, nextObs, reward, done] = random.split(key, 4);
  return {
    obs: random.normal(obs, [count, obsSize]),
    nextObs: random.normal(nextObs, [count, obsSize]),
    reward: random.normal(reward, [count]),
    done: random.bernoulli(done, 0.1, [count]),
  };
}

/**
 * Does something so many times, so many times. Nobody knows how often beforehand, so that programs are divided as if it was a
 * hundred times.
 */
const often = <S>(count: Array, work: (at: Array, state: S) => S, start: S): S =>
  lax.foriLoop(
    0,
    count,
    (outer, state) =>
      lax.foriLoop(0, count, (inner, now: S) => work(outer.mul(count).add(inner), now), state),
    start,
  );

function dqn(key: Array, count: Array): unknown {
  const config = DQNConfig();
  const [env, params] = make("CartPole-v1");
  const start = DQN.init(key, env.observationSpace(params).shape, env.actionSpace(params), config);
  const update = (at: Array, agent: typeof start) => {
    const drawn = random.foldIn(key, at);
    const action = random.randint(drawn, [config.batchSize], 0, 2);
    return DQN.update(agent, { ...transitions(drawn, config.batchSize, 4), action }, { config })[0];
  };
  return often(count, update, start);
}

function sac(key: Array, count: Array): unknown {
  const config = SACConfig();
  const [env, params] = make("Pendulum-v1");
  const start = SAC.init(key, env.observationSpace(params).shape, env.actionSpace(params), config);
  const update = (at: Array, agent: typeof start) => {
    const drawn = random.foldIn(key, at);
    const action = random.uniform(drawn, [config.batchSize, 1], { minval: -1, maxval: 1 });
    return SAC.update(agent, { ...transitions(drawn, config.batchSize, 3), action }, { config })[0];
  };
  return often(count, update, start);
}

/** What learns, how often loops of unknown length turn, and in how many blocks. */
const runs = [
  ["PPO with 4 environments", ppo(4, 128), 0, 16],
  ["PPO with 64 environments", ppo(64, 32), 0, 64],
  ["PPO with 256 environments", ppo(256, 8), 0, 64],
  ["DQN", dqn, 2, 16],
  ["SAC", sac, 1, 128],
] as const;

describe.skipIf(!isWhole || isWithoutNative("test/compiler/ptx/training.test.ts"))(
  "training on an H200, emulated",
  { timeout: 3_600_000 },
  () => {
    describe.each([
      ["float32", false, { rtol: 1e-4, atol: 2e-5 }],
      ["TF32", true, { rtol: 1e-2, atol: 2e-3 }],
    ] as const)("with products of %s", (_, isTf32, tolerance) => {
      const target = { ...h200, isTf32 };
      const device = `an H200, ${isTf32}`;
      it.each(runs)("%s learns what it learns in WebAssembly", (_, learn, count, blocks) => {
        const args = [random.key(3), np.int32(count)] as const;
        expect(compileFor(ptxRenderer(target))(learn, ...args).compiled.code.blocks).toBe(blocks);
        registerBackend(emulatedPtx(device, target), { isDefault: false });
        const [learned, expected] = [device, "wasm"].map((name) => jit(learn, { device: name })(...args));
        expect(differences(learned, expected, tolerance)).toEqual([]);
      });
    });

    it("a run with the settings of cartpole_ppo learns what it learns in WebAssembly", async () => {
      registerBackend(emulatedPtx("cuda", h200), { isDefault: false });
      const { envId, algoConfig, runner } = presets.cartpole_ppo.config;
      const learned = async (device: "cuda" | "wasm"): Promise<unknown> => {
        const [env, params] = make(envId);
        const steps = { totalTimesteps: 1024, evalEvery: 1024, evalEpisodes: 1 };
        const runnerConfig = RunnerConfig({ ...runner, ...steps, device });
        const [{ agentState }] = await trainPPO(env, params, {
          ppoConfig: PPOConfig(algoConfig),
          runnerConfig,
        });
        return agentState.params;
      };
      expect(differences(await learned("cuda"), await learned("wasm"), { rtol: 1e-4, atol: 2e-5 })).toEqual(
        [],
      );
    });
  },
);
