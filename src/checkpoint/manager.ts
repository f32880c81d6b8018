// A directory of checkpoints that is kept in order during a run.
import { problemWith, rules, type Rule } from "../array/index.js";
import { planRemoval, runInBackground, runNow, type Action, type Plan } from "../files/index.js";
import { path } from "../node/index.js";
import { CheckpointError, DamagedCheckpointError } from "./errors.js";
import { loadFrom, type LoadOptions } from "./load.js";
import { readManifest } from "./manifest.js";
import { isOwnCheckpoint } from "./own.js";
import { bestFirst, stepsToRemove } from "./retention.js";
import { planCheckpoint, prepareCheckpoint, writeError, type SaveOptions } from "./save.js";
import { bestCheckpoint, checkStep, listCheckpoints, markedStep, type Checkpoint } from "./steps.js";

/** Numbers that a checkpoint is judged by. */
export type CheckpointMetrics = Readonly<Record<string, number>>;

export interface CheckpointManagerOptions {
  /** How many recent checkpoints to keep; with `bestFn` the best ones and the newest. `null`: all. Default 5. */
  readonly maxToKeep?: number | null;
  /** Keeps one checkpoint for good every so many steps. Default `null`: none. */
  readonly keepPeriod?: number | null;
  /** Saves once in so many steps: at the first `save` at or after each multiple. Default 1: every time. */
  readonly saveIntervalSteps?: number;
  /** The step the run starts from, which counts as saved. Default 0. */
  readonly startStep?: number;
  /** Whether `save` returns before the files are written. Default true. */
  readonly asyncWrites?: boolean;
  /** How long `wait` and `close` wait for the files, in milliseconds. Default 600 000. */
  readonly timeoutMs?: number;
  /** What makes a checkpoint good, from the metrics given to `save`. Default: none. */
  readonly bestFn?: ((metrics: CheckpointMetrics) => number) | null;
  /** Whether large or small values of `bestFn` are good. Default "max". */
  readonly bestMode?: "max" | "min";
}

export interface ManagerSaveOptions extends Omit<SaveOptions, "step"> {
  /** What `bestFn` judges. */
  readonly metrics?: CheckpointMetrics;
  /** Saves even if `saveIntervalSteps` says that it is not time. Default false. */
  readonly force?: boolean;
  /** What else is to be done on the disk before the checkpoint appears. If it fails, there is no checkpoint. */
  readonly before?: readonly Action[];
  /** What is to be done once the checkpoint is safe. */
  readonly after?: readonly Action[];
}

/** Saves, keeps and restores the checkpoints of a run. */
export interface CheckpointManager {
  readonly directory: string;
  /**
   * Copies the tree now and writes it, in the background unless told otherwise. Returns whether it was time to save.
   * A background write that failed is reported by the next `save`, `wait` or `close`.
   */
  save(step: number, tree: unknown, options?: ManagerSaveOptions): boolean;
  /** Waits for writes under way, then loads as `loadCheckpoint` does. */
  restore<T>(like: T, options?: LoadOptions): Promise<T>;
  /** The newest step on the disk; `null` if there is none. */
  latestStep(): number | null;
  /** The steps on the disk, in order. */
  allSteps(): number[];
  /** The best step by `bestFn`; without one, the step that `markBest` marked. */
  bestStep(): number | null;
  /** Waits until everything is written; fails if that failed, or took longer than `timeoutMs`. */
  wait(): Promise<void>;
  /** Waits, then refuses further saves. */
  close(): Promise<void>;
}

/** A manager of the checkpoints in a directory. One process at a time may write there. */
export function CheckpointManager(dir: string, options: CheckpointManagerOptions = {}): CheckpointManager {
  const {
    maxToKeep = 5,
    keepPeriod = null,
    saveIntervalSteps = 1,
    startStep = 0,
    asyncWrites = true,
    timeoutMs = 600_000,
    bestFn = null,
    bestMode = "max",
  } = options;
  checkOptions({ maxToKeep, keepPeriod, saveIntervalSteps, startStep, timeoutMs, bestMode });
  const directory = path.resolve(dir);
  const scores = new Map<number, number | null>();
  let lastStep = startStep;
  let writing: Promise<void> = Promise.resolve();
  let waitingWrites = 0;
  let failure: Error | null = null;
  let isClosed = false;

  const score = (step: number): number | null => {
    const known = scores.get(step) ?? storedScore(directory, step);
    scores.set(step, known);
    return known;
  };
  const steps = (): number[] => listCheckpoints(directory).map(({ step }) => step);
  // Folders that were looked into, so that a directory of many is not read anew for each of them.
  const own = new Set<string>();
  const isOwn = ({ path: folder }: Checkpoint): boolean => {
    if (!own.has(folder) && isOwnCheckpoint(folder)) own.add(folder);
    return own.has(folder);
  };

  /** Removes what is not to be kept, now that `step` is safe on the disk. What is not ours does not count. */
  const removals = (step: number): Plan[] => {
    if (maxToKeep === null) return [];
    const listed = listCheckpoints(directory).filter(isOwn);
    const all = listed.map((checkpoint) => checkpoint.step);
    const marked = markedStep(directory);
    const keep = [step, ...all.slice(-1), ...(marked === null ? [] : [marked])];
    const retention = { maxToKeep, keepPeriod, bestMode };
    const removed = new Set(stepsToRemove(all, retention, keep, bestFn === null ? null : score));
    const old = listed.filter((checkpoint) => removed.has(checkpoint.step));
    for (const checkpoint of old) {
      own.delete(checkpoint.path);
      scores.delete(checkpoint.step);
    }
    // Looked at once more: somebody may have put something into it meanwhile.
    return old
      .map((checkpoint) => checkpoint.path)
      .filter(isOwnCheckpoint)
      .map(planRemoval);
  };

  const reportFailure = (): void => {
    const reported = failure;
    failure = null;
    if (reported !== null) throw reported;
  };

  const save = (step: number, tree: unknown, saveOptions: ManagerSaveOptions = {}): boolean => {
    const operation = "CheckpointManager.save";
    if (isClosed)
      throw new CheckpointError(`${operation}: the manager of ${directory} is closed; make a new one`);
    checkStep(operation, step);
    reportFailure();
    const { metrics = {}, force = false, before = [], after = [], ...rest } = saveOptions;
    // A step behind the last one is that of a run that went back.
    const isTime =
      step === 0 || Math.floor(step / saveIntervalSteps) !== Math.floor(lastStep / saveIntervalSteps);
    if (!isTime && !force) return false;
    const value = bestFn === null ? NaN : bestFn(metrics);
    const ownScore = Number.isFinite(value) ? value : null;
    const prepared = prepareCheckpoint(operation, directory, tree, { ...rest, step, score: ownScore });
    lastStep = step;
    /** The plans of a save, each made when the one before it is carried out. */
    const plans = function* (): Generator<Plan> {
      const plan = planCheckpoint(operation, prepared);
      yield { ...plan, actions: [...before, ...plan.actions] };
      scores.set(step, ownScore);
      yield { actions: after, undo: [] };
      yield* removals(step);
    };
    if (!asyncWrites) {
      try {
        for (const plan of plans()) runNow(plan);
      } catch (error) {
        throw writeError(operation, prepared.target, error);
      }
      return true;
    }
    const write = async (): Promise<void> => {
      try {
        for (const plan of plans()) await runInBackground(plan);
      } catch (error) {
        failure ??= writeError(operation, prepared.target, error);
      } finally {
        waitingWrites--;
      }
    };
    waitingWrites++;
    writing = writing.then(write);
    return true;
  };

  const wait = async (): Promise<void> => {
    await withTimeout(
      writing,
      timeoutMs,
      () =>
        `CheckpointManager: ${waitingWrites} checkpoints are not written to ${directory} after ${timeoutMs} ms; ` +
        `check the disk, save less often or raise timeoutMs`,
    );
    reportFailure();
  };

  return {
    directory,
    save,
    restore: async (like, loadOptions = {}) => {
      await wait();
      const loaded = loadFrom("CheckpointManager.restore", directory, like, loadOptions);
      lastStep = loaded.step ?? lastStep;
      return loaded.tree;
    },
    latestStep: () => steps().at(-1) ?? null,
    allSteps: steps,
    bestStep: () => {
      if (bestFn === null) return bestCheckpoint(directory)?.step ?? null;
      const [best] = bestFirst(steps().reverse(), score, bestMode);
      return best ?? null;
    },
    wait,
    close: async () => {
      isClosed = true;
      await wait();
    },
  };
}

/** The score in a checkpoint's manifest; a damaged one has none. */
function storedScore(directory: string, step: number): number | null {
  const checkpoint = listCheckpoints(directory).find((one) => one.step === step);
  if (checkpoint === undefined) return null;
  try {
    return readManifest(checkpoint.path).score;
  } catch (error) {
    if (error instanceof DamagedCheckpointError) return null;
    throw error;
  }
}

/** Fails with a message if a promise takes too long. */
async function withTimeout(promise: Promise<void>, timeoutMs: number, message: () => string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new CheckpointError(message())), timeoutMs);
  });
  try {
    await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

const managerRules = {
  ...{ maxToKeep: rules.orNull(rules.whole(1)), keepPeriod: rules.orNull(rules.whole(1)) },
  ...{ saveIntervalSteps: rules.whole(1), startStep: rules.whole(0) },
  // Timers take no longer than this.
  timeoutMs: rules.rule(
    "a number greater than 0 and less than 2 ** 31",
    (value) => rules.positive(value) === null && (value as number) < 2 ** 31,
  ),
  bestMode: rules.oneOf(["max", "min"]),
} satisfies Readonly<Record<string, Rule>>;

function checkOptions(options: Readonly<Record<keyof typeof managerRules, unknown>>): void {
  for (const [name, wants] of Object.entries(managerRules)) {
    const problem = problemWith(name, options[name as keyof typeof managerRules], wants);
    if (problem !== null) throw new CheckpointError(`CheckpointManager: ${problem}`);
  }
}
