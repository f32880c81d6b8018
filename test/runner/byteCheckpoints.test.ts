// Checkpoints as bytes: a run that has no disk hands them over, and on a disk they are those of any other run.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { listCheckpoints } from "vibe-rl/checkpoint";
import { loadPolicy } from "vibe-rl/policy";
import { RunDir } from "vibe-rl/runDir";
import { trainDQN, trainPPO, type CheckpointFiles } from "vibe-rl/runner";
import { temporaryFolder } from "../temporary.js";
import { bitsOf, cartPole, cartPoleParams, gridWorld, gridWorldParams } from "./small.js";

/** Writes a checkpoint where a run looks for its own. */
function write(folder: string, { files }: CheckpointFiles): void {
  for (const [name, bytes] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }
}

const runnerConfig = {
  ...{ totalTimesteps: 512, logInterval: 64, evalEvery: 128, evalEpisodes: 2 },
  ...{ checkpointInterval: 128, warmupSteps: 64, bufferSize: 256 },
};
const trainings = {
  PPO: (options: object) =>
    trainPPO(cartPole, cartPoleParams, {
      ppoConfig: { hiddenSizes: [8], nSteps: 16, numEnvs: 2, nMinibatches: 2 },
      runnerConfig,
      ...options,
    }).then(([{ agentState }, history]) => ({ agentState, history: bitsOf(history) })),
  DQN: (options: object) =>
    trainDQN(gridWorld, gridWorldParams, {
      dqnConfig: { hiddenSizes: [8], batchSize: 8 },
      runnerConfig,
      ...options,
    }).then(({ agentState, metricsLog }) => ({ agentState, history: metricsLog })),
};

describe.each(Object.entries(trainings))("%s", (_, train) => {
  it("is resumed from the bytes of a checkpoint, to the bits and with the history of the whole run", async () => {
    const seen: CheckpointFiles[] = [];
    const whole = await train({ onCheckpoint: (one: CheckpointFiles) => void seen.push(one) });
    const steps = seen.map(({ step }) => step);
    expect([128, 256, 384, 512].every((step) => steps.includes(step))).toBe(true);
    const middle = seen.find(({ step }) => step === 256);
    if (middle === undefined) throw new Error("no checkpoint of step 256");

    const checkpointDir = temporaryFolder();
    write(checkpointDir, middle);
    expect(listCheckpoints(checkpointDir).map(({ step }) => step)).toEqual([256]);
    const rest = await train({ runnerConfig: { ...runnerConfig, checkpointDir, resume: true } });
    expect(bitsOf(rest.agentState)).toEqual(bitsOf(whole.agentState));
    expect(rest.history).toEqual(whole.history);
  });
});

it("a checkpoint of bytes is a policy at once", async () => {
  let last: CheckpointFiles | null = null;
  const signal = { aborted: false };
  await trainings.PPO({
    onCheckpoint: (one: CheckpointFiles) => {
      last = one;
      signal.aborted = true;
    },
    signal,
  });
  const { step, files } = last as unknown as CheckpointFiles;
  const own = (name: string) => files[`step_${step}/${name}`];
  const policy = await loadPolicy({
    "checkpoint.json": own("checkpoint.json"),
    "tensors.safetensors": own("tensors.safetensors"),
  });
  expect([policy.step, policy.metadata.environment]).toEqual([step, "CartPole-v1"]);
});

it("onCheckpoint is for runs without a directory", async () => {
  const options = { runDir: RunDir("run", { baseDir: temporaryFolder() }), onCheckpoint: () => undefined };
  await expect(trainings.PPO(options)).rejects.toThrow("onCheckpoint is for runs without a directory");
  await expect(trainings.PPO({ onCheckpoint: 3 })).rejects.toThrow(/onCheckpoint must be .*function/);
});
