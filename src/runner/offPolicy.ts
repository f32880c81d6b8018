// The runner of DQN and SAC: act, push, draw, descend, so many steps at a time in one compiled loop.
import {
  checkOptions,
  evalShape,
  fail,
  jit,
  np,
  precompile,
  type Array,
  type Shape,
} from "../array/index.js";
import { completedConfig, overUpdates } from "../agent/index.js";
import type { DQNConfig, DQNState, SACConfig, SACState } from "../algorithms/index.js";
import type { Environment, ParamsOf } from "../env/index.js";
import { cadenceOf } from "./cadence.js";
import { checkDevices, runOptionNames } from "./checks.js";
import { RunnerConfig } from "./config.js";
import { offPolicyCosts } from "./costs.js";
import { endless, type CountedState } from "./episodes.js";
import { evaluator } from "./evaluate.js";
import { familyPrograms, hyperOf, type Family, type Hyper, type Member } from "./family.js";
import type { MetricsRecord } from "./gathered.js";
import { dqnAlgorithm, sacAlgorithm, type Algorithm, type Learner, type LearnerConfig } from "./learners.js";
import { run, type RunOptions } from "./loop.js";
import { bytesOf, checkMemory, totalOf } from "./memory.js";
import { axesOf, chunkOf, measuredNow, startOf, workOf, type TrainState } from "./offPolicyLoop.js";
import { replayOf, type Replay } from "./replay.js";
import { longestCall } from "./schedule.js";
import { longestEpisode, lookAt, nameOf, originOf, plainParams } from "./setting.js";
import type { Trainer } from "./trainer.js";
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
  const shapes = evalShape(() => begin({}, 0));
  const costs = offPolicyCosts(bytesOf(shapes), config, runnerConfig);
  checkMemory(operation, costs);
  const longest = longestCall(units, logInterval, numEnvs);
  type State = TrainState<A, CountedState<S>>;
  const { alone: chunk, together } = familyPrograms(
    (state: State, hyper, count) =>
      chunkOf(playing, envParams, ...partsOf(hyper), cadence, longest)(state, count),
    workOf,
    axesOf(shapes),
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
      ...{ warmupUnits: cadence.idleIterations, updatesAt: cadence.updatesAt },
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
