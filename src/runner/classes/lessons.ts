// What learning from replay does between two times of playing: what was played is kept, and so many updates follow.
import { evalShape, lax, np, random, type Array } from "../../array/index.js";
import type { SequelTransition } from "../../agent/index.js";
import type { Cadence } from "../cadence.js";
import { lesson, type Lesson, type MetricArrays } from "../learning.js";
import { replayOf, type Memory, type Replay } from "../replay.js";
import type { ReplayLearner, ReplayState } from "./offPolicyAgents.js";

export interface Lessons<S extends ReplayState> {
  readonly replay: Replay;
  /** Takes in what was played, (T, N, …): into the memory, and into the agent's statistics. */
  readonly takeIn: (state: S, memory: Memory, played: SequelTransition) => { state: S; memory: Memory };
  /** Learns `due` times: each time as many updates as the config says. */
  readonly learn: (state: S, memory: Memory, due: Array | number, key: Array) => Lesson<S, Memory>;
}

export function lessonsOf<S extends ReplayState>(learner: ReplayLearner<S>, numEnvs: number): Lessons<S> {
  const { config } = learner;
  const replay = replayOf(config, numEnvs);
  const update = (state: S, memory: Memory, key: Array) => {
    const { batch, places } = replay.draw(memory, key, state.step);
    const [learned, metrics, errors] = learner.update(state, batch);
    const remembered = errors === undefined ? memory : replay.setErrors?.(memory, places, errors);
    return [learned, remembered ?? memory, metrics as MetricArrays] as const;
  };
  return {
    replay,
    takeIn: (state, memory, played) => {
      const flat = Object.fromEntries(
        Object.entries(played).map(([name, x]: [string, Array]) => [
          name,
          x.reshape([-1, ...x.shape.slice(2)]),
        ]),
      ) as unknown as SequelTransition;
      const observe = (now: S, { obs, reward, ended }: SequelTransition) =>
        [learner.observe(now, { obs, reward, ended }), null] as const;
      const [observed] = lax.scan(observe, state, played);
      return { state: observed, memory: replay.push(memory, flat) };
    },
    learn: (agentState, buffer, due, key) => {
      const names = Object.keys(
        evalShape((own: S, memory: Memory) => update(own, memory, random.key(0))[2], agentState, buffer),
      );
      const { gradientSteps, trainFreq } = config;
      const cadence = { rhythm: { gradientSteps, trainFreq } } as Cadence;
      return lesson(update, names, cadence, due, { agentState, buffer }, key);
    },
  };
}

/** An empty memory for transitions of these observations and actions. */
export const emptyMemory = (replay: Replay, capacity: number, obs: Array, action: Array): Memory =>
  replay.init(capacity, {
    ...{ obs, action, nextObs: obs, reward: np.float32(0) },
    ...{ done: np.array(false), ended: np.array(false) },
  });
