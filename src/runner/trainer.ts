// A training run as the host drives it: what an algorithm gives to the loop.
import type { Array } from "../array/index.js";
import type { Episodes, UpdateMetrics } from "./gathered.js";
import type { RunTraits } from "./runFiles.js";

/** A training run as the host drives it. `S` is the tree that the compiled program carries. */
export interface Trainer<S> extends RunTraits {
  readonly algorithm: string;
  readonly units: number;
  /** Units before the first update: they take less time than the others. */
  readonly warmupUnits: number;
  /** Whether the metrics of every update are part of the result. */
  readonly keepsHistory: boolean;
  readonly start: () => S;
  /** Compiles what the run needs, for states like this one. */
  readonly prepare: (state: S) => Promise<void>;
  /** The same for evaluations alone. */
  readonly prepareEvaluation: (state: S) => Promise<void>;
  /** The device that it was compiled for; null if it was not yet. */
  readonly device: () => string | null;
  /** Units that one call may do at most. */
  readonly longest: number;
  /** Does so many units of work, on devices that can while the event loop turns; the state that goes in is given up. */
  readonly advance: (state: S, units: number) => Promise<{ readonly state: S; readonly work: Work }>;
  /** Updates that were made after so many units. */
  readonly updatesAt: (unit: number) => number;
  /** What an update would measure now, where units can go by without one. */
  readonly measure?: (state: S) => UpdateMetrics;
  /** Plays greedily; the key is another one for every evaluation. */
  readonly evaluate: (state: S, key: Array) => Promise<Evaluation>;
  /** What the callback sees of the state. */
  readonly agentOf: (state: S) => object;
  /** The greedy action for one observation. */
  readonly act: (state: S, obs: Array) => Array;
  /** What of the agent must stay finite. */
  readonly paramsOf: (state: S) => object;
}

/** What an evaluation has found, means over its episodes. */
export type Evaluation = Readonly<Record<"evalReturn" | "evalLength", number>>;

/** What some units of work have measured. Numbers are of float32. */
export interface Work {
  /** For each unit the metrics of its update, or the means of several; `null` where it had none. */
  readonly updates: readonly (UpdateMetrics | null)[];
  /** Episodes that ended, in order. Their steps are counted from where the work began. */
  readonly episodes: Episodes;
}
