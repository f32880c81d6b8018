// The built-in environments move as Gymnasium's published equations say, interpreted and compiled.
import { describe, expect, it } from "vitest";
import { jit, lax, np, random, type Array } from "vibe-rl/array";
import { make, type Environment } from "vibe-rl/env";
import { readGolden } from "../golden.js";

interface GoldenEnv {
  readonly env: string;
  readonly state0: readonly number[];
  readonly steps: readonly {
    readonly action: number;
    readonly state: readonly number[];
    readonly reward: number;
    readonly terminated: boolean;
  }[];
}

type State = Readonly<Record<string, Array>>;

/** The parts of each state in the golden file's order. */
const parts: Record<string, readonly string[]> = {
  "CartPole-v1": ["position", "velocity", "angle", "angularVelocity"],
  "Pendulum-v1": ["angle", "angularVelocity"],
  "MountainCar-v0": ["position", "velocity"],
  "Acrobot-v1": ["angle1", "angle2", "velocity1", "velocity2"],
};

const key = random.key(0);

describe("golden episodes", () => {
  for (const { env: id, state0, steps } of readGolden<GoldenEnv>("envs.json")) {
    const [anyEnv, params] = make(id);
    const env = anyEnv as Environment<State>;
    const start: State = {
      ...Object.fromEntries(parts[id].map((name, at) => [name, np.float32(state0[at])])),
      time: np.int32(0),
    };
    const isDiscrete = env.actionSpace(params).kind === "Discrete";
    const actions = isDiscrete
      ? np.int32(steps.map(({ action }) => action))
      : np.float32(steps.map(({ action }) => [action]));

    /** Numbers in the order state, reward, terminated. */
    const check = (rows: readonly (readonly number[])[]) => {
      steps.forEach(({ state, reward, terminated }, turn) => {
        [...state, reward].forEach((expected, at) => {
          // The golden figures are of double precision; small errors of float32 grow from step to step.
          const tolerance = 2e-5 * Math.max(1, Math.abs(expected));
          expect(Math.abs(rows[turn][at] - expected), `step ${turn}, number ${at}`).toBeLessThan(tolerance);
        });
        expect(rows[turn][state.length + 1]).toBe(Number(terminated));
      });
    };
    const advance = (state: State, action: Array) => {
      const [, next, reward, , info] = env.step(key, state, action, params);
      const row = np.stack([
        ...parts[id].map((name) => next[name]),
        reward,
        info.terminated.astype("float32"),
      ]);
      return [next, row] as const;
    };

    it(`${id} interpreted`, () => {
      let state = start;
      const rows = [...actions].map((action) => {
        const [next, row] = advance(state, action);
        state = next;
        return row.toArray() as number[];
      });
      check(rows);
    });

    it(`${id} compiled`, () => {
      const run = jit((first: State, all: Array) => lax.scan(advance, first, all)[1]);
      check(run(start, actions).toArray() as number[][]);
    });
  }
});
