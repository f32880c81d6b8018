// Returns over several steps, against a plain loop over the history of every environment.
import { describe, expect, it } from "vitest";
import { nStepBatch, ReplayBuffer, type SequelTransition } from "vibe-rl/agent";
import { DQNConfig, dqnLoss } from "vibe-rl/algorithms/dqn";
import { jit, np } from "vibe-rl/array";

const gamma = 0.5;

/** A step of an environment: its observation is its number, `end` how the episode ended with it. */
interface Step {
  readonly id: number;
  readonly reward: number;
  readonly end: "terminated" | "truncated" | null;
}

const asTransitions = (steps: readonly Step[]): SequelTransition => ({
  obs: np.array(steps.map(({ id }) => [id])),
  action: np.int32(steps.map(({ id }) => id)),
  reward: np.array(steps.map(({ reward }) => reward)),
  // The observation after step 7 is 7.5: not that of any step, as at the end of an episode.
  nextObs: np.array(steps.map(({ id }) => [id + 0.5])),
  done: np.array(steps.map(({ end }) => end === "terminated")),
  ended: np.array(steps.map(({ end }) => end !== null)),
});

/** Plays environments whose episodes have odd lengths; a row for each step of all. */
function play(numEnvs: number, turns: number): Step[][] {
  let state = 12345;
  const chance = () => (state = (state * 48271) % 2147483647) / 2147483647;
  return Array.from({ length: turns }, (_, turn) =>
    Array.from({ length: numEnvs }, (_, env) => {
      const draw = chance();
      const end = draw < 0.15 ? "terminated" : draw < 0.3 ? "truncated" : null;
      return { id: turn * numEnvs + env, reward: Math.round(chance() * 16) / 4, end };
    }),
  );
}

/** What should be drawn for a step, by walking on through the history of its environment. */
function wanted(history: readonly Step[], from: number, nSteps: number) {
  let [reward, discount, at] = [0, 1, from];
  for (let count = 0; ;) {
    reward += discount * history[at].reward;
    discount *= gamma;
    count++;
    if (history[at].end !== null || count === nSteps || at + 1 === history.length) break;
    at++;
  }
  return { reward, discount, nextObs: history[at].id + 0.5, done: history[at].end === "terminated" };
}

describe("returns over several steps", () => {
  it.each([
    { numEnvs: 1, nSteps: 3, turns: 40, capacity: 32 },
    { numEnvs: 3, nSteps: 4, turns: 20, capacity: 32 },
    { numEnvs: 2, nSteps: 5, turns: 6, capacity: 32 },
    { numEnvs: 4, nSteps: 1, turns: 12, capacity: 20 },
    { numEnvs: 2, nSteps: 50, turns: 12, capacity: 16 },
  ])("stop at ends and at the newest step: $numEnvs environments, $nSteps steps, $turns turns", (sizes) => {
    const { numEnvs, nSteps, turns, capacity } = sizes;
    const rows = play(numEnvs, turns);
    const example = { ...asTransitions([rows[0][0]]) };
    let buffer = ReplayBuffer.init<SequelTransition>(capacity, {
      ...example,
      ...{ obs: np.zeros([1]), action: np.int32(0), reward: np.float32(0), nextObs: np.zeros([1]) },
      ...{ done: np.array(false), ended: np.array(false) },
    });
    for (const row of rows) buffer = ReplayBuffer.pushBatch(buffer, asTransitions(row));
    const size = buffer.size.item();
    const draw = jit((ring: ReplayBuffer<SequelTransition>) =>
      nStepBatch(ring, np.arange(size), { nSteps, gamma, numEnvs }),
    );
    const drawn = draw(buffer);
    for (let place = 0; place < size; place++) {
      const id = drawn.action.slice(place).item();
      const history = rows.map((row) => row[id % numEnvs]);
      const { reward, discount, nextObs, done } = wanted(history, Math.floor(id / numEnvs), nSteps);
      expect(drawn.obs.slice(place, 0).item()).toBe(id);
      expect(drawn.reward.slice(place).item()).toBe(reward);
      expect(drawn.discount?.slice(place).item()).toBeCloseTo(discount, 10);
      expect(drawn.nextObs.slice(place, 0).item()).toBe(nextObs);
      expect(Boolean(drawn.done.slice(place).item())).toBe(done);
    }
  });

  it("tell losses how much of the next value counts", () => {
    const q = (...values: number[]) => [{ w: np.zeros([1, 2]), b: np.array(values) }];
    const batch = {
      ...{ obs: np.zeros([1, 1]), action: np.int32([0]), reward: np.array([1]), nextObs: np.zeros([1, 1]) },
      ...{ done: np.array([false]), discount: np.array([0.25]) },
    };
    const config = DQNConfig({ gamma: 0.9 });
    expect(dqnLoss(q(0, 0), q(8, 4), batch, { config })[0].item()).toBe((1 + 0.25 * 8) ** 2);
  });
});
