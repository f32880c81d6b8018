// checkHostEnv and checkVecEnv say in words what breaks the contract.
import { describe, expect, it } from "vitest";
import { Box, make } from "vibe-rl/env";
import {
  checkHostEnv,
  checkVecEnv,
  FunctionalVecEnv,
  hostEnvProblems,
  SyncVecEnv,
  vecEnvProblems,
  type HostAction,
  type HostEnv,
  type HostStep,
  type VecEnv,
  type VecStep,
} from "vibe-rl/vecEnv";
import { slowly, Walk, walking } from "./games.js";

/** The walk whose steps are changed on their way out. */
class Changed extends Walk {
  constructor(private readonly change: (step: unknown[]) => unknown[]) {
    super();
  }
  override step(action: HostAction): HostStep {
    return this.change([...super.step(action)]) as unknown as HostStep;
  }
}
const withPart = (at: number, value: unknown) =>
  new Changed((step) => step.map((part, index) => (index === at ? value : part)));

const hostMistakes: Record<string, readonly [env: HostEnv, words: string]> = {
  "a method that is missing": [walking({ step: undefined }), "must have a method step, got undefined"],
  "an exception": [
    walking({
      step: () => {
        throw new Error("lost");
      },
    }),
    "step throws: lost",
  ],
  "an observation of another size": [
    withPart(0, [1, 2, 3]),
    "the observation of step has 3 elements, Box(float32[2] from -100 to 100) has 2",
  ],
  "an observation outside the space": [
    walking({ observationSpace: Box({ low: [-100, 0], high: [100, 2] }) }),
    "the observation of step leaves Box(float32[2] from [-100,0] to [100,2]): element 1 is 3, and 0 to 2 is allowed",
  ],
  "a reward that is no number": [withPart(1, NaN), "the reward of step must be a finite number, got NaN"],
  "ends that are no booleans": [withPart(3, 0), "truncated of step must be true or false, got 0"],
  "a figure that is no number": [
    withPart(4, { log: { height: "high" } }),
    'info.log["height"] must be a finite number, got "high"; leave it out where there is none (of step)',
  ],
  "episodes that do not follow from the seed": [
    (() => {
      let calls = 0;
      return new Changed((step) => step.map((part, index) => (index === 1 ? calls++ : part)));
    })(),
    "the same seed and the same actions give another episode (step 1: reward was 0 and then 200); everything random",
  ],
  "a state that is not whole": [
    walking({ getState: () => ({ place: 0 }) }),
    "setState does not bring back everything: the same actions give another episode after it",
  ],
  "a state that JSON does not carry": [
    walking({ getState: () => ({ board: new Float32Array(2) }) }),
    "getState must give what JSON carries, but the state.board is a Float32Array",
  ],
  "a picture that is none": [walking({ render: () => "a walk" }), "render must give SVG"],
};

describe("checkHostEnv", () => {
  it("finds nothing wrong with an environment that keeps the contract, and leaves it open", async () => {
    const env = new Walk();
    expect(await hostEnvProblems(env)).toEqual([]);
    expect(env.closed).toBe(0);
    await checkHostEnv(() => env);
    expect(env.closed).toBe(1);
    await checkHostEnv(slowly(new Walk(), 2));
  });

  it.each(Object.entries(hostMistakes))("finds %s", async (_, [env, words]) => {
    expect((await hostEnvProblems(env)).join("\n")).toContain(words);
    await expect(checkHostEnv(env)).rejects.toThrow("has a problem:\n- ");
  });
});

const walks = () => SyncVecEnv([() => new Walk(), () => new Walk(4)]);

/** Walks whose steps are changed on their way out. */
const changed = (change: (step: VecStep) => unknown): VecEnv => {
  const vec = walks();
  return { ...vec, step: async (actions) => change(await vec.step(actions)) as VecStep };
};
const withExtras = (change: (extras: VecStep["extras"], step: VecStep) => object) =>
  changed((step) => ({ ...step, extras: { ...step.extras, ...change(step.extras, step) } }));

/** An episode that ends after three steps and never begins anew. */
function stuck(): VecEnv {
  let [steps, time] = [0, 0];
  const row = () => Float32Array.of(time, 0);
  const step = () => {
    steps += 1;
    time = Math.min(steps, 3);
    const dones = Uint8Array.of(steps >= 3 ? 1 : 0);
    const extras = { timeOuts: new Uint8Array(1), terminated: dones, finalObservation: row() };
    return { obs: row(), rewards: new Float32Array(1), dones, extras };
  };
  const reset = () => {
    [steps, time] = [0, 0];
    return row();
  };
  const { observationSpace, actionSpace } = new Walk();
  return { numEnvs: 1, observationSpace, actionSpace, reset, step, close: () => undefined };
}

const vecMistakes: Record<string, readonly [env: VecEnv, words: string]> = {
  "a space that is missing": [{ ...walks(), actionSpace: undefined as never }, "actionSpace must be a space"],
  "observations of another dtype": [
    changed((step) => ({ ...step, obs: Float64Array.from(step.obs) })),
    "obs of step must be a Float32Array of 4, got a Float64Array of 4",
  ],
  "rewards for too few": [
    changed((step) => ({ ...step, rewards: step.rewards.slice(1) })),
    "rewards of step must be a Float32Array of 2, got a Float32Array of 1",
  ],
  "observations that are not finite": [
    changed((step) => ({ ...step, obs: step.obs.map((value, at) => (at === 3 ? NaN : value)) })),
    "the observation of step in environment 1 holds NaN at element 1",
  ],
  "ends without a reason": [
    withExtras(() => ({ terminated: new Uint8Array(2) })),
    "dones must be 1 where terminated or timeOuts is, and nowhere else, but environment",
  ],
  "a time-out that is no end": [
    withExtras(() => ({ terminated: undefined, timeOuts: Uint8Array.of(1, 1) })),
    "where timeOuts is 1, dones must be 1, but environment 0 has dones 0, timeOuts 1",
  ],
  "last observations that are missing": [
    withExtras(() => ({ finalObservation: undefined })),
    "extras.finalObservation is missing where an episode has ended (environment",
  ],
  "episodes that do not begin anew": [
    stuck(),
    "environment 0 does not begin the next episode by itself: after its end at step 3, every step is an end",
  ],
  "parts of rewards for too few": [
    withExtras(() => ({ rewardComponents: { speed: [1] } })),
    "extras.rewardComponents.speed must have a finite number for each environment",
  ],
  "episodes that do not follow from the seed": [
    (() => {
      let calls = 0;
      return changed((step) => ({ ...step, rewards: step.rewards.map(() => calls++) }));
    })(),
    "the same seed and the same actions give other episodes (step 1: rewards[0] was 0 and then 400)",
  ],
  "a state that is not brought back": [
    { ...walks(), setState: () => undefined },
    "setState does not bring back everything: the same actions give other episodes after it",
  ],
  "close that works only once": [
    (() => {
      const vec = walks();
      let isClosed = false;
      const close = () => {
        if (isClosed) throw new Error("closed already");
        isClosed = true;
      };
      return { ...vec, close };
    })(),
    "close, called twice, throws: closed already",
  ],
};

describe("checkVecEnv", () => {
  it("finds nothing wrong with the vectors of the package", async () => {
    for (const vec of [walks(), FunctionalVecEnv(...make("CartPole-v1"), 2)]) {
      expect(await vecEnvProblems(vec)).toEqual([]);
      expect((await vec.reset(0)).length).toBeGreaterThan(0);
    }
    await checkVecEnv(() => Promise.resolve(walks()), { steps: 20, seed: 3 });
  });

  it.each(Object.entries(vecMistakes))("finds %s", async (_, [vec, words]) => {
    expect((await vecEnvProblems(() => vec)).join("\n")).toContain(words);
    await expect(checkVecEnv(() => vec)).rejects.toThrow(/the VecEnv has (a problem|\d+ problems):\n- /);
  });

  it("knows its options", async () => {
    await expect(checkVecEnv(walks(), { step: 3 } as object)).rejects.toThrow(
      "there is no option `step`; did you mean `steps`?",
    );
    await expect(checkHostEnv(new Walk(), { steps: 0 })).rejects.toThrow(
      "steps must be a whole number of at least 1",
    );
  });
});
