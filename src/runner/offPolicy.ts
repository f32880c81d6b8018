// The runner of DQN and SAC: act, push, draw, descend, so many steps at a time in one compiled loop.
import {
  evalShape,
  jit,
  fail,
  lax,
  np,
  precompile,
  random,
  tree,
  vmap,
  type Array,
  type Shape,
} from "../array/index.js";
import { checkedConfig, ReplayBuffer, type Transition } from "../agent/index.js";
import { DQN, DQNConfig, SAC, SACConfig, type DQNState, type SACState } from "../algorithms/index.js";
import type { Environment, ParamsOf, Space } from "../env/index.js";
import { checkDevices, checkOptions, runOptionNames } from "./checks.js";
import { RunnerConfig } from "./config.js";
import { offPolicyCosts } from "./costs.js";
import { endless, type CountedState } from "./episodes.js";
import { evaluator } from "./evaluate.js";
import type { MetricsRecord } from "./gathered.js";
import { run, type RunOptions } from "./loop.js";
import { bytesOf, checkMemory } from "./memory.js";
import { longestCall } from "./schedule.js";
import { longestEpisode, lookAt, nameOf, originOf, plainParams, type Setting } from "./setting.js";
import type { Trainer, Work } from "./trainer.js";
import { warnOfCurve } from "./warn.js";

interface CommonOptions<A> extends RunOptions<A> {
  readonly runnerConfig: RunnerConfig;
  /** The shape of an observation, if not the environment's. */
  readonly obsShape?: Shape | null;
}

export interface TrainDQNOptions extends CommonOptions<DQNState> {
  readonly dqnConfig: DQNConfig;
  /** The number of actions, if not the environment's. */
  readonly nActions?: number | null;
}

export interface TrainSACOptions extends CommonOptions<SACState> {
  readonly sacConfig: SACConfig;
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
  options: TrainDQNOptions,
): Promise<DQNTrainResult> {
  checkOptions("trainDQN", options, ["dqnConfig", "nActions", ...commonOptions]);
  const { dqnConfig, nActions, ...rest } = options;
  return train<DQNState, unknown, unknown>(env, envParams, dqnLearner(dqnConfig, nActions), rest);
}

/** Trains SAC. The environment may reset itself (`AutoResetWrapper`) or not; then it is made to. */
export async function trainSAC<E extends Environment>(
  env: E,
  envParams: ParamsOf<E>,
  options: TrainSACOptions,
): Promise<SACTrainResult> {
  checkOptions("trainSAC", options, ["sacConfig", "actionDim", ...commonOptions]);
  const { sacConfig, actionDim, ...rest } = options;
  return train<SACState, unknown, unknown>(env, envParams, sacLearner(sacConfig, actionDim), rest);
}

/** A DQN run for the host to drive. */
export const dqnTrainer = <S, P>(
  env: Environment<S, P>,
  params: P,
  config: DQNConfig,
  runner: RunnerConfig,
) => trainerOf(env, params, dqnLearner(config), runner);

/** A SAC run for the host to drive. */
export const sacTrainer = <S, P>(
  env: Environment<S, P>,
  params: P,
  config: SACConfig,
  runner: RunnerConfig,
) => trainerOf(env, params, sacLearner(config), runner);

function dqnLearner(given: DQNConfig, nActions?: number | null): Learner<DQNState> {
  const config = checkedConfig("trainDQN", "dqnConfig", DQNConfig, given);
  return {
    ...{ name: "DQN", config, kind: "Discrete" },
    actionCount: { name: "nActions", value: nActions },
    init: (key, obsShape, actions) => DQN.init(key, obsShape, actions, config),
    act: (state, obs, explore) => DQN.actBatch(state, obs, { config, explore }),
    observe: DQN.observe,
    update: (state, batch) => DQN.update(state, batch, { config }),
    paramsOf: ({ params }) => params,
  };
}

function sacLearner(given: SACConfig, actionDim?: number | null): Learner<SACState> {
  const config = checkedConfig("trainSAC", "sacConfig", SACConfig, given);
  return {
    ...{ name: "SAC", config, kind: "Box" },
    actionCount: { name: "actionDim", value: actionDim },
    init: (key, obsShape, space, numEnvs) => SAC.init(key, obsShape, space, config, { numEnvs }),
    act: (state, obs, explore) => SAC.actBatch(state, obs, { config, explore }),
    observe: (state, seen) => SAC.observe(state, seen, { config }),
    update: (state, batch) => SAC.update(state, batch, { config }),
    paramsOf: ({ actorParams, criticParams, logAlpha }) => ({ actorParams, criticParams, logAlpha }),
  };
}

/** What the runner asks of an algorithm. */
interface Learner<A> {
  readonly name: string;
  readonly config: { readonly batchSize: number; readonly hiddenSizes: readonly number[] };
  /** The kind of actions that it takes. */
  readonly kind: Space["kind"];
  /** What the user said about the number of actions, and how it is called. */
  readonly actionCount: { readonly name: string; readonly value: number | null | undefined };
  readonly init: (key: Array, obsShape: Shape, actions: Space, numEnvs: number) => A;
  readonly act: (state: A, obs: Array, explore: boolean) => [actions: Array, state: A];
  /** Takes what happened in a step of all environments into the agent's statistics. */
  readonly observe: (state: A, seen: { obs: Array; reward: Array; ended: Array }) => A;
  readonly update: (state: A, batch: Transition) => [state: A, metrics: object];
  readonly paramsOf: (state: A) => object;
}

/** What a run carries. */
interface TrainState<A, S> {
  readonly agentState: A;
  readonly buffer: ReplayBuffer<Transition>;
  readonly obs: Array;
  readonly envState: S;
  readonly rng: Array;
  /** Turns of the loop so far, as long as the buffer is being filled; then it stays. */
  readonly turns: Array;
}

/** What a chunk has measured. */
interface Records {
  /** For each turn: the metrics of its update, by name. */
  readonly metrics: Readonly<Record<string, Array>>;
  /** How many turns had an update: the last ones. */
  readonly updates: Array;
  /** For each turn and environment: whether an episode ended, with what return and length. */
  readonly done: Array;
  readonly returns: Array;
  readonly lengths: Array;
}

async function train<A extends object, S, P>(
  env: Environment<S, P>,
  envParams: P,
  learner: Learner<A>,
  { runnerConfig, obsShape, ...options }: CommonOptions<A>,
): Promise<TrainResult<A>> {
  const trainer = trainerOf(env, envParams, learner, runnerConfig, obsShape);
  const result = await run(trainer, runnerConfig, options);
  warnOfCurve(result.curve);
  const { state, episodeReturns, episodeLengths, metricsLog, evalLog } = result;
  return { agentState: state.agentState, episodeReturns, episodeLengths, metricsLog, evalLog };
}

function trainerOf<A extends object, S, P>(
  env: Environment<S, P>,
  envParams: P,
  learner: Learner<A>,
  given: RunnerConfig,
  obsShape?: Shape | null,
): Trainer<TrainState<A, CountedState<S>>> {
  const operation = `train${learner.name}`;
  const runnerConfig = checkedConfig(operation, "runnerConfig", RunnerConfig, given);
  checkDevices(operation, runnerConfig);
  const { numEnvs, totalTimesteps, logInterval, evalEpisodes, seed } = runnerConfig;
  const units = Math.floor(totalTimesteps / numEnvs);
  if (units < 1)
    fail(operation, `totalTimesteps is ${totalTimesteps}, less than one step of ${numEnvs} environments`);
  const setting = lookAt(operation, env, envParams, obsShape, learner.actionCount, [learner.kind]);
  const playing = endless(env, envParams);
  const start = () => startOf(playing, envParams, setting, learner, runnerConfig);
  checkMemory(operation, offPolicyCosts(bytesOf(start), learner.config, runnerConfig));
  const longest = longestCall(units, logInterval, numEnvs);
  const chunk = jit(chunkOf(playing, envParams, learner, runnerConfig, longest), { donateArgnums: 0 });
  const act = (state: A, obs: Array) => learner.act(state, obs.slice(null), false)[0].slice(0);
  const evaluation = evaluator(act, env, envParams, {
    nEpisodes: evalEpisodes,
    maxSteps: longestEpisode(envParams),
  });
  return {
    algorithm: learner.name,
    identity: {
      ...{ algorithm: learner.name, environment: nameOf(env), envParams: plainParams(envParams) },
      ...{ config: learner.config, seed, numEnvs },
      ...{ bufferSize: runnerConfig.bufferSize, warmupSteps: runnerConfig.warmupSteps },
    },
    origin: originOf(env, envParams),
    ...{ stepsPerUnit: numEnvs, units, longest, keepsHistory: false, seeds: null },
    warmupUnits: Math.ceil(runnerConfig.warmupSteps / numEnvs),
    start,
    prepare: async (state) => {
      await precompile(chunk, state, np.int32(1));
      await evaluation.prepare(state.agentState);
    },
    advance: (state, count) => {
      const [next, records] = chunk(state, np.int32(count));
      return { state: next, work: workOf(records, count) };
    },
    evaluate: ({ agentState }, rng) => {
      const { meanReturn, meanLength } = evaluation.play(agentState, rng);
      return { evalReturn: meanReturn, evalLength: meanLength };
    },
    agentOf: ({ agentState }) => agentState,
    paramsOf: ({ agentState }) => learner.paramsOf(agentState),
    act: ({ agentState }, obs) => act(agentState, obs),
  };
}

function startOf<A, S, P>(
  env: Environment<S, P>,
  params: P,
  { obsShape, actions }: Setting,
  learner: Learner<A>,
  { seed, numEnvs, bufferSize }: RunnerConfig,
): TrainState<A, S> {
  const [rng, agentKey, resetKey] = random.split(random.key(seed), 3);
  const [obs, envState] = vmap((key: Array) => env.reset(key, params))(random.split(resetKey, numEnvs));
  const example = {
    ...{ obs: obs.slice(0), action: actions.sample(resetKey), nextObs: obs.slice(0) },
    ...{ reward: np.float32(0), done: np.array(false) },
  };
  return {
    agentState: learner.init(agentKey, obsShape, actions, numEnvs),
    buffer: ReplayBuffer.init<Transition>(bufferSize, example),
    ...{ obs, envState, rng, turns: np.int32(0) },
  };
}

/** Up to `longest` turns as one program; how many is an argument, so that one program serves them all. */
function chunkOf<A, S, P>(
  env: Environment<CountedState<S>, P>,
  params: P,
  learner: Learner<A>,
  { numEnvs, warmupSteps }: RunnerConfig,
  longest: number,
): (state: TrainState<A, CountedState<S>>, count: Array) => [TrainState<A, CountedState<S>>, Records] {
  type State = TrainState<A, CountedState<S>>;
  interface Chunk {
    readonly turn: Array;
    readonly now: State;
    readonly records: Records;
  }
  const actions = env.actionSpace(params);
  const warmupTurns = Math.ceil(warmupSteps / numEnvs);
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
  const turnOf =
    (isLearning: boolean) =>
    ({ turn, now, records }: Chunk): Chunk => {
      const [rng, actKey, stepKey, drawKey] = random.split(now.rng, 4);
      const [action, acted] = isLearning
        ? learner.act(now.agentState, now.obs, true)
        : [vmap(actions.sample)(random.split(actKey, numEnvs)), now.agentState];
      const [obs, envState, reward, , info] = step(stepKey, now.envState, action);
      const { terminalObs, terminated, truncated, episodeReturn, episodeLength } = info as Record<
        string,
        Array
      >;
      const buffer = ReplayBuffer.pushBatch<Transition>(now.buffer, {
        ...{ obs: now.obs, action, reward, nextObs: terminalObs, done: terminated },
      });
      const ended = terminated.or(truncated);
      const observed = learner.observe(acted, { obs: now.obs, reward, ended });
      const [agentState, metrics] = isLearning
        ? learner.update(observed, ReplayBuffer.sample(buffer, drawKey, learner.config.batchSize))
        : [observed, {}];
      const measured = Object.fromEntries(
        Object.entries(records.metrics).map(([name, list]) => [
          name,
          isLearning ? list.at(turn).set((metrics as Record<string, Array>)[name]) : list,
        ]),
      );
      return {
        turn: turn.add(1),
        now: { agentState, buffer, obs, envState, rng, turns: np.minimum(now.turns.add(1), warmupTurns) },
        records: {
          metrics: measured,
          updates: records.updates.add(isLearning ? 1 : 0),
          done: records.done.at(turn).set(ended),
          returns: records.returns.at(turn).set(episodeReturn),
          lengths: records.lengths.at(turn).set(episodeLength),
        },
      };
    };
  return (state, count) => {
    const measured = (now: State) => {
      const batch = ReplayBuffer.sample(now.buffer, now.rng, learner.config.batchSize);
      return learner.update(now.agentState, batch)[1];
    };
    const names = Object.keys(evalShape(measured, state));
    const start: Chunk = {
      turn: np.int32(0),
      now: state,
      records: {
        metrics: Object.fromEntries(names.map((name) => [name, np.zeros([longest])])),
        updates: np.int32(0),
        done: np.zeros([longest, numEnvs], { dtype: "bool" }),
        returns: np.zeros([longest, numEnvs]),
        lengths: np.zeros([longest, numEnvs]),
      },
    };
    const isWarm = ({ now }: Chunk) => now.turns.greaterEqual(warmupTurns);
    const warmed = lax.whileLoop(
      (chunk: Chunk) => chunk.turn.less(count).and(isWarm(chunk).not()),
      turnOf(false),
      start,
    );
    const end = lax.whileLoop((chunk: Chunk) => chunk.turn.less(count), turnOf(true), warmed);
    return [end.now, end.records];
  };
}

/** The records of a chunk as plain numbers. */
function workOf({ metrics, updates, done, returns, lengths }: Records, count: number): Work {
  const made = updates.item();
  const lists = Object.entries(metrics).map(([name, list]) => [name, list.data()] as const);
  const [, numEnvs] = done.shape;
  const isOver = done.data().subarray(0, count * numEnvs);
  const ended = [...isOver.keys()].filter((at) => isOver[at] !== 0);
  const [total, length] = [returns.data(), lengths.data()];
  return {
    updates: globalThis.Array.from({ length: made }, (_, at) =>
      Object.fromEntries(lists.map(([name, list]) => [name, list[count - made + at]])),
    ),
    episodes: {
      returns: ended.map((at) => total[at]),
      lengths: ended.map((at) => length[at]),
      steps: ended.map((at) => (Math.floor(at / numEnvs) + 1) * numEnvs),
    },
  };
}
