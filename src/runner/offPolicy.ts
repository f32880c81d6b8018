// The runner of DQN and SAC: act, push, draw, descend, so many steps at a time in one compiled loop.
import {
  evalShape,
  fail,
  jit,
  lax,
  np,
  precompile,
  random,
  tree,
  vmap,
  type Array,
  type AxisTree,
  type Shape,
} from "../array/index.js";
import { completedConfig, overUpdates } from "../agent/index.js";
import type { DQNConfig, DQNState, SACConfig, SACState } from "../algorithms/index.js";
import type { Environment, ParamsOf } from "../env/index.js";
import { cadenceOf, type Cadence } from "./cadence.js";
import { checkDevices, checkOptions, runOptionNames } from "./checks.js";
import { RunnerConfig } from "./config.js";
import { offPolicyCosts } from "./costs.js";
import { endless, type CountedState } from "./episodes.js";
import { evaluator } from "./evaluate.js";
import { familyPrograms, hyperOf, type Family, type Hyper, type Member } from "./family.js";
import type { MetricsRecord } from "./gathered.js";
import { dqnAlgorithm, sacAlgorithm, type Algorithm, type Learner, type LearnerConfig } from "./learners.js";
import { lesson, timesDue, type MetricArrays } from "./learning.js";
import { run, type RunOptions } from "./loop.js";
import { bytesOf, checkMemory, totalOf } from "./memory.js";
import { replayOf, type Memory, type Replay } from "./replay.js";
import { longestCall } from "./schedule.js";
import { longestEpisode, lookAt, nameOf, originOf, plainParams, type Setting } from "./setting.js";
import type { Trainer, Work } from "./trainer.js";
import { warnOfCurve } from "./warn.js";

interface CommonOptions<A> extends RunOptions<A> {
  /** How the run goes, or what in it differs from the defaults. */
  readonly runnerConfig?: Partial<RunnerConfig> | undefined;
  /** The shape of an observation, if not the environment's. */
  readonly obsShape?: Shape | null | undefined;
}

export interface TrainDQNOptions extends CommonOptions<DQNState> {
  /** DQN's settings, or what in them differs from the defaults. */
  readonly dqnConfig?: Partial<DQNConfig> | undefined;
  /** The number of actions, if not the environment's. */
  readonly nActions?: number | null;
}

export interface TrainSACOptions extends CommonOptions<SACState> {
  /** SAC's settings, or what in them differs from the defaults. */
  readonly sacConfig?: Partial<SACConfig> | undefined;
  /** The number of an action's components, if not the environment's. */
  readonly actionDim?: number | null;
}

export interface TrainResult<A> {
  readonly agentState: A;
  /** The return of every episode, in the order in which they ended. */
  readonly episodeReturns: readonly number[];
  /** The length of every episode, in the same order. */
  readonly episodeLengths: readonly number[];
  /** The records of training: one every `logInterval` steps. */
  readonly metricsLog: readonly MetricsRecord[];
  /** The records of evaluations: one every `evalEvery` steps. */
  readonly evalLog: readonly MetricsRecord[];
}

export type DQNTrainResult = TrainResult<DQNState>;
export type SACTrainResult = TrainResult<SACState>;

const commonOptions = ["runnerConfig", "obsShape", ...runOptionNames];

/** Trains DQN. The environment may reset itself (`AutoResetWrapper`) or not; then it is made to. */
export async function trainDQN<E extends Environment>(
  env: E,
  envParams: ParamsOf<E>,
  options: TrainDQNOptions = {},
): Promise<DQNTrainResult> {
  checkOptions("trainDQN", options, ["dqnConfig", "nActions", ...commonOptions]);
  const { dqnConfig, nActions, ...rest } = options;
  return train<DQNState, DQNConfig, unknown, unknown>(
    env,
    envParams,
    dqnAlgorithm(dqnConfig, nActions),
    rest,
  );
}

/** Trains SAC. The environment may reset itself (`AutoResetWrapper`) or not; then it is made to. */
export async function trainSAC<E extends Environment>(
  env: E,
  envParams: ParamsOf<E>,
  options: TrainSACOptions = {},
): Promise<SACTrainResult> {
  checkOptions("trainSAC", options, ["sacConfig", "actionDim", ...commonOptions]);
  const { sacConfig, actionDim, ...rest } = options;
  return train<SACState, SACConfig, unknown, unknown>(
    env,
    envParams,
    sacAlgorithm(sacConfig, actionDim),
    rest,
  );
}

/** A DQN run for the host to drive. */
export const dqnTrainer = <S, P>(
  env: Environment<S, P>,
  params: P,
  config?: Partial<DQNConfig>,
  runner?: Partial<RunnerConfig>,
) => dqnFamily(env, params, { dqnConfig: config, runnerConfig: runner })();

/** A SAC run for the host to drive. */
export const sacTrainer = <S, P>(
  env: Environment<S, P>,
  params: P,
  config?: Partial<SACConfig>,
  runner?: Partial<RunnerConfig>,
) => sacFamily(env, params, { sacConfig: config, runnerConfig: runner })();

/** DQN runs that share their programs. */
export const dqnFamily = <S, P>(env: Environment<S, P>, params: P, options: TrainDQNOptions) =>
  familyOf(env, params, dqnAlgorithm(options.dqnConfig, options.nActions), options);

/** SAC runs that share their programs. */
export const sacFamily = <S, P>(env: Environment<S, P>, params: P, options: TrainSACOptions) =>
  familyOf(env, params, sacAlgorithm(options.sacConfig, options.actionDim), options);

/** What a run carries. */
interface TrainState<A, S> {
  readonly agentState: A;
  readonly buffer: Memory;
  readonly obs: Array;
  readonly envState: S;
  readonly rng: Array;
  /** Turns of the loop so far, as long as actions are random; then it stays. */
  readonly turns: Array;
  /** Environment steps since it was time to learn, less than `trainFreq`. */
  readonly stepsSince: Array;
}

/** What a chunk has measured. */
interface Records {
  /** For each turn: the metrics of its updates, by name. */
  readonly metrics: MetricArrays;
  /** For each turn: whether there was any. */
  readonly hasLearned: Array;
  /** For each turn and environment: whether an episode ended, with what return and length. */
  readonly done: Array;
  readonly returns: Array;
  readonly lengths: Array;
}

async function train<A extends object, C extends LearnerConfig, S, P>(
  env: Environment<S, P>,
  envParams: P,
  algorithm: Algorithm<A, C>,
  { runnerConfig, obsShape, ...options }: CommonOptions<A>,
): Promise<TrainResult<A>> {
  const trainer = familyOf(env, envParams, algorithm, { runnerConfig, obsShape })();
  const result = await run(trainer, runnerConfig, options);
  warnOfCurve(result.curve);
  const { state, episodeReturns, episodeLengths, metricsLog, evalLog } = result;
  return { agentState: state.agentState, episodeReturns, episodeLengths, metricsLog, evalLog };
}

function familyOf<A extends object, C extends LearnerConfig, S, P>(
  env: Environment<S, P>,
  envParams: P,
  { name, config, kind, actionCount, learner }: Algorithm<A, C>,
  { runnerConfig: given, obsShape }: Pick<CommonOptions<A>, "runnerConfig" | "obsShape">,
): Family<TrainState<A, CountedState<S>>> {
  const operation = `train${name}`;
  const runnerConfig = completedConfig(operation, "runnerConfig", RunnerConfig, given);
  checkDevices(operation, runnerConfig);
  const { numEnvs, totalTimesteps, logInterval, evalEpisodes } = runnerConfig;
  const units = Math.floor(totalTimesteps / numEnvs);
  if (units < 1)
    fail(operation, `totalTimesteps is ${totalTimesteps}, less than one step of ${numEnvs} environments`);
  const cadence = cadenceOf(operation, config, runnerConfig);
  const whole = overUpdates(config, cadence.updatesAt(units));
  const learnerOf = (hyper: Hyper) => learner({ ...whole, ...hyper });
  const setting = lookAt(operation, env, envParams, obsShape, actionCount, [kind]);
  const playing = endless(env, envParams);
  /** The algorithm and its replay with settings that are arguments. */
  const partsOf = (hyper: Hyper): [Learner<A>, Replay] => {
    const own = learnerOf(hyper);
    return [own, replayOf(own.config, numEnvs)];
  };
  const begin = (hyper: Hyper, seed: number) =>
    startOf(playing, envParams, setting, ...partsOf(hyper), { ...runnerConfig, seed });
  const bytes = bytesOf(() => begin({}, 0));
  const costs = offPolicyCosts(bytes, config, runnerConfig);
  checkMemory(operation, costs);
  const longest = longestCall(units, logInterval, numEnvs);
  type State = TrainState<A, CountedState<S>>;
  const { alone: chunk, together } = familyPrograms(
    (state: State, hyper, count) =>
      chunkOf(playing, envParams, ...partsOf(hyper), cadence, longest)(state, count),
    workOf,
    axesOf(evalShape(() => begin({}, 0))),
  );
  const measured = jit((state: State, hyper: Hyper) => measuredNow(...partsOf(hyper), state));
  const act = ({ agent, hyper }: { agent: A; hyper: Hyper }, obs: Array) =>
    learnerOf(hyper).act(agent, obs.slice(null), false)[0].slice(0);
  const evaluation = evaluator(act, env, envParams, {
    nEpisodes: evalEpisodes,
    maxSteps: longestEpisode(envParams),
  });
  const trainerOf = ({ seed = runnerConfig.seed, values = {} }: Partial<Member> = {}): Trainer<State> => {
    const hyper = hyperOf(values);
    const prepareEvaluation = ({ agentState }: State) => evaluation.prepare({ agent: agentState, hyper });
    return {
      algorithm: name,
      identity: {
        ...{ algorithm: name, environment: nameOf(env), envParams: plainParams(envParams) },
        ...{ config: { ...config, ...values }, seed, numEnvs },
        ...{ bufferSize: runnerConfig.bufferSize, warmupSteps: runnerConfig.warmupSteps },
      },
      origin: originOf(env, envParams),
      ...{ stepsPerUnit: numEnvs, units, longest, keepsHistory: false, seeds: null },
      ...{ warmupUnits: cadence.idleTurns, updatesAt: cadence.updatesAt },
      start: () => begin(hyper, seed),
      prepare: async (state) => {
        await precompile(chunk, state, hyper, np.int32(1));
        await prepareEvaluation(state);
      },
      prepareEvaluation,
      advance: (state, count) => {
        const [next, records] = chunk(state, hyper, np.int32(count));
        return { state: next, work: workOf(records, count) };
      },
      measure: (state) => {
        const metrics = Object.entries(measured(state, hyper)).map(([key, value]) => [key, value.item()]);
        return Object.fromEntries(metrics) as Record<string, number>;
      },
      evaluate: ({ agentState }, rng) => {
        const { meanReturn, meanLength } = evaluation.play({ agent: agentState, hyper }, rng);
        return { evalReturn: meanReturn, evalLength: meanLength };
      },
      agentOf: ({ agentState }) => agentState,
      paramsOf: ({ agentState }) => learnerOf(hyper).paramsOf(agentState),
      act: ({ agentState }, obs) => act({ agent: agentState, hyper }, obs),
    };
  };
  return Object.assign(trainerOf, { together, bytes: totalOf(costs) });
}

/** What of a state differs between runs side by side: rings are filled in step, and the warm-up ends for all. */
function axesOf({ buffer, ...state }: object & { readonly buffer: object }): AxisTree {
  const [alike, counters] = [new Set(["turns", "stepsSince"]), new Set(["next", "size"])];
  const axes = (parts: object, shared: ReadonlySet<string>) =>
    Object.fromEntries(Object.keys(parts).map((name) => [name, shared.has(name) ? null : 0]));
  return { ...axes(state, alike), buffer: axes(buffer, counters) };
}

function startOf<A, S, P>(
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
    ...{ obs, envState, rng, turns: np.int32(0), stepsSince: np.int32(0) },
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
const measuredNow = <A, S>(
  learner: Learner<A>,
  replay: Replay,
  { agentState, buffer, rng }: TrainState<A, S>,
): MetricArrays => updateOnce(learner, replay, agentState, buffer, rng)[2];

/** Up to `longest` turns as one program; how many is an argument, so that one program serves them all. */
function chunkOf<A, S, P>(
  env: Environment<CountedState<S>, P>,
  params: P,
  learner: Learner<A>,
  replay: Replay,
  cadence: Cadence,
  longest: number,
): (state: TrainState<A, CountedState<S>>, count: Array) => [TrainState<A, CountedState<S>>, Records] {
  type State = TrainState<A, CountedState<S>>;
  interface Chunk {
    readonly turn: Array;
    readonly now: State;
    readonly records: Records;
  }
  const actions = env.actionSpace(params);
  const { randomTurns, idleTurns, stepsPerTurn: numEnvs } = cadence;
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
  const act = ({ agentState, obs, turns }: State, key: Array): [action: Array, agentState: A] => {
    const [action, acted] = learner.act(agentState, obs, true);
    if (randomTurns === 0) return [action, acted];
    // The last random step is learned from already.
    return [np.where(turns.less(randomTurns), anyActions(key), action), acted];
  };
  const turnOf =
    (names: readonly string[] | null) =>
    ({ turn, now, records }: Chunk): Chunk => {
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
      const turns = np.minimum(now.turns.add(1), randomTurns);
      const player = { obs, envState, rng, turns, stepsSince };
      const played = {
        done: records.done.at(turn).set(ended),
        returns: records.returns.at(turn).set(episodeReturn),
        lengths: records.lengths.at(turn).set(episodeLength),
      };
      if (names === null) {
        const { metrics, hasLearned } = records;
        const next = { agentState: observed, buffer, ...player };
        return { turn: turn.add(1), now: next, records: { metrics, hasLearned, ...played } };
      }
      const update = (...args: [A, Memory, Array]) => updateOnce(learner, replay, ...args);
      const student = { agentState: observed, buffer };
      const learned = lesson(update, names, cadence, due, student, drawKey);
      const metrics = names.map((name) => [name, records.metrics[name].at(turn).set(learned.metrics[name])]);
      return {
        turn: turn.add(1),
        now: { agentState: learned.agentState, buffer: learned.buffer, ...player },
        records: {
          metrics: Object.fromEntries(metrics) as MetricArrays,
          hasLearned: records.hasLearned.at(turn).set(learned.hasLearned),
          ...played,
        },
      };
    };
  return (state, count) => {
    const names = Object.keys(evalShape((now: State) => measuredNow(learner, replay, now), state));
    const start: Chunk = {
      turn: np.int32(0),
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
      ({ turn, now }: Chunk) => turn.less(count).and(now.turns.less(idleTurns)),
      turnOf(null),
      start,
    );
    const end = lax.whileLoop((chunk: Chunk) => chunk.turn.less(count), turnOf(names), warmed);
    return [end.now, end.records];
  };
}

/** The records of a chunk as plain numbers. */
function workOf({ metrics, hasLearned, done, returns, lengths }: Records, count: number): Work {
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
