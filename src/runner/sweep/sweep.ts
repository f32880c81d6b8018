// Sweeps: training over a grid of settings and seeds. Runs that differ in seeds and traceable settings share one
// compiled program, whose arguments these are; settings that change shapes have programs of their own.
import { fail } from "../../array/index.js";
import type {
  DQNConfig,
  DQNState,
  PPOConfig,
  PPOState,
  SACConfig,
  SACState,
} from "../../algorithms/index.js";
import type { Environment } from "../../env/index.js";
import type { RunnerConfig } from "../config.js";
import { DivergedError } from "../finite.js";
import { numbersOf, type MetricsRecord } from "../gathered.js";
import { run, type Progress, type RunOptions, type StopSignal } from "../loop.js";
import type { trainDQN, TrainDQNOptions } from "../dqn.js";
import type { trainSAC, TrainSACOptions } from "../sac.js";
import type { trainPPO, TrainPPOOptions } from "../ppo.js";
import { trainedBy, trainNames } from "../registry.js";
import type { SweepGrid } from "./grid.js";
import { groupsOf, planOf, type Plan } from "./plan.js";
import { resultOf, runOf, type SweepResult, type SweepRun } from "./result.js";
import { runTogether, type Outcome, type Seat } from "./together.js";

/** How far a sweep is. */
export interface SweepProgress extends Progress {
  /** The run that is being trained, counted from 0, and how many there are. */
  readonly run: number;
  readonly runs: number;
  readonly name: string;
  readonly seed: number;
}

/** What a sweep takes besides what the algorithm's own training does. */
interface SweepListeners<A extends object> {
  /** Called when a run is over. */
  onRun?(run: SweepRun<A>): unknown;
  readonly onProgress?: (progress: SweepProgress) => unknown;
  /** Ends the sweep early, with the run in hand. */
  readonly signal?: StopSignal;
  /** How many runs of one program are trained side by side (by `vmap`), as far as memory allows. Default 1. */
  readonly sideBySide?: number;
}

type Own<O, A extends object> = Omit<O, keyof RunOptions<A> | "seeds"> & SweepListeners<A>;

export type SweepPPOOptions = Own<TrainPPOOptions, PPOState>;
export type SweepDQNOptions = Own<TrainDQNOptions, DQNState>;
export type SweepSACOptions = Own<TrainSACOptions, SACState>;

/** A sweep of one algorithm. */
type SweepOf<Train, Options, Config, State extends object> = <S, P>(
  train: Train,
  env: Environment<S, P>,
  envParams: P,
  options: Options,
  grid: SweepGrid<Config>,
) => Promise<SweepResult<State>>;

type Sweep = SweepOf<typeof trainPPO, SweepPPOOptions, PPOConfig, PPOState> &
  SweepOf<typeof trainDQN, SweepDQNOptions, DQNConfig, DQNState> &
  SweepOf<typeof trainSAC, SweepSACOptions, SACConfig, SACState>;

/**
 * Trains once for every combination of the grid's values and each of its seeds. A run of a sweep is the run that
 * `train` makes alone with the same setting and seed, bit for bit. A run whose numbers are lost does not stop the
 * others.
 */
export const sweep = sweepAny as Sweep;

async function sweepAny(
  train: unknown,
  env: unknown,
  envParams: unknown,
  options: SweepListeners<object> & { readonly runnerConfig?: Partial<RunnerConfig> | undefined },
  grid: Readonly<Record<string, unknown>>,
): Promise<SweepResult> {
  const algorithm = trainedBy(train);
  if (algorithm === undefined) {
    fail(
      "sweep",
      `needs ${trainNames.slice(0, -1).join(", ")} or ${trainNames.at(-1)} as its first argument`,
    );
  }
  const { onProgress, signal, sideBySide = 1 } = options;
  const plans = planOf(algorithm, env as Environment, envParams, options, grid);
  const runs: SweepRun[] = [];
  const isAborted = () => signal?.aborted ?? false;
  let isStopped = isAborted();
  for (const group of groupsOf(plans, sideBySide)) {
    if (isStopped) break;
    const logs = group.map((): MetricsRecord[] => []);
    const seats = group.map((plan, at) => ({ ...plan, listeners: listenersOf(plan, logs[at]) }));
    const outcomes =
      seats.length === 1 ? [await runAlone(seats[0])] : await runTogether(seats[0].family, seats, signal);
    isStopped = outcomes.some((outcome) => outcome.isStopped);
    for (const [at, { agentState, error, isStopped: isCut }] of outcomes.entries()) {
      if (isCut) continue;
      const { setting, name, member, index } = group[at];
      runs[index] = runOf({ setting, name, seed: member.seed, agentState, error }, logs[at]);
      await options.onRun?.(runs[index]);
    }
    isStopped ||= isAborted();
  }
  // Runs that were not made leave holes.
  const made = runs.filter(() => true);
  return resultOf(made, made.length < plans.length);

  function listenersOf({ name, member, index }: Plan, log: MetricsRecord[]): RunOptions<object> {
    const place = { run: index, runs: plans.length, name, seed: member.seed };
    return {
      logger: { log: (record) => void log.push(numbersOf(record)) },
      onProgress: (progress) => onProgress?.({ ...progress, ...place }),
      ...(signal === undefined ? {} : { signal }),
    };
  }
}

/** Trains one member of a family. */
async function runAlone({ family, member, runnerConfig, listeners }: Plan & Seat): Promise<Outcome> {
  const trainer = family(member);
  try {
    const { state, isStopped } = await run(trainer, runnerConfig, listeners);
    return { agentState: trainer.agentOf(state), error: null, isStopped };
  } catch (error) {
    if (!(error instanceof DivergedError)) throw error;
    return { agentState: null, error, isStopped: false };
  }
}
