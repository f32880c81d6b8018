// PPO's runner: so many updates at a time in one compiled loop.
import {
  checkOptions,
  evalShape,
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
import { completedConfig, overUpdates, plainConfig } from "../agent/index.js";
import { PPO, PPOConfig, type PPOMetrics, type PPOState } from "../algorithms/index.js";
import type { Environment, ParamsOf, StateOf } from "../env/index.js";
import { checkDevices, checkSeeds, runOptionNames, withEnvironments } from "./checks.js";
import { RunnerConfig } from "./config.js";
import { ppoCosts } from "./costs.js";
import { playedOn } from "./episodes.js";
import { evaluator } from "./evaluate.js";
import { familyPrograms, hyperOf, rowOf, type Family, type Hyper, type Member } from "./family.js";
import { run, type RunOptions } from "./loop.js";
import { bytesOf, checkMemory, totalOf } from "./memory.js";
import { addUp, endedIn, noneRunning, type RunningEpisodes, type StepTotals } from "./rolloutEpisodes.js";
import { longestCall } from "./schedule.js";
import { longestEpisode, lookAt, nameOf, originOf, plainParams, type Setting } from "./setting.js";
import type { Trainer, Work } from "./trainer.js";
import { warnOfCurve } from "./warn.js";

/** Where a PPO run has come to. The environments' states are those of `env`, one behind the other. */
export interface PPOTrainState<S = unknown> {
  readonly agentState: PPOState;
  readonly envObs: Array;
  readonly envState: S;
  readonly rng: Array;
}

/** What a PPO run carries: besides, what the episodes under way have brought so far. */
interface RunState<S> extends PPOTrainState<S> {
  readonly running: RunningEpisodes;
}

/** Every update's metrics, each of shape (nUpdates,), or (seeds, nUpdates) for a run over several seeds. */
export type PPOMetricsHistory = { readonly [K in keyof PPOMetrics]: Array };

export interface TrainPPOOptions extends RunOptions<PPOState> {
  /** PPO's settings, or what in them differs from the defaults. */
  readonly ppoConfig?: Partial<PPOConfig>;
  /** How the run goes, or what in it differs from the defaults. */
  readonly runnerConfig?: Partial<RunnerConfig>;
  /** The shape of an observation, if not the environment's. */
  readonly obsShape?: Shape | null;
  /** The number of actions, if not the environment's. */
  readonly nActions?: number | null;
  /** Trains once for each seed, all in one program; results have the seeds as their first axis. */
  readonly seeds?: readonly number[] | null;
}

const ownOptions = ["ppoConfig", "runnerConfig", "obsShape", "nActions", "seeds"] as const;

type PPOTrainerOptions = Pick<TrainPPOOptions, (typeof ownOptions)[number]>;

/** Trains PPO. The environment may reset itself (`AutoResetWrapper`) or not; then it is made to. */
export async function trainPPO<E extends Environment>(
  env: E,
  envParams: ParamsOf<E>,
  options: TrainPPOOptions = {},
): Promise<[PPOTrainState<StateOf<E>>, PPOMetricsHistory]> {
  checkOptions("trainPPO", options, [...ownOptions, ...runOptionNames]);
  const { ppoConfig: _, runnerConfig, obsShape: __, nActions: ___, seeds, ...listeners } = options;
  const trainer = ppoTrainer(env as Environment<StateOf<E>, ParamsOf<E>>, envParams, options);
  const {
    state: { running: ____, ...state },
    history,
    curve,
  } = await run(trainer, runnerConfig, listeners);
  warnOfCurve(curve);
  // Results over several seeds have these as their first axis.
  const lists = Object.entries(history).map(([name, list]) => [
    name,
    (seeds ?? null) === null ? list : list.T,
  ]);
  return [state, Object.fromEntries(lists) as PPOMetricsHistory];
}

/** A PPO run for the host to drive. */
export const ppoTrainer = <S, P>(env: Environment<S, P>, envParams: P, options?: PPOTrainerOptions) =>
  ppoFamily(env, envParams, options)();

/** PPO runs that share their programs. */
export function ppoFamily<S, P>(
  env: Environment<S, P>,
  envParams: P,
  { ppoConfig, runnerConfig: givenRunner, obsShape, nActions, seeds: givenSeeds }: PPOTrainerOptions = {},
): Family<RunState<S>> {
  const ownConfig = plainConfig("trainPPO", "ppoConfig", PPOConfig, ppoConfig);
  const runnerConfig = completedConfig("trainPPO", "runnerConfig", RunnerConfig, givenRunner);
  const given = withEnvironments(ownConfig, runnerConfig);
  checkDevices("trainPPO", runnerConfig);
  checkSeeds("trainPPO", givenSeeds);
  const seeds = givenSeeds ?? undefined;
  const { numEnvs, nSteps } = given;
  const stepsPerUnit = numEnvs * nSteps;
  const units = Math.floor(runnerConfig.totalTimesteps / stepsPerUnit);
  if (units < 1) {
    fail(
      "trainPPO",
      `totalTimesteps is ${runnerConfig.totalTimesteps}, less than the ${stepsPerUnit} steps of one update ` +
        `(numEnvs ${numEnvs} × nSteps ${nSteps}); raise it or shorten the rollout`,
    );
  }
  const config = overUpdates(given, units);
  const actionCount = { name: "nActions", value: nActions };
  const setting = lookAt("trainPPO", env, envParams, obsShape, actionCount, ["Discrete", "Box"]);
  const playing = playedOn(env, envParams);
  const configWith = (hyper: Hyper): PPOConfig => ({ ...config, ...hyper });
  const updateWith = (hyper: Hyper) => updateOf(playing, envParams, configWith(hyper));
  const hasSeeds = seeds !== undefined;
  const begin = (seed: Array, hyper: Hyper) => startOf(playing, envParams, setting, configWith(hyper), seed);
  const bytes = bytesOf(evalShape(() => begin(random.key(0), {})));
  const costs = ppoCosts(bytes, config, runnerConfig, seeds?.length ?? 1);
  checkMemory("trainPPO", costs);
  const longest = longestCall(units, runnerConfig.logInterval, stepsPerUnit);
  const { alone: chunk, together } = familyPrograms(
    (state: RunState<S>, hyper, count) => {
      const update = updateWith(hyper);
      return chunkOf(hasSeeds ? vmap(update) : update, longest)(state, count);
    },
    workOf,
    0,
  );
  const act = ({ agent, hyper }: { agent: PPOState; hyper: Hyper }, obs: Array) =>
    PPO.act(agent, obs, { config: configWith(hyper), explore: false })[0];
  const evaluation = evaluator(act, env, envParams, {
    nEpisodes: runnerConfig.evalEpisodes,
    maxSteps: longestEpisode(envParams),
  });
  /** The agents of all seeds, one by one. */
  const agentsOf = (agent: PPOState) => (hasSeeds ? seeds.map((_, at) => rowOf(agent, at)) : [agent]);
  const trainerOf = ({ seed = runnerConfig.seed, values = {} }: Partial<Member> = {}): Trainer<
    RunState<S>
  > => {
    const hyper = hyperOf(values);
    const prepareEvaluation = ({ agentState }: RunState<S>) =>
      evaluation.prepare({ agent: agentsOf(agentState)[0], hyper });
    return {
      algorithm: "PPO",
      identity: {
        ...{ algorithm: "PPO", environment: nameOf(env), envParams: plainParams(envParams) },
        ...{ config: { ...given, ...values }, seed: hasSeeds ? seeds : seed },
      },
      origin: originOf(env, envParams),
      ...{ stepsPerUnit, units, longest, warmupUnits: 0, keepsHistory: true, seeds: seeds?.length ?? null },
      updatesAt: (unit) => unit,
      start: () =>
        hasSeeds ? vmap((key: Array) => begin(key, hyper))(keysOf(seeds)) : begin(random.key(seed), hyper),
      prepare: async (state) => {
        await precompile(chunk, state, hyper, np.int32(1));
        await prepareEvaluation(state);
      },
      prepareEvaluation,
      advance: (state, count) => {
        const [next, records] = chunk(state, hyper, np.int32(count));
        return { state: next, work: workOf(records, count) };
      },
      evaluate: ({ agentState }, rng) => {
        const results = agentsOf(agentState).map((agent) => evaluation.play({ agent, hyper }, rng));
        const mean = (list: readonly number[]) => list.reduce((sum, x) => sum + x, 0) / list.length;
        return {
          evalReturn: mean(results.map(({ meanReturn }) => meanReturn)),
          evalLength: mean(results.map(({ meanLength }) => meanLength)),
        };
      },
      agentOf: ({ agentState }) => agentState,
      paramsOf: ({ agentState }) => agentState.params,
      act: ({ agentState }, obs) => act({ agent: agentState, hyper }, obs),
    };
  };
  return Object.assign(trainerOf, { together, bytes: totalOf(costs) });
}

const keysOf = (seeds: readonly number[]): Array => np.stack(seeds.map((seed) => random.key(seed)));

function startOf<S, P>(
  env: Environment<S, P>,
  params: P,
  { obsShape, actions }: Setting,
  config: PPOConfig,
  seed: Array,
): RunState<S> {
  const [rng, agentKey, resetKey] = random.split(seed, 3);
  const agentState = PPO.init(agentKey, obsShape, actions, config);
  const keys = random.split(resetKey, config.numEnvs);
  const [envObs, envState] = vmap((key: Array) => env.reset(key, params))(keys);
  return { agentState, envObs, envState, rng, running: noneRunning(config.numEnvs) };
}

/** What one update measured. */
interface Measured {
  readonly metrics: PPOMetrics;
  readonly episodes: StepTotals;
}

/** One update of a run: collect, estimate, descend. */
function updateOf<S, P>(env: Environment<S, P>, params: P, config: PPOConfig) {
  const step: typeof env.step = (...args) => env.step(...args);
  return ({ agentState, envObs, envState, rng, running }: RunState<S>): readonly [RunState<S>, Measured] => {
    const [played, rollout, obs, next, lastValue] = PPO.collectRolloutBatch(
      ...([agentState, envObs, envState, step, params, { config }] as const),
    );
    const [learned, metrics] = PPO.update(played, rollout, lastValue, { config });
    const [after, episodes] = addUp(running, rollout);
    return [
      { agentState: learned, envObs: obs, envState: next, rng, running: after },
      { metrics, episodes },
    ];
  };
}

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
  const lists = Object.entries(metrics as unknown as Record<string, Array>).map(
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
