// The runner of agents that learn from rollouts: so many updates at a time in one compiled loop.
import {
  blockUntilReady,
  compiledFor,
  devicePut,
  evalShape,
  fail,
  lax,
  np,
  precompile,
  random,
  tree,
  vmap,
  type Array,
  type Shardings,
} from "../array/index.js";
import { networkIdentity } from "../agent/index.js";
import type { Environment } from "../env/index.js";
import type { RunnerConfig } from "./config.js";
import { rolloutCosts } from "./costs.js";
import { playedOn } from "./episodes.js";
import { evaluator, type EvalNumbers } from "./evaluate.js";
import { familyPrograms, hyperOf, rowOf, type Family, type Hyper, type Member } from "./family.js";
import type { Algorithm } from "./learners.js";
import { bytesOf, checkMemory, totalOf } from "./memory.js";
import { addUp, endedIn, noneRunning, type RunningEpisodes, type StepTotals } from "./rolloutEpisodes.js";
import type { Playing, RolloutConfig, RolloutLearner } from "./rollouts.js";
import { longestCall } from "./schedule.js";
import { longestEpisode, lookAt, nameOf, originOf, plainParams, spacesOf, type Setting } from "./setting.js";
import type { Shape } from "../array/index.js";
import { atHome, splitParameters, splitRows, type Spread } from "./spread.js";
import type { Trainer, Work } from "./trainer.js";
import { whereOf } from "./where.js";

/** What such a run carries: the agent, the environments, and what the episodes under way have brought so far. */
export interface RunState<A, S> extends Playing<S> {
  readonly agentState: A;
  readonly running: RunningEpisodes;
}

export interface OnPolicyOptions<C> {
  readonly runnerConfig: RunnerConfig;
  readonly obsShape?: Shape | null | undefined;
  /** Trains once for each seed, all in one program. */
  readonly seeds?: readonly number[] | undefined;
  /** Whether the metrics of every update are part of the result. */
  readonly keepsHistory: boolean;
  /** The config of a run that makes so many updates. */
  readonly over: (config: C, updates: number) => C;
  /** The devices that share the work; null, the default, for one. */
  readonly spread?: Spread | null;
}

/** Runs of an agent that share their programs. */
export function onPolicyFamily<A extends object, C extends RolloutConfig, S, P>(
  env: Environment<S, P>,
  envParams: P,
  { title, name, config: given, kinds, actionCount, networks, learner }: Algorithm<C, RolloutLearner<A>>,
  { runnerConfig, obsShape, seeds, keepsHistory, over, spread = null }: OnPolicyOptions<C>,
): Family<RunState<A, S>> {
  const operation = `train${title}`;
  const { numEnvs, nSteps } = given;
  const stepsPerUnit = numEnvs * nSteps;
  const units = Math.floor(runnerConfig.totalTimesteps / stepsPerUnit);
  if (units < 1) {
    fail(
      operation,
      `totalTimesteps is ${runnerConfig.totalTimesteps}, less than the ${stepsPerUnit} steps of one update ` +
        (spread === null ? "(" : `(${spread.count} devices × `) +
        `numEnvs ${numEnvs / (spread?.count ?? 1)} × nSteps ${nSteps}); raise it or shorten the rollout`,
    );
  }
  const config = over(given, units);
  const setting = lookAt(operation, env, envParams, obsShape, actionCount, kinds);
  const playing = playedOn(env, envParams);
  const learnerWith = (hyper: Hyper, own = networks) => learner({ ...config, ...hyper }, own);
  const updateWith = (hyper: Hyper) => updateOf(playing, envParams, learnerWith(hyper));
  const hasSeeds = seeds !== undefined;
  const begin = (seed: Array, hyper: Hyper, own = networks) =>
    startOf(playing, envParams, setting, learnerWith(hyper, own), numEnvs, seed);
  const shapes = evalShape(() => begin(random.key(0), {}));
  const bytes = bytesOf(shapes);
  const shardings = spread === null ? undefined : shardingsOf(shapes, numEnvs, spread);
  const place = <T>(state: T): T => (shardings === undefined ? state : devicePut(state, shardings));
  const costs = rolloutCosts(bytes, config, runnerConfig, seeds?.length ?? 1);
  checkMemory(operation, costs, runnerConfig);
  const told =
    networks === undefined
      ? {}
      : { networks: networkIdentity(networks, (own) => begin(random.key(0), {}, own)) };
  const longest = longestCall(units, runnerConfig.logInterval, stepsPerUnit);
  const { alone: chunk, together } = familyPrograms(
    (state: RunState<A, S>, hyper, count) => {
      const update = updateWith(hyper);
      return chunkOf(hasSeeds ? vmap(update) : update, longest)(state, count);
    },
    workOf,
    0,
    whereOf(runnerConfig),
    shardings,
  );
  const act = ({ agent, hyper }: { agent: A; hyper: Hyper }, obs: Array) =>
    learnerWith(hyper).act(agent, obs.slice(null), false)[0].slice(0);
  const evaluation = evaluator(act, env, envParams, {
    nEpisodes: runnerConfig.evalEpisodes,
    maxSteps: longestEpisode(envParams),
    ...whereOf(runnerConfig),
  });
  /** The agents of all seeds, one by one. */
  const agentsOf = (agent: A) =>
    hasSeeds ? seeds.map((_, at) => rowOf(agent, at)) : [spread === null ? agent : atHome(agent)];
  const trainerOf = ({ seed = runnerConfig.seed, values = {} }: Partial<Member> = {}): Trainer<
    RunState<A, S>
  > => {
    const hyper = hyperOf(values);
    const prepareEvaluation = ({ agentState }: RunState<A, S>) =>
      evaluation.prepare({ agent: agentsOf(agentState)[0], hyper });
    return {
      algorithm: title,
      identity: {
        ...{ algorithm: name, environment: nameOf(env), envParams: plainParams(envParams) },
        ...{ config: { ...given, ...values }, seed: hasSeeds ? seeds : seed },
        ...told,
      },
      ...(spread !== null && {
        givenConfig: { ...given, ...values, numEnvs: numEnvs / spread.count },
      }),
      origin: originOf(env, envParams),
      spaces: spacesOf(env, envParams),
      ...{ stepsPerUnit, units, longest, warmupUnits: 0, keepsHistory, seeds: seeds?.length ?? null },
      updatesAt: (unit) => unit,
      start: () =>
        hasSeeds ? vmap((key: Array) => begin(key, hyper))(keysOf(seeds)) : begin(random.key(seed), hyper),
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
      evaluate: async ({ agentState }, rng) => {
        const results: EvalNumbers[] = [];
        for (const agent of agentsOf(agentState)) results.push(await evaluation.play({ agent, hyper }, rng));
        const mean = (list: readonly number[]) => list.reduce((sum, x) => sum + x, 0) / list.length;
        return {
          evalReturn: mean(results.map(({ meanReturn }) => meanReturn)),
          evalLength: mean(results.map(({ meanLength }) => meanLength)),
        };
      },
      agentOf: ({ agentState }) => agentState,
      paramsOf: ({ agentState }) => learnerWith(hyper).paramsOf(agentState),
      act: ({ agentState }, obs) => act({ agent: agentState, hyper }, obs),
    };
  };
  return Object.assign(trainerOf, { together, bytes: totalOf(costs) });
}

/** Where a state lies: environments are split, and parameters where they are large. */
const shardingsOf = (shapes: object, numEnvs: number, { mesh }: Spread): Shardings => {
  const { agentState, rng, ...playing } = shapes as Readonly<Record<string, unknown>>;
  return {
    ...(splitRows(playing, numEnvs, mesh) as object),
    agentState: splitParameters(agentState, mesh),
    rng: splitParameters(rng, mesh),
  } as Shardings;
};

const keysOf = (seeds: readonly number[]): Array => np.stack(seeds.map((seed) => random.key(seed)));

function startOf<A, S, P>(
  env: Environment<S, P>,
  params: P,
  { obsShape, actions }: Setting,
  learner: RolloutLearner<A>,
  numEnvs: number,
  seed: Array,
): RunState<A, S> {
  const [rng, agentKey, resetKey] = random.split(seed, 3);
  const agentState = learner.init(agentKey, obsShape, actions, numEnvs);
  const keys = random.split(resetKey, numEnvs);
  const [envObs, envState] = vmap((key: Array) => env.reset(key, params))(keys);
  return { agentState, envObs, envState, rng, running: noneRunning(numEnvs) };
}

/** What one update measured. */
interface Measured {
  readonly metrics: object;
  readonly episodes: StepTotals;
}

/** One update of a run: collect, estimate, descend. */
const updateOf =
  <A, S, P>(env: Environment<S, P>, params: P, learner: RolloutLearner<A>) =>
  ({ agentState, running, ...now }: RunState<A, S>): readonly [RunState<A, S>, Measured] => {
    const {
      agentState: played,
      batch,
      playing,
      reward,
      done,
    } = learner.collect(env, params, agentState, now);
    const [learned, metrics] = learner.update(played, batch);
    const [after, episodes] = addUp(running, { reward, done });
    return [
      { agentState: learned, ...playing, running: after },
      { metrics, episodes },
    ];
  };

/** Up to `longest` updates as one program; how many is an argument, so that one program serves them all. */
function chunkOf<S>(
  update: (state: S) => readonly [S, Measured],
  longest: number,
): (state: S, count: Array) => [S, Measured] {
  return (state, count) => {
    const [, example] = evalShape(update, state) as unknown as readonly [unknown, Measured];
    const blank = {
      metrics: blankRows(example.metrics, longest),
      episodes: blankRows(example.episodes, longest),
    };
    const end = lax.whileLoop(
      ({ iteration }) => iteration.less(count),
      ({ iteration, now, records }) => {
        const [next, measured] = update(now);
        const written = tree.map((list, x) => list.at(iteration).set(x), records, measured);
        return { iteration: iteration.add(1), now: next, records: written };
      },
      { iteration: np.int32(0), now: state, records: blank },
    );
    return [end.now, end.records];
  };
}

/** Zeros for so many of what something measures, by its shapes. */
const blankRows = <M extends object>(measured: M, rows: number): M =>
  Object.fromEntries(
    Object.entries(measured as Readonly<Record<string, Array>>).map(([name, { shape, dtype }]) => [
      ...[name, np.zeros([rows, ...shape], { dtype })],
    ]),
  ) as M;

/** The records of a chunk as plain numbers. */
function workOf({ metrics, episodes }: Measured, count: number): Work {
  const lists = Object.entries(metrics as Record<string, Array>).map(
    ([name, list]) => [name, rowsOf(list, count)] as const,
  );
  const updates = [...globalThis.Array(count).keys()].map((at) =>
    Object.fromEntries(lists.map(([name, list]) => [name, list[at]])),
  );
  return { updates, episodes: endedIn(episodes, count) };
}

/** The first rows of a list: a number each, or one for each seed. */
function rowsOf(list: Array, count: number): readonly (number | readonly number[])[] {
  const [data, width] = [list.data(), list.size / list.shape[0]];
  if (list.ndim === 1) return [...data.subarray(0, count)];
  return [...globalThis.Array(count).keys()].map((row) => [...data.subarray(row * width, (row + 1) * width)]);
}
