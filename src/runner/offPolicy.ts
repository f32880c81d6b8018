// The runner of agents that learn from replay: act, push, draw, descend, so many steps at a time in one compiled loop.
import {
  blockUntilReady,
  compiledFor,
  devicePut,
  evalShape,
  fail,
  jit,
  lax,
  np,
  precompile,
  type Array,
  type Shape,
  type Shardings,
} from "../array/index.js";
import { completedConfig, networkIdentity, overUpdates, type ReplayBatch } from "../agent/index.js";
import type { Environment } from "../env/index.js";
import { replicateSharding } from "../sharding/index.js";
import { cadenceOf } from "./cadence.js";
import { runOptionNames } from "./checks.js";
import { RunnerConfig } from "./config.js";
import { offPolicyCosts } from "./costs.js";
import { endless, type CountedState } from "./episodes.js";
import { evaluator } from "./evaluate.js";
import { familyPrograms, hyperOf, type Family, type Hyper, type Member } from "./family.js";
import type { MetricsRecord } from "./gathered.js";
import type { Algorithm, LearnerConfig, ReplayLearner } from "./learners.js";
import { run, type RunOptions } from "./loop.js";
import { bytesOf, checkMemory, totalOf } from "./memory.js";
import { axesOf, chunkOf, measuredNow, startOf, workOf, type TrainState } from "./offPolicyLoop.js";
import { replayOf, type Replay } from "./replay.js";
import { longestCall } from "./schedule.js";
import { longestEpisode, lookAt, nameOf, originOf, plainParams, spacesOf } from "./setting.js";
import {
  along,
  atHome,
  checkDivides,
  splitBatch,
  splitParameters,
  spreadFor,
  type Spread,
} from "./spread.js";
import type { Trainer } from "./trainer.js";
import { warnOfCurve } from "./warn.js";
import { whereOf } from "./where.js";

/** What every such run takes. */
export interface OffPolicyOptions<A> extends RunOptions<A> {
  /** How the run goes, or what in it differs from the defaults. */
  readonly runnerConfig?: Partial<RunnerConfig> | undefined;
  /** The shape of an observation, if not the environment's. */
  readonly obsShape?: Shape | null | undefined;
}

export const offPolicyOptionNames = ["runnerConfig", "networks", "obsShape", ...runOptionNames];

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

/** Runs a trainer to its end. */
export async function trained<A extends object, S extends { readonly agentState: A }>(
  trainer: Trainer<S>,
  runnerConfig: Partial<RunnerConfig> | undefined,
  listeners: RunOptions<A>,
): Promise<TrainResult<A>> {
  const result = await run(trainer, runnerConfig, listeners);
  warnOfCurve(result.curve);
  const { state, episodeReturns, episodeLengths, metricsLog, evalLog } = result;
  return { agentState: state.agentState, episodeReturns, episodeLengths, metricsLog, evalLog };
}

/** Runs of an agent that share their programs. */
export function offPolicyFamily<A extends object, C extends LearnerConfig, S, P>(
  env: Environment<S, P>,
  envParams: P,
  { title, name, config, kinds, actionCount, networks, learner }: Algorithm<C, ReplayLearner<A>>,
  { runnerConfig: given, obsShape }: Pick<OffPolicyOptions<A>, "runnerConfig" | "obsShape">,
): Family<TrainState<A, CountedState<S>>> {
  const operation = `train${title}`;
  const perDevice = completedConfig(operation, "runnerConfig", RunnerConfig, given);
  const spread = spreadFor(operation, perDevice);
  const devices = spread?.count ?? 1;
  const runnerConfig = { ...perDevice, numEnvs: perDevice.numEnvs * devices };
  if (spread !== null) {
    checkDivides(operation, "bufferSize", runnerConfig.bufferSize, spread);
    checkDivides(operation, "batchSize", config.batchSize, spread);
  }
  const { numEnvs, totalTimesteps, logInterval, evalEpisodes } = runnerConfig;
  const units = Math.floor(totalTimesteps / numEnvs);
  if (units < 1)
    fail(operation, `totalTimesteps is ${totalTimesteps}, less than one step of ${numEnvs} environments`);
  const cadence = cadenceOf(operation, config, runnerConfig);
  const whole = overUpdates(config, cadence.updatesAt(units));
  const learnerOf = (hyper: Hyper, own = networks) => learner({ ...whole, ...hyper }, own);
  const setting = lookAt(operation, env, envParams, obsShape, actionCount, kinds);
  const playing = endless(env, envParams);
  const drawn =
    spread === null
      ? undefined
      : {
          places: (places: Array) => lax.withShardingConstraint(places, replicateSharding(spread.mesh)),
          batch: (batch: ReplayBatch) => splitBatch(operation, batch, 0, spread),
        };
  /** The algorithm and its replay with settings that are arguments. */
  const partsOf = (hyper: Hyper, own = networks): [ReplayLearner<A>, Replay] => {
    const bound = learnerOf(hyper, own);
    return [bound, replayOf(bound.config, numEnvs, drawn)];
  };
  const begin = (hyper: Hyper, seed: number, own = networks) =>
    startOf(playing, envParams, setting, ...partsOf(hyper, own), { ...runnerConfig, seed });
  const shapes = evalShape(() => begin({}, 0));
  const costs = offPolicyCosts(bytesOf(shapes), config, runnerConfig, devices);
  checkMemory(operation, costs, runnerConfig);
  const shardings = spread === null ? undefined : shardingsOf(shapes, spread);
  const place = <T>(state: T): T => (shardings === undefined ? state : devicePut(state, shardings));
  const home = (agent: A): A => (spread === null ? agent : atHome(agent));
  const told =
    networks === undefined ? {} : { networks: networkIdentity(networks, (own) => begin({}, 0, own)) };
  const longest = longestCall(units, logInterval, numEnvs);
  type State = TrainState<A, CountedState<S>>;
  const { alone: chunk, together } = familyPrograms(
    (state: State, hyper, count) =>
      chunkOf(playing, envParams, ...partsOf(hyper), cadence, longest)(state, count),
    workOf,
    axesOf(shapes),
    whereOf(runnerConfig),
    shardings,
  );
  const measure = (state: State, hyper: Hyper) => measuredNow(...partsOf(hyper), state);
  const measured = jit(measure, whereOf(runnerConfig));
  const act = ({ agent, hyper }: { agent: A; hyper: Hyper }, obs: Array) =>
    learnerOf(hyper).act(agent, obs.slice(null), false)[0].slice(0);
  const evaluation = evaluator(act, env, envParams, {
    nEpisodes: evalEpisodes,
    maxSteps: longestEpisode(envParams),
    ...whereOf(runnerConfig),
  });
  const trainerOf = ({ seed = runnerConfig.seed, values = {} }: Partial<Member> = {}): Trainer<State> => {
    const hyper = hyperOf(values);
    const prepareEvaluation = ({ agentState }: State) =>
      evaluation.prepare({ agent: home(agentState), hyper });
    return {
      algorithm: title,
      identity: {
        ...{ algorithm: name, environment: nameOf(env), envParams: plainParams(envParams) },
        ...{ config: { ...config, ...values }, seed, numEnvs },
        ...{ bufferSize: runnerConfig.bufferSize, warmupSteps: runnerConfig.warmupSteps },
        ...told,
      },
      origin: originOf(env, envParams),
      spaces: spacesOf(env, envParams),
      ...{ stepsPerUnit: numEnvs, units, longest, keepsHistory: false, seeds: null },
      ...{ warmupUnits: cadence.idleIterations, updatesAt: cadence.updatesAt },
      start: () => begin(hyper, seed),
      prepare: async (state) => {
        // Side by side: compilers outside of this thread are busy with one while the other is traced.
        await Promise.all([precompile(chunk, place(state), hyper, np.int32(1)), prepareEvaluation(state)]);
      },
      prepareEvaluation,
      device: () => compiledFor(chunk),
      advance: async (state, count) => {
        const [next, records] = chunk(place(state), hyper, np.int32(count));
        await blockUntilReady(records);
        return { state: next, work: workOf(records, count) };
      },
      measure: (state) => {
        const metrics = Object.entries(measured(place(state), hyper)).map(([key, value]) => [
          key,
          value.item(),
        ]);
        return Object.fromEntries(metrics) as Record<string, number>;
      },
      evaluate: async ({ agentState }, rng) => {
        const { meanReturn, meanLength } = await evaluation.play({ agent: home(agentState), hyper }, rng);
        return { evalReturn: meanReturn, evalLength: meanLength };
      },
      agentOf: ({ agentState }) => agentState,
      paramsOf: ({ agentState }) => learnerOf(hyper).paramsOf(agentState),
      act: ({ agentState }, obs) => act({ agent: agentState, hyper }, obs),
    };
  };
  return Object.assign(trainerOf, { together, bytes: totalOf(costs) });
}

/** Where a state lies: environments and the ring are split, and parameters where they are large. */
function shardingsOf(
  shapes: { readonly agentState: unknown; readonly buffer: object },
  { mesh }: Spread,
): Shardings {
  const [rows, whole] = [along(mesh, 0), replicateSharding(mesh)];
  const all = (of: object) => Object.fromEntries(Object.keys(of).map((name) => [name, whole]));
  return {
    ...all(shapes),
    agentState: splitParameters(shapes.agentState, mesh) as Shardings,
    // Priorities are whole: every draw and every change goes through all levels of their tree.
    buffer: { ...all(shapes.buffer), data: rows },
    ...{ obs: rows, envState: rows },
  };
}
