// The host's side of a run. A compiled program carries the training state forward; between its calls the host
// logs, evaluates, saves checkpoints, calls back, shows progress and listens whether it should stop.
import { fail, tree, type Array } from "../array/index.js";
import { Checkpoints, type Identity } from "./checkpoints.js";
import type { RunnerConfig } from "./config.js";
import { badMetric, badParams, diverged, type DivergedError } from "./finite.js";
import {
  addEpisodes,
  addUpdate,
  gatheredNothing,
  takeRecord,
  type Episodes,
  type MetricsRecord,
  type UpdateMetrics,
} from "./gathered.js";
import { Pace } from "./pace.js";

/** A training run as the host drives it. `S` is the tree that the compiled program carries. */
export interface Trainer<S> {
  readonly algorithm: string;
  /** What a checkpoint must have in common with this run. */
  readonly identity: Identity;
  /** Environment steps of one unit of work: an update of PPO, one step of every environment of the others. */
  readonly stepsPerUnit: number;
  readonly units: number;
  /** Units before the first update: they take less time than the others. */
  readonly warmupUnits: number;
  /** Whether the metrics of every update are part of the result. */
  readonly keepsHistory: boolean;
  readonly start: () => S;
  /** Compiles what the run needs, for states like this one. */
  readonly prepare: (state: S) => Promise<void>;
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
  /** The metrics of the updates, in order: one for each unit after the warm-up. */
  readonly updates: readonly UpdateMetrics[];
  /** Episodes that ended, in order, one by one or some together. */
  readonly episodes: readonly Episodes[];
  /** The returns one by one, where the trainer knows them. */
  readonly episodeReturns: readonly number[];
}

export interface Progress {
  readonly step: number;
  readonly total: number;
  /** Environment steps a second since the run began, went on or got warm, without the time of compiling. */
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

/** What tells a run to stop: an `AbortSignal`, whose type not every project has. */
export interface StopSignal {
  readonly aborted: boolean;
}

export interface RunOptions<A> {
  /** Called every `logInterval` steps, and waited for. */
  readonly callback?: (step: number, agentState: A, metrics: MetricsRecord) => void | Promise<void>;
  readonly logger?: RecordSink;
  /** Called after every call of the compiled program. */
  readonly onProgress?: (progress: Progress) => void;
  /** Ends the run early, after the work in hand, with a checkpoint if there are any. */
  readonly signal?: StopSignal;
  /** Called before the first step with the step that the run starts from: 0, or that of its checkpoint. */
  readonly onStart?: (step: number) => void;
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

/** Runs a trainer to its end, or until it is told to stop. */
export async function run<S extends object, A>(
  trainer: Trainer<S>,
  config: RunnerConfig,
  evalKey: (unit: number) => Array,
  options: RunOptions<A>,
): Promise<RunResult<S>> {
  checkDevices(trainer.algorithm, config);
  const checkpoints = await Checkpoints.open(config, trainer.identity);
  try {
    const result = await drive(trainer, config, evalKey, options, checkpoints);
    await checkpoints.close();
    return result;
  } catch (error) {
    // What went wrong first is what is told.
    await checkpoints.close().catch(() => undefined);
    throw error;
  }
}

async function drive<S extends object, A>(
  trainer: Trainer<S>,
  config: RunnerConfig,
  evalKey: (unit: number) => Array,
  { callback, logger, onProgress, signal, onStart }: RunOptions<A>,
  checkpoints: Checkpoints,
): Promise<RunResult<S>> {
  const { stepsPerUnit, units, warmupUnits } = trainer;
  const fresh = trainer.start();
  const saved = checkpoints.latest(fresh);
  let state = saved?.state ?? fresh;
  const gathered = saved?.gathered ?? gatheredNothing();
  let unit = gathered.unit;
  let savedUnit = unit;
  onStart?.(unit * stepsPerUnit);
  if (unit < units) await trainer.prepare(state);
  let began = { time: performance.now(), unit };
  const pace = new Pace();

  const record = (metrics: MetricsRecord): void => {
    gathered.metricsLog.push(metrics);
    logger?.log(metrics);
  };
  const isDue = (every: number, from: number): boolean =>
    unit === units || Math.floor((unit * stepsPerUnit) / every) > Math.floor((from * stepsPerUnit) / every);
  const untilDue = (every: number): number => {
    const next = (Math.floor((unit * stepsPerUnit) / every) + 1) * every;
    return Math.ceil(next / stepsPerUnit) - unit;
  };
  const stop = (at: number, metric?: readonly [string, number]): DivergedError => {
    const place = { update: Math.max(0, at - warmupUnits), step: at * stepsPerUnit };
    return diverged(trainer.algorithm, place, metric, badParams(trainer.paramsOf(state)), checkpoints.newest);
  };
  const save = async (evalReturn: number | null): Promise<void> => {
    gathered.unit = unit;
    if (badParams(trainer.paramsOf(state)).length > 0) throw stop(unit);
    await checkpoints.save(unit * stepsPerUnit, { state, gathered }, evalReturn);
    savedUnit = unit;
  };

  while (unit < units && !isAborted(signal)) {
    const events = [config.logInterval, config.evalEvery];
    if (checkpoints.isOn) events.push(config.checkpointInterval);
    const limits = [units - unit, trainer.longest, pace.patience, ...events.map(untilDue)];
    if (unit < warmupUnits) limits.push(warmupUnits - unit);
    const count = Math.min(...limits);
    const before = performance.now();
    const { state: next, work } = trainer.advance(state, count);
    pace.tell(count, (performance.now() - before) / 1000);
    state = next;
    const from = unit;
    unit += count;

    work.updates.forEach((metrics, at) => {
      const bad = badMetric(metrics);
      if (bad !== undefined) throw stop(unit - work.updates.length + at + 1, bad);
      addUpdate(gathered, metrics, trainer.keepsHistory);
    });
    for (const episodes of work.episodes) {
      if (!Number.isFinite(episodes.returns)) throw stop(unit, ["episodeReturn", episodes.returns]);
      addEpisodes(gathered, episodes);
    }
    for (const one of work.episodeReturns) gathered.episodeReturns.push(one);

    const step = unit * stepsPerUnit;
    if (isDue(config.logInterval, from)) {
      if (badParams(trainer.paramsOf(state)).length > 0) throw stop(unit);
      const metrics = takeRecord(gathered, step);
      record(metrics);
      if (callback !== undefined) await callback(step, settled(trainer.agentOf(state)) as A, metrics);
    }
    let evalReturn: number | null = null;
    if (isDue(config.evalEvery, from)) {
      const result = trainer.evaluate(state, evalKey(unit));
      const bad = badMetric(result);
      if (bad !== undefined) throw stop(unit, bad);
      ({ evalReturn } = result);
      gathered.evalReturn = evalReturn;
      record({ step, eval_return: evalReturn, eval_length: result.evalLength });
    }
    const isBest = evalReturn !== null && checkpoints.isBest(evalReturn);
    if (checkpoints.isOn && (isBest || isDue(config.checkpointInterval, from))) await save(evalReturn);
    const { episodeReturn, evalReturn: lastEval } = gathered;
    const seconds = Math.max(1e-3, (performance.now() - began.time) / 1000);
    const stepsPerSecond = ((unit - began.unit) * stepsPerUnit) / seconds;
    const secondsLeft = ((units - unit) * stepsPerUnit) / stepsPerSecond;
    onProgress?.({
      ...{ step, total: units * stepsPerUnit, stepsPerSecond, secondsLeft },
      ...{ episodeReturn, evalReturn: lastEval },
    });
    if (unit === warmupUnits) {
      // From here on a step takes longer.
      began = { time: performance.now(), unit };
      pace.restart();
    }
    await nextTurn();
  }
  if (checkpoints.isOn && unit < units && unit > savedUnit) await save(null);
  const { history, metricsLog, episodeReturns } = gathered;
  return {
    ...{ state, history, metricsLog, episodeReturns },
    ...{ step: unit * stepsPerUnit, isStopped: unit < units },
  };
}

/** Refuses what would otherwise be passed over in silence. */
function checkDevices(algorithm: string, { numDevices, fsdpDevices }: RunnerConfig): void {
  if ((numDevices ?? 1) === 1 && fsdpDevices === 1) return;
  fail(
    `train${algorithm}`,
    `runs on one device, got numDevices ${String(numDevices)} and fsdpDevices ${fsdpDevices}; leave them out`,
  );
}

/** An agent whose arrays stay readable when the state they are part of is given up. */
function settled(agent: object): object {
  for (const leaf of tree.leaves(agent)) (leaf as Array).data();
  return agent;
}

/** Asked anew each time: it changes while we wait. */
const isAborted = (signal: StopSignal | undefined): boolean => signal?.aborted ?? false;

/** Lets the event loop turn: signals, timers and the page get their chance. */
const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    const host: { setImmediate?: (f: () => void) => void } = globalThis;
    if (host.setImmediate === undefined) setTimeout(resolve, 0);
    else host.setImmediate(resolve);
  });
