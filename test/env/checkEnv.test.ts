// checkEnv says in words what a custom environment got wrong.
import { describe, expect, it } from "vitest";
import { np, random, type Array } from "vibe-rl/array";
import { Box, checkEnv, Discrete, envProblems, type Environment, type StepResult } from "vibe-rl/env";
import { errorOf } from "./rollout.js";

interface State {
  readonly x: Array;
  readonly time: Array;
}
interface Params {
  readonly goal: Array;
}
type Walk = Environment<State, Params>;

/** A walk along a line: nothing is wrong with it. */
const walk: Walk = {
  name: "Walk-v0",
  defaultParams: () => ({ goal: np.float32(3) }),
  observationSpace: () => Box({ low: -10, high: 10, shape: [1] }),
  actionSpace: () => Discrete(2),
  reset(key) {
    const x = random.uniform(key, [], { minval: -1, maxval: 1 });
    return [x.reshape([1]), { x, time: np.int32(0) }];
  },
  step(_key, state, action, { goal }) {
    const x = state.x.add(np.where(action.equal(1), 0.5, -0.5)).clip(-10, 10);
    const next = { x, time: state.time.add(1) };
    const terminated = x.greater(goal);
    const truncated = next.time.greaterEqual(6);
    return [
      x.reshape([1]),
      next,
      x.greater(goal).astype("float32"),
      terminated.or(truncated),
      { terminated, truncated },
    ];
  },
};

/** The walk with another step made of its own results. */
const stepping = (change: (result: StepResult<State>, action: Array, state: State) => unknown): Walk => ({
  ...walk,
  step: (key, state, action, params) =>
    change(walk.step(key, state, action, params), action, state) as StepResult<State>,
});
const having = (part: Partial<Record<keyof Walk, unknown>>): Walk => ({ ...walk, ...part }) as Walk;

let calls = 0;

const mistakes: Record<string, readonly [env: Walk, words: string]> = {
  "an observation of another shape than the space": [
    having({ observationSpace: () => Box({ shape: [2] }) }),
    "the observation of reset is float32[1], but observationSpace says float32[2]",
  ],
  "an observation of another dtype than the space": [
    having({ observationSpace: () => Box({ low: 0, high: 9, shape: [1], dtype: "int32" }) }),
    "the observation of reset is float32[1], but observationSpace says int32[1]",
  ],
  "an observation outside the space": [
    having({ observationSpace: () => Box({ low: 2, high: 3, shape: [1] }) }),
    "lies outside observationSpace",
  ],
  "an observation that is NaN": [
    stepping(([obs, ...rest]) => [obs.mul(NaN), ...rest]),
    "the observation of step holds NaN",
  ],
  "an observation that changes its shape": [
    stepping(([obs, ...rest]) => [np.concatenate([obs, obs]), ...rest]),
    "the observation of step is float32[2], but observationSpace says float32[1]",
  ],
  "a state that changes its dtype": [
    stepping(([obs, state, ...rest]) => [obs, { ...state, time: state.time.astype("float32") }, ...rest]),
    "the state that step returns must have the structure, shapes and dtypes of the one that reset returns, but time is float32 instead of int32",
  ],
  "a state that changes its structure": [
    stepping(([obs, state, ...rest]) => [obs, { ...state, extra: state.x }, ...rest]),
    "at extra: only the first tree has this key",
  ],
  "info that changes its structure": [
    stepping(([obs, state, reward, done, info], action) =>
      done.tracer === null && action.item() === 1
        ? [obs, state, reward, done, { ...info, lucky: done }]
        : [obs, state, reward, done, info],
    ),
    "info must have the structure, shapes and dtypes of that of the first step",
  ],
  "a reward of another dtype": [
    stepping(([obs, state, reward, ...rest]) => [obs, state, reward.astype("int32"), ...rest]),
    "reward of step must be a float32 scalar, got int32",
  ],
  "a reward that is no scalar": [
    stepping(([obs, state, reward, ...rest]) => [obs, state, reward.reshape([1]), ...rest]),
    "reward of step must be a float32 scalar, got float32[1]",
  ],
  "a reward that is infinite": [
    stepping(([obs, state, reward, ...rest]) => [obs, state, reward.add(Infinity), ...rest]),
    "the reward of a step is Infinity",
  ],
  "done that is no bool": [
    stepping(([obs, state, reward, done, info]) => [obs, state, reward, done.astype("float32"), info]),
    "done of step must be a bool scalar, got float32",
  ],
  "done that contradicts info": [
    stepping(([obs, state, reward, done, info]) => [obs, state, reward, done.not(), info]),
    "done must be info.terminated or info.truncated, got done true, terminated false, truncated false",
  ],
  "info without truncated": [
    stepping(([obs, state, reward, done, { terminated }]) => [obs, state, reward, done, { terminated }]),
    "info of step must have truncated, a bool scalar, got nothing",
  ],
  "a JavaScript branch on a value": [
    stepping((result, action) => (action.item() === 1 ? result : [...result])),
    "step works with numbers but cannot be compiled; write branches on values with np.where or lax.cond",
  ],
  "a JavaScript branch in reset": [
    having({
      reset: (key: Array, params: Params) => {
        const [obs, state] = walk.reset(key, params);
        return obs.slice(0).item() > 0 ? [obs, state] : [obs, { ...state }];
      },
    }),
    "reset works with numbers but cannot be compiled",
  ],
  "random numbers that do not come from the key": [
    stepping(([obs, ...rest]) => [obs.mul(Math.random()), ...rest]),
    "step gives different results for the same key, state and action (obs); draw random numbers from the key",
  ],
  "a start that does not come from the key": [
    having({
      reset: (key: Array, params: Params) => {
        const [, state] = walk.reset(key, params);
        const x = np.float32(Math.random());
        return [x.reshape([1]), { ...state, x }];
      },
    }),
    "reset gives different results for the same key (obs)",
  ],
  "a state kept outside": [
    stepping(([obs, state, reward, ...rest]) => [obs, state, reward.add((calls += 1)), ...rest]),
    "step gives different results for the same key, state and action (reward)",
  ],
  "parameters that are plain numbers": [
    having({ defaultParams: () => ({ goal: 3 }) }),
    "goal of defaultParams() is 3, not an array; make it np.float32(…) or np.int32(…)",
  ],
  "a state of plain numbers": [
    having({ reset: () => [np.zeros([1]), { x: 0, time: 0 }] }),
    "x of the state that reset returns is 0, not an array",
  ],
  "results that are missing": [
    stepping(([obs, state, reward, done]) => [obs, state, reward, done]),
    "step must return [obs, state, reward, done, info], got a list of 4",
  ],
  "a reset that returns only an observation": [
    having({ reset: () => np.zeros([1]) }),
    "reset must return [obs, state], got one array",
  ],
  "methods that are missing": [
    having({ reset: undefined, actionSpace: undefined }),
    "it has no method reset, actionSpace",
  ],
  "a space that is none": [
    having({ actionSpace: () => 2 }),
    "actionSpace(params) must return a Box, Discrete, MultiBinary or Image",
  ],
  "an exception": [
    having({
      reset: () => {
        throw new Error("no level loaded");
      },
    }),
    "reset throws: no level loaded",
  ],
  "a picture that is none": [
    having({ render: () => "a walk" }),
    'render must return SVG, a text that starts with <svg, got the string "a walk"',
  ],
  "no name": [having({ name: "" }), 'name must be a text, as in "MyGame-v0"'],
};

describe("checkEnv", () => {
  it("finds nothing in a sound environment", () => {
    expect(envProblems(walk)).toEqual([]);
    expect(() => checkEnv(walk, { seed: 4, steps: 5, params: { goal: np.float32(0) } })).not.toThrow();
  });

  for (const [mistake, [env, words]] of Object.entries(mistakes)) {
    it(`finds ${mistake}`, () => {
      expect(envProblems(env).join("\n")).toContain(words);
    });
  }

  it("throws all problems at once", () => {
    const env = stepping(([obs, state, reward, done, info]) => [
      obs,
      state,
      reward.astype("int32"),
      done.astype("int32"),
      info,
    ]);
    const message = errorOf(() => checkEnv(env));
    expect(message).toContain("checkEnv: Walk-v0 has 2 problems:\n- reward of step must be a float32 scalar");
    expect(message).toContain("\n- done of step must be a bool scalar, got int32");
  });
});
