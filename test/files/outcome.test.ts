// How a run ended is noted in its logs, whichever way it went, and forgotten while it goes on.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { make, trainPPO } from "vibe-rl";
import { RunDir } from "vibe-rl/runDir";
import { noteOutcome, readOutcome } from "../../src/files/index.js";
import { temporaryFolder } from "../temporary.js";

const [env, params] = make("CartPole-v1");
const small = { hiddenSizes: [4], nSteps: 16, numEnvs: 2, nEpochs: 1, nMinibatches: 1 };
const runner = {
  totalTimesteps: 128,
  evalEvery: 64,
  evalEpisodes: 1,
  logInterval: 32,
  checkpointInterval: 32,
  plot: false,
};

it("a run notes that it is done, was stopped, has diverged or failed, and forgets it when it goes on", async () => {
  const runDir = RunDir("a", { baseDir: temporaryFolder() });
  const outcome = (): unknown => {
    const { time: _, ...rest } = readOutcome(runDir.logs) ?? { time: "" };
    return rest;
  };
  let seen: unknown = null;
  const signal = { aborted: false };
  const callback = (): void => {
    seen = outcome();
    signal.aborted = true;
  };
  await trainPPO(env, params, { ppoConfig: small, runnerConfig: runner, runDir, callback, signal });
  expect(outcome()).toEqual({ state: "stopped", step: 32 });
  await trainPPO(env, params, {
    ppoConfig: small,
    runnerConfig: { ...runner, resume: true },
    runDir,
    callback,
  });
  expect([seen, outcome()]).toEqual([{}, { state: "done", step: 128 }]);

  const failing = RunDir("b", { baseDir: temporaryFolder() });
  const fail = (): never => {
    throw new Error("the disk is gone");
  };
  await expect(
    trainPPO(env, params, { ppoConfig: small, runnerConfig: runner, runDir: failing, callback: fail }),
  ).rejects.toThrow();
  expect(readOutcome(failing.logs)).toMatchObject({ state: "failed", step: 32, message: "the disk is gone" });

  const diverging = RunDir("c", { baseDir: temporaryFolder() });
  const wild = { ...small, lr: 1e30, maxGradNorm: 1e30, nEpochs: 8 };
  await expect(
    trainPPO(env, params, {
      ppoConfig: wild,
      runnerConfig: { ...runner, totalTimesteps: 1024 },
      runDir: diverging,
    }),
  ).rejects.toThrow("so the run was stopped");
  expect(readOutcome(diverging.logs)).toMatchObject({
    state: "diverged",
    message: expect.stringContaining("Try a lower learning rate") as string,
  });
});

it("what is no note of an end counts as none", () => {
  const logs = temporaryFolder();
  expect(readOutcome(logs)).toBe(null);
  noteOutcome(logs, { state: "done", step: 5 });
  expect(readOutcome(logs)).toMatchObject({ state: "done", step: 5 });
  for (const text of ["", "{", "[]", '{"state":"odd","step":1,"time":"now"}', '{"state":"done"}']) {
    writeFileSync(path.join(logs, "outcome.json"), text);
    expect(readOutcome(logs)).toBe(null);
  }
});
