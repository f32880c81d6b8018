// Signals that end `learn` early, as they end functional runs.
import path from "node:path";
import { describe, expect, it } from "vitest";
import { make } from "vibe-rl/env";
import { OffPolicyRunner, OnPolicyRunner, trainPPO } from "vibe-rl/runner";
import { temporaryFolder } from "../../temporary.js";
import { Corridor, smallConfig } from "./corridor.js";

const [cartPole, cartPoleParams] = make("CartPole-v1", { maxSteps: 20 });

/** Each with 20 environment steps an iteration, and saving by itself only at the first and the last. */
const runners = {
  "PPO on objects": (options: object = {}) =>
    new OnPolicyRunner({ env: new Corridor(), cfg: { ...smallConfig, nSteps: 10 }, ...options }),
  "PPO on a functional environment": (options: object = {}) =>
    new OnPolicyRunner({
      ...{ env: cartPole, envParams: cartPoleParams, numEnvs: 2, cfg: { ...smallConfig, nSteps: 10 } },
      ...options,
    }),
  "DQN on objects": (options: object = {}) =>
    new OffPolicyRunner({
      ...{ env: new Corridor(), cfg: { hiddenSizes: [8], batchSize: 8 }, stepsPerIteration: 20 },
      ...{ learningStarts: 40, bufferSize: 100 },
      ...options,
    }),
};

const stateOf = ({ agent }: { readonly agent: { readonly state: object } }) => JSON.stringify(agent.state);

describe.each(Object.entries(runners))("a signal to %s", (_, create) => {
  it("ends learn after the iteration under way, with a checkpoint from which the run goes on", async () => {
    const saveDir = temporaryFolder();
    const [whole, stopped, resumed] = [create(), create({ saveDir }), create({ saveDir })];
    const controller = new AbortController();
    const fired: number[] = [];
    stopped.addCallback("pre_rollout", ({ iteration }: { readonly iteration: number }) => {
      fired.push(iteration);
      if (iteration === 3) controller.abort();
    });
    await stopped.learn({ totalTimesteps: 120, signal: controller.signal });
    expect([stopped.iteration, stopped.totalTimesteps, fired.at(-1)]).toEqual([4, 80, 3]);
    await resumed.loadCheckpoint(path.join(saveDir, "checkpoint_3"));
    await resumed.learn(120);
    await whole.learn(120);
    expect(stateOf(resumed)).toBe(stateOf(whole));
  });

  it("that was given before ends it at once", async () => {
    const runner = create();
    const before = stateOf(runner);
    expect(await runner.learn({ totalTimesteps: 120, signal: { aborted: true } })).toEqual({});
    expect([runner.iteration, stateOf(runner)]).toEqual([0, before]);
    await runner.learn({ totalTimesteps: 40, signal: null });
    expect(runner.iteration).toBe(2);
  });
});

describe("what is no signal", () => {
  it("is refused, by class runners and functional ones", async () => {
    const runner = runners["PPO on objects"]();
    const signal = new AbortController() as unknown as AbortSignal;
    await expect(runner.learn({ totalTimesteps: 40, signal })).rejects.toThrow(
      /OnPolicyRunner\.learn: signal must be an AbortSignal, such as `signal` of an AbortController/,
    );
    await expect(trainPPO(cartPole, cartPoleParams, { signal })).rejects.toThrow(/trainPPO: signal must be/);
    const misspelt = { totalTimesteps: 40, sginal: signal } as { totalTimesteps: number };
    await expect(runner.learn(misspelt)).rejects.toThrow(
      /there is no option `sginal`; did you mean `signal`/,
    );
  });
});
