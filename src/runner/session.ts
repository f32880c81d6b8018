// A run under way: the state that the compiled program carries, and what the host does between its calls.
import { fail, tree, type Array } from "../array/index.js";
import type { RunnerConfig } from "./config.js";
import { evalKeys } from "./evaluate.js";
import { badMetric, badParams, diverged, type DivergedError } from "./finite.js";
import {
  addEpisodes,
  addUpdate,
  gatheredNothing,
  listIn,
  numbersOf,
  takeRecord,
  type Gathered,
  type LoggedRecord,
} from "./gathered.js";
import { History } from "./history.js";
import type { RunOptions, RunResult } from "./loop.js";
import type { RunFiles, SavedRun } from "./runFiles.js";
import { isDue, untilDue } from "./schedule.js";
import type { Trainer, Work } from "./trainer.js";
import { Promises } from "./warn.js";

export class Session<S extends object, A> {
  private state: S;
  private readonly gathered: Gathered;
  private readonly history: History;
  private unit: number;
  /** Where the last call began, and the last checkpoint was. */
  private from: number;
  private savedUnit: number;
  /** From where and when the speed is counted. */
  private began: { readonly time: number; readonly unit: number };
  private readonly promises = new Promises();
  private readonly evalKey: (unit: number) => Array;

  private constructor(
    private readonly trainer: Trainer<S>,
    private readonly config: RunnerConfig,
    private readonly listeners: RunOptions<A>,
    private readonly files: RunFiles,
    { state, gathered, history }: SavedRun<S>,
  ) {
    [this.state, this.gathered, this.history] = [state, gathered, history];
    this.unit = this.from = this.savedUnit = gathered.unit;
    this.began = { time: performance.now(), unit: this.unit };
    this.evalKey = evalKeys(config.seed);
  }

  /** Starts a run, or goes on with it. Nothing on disk is changed before the program is compiled. */
  static async begin<S extends object, A>(
    trainer: Trainer<S>,
    config: RunnerConfig,
    listeners: RunOptions<A>,
    files: RunFiles,
  ): Promise<Session<S, A>> {
    const fresh = trainer.start();
    const saved = files.restore(fresh) ?? {
      ...{ state: fresh, gathered: gatheredNothing(), history: new History(trainer.seeds) },
    };
    checkLength(trainer, config, saved.gathered.unit);
    if (saved.gathered.unit < trainer.units) await trainer.prepare(saved.state);
    const device = trainer.device();
    if (device !== null) files.useDevice(device);
    files.begin();
    const session = new Session(trainer, config, listeners, files, saved);
    session.promises.watch("onStart", listeners.onStart?.(session.step, files.changes, device));
    return session;
  }

  get step(): number {
    return this.unit * this.trainer.stepsPerUnit;
  }

  get isOver(): boolean {
    return this.unit >= this.trainer.units;
  }

  /** Whether the warm-up has just come to its end. */
  get isWarm(): boolean {
    return this.unit === this.trainer.warmupUnits;
  }

  /** Lets the program work up to the next event, at most so many units, and gathers what it has measured. */
  async advance(most: number): Promise<number> {
    const { trainer, config, unit, files } = this;
    const { stepsPerUnit, warmupUnits } = trainer;
    const events = [config.logInterval, config.evalEvery];
    if (files.hasCheckpoints && config.checkpointInterval !== null) events.push(config.checkpointInterval);
    const count = Math.min(
      ...[trainer.units - unit, trainer.longest, most],
      ...events.map((every) => untilDue(every, unit, stepsPerUnit)),
      ...(unit < warmupUnits ? [warmupUnits - unit] : []),
    );
    const { state, work } = await trainer.advance(this.state, count);
    this.state = state;
    this.from = unit;
    this.unit = unit + count;
    this.gather(work);
    return count;
  }

  private gather({ updates, episodes }: Work): void {
    const { gathered, history, trainer, unit } = this;
    updates.forEach((metrics, at) => {
      if (metrics === null) return;
      const end = unit - updates.length + at + 1;
      const bad = badMetric(metrics);
      if (bad !== undefined) throw this.stopped(end, bad);
      addUpdate(gathered, metrics, trainer.updatesAt(end) - trainer.updatesAt(end - 1));
      if (trainer.keepsHistory) history.addUpdate(metrics);
    });
    const lost = episodes.returns.find((one) => !Number.isFinite(one));
    if (lost !== undefined) throw this.stopped(unit, ["episodeReturn", lost]);
    addEpisodes(gathered, episodes, this.from * trainer.stepsPerUnit);
  }

  /** Does what is due after a call: log and call back, evaluate, save, show progress. */
  async attend(): Promise<void> {
    const { config, files } = this;
    if (this.isDue(config.logInterval)) await this.log();
    const evalReturn = this.isDue(config.evalEvery) ? await this.evaluate() : null;
    const isBest = evalReturn !== null && files.isBest(evalReturn);
    const { checkpointInterval } = config;
    if (files.hasCheckpoints && (isBest || (checkpointInterval !== null && this.isDue(checkpointInterval))))
      await this.save(evalReturn);
    this.showProgress();
    if (this.isWarm) this.began = { time: performance.now(), unit: this.unit };
  }

  private isDue(every: number): boolean {
    return this.isOver || isDue(every, this.from, this.unit, this.trainer.stepsPerUnit);
  }

  private async log(): Promise<void> {
    this.checkParams();
    this.measure();
    const record = takeRecord(this.gathered, this.step);
    this.record(record);
    const agent = this.trainer.agentOf(this.state);
    await this.listeners.callback?.(this.step, readable(agent) as A, numbersOf(record));
  }

  /** A record has all metrics: where no update was made since the last one, those that one would have now. */
  private measure(): void {
    const { trainer, state, gathered } = this;
    if (gathered.since.updates > 0 || trainer.measure === undefined) return;
    const metrics = trainer.measure(state);
    const bad = badMetric(metrics);
    if (bad !== undefined) throw this.stopped(this.unit, bad);
    addUpdate(gathered, metrics);
  }

  private async evaluate(): Promise<number> {
    const result = await this.trainer.evaluate(this.state, this.evalKey(this.unit));
    const bad = badMetric(result);
    if (bad !== undefined) throw this.stopped(this.unit, bad);
    const { evalReturn, evalLength } = result;
    this.gathered.evalReturn = evalReturn;
    this.record({ step: this.step, eval_return: evalReturn, eval_length: evalLength });
    return evalReturn;
  }

  private record(record: LoggedRecord): void {
    const wallTime = Date.now() / 1000;
    this.history.addRecord(record, wallTime);
    this.files.log(record, wallTime);
    this.promises.watch("the logger", this.listeners.logger?.log(record, this.step));
  }

  private async save(evalReturn: number | null): Promise<void> {
    const { state, gathered, history } = this;
    gathered.unit = this.unit;
    this.checkParams();
    await this.files.save(this.step, { state, gathered, history }, evalReturn);
    this.savedUnit = this.unit;
  }

  private showProgress(): void {
    const { trainer, unit, began, listeners } = this;
    const { onProgress } = listeners;
    if (onProgress === undefined || onProgress === null) return;
    const { stepsPerUnit, units } = trainer;
    const seconds = Math.max(1e-3, (performance.now() - began.time) / 1000);
    const stepsPerSecond = ((unit - began.unit) * stepsPerUnit) / seconds;
    const told = onProgress({
      step: this.step,
      total: units * stepsPerUnit,
      stepsPerSecond,
      secondsLeft: ((units - unit) * stepsPerUnit) / stepsPerSecond,
      episodeReturn: this.gathered.episodeReturn,
      evalReturn: this.gathered.evalReturn,
    });
    this.promises.watch("onProgress", told);
  }

  /** Saves what an early end would lose. */
  async end(): Promise<void> {
    if (this.files.hasCheckpoints && !this.isOver && this.unit > this.savedUnit) await this.save(null);
  }

  result(): Omit<RunResult<S>, "curve"> {
    const { state, history, step } = this;
    const { records } = history;
    const { returns, lengths } = this.gathered.since.episodes;
    return {
      state,
      history: history.arrays(),
      metricsLog: records.filter((record) => !isEvaluation(record)).map(numbersOf),
      evalLog: records.filter(isEvaluation).map(numbersOf),
      episodeReturns: [...records.flatMap((record) => listIn(record, "episode_returns")), ...returns],
      episodeLengths: [...records.flatMap((record) => listIn(record, "episode_lengths")), ...lengths],
      step,
      isStopped: !this.isOver,
    };
  }

  private checkParams(): void {
    if (badParams(this.trainer.paramsOf(this.state)).length > 0) throw this.stopped(this.unit);
  }

  /** The error of a run that has lost its numbers at a unit. */
  private stopped(unit: number, metric?: readonly [string, number]): DivergedError {
    const { trainer, state, files } = this;
    const place = { update: trainer.updatesAt(unit), step: unit * trainer.stepsPerUnit };
    return diverged(trainer.algorithm, place, metric, badParams(trainer.paramsOf(state)), files.newest);
  }
}

const isEvaluation = (record: LoggedRecord): boolean => "eval_return" in record;

/** Refuses to make a run shorter than it is already. */
function checkLength<S>(
  { algorithm, units, stepsPerUnit }: Trainer<S>,
  { totalTimesteps }: RunnerConfig,
  unit: number,
): void {
  if (unit <= units) return;
  fail(
    `train${algorithm}`,
    `totalTimesteps is ${totalTimesteps}, but the run is at step ${unit * stepsPerUnit} already; give at least that`,
  );
}

/** An agent whose arrays stay readable when the state they are part of is given up. */
function readable(agent: object): object {
  for (const leaf of tree.leaves(agent)) (leaf as Array).data();
  return agent;
}
