// The host's side of a run. A compiled program carries the training state forward; between its calls the host
// logs, evaluates, saves checkpoints, calls back, shows progress and listens whether it should stop.
import type { Array } from "../array/index.js";
import { checkedConfig } from "../agent/index.js";
import type { RunDir } from "../runDir/index.js";
import { checkListeners } from "./checks.js";
import { RunnerConfig } from "./config.js";
import type { MetricsRecord } from "./gathered.js";
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

/** Where metrics go, one record at a time. */
export interface RecordSink {
  /** Nobody waits for a promise; if it is broken, that is told once, and the run goes on. */
  log(record: MetricsRecord): unknown;
}

/** What tells a run to stop: an `AbortSignal`, whose type not every project has. */
export interface StopSignal {
  readonly aborted: boolean;
}

export interface RunOptions<A> {
  /** Called every `logInterval` steps, and waited for. */
  readonly callback?: (step: number, agentState: A, metrics: MetricsRecord) => unknown;
  readonly logger?: RecordSink;
  /** Called after every call of the compiled program. */
  readonly onProgress?: (progress: Progress) => unknown;
  /** Ends the run early, after the work in hand, with a checkpoint if there are any. */
  readonly signal?: StopSignal;
  /** Called before the first step with the step that the run starts from: 0, or that of its checkpoint. */
  readonly onStart?: (step: number) => unknown;
  /** Where the run keeps its metrics and checkpoints. */
  readonly runDir?: RunDir;
}

export interface RunResult<S> {
  readonly state: S;
  /** Every update's metrics, by name: of shape (updates,), or (updates, seeds) for a run over several seeds. */
  readonly history: Readonly<Record<string, Array>>;
  readonly metricsLog: readonly MetricsRecord[];
  readonly episodeReturns: readonly number[];
  readonly step: number;
  /** Whether it was stopped before its end. */
  readonly isStopped: boolean;
}

/** Runs a trainer to its end, or until it is told to stop. */
export async function run<S extends object, A>(
  trainer: Trainer<S>,
  runnerConfig: RunnerConfig,
  { runDir, ...options }: RunOptions<A> = {},
): Promise<RunResult<S>> {
  const operation = `train${trainer.algorithm}`;
  const config = checkedConfig(operation, "runnerConfig", RunnerConfig, runnerConfig);
  checkListeners(operation, options);
  // What an earlier run has left is removed only once this one is known to compile.
  if (config.overwrite) await trainer.prepare(trainer.start());
  const files = await openFiles(config, runDir, trainer);
  try {
    const session = await Session.begin(trainer, config, options, files);
    await drive(session, options.signal);
    const result = session.result();
    await files.close();
    return result;
  } catch (error) {
    // What went wrong first is what is told.
    await files.close().catch(() => undefined);
    throw error;
  }
}

async function drive<S extends object, A>(
  session: Session<S, A>,
  signal: StopSignal | undefined,
): Promise<void> {
  const pace = new Pace();
  while (!session.isOver && !isAborted(signal)) {
    const before = performance.now();
    const units = session.advance(pace.patience);
    pace.tell(units, (performance.now() - before) / 1000);
    await session.attend();
    // From here on a step takes longer.
    if (session.isWarm) pace.restart();
    await nextTurn();
  }
  await session.end();
}

/** Asked anew each time: it changes while we wait. */
const isAborted = (signal: StopSignal | undefined): boolean => signal?.aborted ?? false;

/** Lets the event loop turn: signals, timers and the page get their chance. */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    const host: { setImmediate?: (f: () => void) => void } = globalThis;
    if (host.setImmediate === undefined) setTimeout(resolve, 0);
    else host.setImmediate(resolve);
  });
