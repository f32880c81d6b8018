// The host's side of a run. A compiled program carries the training state forward; between its calls the host
// logs, evaluates, saves checkpoints, calls back, shows progress and listens whether it should stop.
import { np, tree, type Array } from "../array/index.js";
import type { RunnerConfig } from "./config.js";
import { Checkpoints, type Identity, type SavedRun } from "./checkpoints.js";
import { checkFinite } from "./finite.js";

/** A training run as the host drives it. `S` is the tree that the compiled program carries. */
export interface Trainer<S> {
  readonly algorithm: string;
  /** What a checkpoint must have in common with this run. */
  readonly identity: Identity;
  /** Environment steps of one unit of work: an update of PPO, one step of every environment of the others. */
  readonly stepsPerUnit: number;
  readonly units: number;
  readonly start: () => S;
  /** Units that one call may do at most. */
  readonly longest: number;
  /** Does so many units of work; the state that goes in is given up. */
  readonly advance: (state: S, units: number) => { readonly state: S; readonly work: Work };
  /** Plays greedily; the key is another one for every evaluation. */
  readonly evaluate: (state: S, key: Array) => { readonly evalReturn: number; readonly evalLength: number };
  /** What the callback sees of the state. */
  readonly agentOf: (state: S) => object;
  /** The greedy action for one observation. */
  readonly act: (state: S, obs: Array) => Array;
  /** What of the agent must stay finite. */
  readonly paramsOf: (state: S) => object;
}

/** What some units of work have measured. */
export interface Work {
  /** The metrics of updates, one after the other; of a run over several seeds one for each. */
  readonly updates: readonly UpdateMetrics[];
  /** Returns and lengths of the episodes that ended, summed, and how many they were. */
  readonly episodes: { readonly returns: number; readonly lengths: number; readonly count: number };
  /** The returns one by one, where the trainer knows them. */
  readonly episodeReturns: readonly number[];
}

export type UpdateMetrics = Readonly<Record<string, number | readonly number[]>>;

/** A line of the log. */
export type MetricsRecord = Readonly<Record<string, number>>;

export interface Progress {
  readonly step: number;
  readonly total: number;
  /** Environment steps a second since the run began or went on. */
  readonly stepsPerSecond: number;
  readonly secondsLeft: number;
  /** Mean return of the episodes that ended lately, if any did. */
  readonly episodeReturn: number | null;
  readonly evalReturn: number | null;
}

/** Where metrics go, one record at a time. */
export interface RecordSink {
  log(record: MetricsRecord): void;
}

export interface RunOptions<A> {
  /** Called every `logInterval` steps. */
  readonly callback?: (step: number, agentState: A, metrics: MetricsRecord) => void;
  readonly logger?: RecordSink;
  /** Called after every call of the compiled program. */
  readonly onProgress?: (progress: Progress) => void;
  /** Ends the run early, after the work in hand, with a checkpoint if there are any. */
  readonly signal?: AbortSignal;
  /** Called with the records of a run that goes on from a checkpoint, before it does. */
  readonly onResume?: (step: number) => void;
}

export interface RunResult<S> {
  readonly state: S;
  /** Every update's metrics, by name. */
  readonly history: Readonly<Record<string, readonly (number | readonly number[])[]>>;
  readonly metricsLog: readonly MetricsRecord[];
  readonly episodeReturns: readonly number[];
  readonly step: number;
  /** Whether it was stopped before its end. */
  readonly isStopped: boolean;
}

/** How long a call of the compiled program should take at most: Ctrl-C and the progress line wait for it. */
const longestCall = 0.25;

/** Runs a trainer to its end, or until it is told to stop. */
export async function run<S extends object, A>(
  trainer: Trainer<S>,
  config: RunnerConfig,
  evalKey: (unit: number) => Array,
  { callback, logger, onProgress, signal, onResume }: RunOptions<A>,
): Promise<RunResult<S>> {
  const { stepsPerUnit, units } = trainer;
  const checkpoints = await Checkpoints.open(config, trainer.identity);
  const start = trainer.start();
  const saved = checkpoints.latest(start);
  let state = saved?.state ?? start;
  const kept = keptFrom(saved);
  let unit = kept.unit;
  if (saved !== null) onResume?.(unit * stepsPerUnit);
  const began = { time: performance.now(), unit };
  /** Units a second, as far as is known. */
  let speed = 1;
  let hasRun = false;
  let since = noEpisodes();
  let latest: UpdateMetrics = {};
  let evalReturn: number | null = null;
  let episodeReturn: number | null = null;

  const record = (metrics: MetricsRecord): void => {
    kept.metricsLog.push(metrics);
    logger?.log(metrics);
  };
  const isDue = (every: number, from: number, to: number): boolean =>
    Math.floor((to * stepsPerUnit) / every) > Math.floor((from * stepsPerUnit) / every);
  const untilDue = (every: number): number => {
    const next = (Math.floor((unit * stepsPerUnit) / every) + 1) * every;
    return Math.ceil(next / stepsPerUnit) - unit;
  };

  while (unit < units && !isAborted(signal)) {
    const events = [config.logInterval, config.evalEvery];
    if (checkpoints.isOn) events.push(config.checkpointInterval);
    const patience = Math.max(1, Math.floor(speed * longestCall));
    const count = Math.min(units - unit, trainer.longest, patience, ...events.map(untilDue));
    const before = performance.now();
    const { state: next, work } = trainer.advance(state, count);
    const seconds = (performance.now() - before) / 1000;
    // The first call compiles, and says little about the speed.
    speed = hasRun ? count / Math.max(1e-4, seconds) : 1;
    hasRun = true;
    state = next;
    const from = unit;
    unit += count;
    const step = unit * stepsPerUnit;
    checkFinite(trainer.algorithm, work.updates, from, stepsPerUnit);
    for (const update of work.updates) {
      latest = update;
      for (const [name, value] of Object.entries(update)) (kept.history[name] ??= []).push(value);
    }
    kept.episodeReturns.push(...work.episodeReturns);
    since = addEpisodes(since, work.episodes);
    const isEnd = unit === units;
    if (isDue(config.logInterval, from, unit) || isEnd) {
      if (since.count > 0) episodeReturn = since.returns / since.count;
      const episodes =
        since.count > 0
          ? { episode_return: since.returns / since.count, episode_length: since.lengths / since.count }
          : {};
      const metrics = { step, ...asRecord(latest), ...episodes };
      since = noEpisodes();
      record(metrics);
      callback?.(step, trainer.agentOf(state) as A, metrics);
    }
    if (isDue(config.evalEvery, from, unit) || isEnd) {
      const result = trainer.evaluate(state, evalKey(unit));
      ({ evalReturn } = result);
      record({ step, eval_return: result.evalReturn, eval_length: result.evalLength });
    }
    const isStopping = isAborted(signal);
    if (checkpoints.isOn && (isDue(config.checkpointInterval, from, unit) || isEnd || isStopping)) {
      checkFinite(trainer.algorithm, [finiteness(trainer.paramsOf(state))], unit - 1, stepsPerUnit);
      checkpoints.save(step, { ...kept, state, unit }, evalReturn);
    }
    const elapsed = (performance.now() - began.time) / 1000;
    const stepsPerSecond = ((unit - began.unit) * stepsPerUnit) / Math.max(1e-3, elapsed);
    const secondsLeft = ((units - unit) * stepsPerUnit) / Math.max(1e-3, stepsPerSecond);
    onProgress?.({
      ...{ step, total: units * stepsPerUnit, stepsPerSecond, secondsLeft, episodeReturn, evalReturn },
    });
    await nextTurn();
  }
  await checkpoints.close();
  return {
    ...{ state, history: kept.history, metricsLog: kept.metricsLog, episodeReturns: kept.episodeReturns },
    step: unit * stepsPerUnit,
    isStopped: unit < units,
  };
}

/** What a run has gathered on the host; a checkpoint has it as plain data. */
export interface Gathered {
  unit: number;
  readonly history: Record<string, (number | readonly number[])[]>;
  readonly metricsLog: MetricsRecord[];
  readonly episodeReturns: number[];
}

const keptFrom = (saved: SavedRun<unknown> | null): Gathered =>
  saved === null
    ? { unit: 0, history: {}, metricsLog: [], episodeReturns: [] }
    : {
        unit: saved.unit,
        history: Object.fromEntries(Object.entries(saved.history).map(([name, list]) => [name, [...list]])),
        metricsLog: [...saved.metricsLog],
        episodeReturns: [...saved.episodeReturns],
      };

/** Asked anew each time: it changes while we wait. */
const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted ?? false;

const noEpisodes = (): Work["episodes"] => ({ returns: 0, lengths: 0, count: 0 });

const addEpisodes = (a: Work["episodes"], b: Work["episodes"]): Work["episodes"] => ({
  returns: a.returns + b.returns,
  lengths: a.lengths + b.lengths,
  count: a.count + b.count,
});

/** Metrics as they stand in files: `totalLoss` is `total_loss`, and several seeds give their mean. */
const asRecord = (metrics: UpdateMetrics): Record<string, number> =>
  Object.fromEntries(
    Object.entries(metrics).map(([name, value]) => {
      const list = [value].flat();
      const mean = list.reduce((sum, one) => sum + one, 0) / list.length;
      return [name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), mean];
    }),
  );

/** For every leaf of the parameters: a number that is not finite if one of its elements is not. */
const finiteness = (params: object): Record<string, number> => {
  const found: Record<string, number> = {};
  tree.mapWithPath((path, leaf: unknown) => {
    found[path] = (leaf as Array).data().every(Number.isFinite) ? 0 : NaN;
    return np.int32(0);
  }, params);
  return found;
};

/** Lets the event loop turn: signals, timers and the page get their chance. */
const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    const host: { setImmediate?: (f: () => void) => void } = globalThis;
    if (host.setImmediate === undefined) setTimeout(resolve, 0);
    else host.setImmediate(resolve);
  });
