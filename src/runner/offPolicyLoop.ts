// The compiled loop of DQN and SAC: what a run carries, how it starts, what an iteration does and measures.
import { evalShape, lax, np, random, tree, vmap, type Array, type AxisTree } from "../array/index.js";
import type { Environment } from "../env/index.js";
import type { Cadence } from "./cadence.js";
import type { RunnerConfig } from "./config.js";
import type { CountedState } from "./episodes.js";
import type { ReplayLearner as Learner } from "./learners.js";
import { lesson, timesDue, type MetricArrays } from "./learning.js";
import type { Memory, Replay } from "./replay.js";
import type { Setting } from "./setting.js";
import type { Work } from "./trainer.js";

/** What a run carries. */
export interface TrainState<A, S> {
  readonly agentState: A;
  readonly buffer: Memory;
  readonly obs: Array;
  readonly envState: S;
  readonly rng: Array;
  /** Iterations of the loop so far, as long as actions are random; then it stays. */
  readonly iterations: Array;
  /** Environment steps since it was time to learn, less than `trainFreq`. */
  readonly stepsSince: Array;
}

/** What a chunk has measured. */
export interface Records {
  /** For each iteration: the metrics of its updates, by name. */
  readonly metrics: MetricArrays;
  /** For each iteration: whether there was any. */
  readonly hasLearned: Array;
  /** For each iteration and environment: whether an episode ended, with what return and length. */
  readonly done: Array;
  readonly returns: Array;
  readonly lengths: Array;
}

/** What of a state differs between runs side by side: rings are filled in step, and the warm-up ends for all. */
export function axesOf({ buffer, ...state }: object & { readonly buffer: object }): AxisTree {
  const [alike, counters] = [new Set(["iterations", "stepsSince"]), new Set(["next", "size"])];
  const axes = (parts: object, shared: ReadonlySet<string>) =>
    Object.fromEntries(Object.keys(parts).map((name) => [name, shared.has(name) ? null : 0]));
  return { ...axes(state, alike), buffer: axes(buffer, counters) };
}

/** The state of a run that has not begun. */
export function startOf<A, S, P>(
  env: Environment<S, P>,
  params: P,
  { obsShape, actions }: Setting,
  learner: Learner<A>,
  replay: Replay,
  { seed, numEnvs, bufferSize }: RunnerConfig,
): TrainState<A, S> {
  const [rng, agentKey, resetKey] = random.split(random.key(seed), 3);
  const [obs, envState] = vmap((key: Array) => env.reset(key, params))(random.split(resetKey, numEnvs));
  const example = {
    ...{ obs: obs.slice(0), action: actions.sample(resetKey), nextObs: obs.slice(0) },
    ...{ reward: np.float32(0), done: np.array(false), ended: np.array(false) },
  };
  return {
    agentState: learner.init(agentKey, obsShape, actions, numEnvs),
    buffer: replay.init(bufferSize, example),
    ...{ obs, envState, rng, iterations: np.int32(0), stepsSince: np.int32(0) },
  };
}

/** One update with a batch from the buffer. */
function updateOnce<A>(
  learner: Learner<A>,
  replay: Replay,
  agentState: A,
  buffer: Memory,
  key: Array,
): readonly [A, Memory, MetricArrays] {
  const { batch, places } = replay.draw(buffer, key, learner.stepOf(agentState));
  const [learned, metrics, errors] = learner.update(agentState, batch);
  const remembered = errors === undefined ? buffer : replay.setErrors?.(buffer, places, errors);
  return [learned, remembered ?? buffer, metrics as MetricArrays];
}

/** What an update would measure. */
export const measuredNow = <A, S>(
  learner: Learner<A>,
  replay: Replay,
  { agentState, buffer, rng }: TrainState<A, S>,
): MetricArrays => updateOnce(learner, replay, agentState, buffer, rng)[2];

/** Up to `longest` iterations as one program; how many is an argument, so that one program serves them all. */
export function chunkOf<A, S, P>(
  env: Environment<CountedState<S>, P>,
  params: P,
  learner: Learner<A>,
  replay: Replay,
  cadence: Cadence,
  longest: number,
): (state: TrainState<A, CountedState<S>>, count: Array) => [TrainState<A, CountedState<S>>, Records] {
  type State = TrainState<A, CountedState<S>>;
  interface Chunk {
    readonly iteration: Array;
    readonly now: State;
    readonly records: Records;
  }
  const actions = env.actionSpace(params);
  const { randomIterations, idleIterations, stepsPerIteration: numEnvs } = cadence;
  const step = (key: Array, state: CountedState<S>, action: Array) => {
    if (numEnvs > 1) {
      const each = vmap((k: Array, s: CountedState<S>, a: Array) => env.step(k, s, a, params));
      return each(random.split(key, numEnvs), state, action);
    }
    // One environment alone can branch, and need not compute a reset in every step.
    const one = tree.map((x: unknown) => (x as Array).slice(0), state) as CountedState<S>;
    const result = env.step(key, one, action.slice(0), params);
    return tree.map((x: unknown) => (x as Array).slice(null), result) as typeof result;
  };
  const anyActions = (key: Array) => vmap(actions.sample)(random.split(key, numEnvs));
  const act = ({ agentState, obs, iterations }: State, key: Array): [action: Array, agentState: A] => {
    const [action, acted] = learner.act(agentState, obs, true);
    if (randomIterations === 0) return [action, acted];
    // The last random step is learned from already.
    return [np.where(iterations.less(randomIterations), anyActions(key), action), acted];
  };
  const iterationOf =
    (names: readonly string[] | null) =>
    ({ iteration, now, records }: Chunk): Chunk => {
      const [rng, actKey, stepKey, drawKey] = random.split(now.rng, 4);
      const [action, acted] = names === null ? [anyActions(actKey), now.agentState] : act(now, actKey);
      const [obs, envState, reward, , info] = step(stepKey, now.envState, action);
      const { terminalObs, terminated, truncated, episodeReturn, episodeLength } = info as Record<
        string,
        Array
      >;
      const ended = terminated.or(truncated);
      const buffer = replay.push(now.buffer, {
        ...{ obs: now.obs, action, reward, nextObs: terminalObs, done: terminated, ended },
      });
      const observed = learner.observe(acted, { obs: now.obs, reward, ended });
      const [due, stepsSince] = timesDue(cadence, now.stepsSince);
      const iterations = np.minimum(now.iterations.add(1), randomIterations);
      const player = { obs, envState, rng, iterations, stepsSince };
      const played = {
        done: records.done.at(iteration).set(ended),
        returns: records.returns.at(iteration).set(episodeReturn),
        lengths: records.lengths.at(iteration).set(episodeLength),
      };
      if (names === null) {
        const { metrics, hasLearned } = records;
        const next = { agentState: observed, buffer, ...player };
        return { iteration: iteration.add(1), now: next, records: { metrics, hasLearned, ...played } };
      }
      const update = (...args: [A, Memory, Array]) => updateOnce(learner, replay, ...args);
      const student = { agentState: observed, buffer };
      const learned = lesson(update, names, cadence, due, student, drawKey);
      const metrics = names.map((name) => [
        name,
        records.metrics[name].at(iteration).set(learned.metrics[name]),
      ]);
      return {
        iteration: iteration.add(1),
        now: { agentState: learned.agentState, buffer: learned.buffer, ...player },
        records: {
          metrics: Object.fromEntries(metrics) as MetricArrays,
          hasLearned: records.hasLearned.at(iteration).set(learned.hasLearned),
          ...played,
        },
      };
    };
  return (state, count) => {
    const names = Object.keys(evalShape((now: State) => measuredNow(learner, replay, now), state));
    const start: Chunk = {
      iteration: np.int32(0),
      now: state,
      records: {
        metrics: Object.fromEntries(names.map((name) => [name, np.zeros([longest])])),
        hasLearned: np.zeros([longest], { dtype: "bool" }),
        done: np.zeros([longest, numEnvs], { dtype: "bool" }),
        returns: np.zeros([longest, numEnvs]),
        lengths: np.zeros([longest, numEnvs]),
      },
    };
    const warmed = lax.whileLoop(
      ({ iteration, now }: Chunk) => iteration.less(count).and(now.iterations.less(idleIterations)),
      iterationOf(null),
      start,
    );
    const end = lax.whileLoop((chunk: Chunk) => chunk.iteration.less(count), iterationOf(names), warmed);
    return [end.now, end.records];
  };
}

/** The records of a chunk as plain numbers. */
export function workOf({ metrics, hasLearned, done, returns, lengths }: Records, count: number): Work {
  const lists = Object.entries(metrics).map(([name, list]) => [name, list.data()] as const);
  const [, numEnvs] = done.shape;
  const isOver = done.data().subarray(0, count * numEnvs);
  const ended = [...isOver.keys()].filter((at) => isOver[at] !== 0);
  const [total, length] = [returns.data(), lengths.data()];
  const updates = globalThis.Array.from(hasLearned.data().subarray(0, count), (learned, at) =>
    learned === 0 ? null : Object.fromEntries(lists.map(([name, list]) => [name, list[at]])),
  );
  return {
    updates,
    episodes: {
      returns: ended.map((at) => total[at]),
      lengths: ended.map((at) => length[at]),
      steps: ended.map((at) => (Math.floor(at / numEnvs) + 1) * numEnvs),
    },
  };
}
