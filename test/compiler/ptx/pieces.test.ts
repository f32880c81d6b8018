// Rows in pieces on blocks of a GPU, emulated, give the interpreter's answers.
import { describe, expect, it } from "vitest";
import { PPO, PPOConfig } from "vibe-rl/algorithms/ppo";
import { jit, random, vmap } from "vibe-rl/array";
import { AutoResetWrapper, make } from "vibe-rl/env";
import { registerBackend, type Array, type Program } from "../../../src/array/index.js";
import { ptxRenderer } from "../../../src/compiler/index.js";
import { simplifyProgram } from "../../../src/compiler/simplify/simplify.js";
import { kernelsIn } from "../../../src/compiler/walk.js";
import { cutEverywhere } from "../../array/partition/cutEverywhere.js";
import { isWithoutNative } from "../../device/native.js";
import { differences } from "../../closeness.js";
import { compileFor } from "../forms.js";
import { rowCases } from "../rowPrograms.js";
import { expectTogether } from "../together.js";
import { emulatedPtx, target } from "./backend.js";
import { divideAtRandom } from "./divided.js";

const isWhole = process.env.VIBE_RL_PTX_TESTS === "all";
const rounds = isWhole ? 12 : 1;

/** Registers a device whose programs are divided over blocks at random, each of which takes its rows in pieces. */
function deviceInPieces(parts: number, seed: number): string {
  const name = `ptx in pieces ${parts} ${seed}`;
  const divide = (program: Program) => {
    const divided = divideAtRandom(simplifyProgram(program), parts, seed);
    return { ...divided, program: cutEverywhere(simplifyProgram(divided.program), 2 + (seed % 3)) };
  };
  const device = emulatedPtx(name, { ...target, multiprocessors: parts, threads: 128 }, { name, divide });
  registerBackend(device, { isDefault: false });
  return name;
}

/** A rollout of PPO and what is learned from it: minibatches of 128 rows. */
function learn(key: Array): unknown {
  const config = PPOConfig({ numEnvs: 16, nSteps: 32, nEpochs: 2 });
  const [game, params] = make("CartPole-v1");
  const env = AutoResetWrapper(game);
  const [initKey, resetKey] = random.split(key);
  const [obs, envState] = vmap((k: Array) => env.reset(k, params))(random.split(resetKey, config.numEnvs));
  const agent = PPO.init(initKey, env.observationSpace(params).shape, env.actionSpace(params), config);
  const step: typeof env.step = (...turn) => env.step(...turn);
  const options = { config };
  const [played, rollout, , , lastValue] = PPO.collectRolloutBatch(
    agent,
    obs,
    envState,
    step,
    params,
    options,
  );
  return PPO.update(played, rollout, lastValue, options)[0];
}

describe.skipIf(isWithoutNative("test/compiler/ptx/pieces.test.ts"))(
  "random programs on batches, in pieces on each block",
  { timeout: 600_000 },
  () => {
    it.for([...globalThis.Array(rounds).keys()])("give the interpreter's answers (%i)", (round) =>
      expectTogether(rowCases(isWhole ? 6 : 2, 50 + round), deviceInPieces([2, 4][round % 2], round)),
    );

    it.runIf(isWhole)("PPO's weights are those of WebAssembly", () => {
      const small = { multiprocessors: 2, sharedBytes: 116 * 1024, threads: 128 };
      const { steps } = compileFor(ptxRenderer(small))(learn, random.key(0));
      const rows = kernelsIn(steps).flatMap((kernel) => (kernel.kind === "dot" ? kernel.rows : []));
      // Of the 64 rows that each block has of a minibatch.
      expect(rows).toContain(32);
      const device = "ptx of two small blocks";
      registerBackend(emulatedPtx(device, small), { isDefault: false });
      const [learned, expected] = [device, "wasm"].map((name) => jit(learn, { device: name })(random.key(0)));
      expect(differences(learned, expected, { rtol: 1e-3, atol: 2e-5 })).toEqual([]);
    });
  },
);
