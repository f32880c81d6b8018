// Sweeps: training over a grid of settings and seeds. Runs that differ in seeds and traceable settings share one
// compiled program, whose arguments these are; settings that change shapes have programs of their own.
import { fail } from "../../array/index.js";
import { checkedConfig, completedConfig, type ConfigBuilder } from "../../agent/index.js";
import {
  DQNConfig,
  PPOConfig,
  SACConfig,
  type DQNState,
  type PPOState,
  type SACState,
} from "../../algorithms/index.js";
import type { Environment } from "../../env/index.js";
import { checkListeners, checkOptions } from "../checks.js";
import { RunnerConfig } from "../config.js";
import type { Family, Member } from "../family.js";
import { DivergedError } from "../finite.js";
import type { MetricsRecord } from "../gathered.js";
import { run, type Progress, type RunOptions, type StopSignal } from "../loop.js";
import {
  dqnFamily,
  sacFamily,
  trainDQN,
  trainSAC,
  type TrainDQNOptions,
  type TrainSACOptions,
} from "../offPolicy.js";
import { ppoFamily, trainPPO, type TrainPPOOptions } from "../ppo.js";
import { checkGrid, nameOf, partOf, settingsOf, type SweepGrid, type SweepSetting } from "./grid.js";
import { resultOf, runOf, type SweepResult, type SweepRun } from "./result.js";

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
}

type Own<O, A extends object> = Omit<O, keyof RunOptions<A> | "seeds"> & SweepListeners<A>;

export type SweepPPOOptions = Own<TrainPPOOptions, PPOState>;
export type SweepDQNOptions = Own<TrainDQNOptions, DQNState>;
export type SweepSACOptions = Own<TrainSACOptions, SACState>;

/** What a sweep needs to know of an algorithm. */
interface Algorithm {
  /** The names of its config and of its other options. */
  readonly config: string;
  readonly options: readonly string[];
  readonly builder: ConfigBuilder<object>;
  readonly family: (env: Environment, params: unknown, options: object) => Family<object>;
}

const algorithms = new Map<unknown, Algorithm>([
  [
    trainPPO,
    { config: "ppoConfig", options: ["obsShape", "nActions"], builder: PPOConfig, family: ppoFamily },
  ],
  [
    trainDQN,
    { config: "dqnConfig", options: ["obsShape", "nActions"], builder: DQNConfig, family: dqnFamily },
  ],
  [
    trainSAC,
    { config: "sacConfig", options: ["obsShape", "actionDim"], builder: SACConfig, family: sacFamily },
  ],
] as unknown as [unknown, Algorithm][]);

const listenerNames = ["onRun", "onProgress", "signal"];

/**
 * Trains once for every combination of the grid's values and each of its seeds. A run of a sweep is the run that
 * `train` makes alone with the same setting and seed, bit for bit. A run whose numbers are lost does not stop the
 * others.
 */
export function sweep<S, P>(
  train: typeof trainPPO,
  env: Environment<S, P>,
  envParams: P,
  options: SweepPPOOptions,
  grid: SweepGrid<PPOConfig>,
): Promise<SweepResult<PPOState>>;
export function sweep<S, P>(
  train: typeof trainDQN,
  env: Environment<S, P>,
  envParams: P,
  options: SweepDQNOptions,
  grid: SweepGrid<DQNConfig>,
): Promise<SweepResult<DQNState>>;
export function sweep<S, P>(
  train: typeof trainSAC,
  env: Environment<S, P>,
  envParams: P,
  options: SweepSACOptions,
  grid: SweepGrid<SACConfig>,
): Promise<SweepResult<SACState>>;
export async function sweep(
  train: unknown,
  env: unknown,
  envParams: unknown,
  options: SweepListeners<object> & { readonly runnerConfig?: Partial<RunnerConfig> | undefined },
  grid: Readonly<Record<string, unknown>>,
): Promise<SweepResult> {
  const algorithm = algorithms.get(train);
  if (algorithm === undefined) fail("sweep", "needs trainPPO, trainDQN or trainSAC as its first argument");
  const { onProgress, signal } = options;
  const plans = planOf(algorithm, env as Environment, envParams, options, grid);
  const runs: SweepRun[] = [];
  let isStopped = signal?.aborted ?? false;
  for (const [at, { setting, name, runnerConfig, family, member }] of plans.entries()) {
    if (isStopped) break;
    const { seed } = member;
    const records: MetricsRecord[] = [];
    const listeners: RunOptions<object> = {
      logger: { log: (record) => void records.push(record) },
      onProgress: (progress) => onProgress?.({ ...progress, run: at, runs: plans.length, name, seed }),
      ...(signal === undefined ? {} : { signal }),
    };
    const trainer = family(member);
    try {
      const result = await run(trainer, runnerConfig, listeners);
      if (result.isStopped) isStopped = true;
      else
        runs.push(
          runOf({ setting, name, seed, agentState: trainer.agentOf(result.state), error: null }, records),
        );
    } catch (error) {
      if (!(error instanceof DivergedError)) throw error;
      runs.push(runOf<object>({ setting, name, seed, agentState: null, error }, records));
    }
    if (!isStopped) await options.onRun?.(runs[runs.length - 1]);
  }
  return resultOf(runs, isStopped);
}

/** A run to be made. */
interface Plan {
  readonly setting: SweepSetting;
  readonly name: string;
  readonly runnerConfig: RunnerConfig;
  readonly family: Family<object>;
  readonly member: Member;
}

/** The runs of a sweep, all checked before the first of them begins. */
function planOf(
  { config: configName, options: own, builder, family: familyOf }: Algorithm,
  env: Environment,
  envParams: unknown,
  options: SweepListeners<object> & { readonly runnerConfig?: Partial<RunnerConfig> | undefined },
  grid: Readonly<Record<string, unknown>>,
): Plan[] {
  checkOptions("sweep", options, [configName, "runnerConfig", ...own, ...listenerNames]);
  checkListeners("sweep", { ...options });
  const runner = completedConfig("sweep", "runnerConfig", RunnerConfig, options.runnerConfig);
  checkGrid(grid, { algo: Object.keys(builder.defaults), runner: Object.keys(RunnerConfig.defaults) });
  const { [configName]: given } = options as unknown as Readonly<Record<string, unknown>>;
  const base = completedConfig("sweep", configName, builder, given as object | undefined);
  const families = new Map<string, Family<object>>();
  const { seeds = [runner.seed] } = grid as { readonly seeds?: readonly number[] };
  return settingsOf(grid).flatMap((setting) => {
    const name = nameOf(setting);
    const called = (config: string) => (name === "" ? config : `${config} with ${name}`);
    const algo = checkedConfig("sweep", called(configName), builder, { ...base, ...partOf(setting, "algo") });
    const runnerConfig = checkedConfig("sweep", called("runnerConfig"), RunnerConfig, {
      ...runner,
      ...partOf(setting, "runner"),
    });
    checkFiles(runnerConfig);
    const { values, key } = divide(setting, builder.traceable);
    const family =
      families.get(key) ?? familyOf(env, envParams, { ...options, [configName]: algo, runnerConfig });
    families.set(key, family);
    return seeds.map((seed) => ({
      ...{ setting, name, family, member: { seed, values } },
      runnerConfig: { ...runnerConfig, seed },
    }));
  });
}

/** The values of a setting that are arguments of its program, and what tells its program from others. */
function divide(
  setting: SweepSetting,
  traceable: readonly string[],
): { readonly values: Record<string, number>; readonly key: string } {
  const values: Record<string, number> = {};
  const statics: Record<string, unknown> = { ...setting };
  for (const [field, value] of Object.entries(partOf(setting, "algo"))) {
    if (typeof value !== "number" || !traceable.includes(field)) continue;
    values[field] = value;
    statics[`algo.${field}`] = "traced";
  }
  return { values, key: JSON.stringify(statics) };
}

/** A sweep has no directory for each run. */
function checkFiles({ checkpointDir, resume }: RunnerConfig): void {
  if (checkpointDir === null && !resume) return;
  fail(
    "sweep",
    "keeps no files: leave out checkpointDir and resume, or train the runs one by one (vibe-rl train --sweep)",
  );
}
