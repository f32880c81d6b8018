// The host's side of a run. A compiled program carries the training state forward; between its calls the host
// logs, evaluates, saves checkpoints, calls back, shows progress and listens whether it should stop.
import type { Array } from "../array/index.js";
import { completedConfig } from "../agent/index.js";
import type { RunDir } from "../runDir/index.js";
import type { CheckpointFiles } from "./byteFiles.js";
import { checkListeners } from "./checks.js";
import { RunnerConfig } from "./config.js";
import type { Change } from "./changes.js";
import type { Curve } from "./curve.js";
import type { LoggedRecord, MetricsRecord } from "./gathered.js";
import { outcomeOf } from "./finite.js";
import { Pace } from "./pace.js";
import { openFiles } from "./runFiles.js";
import { Session } from "./session.js";
import type { Trainer } from "./trainer.js";

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

/** Where metrics go, one record at a time: a `MetricsLogger`, a backend of one, or an object of your own. */
export interface RecordSink {
  /** Nobody waits for a promise; if it is broken, that is told once, and the run goes on. */
  log(record: LoggedRecord, step: number): unknown;
}

/** What tells a run to stop: an `AbortSignal`, whose type not every project has. */
export interface StopSignal {
  readonly aborted: boolean;
}

export interface RunOptions<A> {
  /** Called every `logInterval` steps, and waited for. */
  readonly callback?: ((step: number, agentState: A, metrics: MetricsRecord) => unknown) | null;
  readonly logger?: RecordSink | null;
  /** Called after every call of the compiled program. */
  readonly onProgress?: ((progress: Progress) => unknown) | null;
  /** Ends the run early, after the work in hand, with a checkpoint if there are any. */
  readonly signal?: StopSignal | null;
  /**
   * Called before the first step with the step that the run starts from, 0 or that of its checkpoint, and with the
   * settings that were changed since. `device` is what trains; null where nothing is left to train.
   */
  readonly onStart?: ((step: number, changes: readonly Change[], device: string | null) => unknown) | null;
  /**
   * Called with every checkpoint as the bytes of its files, and waited for: for runs without a directory, as in pages.
   * In a directory of checkpoints, the files are what a run is resumed from.
   */
  readonly onCheckpoint?: ((checkpoint: CheckpointFiles) => unknown) | null;
  /** Where the run keeps its config, metrics, checkpoints and reward curve. */
  readonly runDir?: RunDir | null;
}

export interface RunResult<S> {
  readonly state: S;
  /** Every update's metrics, by name: of shape (updates,), or (updates, seeds) for a run over several seeds. */
  readonly history: Readonly<Record<string, Array>>;
  /** The records of training, with the means of episodes; those of evaluations are apart. */
  readonly metricsLog: readonly MetricsRecord[];
  readonly evalLog: readonly MetricsRecord[];
  /** Every episode, in the order in which they ended. */
  readonly episodeReturns: readonly number[];
  readonly episodeLengths: readonly number[];
  readonly step: number;
  /** Whether it was stopped before its end. */
  readonly isStopped: boolean;
  /** The picture of its returns; `null` if there is no directory for it, or none was asked for. */
  readonly curve: Curve | null;
}

/** Runs a trainer to its end, or until it is told to stop. */
export async function run<S extends object, A>(
  trainer: Trainer<S>,
  runnerConfig: Partial<RunnerConfig> | undefined,
  { runDir, onCheckpoint, ...options }: RunOptions<A> = {},
): Promise<RunResult<S>> {
  const operation = `train${trainer.algorithm}`;
  const config = completedConfig(operation, "runnerConfig", RunnerConfig, runnerConfig);
  checkListeners(operation, { ...options, onCheckpoint });
  // What an earlier run has left is removed only once this one is known to compile.
  if (config.overwrite) await trainer.prepare(trainer.start());
  const files = await openFiles(operation, config, runDir, trainer, onCheckpoint);
  let session: Session<S, A> | null = null;
  try {
    session = await Session.begin(trainer, config, options, files);
    await drive(session, options.signal);
    const result = session.result();
    files.ended({ state: result.isStopped ? "stopped" : "done", step: result.step });
    await files.close();
    const isDrawn = config.plot && !result.isStopped;
    return { ...result, curve: isDrawn ? await curveOf(runDir ?? null) : null };
  } catch (error) {
    if (session !== null) files.ended(outcomeOf(error, session.step));
    // What went wrong first is what is told.
    await files.close().catch(() => undefined);
    throw error;
  }
}

/** The curve of a run that has a directory. What draws is loaded only then, so that browsers can train. */
async function curveOf(runDir: RunDir | null): Promise<Curve | null> {
  if (runDir === null) return null;
  const { drawCurve } = await import("./curve.js");
  return drawCurve(runDir);
}

async function drive<S extends object, A>(
  session: Session<S, A>,
  signal: StopSignal | null | undefined,
): Promise<void> {
  const pace = new Pace();
  while (!session.isOver && !isAborted(signal)) {
    const before = performance.now();
    const units = await session.advance(pace.patience);
    pace.tell(units, (performance.now() - before) / 1000);
    await session.attend();
    // From here on a step takes longer.
    if (session.isWarm) pace.restart();
    await nextTurn();
  }
  await session.end();
}

/** Asked anew each time: it changes while we wait. */
export const isAborted = (signal: StopSignal | null | undefined): boolean => signal?.aborted ?? false;

/** Lets the event loop turn: signals, timers and the page get their chance. */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    const host: { setImmediate?: (f: () => void) => void } = globalThis;
    if (host.setImmediate === undefined) sendToSelf(resolve);
    else host.setImmediate(resolve);
  });

/** Calls back in a later task. A message: timers of browsers wait 4 ms each once there are a few of them. */
function sendToSelf(callBack: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    callBack();
  };
  port2.postMessage(null);
}
