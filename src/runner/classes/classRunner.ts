// What all class runners do alike: iterations with callbacks around them, logs, checkpoints, evaluation.
import { checkOptions, defaultDevice, fail } from "../../array/index.js";
import type { VecEnv } from "../../vecEnv/index.js";
import { spaceToData, type Environment } from "../../env/index.js";
import { badMetric, badParams, diverged } from "../finite.js";
import { checkSignal } from "../checks.js";
import { isAborted, nextTurn, type StopSignal } from "../loop.js";
import { warn } from "../warn.js";
import { Callbacks, type EventName, type Events, type Stats } from "./callbacks.js";
import { EpisodeBook } from "./episodeBook.js";
import { evalStats, type EvalStats } from "./evalStats.js";
import type { Logs, Notes } from "./files.js";
import { EnvironmentError } from "./hostEnvs.js";
import { deviceOf, numberIn, type Settings } from "./options.js";
import type { Player } from "./rollouts.js";
import { checkEvalEnv, type World } from "./worlds.js";

export interface LearnOptions {
  /** Environment steps in all, those before this call and those of a loaded checkpoint included. */
  readonly totalTimesteps: number;
  /** Ends it early, after the iteration under way, with a checkpoint if there are any. */
  readonly signal?: StopSignal | null;
}

const learnOptionNames = ["totalTimesteps", "signal"] as const satisfies readonly (keyof LearnOptions)[];

export interface EvalCallOptions {
  /** How many episodes. Default 10. */
  readonly numEpisodes?: number;
  /** Episodes longer than this count as far as they went. Default 10,000, or what a functional environment says. */
  readonly maxSteps?: number;
}

export interface LoadOptions {
  /** Whether to warn of settings that differ from those of the checkpoint. Default true. */
  readonly warnOfChanges?: boolean;
}

/** An agent as runners hold it. */
export interface HeldAgent<State extends object> {
  readonly algorithm: string;
  readonly config: object;
  readonly ownNetworks: Readonly<Record<string, string>> | null;
  state: State;
}

export abstract class ClassRunner<State extends object, P, Rollout> {
  /** Environment steps so far. */
  totalTimesteps = 0;
  protected readonly book: EpisodeBook;
  protected readonly device: string | undefined;
  private readonly callbacks: Callbacks<this, Rollout>;
  /** Iterations that are over, and the one under way. */
  private completed = 0;
  private current: number | null = null;
  private isLearning = false;
  private isStopping = false;
  /** Whether what was played is not learned from yet. */
  private isBetween = false;
  private saving: Promise<unknown> = Promise.resolve();
  private resumedAt: number | null = null;
  private lastCheckpoint: string | null = null;
  private readonly warned = new Set<string>();

  constructor(
    /** The name of the class, which bundlers may change. */
    private readonly operation: string,
    protected readonly world: World,
    /** What is played. */
    readonly env: VecEnv | Environment,
    protected readonly settings: Settings,
  ) {
    this.book = new EpisodeBook(world.numEnvs, settings.logRewardComponents);
    this.device = deviceOf(settings.device);
    checkEvalEnv(operation, world, settings.evalEnv);
    this.callbacks = new Callbacks(`${this.operation}.addCallback`);
  }

  abstract readonly agent: HeldAgent<State>;
  protected abstract readonly player: Player<State, P>;
  /** Environment steps of an iteration. */
  protected abstract readonly stepsPerIteration: number;
  /** The rate that the next update learns with; null where there is more than one. */
  abstract readonly learningRate: number | null;
  /** Prepares for so many iterations in all. */
  protected abstract prepare(iterations: number): void;
  /** Plays and learns, telling `played` and `learned`; `iterations` is how many there will be. */
  protected abstract iterate(iterations: number): Promise<Stats>;
  /** What of the agent must stay finite. */
  protected abstract paramsOf(state: State): object;
  /** Takes over what a checkpoint says of the algorithm. */
  protected abstract restore(rest: Readonly<Record<string, unknown>>, notes: Notes): void;
  /** What else a checkpoint has to hold. */
  protected abstract extraState(): Readonly<Record<string, unknown>>;

  /** What its programs run on. */
  get deviceName(): string {
    return this.device ?? defaultDevice();
  }

  /** The number of the iteration under way, from 0 on; between iterations, how many there have been. */
  get iteration(): number {
    return this.current ?? this.completed;
  }

  /** Calls a function at an event, after those that were added before it; a promise is waited for. */
  addCallback<E extends EventName>(event: E, callback: Events<this, Rollout>[E]): this {
    this.callbacks.add(event, callback);
    return this;
  }

  protected hears(event: EventName): boolean {
    return this.callbacks.has(event);
  }

  /** Calls back, and waits for checkpoints that a callback saves without waiting itself. */
  protected async fire<E extends EventName>(
    event: E,
    ...args: Parameters<Events<this, Rollout>[E]>
  ): Promise<void> {
    await this.callbacks.fire(event, ...args);
    await this.saving;
  }

  /** Environments have made so many steps, which are to be learned from. */
  protected played(steps: number): void {
    this.totalTimesteps += steps;
    this.isBetween = true;
  }

  /** The iteration under way has learned all that it will. */
  protected learned(): void {
    this.isBetween = false;
    this.completed++;
  }

  /** Ends `learn` after the iteration under way. */
  stop(): void {
    this.isStopping = true;
  }

  /** Trains until there have been so many environment steps in all; gives the figures of the last iteration. */
  async learn(given: number | LearnOptions): Promise<Stats> {
    const operation = `${this.operation}.learn`;
    const { signal = null } = typeof given === "object" ? given : {};
    if (typeof given === "object") checkOptions(operation, given, learnOptionNames);
    checkSignal(operation, signal);
    const total = numberIn(operation, "totalTimesteps", given);
    const iterations = Math.floor(total / this.stepsPerIteration);
    if (iterations < 1) {
      fail(
        operation,
        `totalTimesteps is ${total}, less than the ${this.stepsPerIteration} steps of one iteration; raise it, or ` +
          "shorten the rollout",
      );
    }
    if (this.isLearning) fail(operation, "is under way already; wait for it to end");
    if (iterations <= this.completed) {
      warn(
        `${operation}: totalTimesteps is ${total} in all, and ${this.totalTimesteps} steps have been made: nothing is ` +
          "left to do. To go on, raise it",
      );
      return {};
    }
    this.isLearning = true;
    this.isStopping = false;
    try {
      return await this.train(iterations, signal);
    } catch (error) {
      throw await this.explained(error);
    } finally {
      this.isLearning = false;
      this.current = null;
    }
  }

  private async train(iterations: number, signal: StopSignal | null): Promise<Stats> {
    const { logDir, logInterval, saveInterval } = this.settings;
    const directory = await this.directory();
    await this.player.start();
    this.prepare(iterations);
    const logs = logDir === null ? null : await this.openLogs(logDir);
    let [stats, loggedAt, savedAt]: [Stats, number, number] = [{}, this.completed, this.completed];
    let since = { time: performance.now(), steps: this.totalTimesteps };
    const log = (number: number): void => {
      if (logs === null) return;
      const now = { time: performance.now(), steps: this.totalTimesteps };
      const speed = (1000 * (now.steps - since.steps)) / Math.max(1, now.time - since.time);
      since = now;
      const record = { step: this.totalTimesteps, iteration: number, "time/steps_per_second": speed };
      logs.log({ ...record, ...stats });
      loggedAt = this.completed;
    };
    const save = async (number: number): Promise<void> => {
      if (directory === null) return;
      await this.saveCheckpoint(`checkpoint_${number}`);
      savedAt = this.completed;
    };
    try {
      while (this.completed < iterations && !this.isStopping && !isAborted(signal)) {
        const number = this.completed;
        this.current = number;
        await this.fire("pre_iteration", this);
        stats = await this.iterate(iterations);
        this.checkFinite(stats);
        if (number % logInterval === 0) log(number);
        if (number % saveInterval === 0) await save(number);
        await this.fire("post_iteration", this, stats);
        this.current = null;
        await nextTurn();
      }
      if (loggedAt !== this.completed) log(this.completed - 1);
      if (savedAt !== this.completed) await save(this.completed - 1);
      return stats;
    } finally {
      await logs?.close();
    }
  }

  private async openLogs(logDir: string): Promise<Logs> {
    const { openLogs } = await import("./files.js");
    const logs = openLogs(logDir, this.resumedAt);
    this.resumedAt = null;
    return logs;
  }

  private async directory(): Promise<string | null> {
    const { saveDir, logDir } = this.settings;
    if (saveDir === null && logDir === null) return null;
    const { checkpointDir } = await import("./files.js");
    return checkpointDir(saveDir, logDir);
  }

  private checkFinite(stats: Stats): void {
    const own = Object.entries(stats).filter(([tag]) => tag.startsWith("train/"));
    const metric = badMetric(Object.fromEntries(own));
    if (metric === undefined) return;
    throw diverged(
      this.agent.algorithm,
      { update: this.completed, step: this.totalTimesteps },
      metric,
      badParams(this.paramsOf(this.agent.state)),
      this.lastCheckpoint,
    );
  }

  /** Where environments have failed, they are closed, and it is said what is left. */
  private async explained(error: unknown): Promise<unknown> {
    if (!(error instanceof EnvironmentError)) return error;
    try {
      await this.player.close();
    } catch {
      // What went wrong first is what is told.
    }
    const kept = this.lastCheckpoint === null ? "" : `. The last checkpoint is ${this.lastCheckpoint}`;
    const { message, cause } = error;
    return new EnvironmentError(`${message}${kept}`, { cause: cause ?? error });
  }

  /** Plays episodes with the agent's best actions, from fresh starts. */
  async eval(given: number | EvalCallOptions = {}): Promise<EvalStats> {
    const operation = `${this.operation}.eval`;
    const numEpisodes = numberIn(operation, "numEpisodes", given, 10);
    const { maxSteps } = typeof given === "object" ? given : {};
    const { world } = this;
    const most = numberIn(operation, "maxSteps", maxSteps, this.longestEpisode());
    if (world.kind === "host" && this.isLearning && this.settings.evalEnv === null && !hasState(world.vec)) {
      this.warnOnce(
        `${operation}: the environments have no getState and setState, so that evaluating them in the middle of ` +
          "training begins new episodes in all of them; give the runner an evalEnv of its own",
      );
    }
    const options = { numEpisodes, maxSteps: most, round: this.completed };
    try {
      return evalStats(await this.player.evaluate(this.agent.state, options));
    } catch (error) {
      throw await this.explained(error);
    }
  }

  protected abstract longestEpisode(): number;

  private warnOnce(message: string): void {
    if (this.warned.has(message)) return;
    this.warned.add(message);
    warn(message);
  }

  /** Saves all that training goes on from, in `saveDir` under this name; gives the checkpoint's folder. */
  saveCheckpoint(name: string): Promise<string> {
    const saved = this.save(name);
    this.saving = saved.catch(() => undefined);
    return saved;
  }

  private async save(name: string): Promise<string> {
    const operation = `${this.operation}.saveCheckpoint`;
    const { placeOf, writeCheckpoint } = await import("./files.js");
    if (this.isBetween) {
      this.warnOnce(
        `${operation}: was called between a rollout and the update that learns from it; a run that goes on from there ` +
          "plays another rollout, so that it is not this one bit for bit. Save in post_update or post_iteration",
      );
    }
    const { obs, ...player } = (await this.player.save()) ?? { obs: null };
    const tree = {
      agentState: this.agent.state,
      obs,
      player: obs === null ? null : player,
      ...this.extraState(),
    };
    const folder = writeCheckpoint(placeOf(operation, await this.directory(), name), tree, this.notes());
    this.lastCheckpoint = folder;
    return folder;
  }

  private notes(): Notes {
    const { agent, world, settings } = this;
    return {
      runner: this.operation,
      identity: {
        ...{ algorithm: agent.algorithm, config: { ...agent.config } },
        ...{ environment: world.name, numEnvs: world.numEnvs, seed: settings.seed },
        ...(agent.ownNetworks !== null && { networks: agent.ownNetworks }),
      },
      spaces: { action: spaceToData(world.actions) },
      iteration: this.completed,
      totalTimesteps: this.totalTimesteps,
      learningRate: this.learningRate,
    };
  }

  /** Takes over what a checkpoint holds; `learn` goes on from there. */
  async loadCheckpoint(name: string, options: LoadOptions = {}): Promise<void> {
    const operation = `${this.operation}.loadCheckpoint`;
    checkOptions(operation, options, ["warnOfChanges"]);
    const { warnOfChanges = true } = options;
    if (this.isLearning) fail(operation, "learn is under way; load before it, or after it has ended");
    const { placeOf, readCheckpoint } = await import("./files.js");
    const folder = placeOf(operation, await this.directory(), name);
    const { agentState, rest, notes } = readCheckpoint(operation, folder, this.operation, this.agent.state);
    this.agent.state = agentState;
    this.completed = notes.iteration;
    this.totalTimesteps = notes.totalTimesteps;
    this.resumedAt = notes.totalTimesteps;
    this.lastCheckpoint = folder;
    this.restore(rest, notes);
    const { obs, player } = rest as { obs: unknown; player: Readonly<Record<string, unknown>> | null };
    const lost = player === null ? null : await this.player.load({ obs, ...player });
    const { config, networks = null } = notes.identity;
    const now = { ...this.agent.config, networks: this.agent.ownNetworks };
    const changes = warnOfChanges ? changedFields({ ...config, networks }, now) : null;
    const differences = [...(lost === null ? [] : [lost]), ...(changes === null ? [] : [changes])];
    if (differences.length > 0) warn(`${operation}: ${folder}: ${differences.join("; ")}`);
  }
}

const hasState = (vec: VecEnv): boolean => vec.getState !== undefined && vec.setState !== undefined;

/** The settings that differ from those of a checkpoint, in words. */
function changedFields(
  saved: Readonly<Record<string, unknown>>,
  now: Readonly<Record<string, unknown>>,
): string | null {
  const changes = Object.keys(now)
    .filter((name) => JSON.stringify(saved[name]) !== JSON.stringify(now[name]))
    .map((name) => `${name} is ${JSON.stringify(now[name])}, was ${JSON.stringify(saved[name])}`);
  return changes.length === 0 ? null : `the agent goes on with another config: ${changes.join(", ")}`;
}
