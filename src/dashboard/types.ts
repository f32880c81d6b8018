// What the dashboard's server and its page tell each other.
import type { Status } from "./status.js";

/** A run in the list. */
export interface RunSummary {
  readonly id: string;
  /** The id without its time. */
  readonly name: string;
  readonly env: string | null;
  readonly algo: string | null;
  readonly seed: number | null;
  readonly seeds: readonly number[] | null;
  readonly status: Status;
  readonly message: string | null;
  readonly step: number | null;
  readonly total: number | null;
  readonly records: number;
  /** Steps a second, lately. */
  readonly speed: number | null;
  readonly lastReturn: number | null;
  /** The best evaluation, or else the best mean of episodes. */
  readonly bestReturn: number | null;
  readonly isBestEvaluated: boolean;
  /** When it began and when its last record came, in seconds since 1970. */
  readonly began: number | null;
  readonly time: number | null;
  readonly metrics: readonly string[];
  /** The same for runs that differ in nothing but their seeds. */
  readonly group: string;
  /** Counts how often its numbers began anew, as when it goes on from a checkpoint. */
  readonly generation: number;
  /** Whether its log was read to its end. */
  readonly isLoaded: boolean;
}

/** Everything about all runs. */
export interface RunList {
  readonly baseDir: string;
  readonly version: string;
  readonly runs: readonly RunSummary[];
}

/** What the page asks for when a run is opened. */
export interface RunDetails {
  readonly id: string;
  readonly config: Readonly<Record<string, unknown>> | null;
  readonly configProblem: string | null;
  readonly checkpoints: readonly { readonly step: number; readonly isBest: boolean; readonly time: number }[];
  readonly videos: readonly string[];
  /** The command that goes on with it, or why there is none. */
  readonly resume: { readonly command: string } | { readonly problem: string };
  /** How the page makes its environment, or why it cannot. */
  readonly play:
    | {
        readonly envId: string;
        readonly envParams: Readonly<Record<string, unknown>>;
        /** How many agents a checkpoint holds; null: one. */
        readonly members: number | null;
      }
    | { readonly problem: string };
}

/** The new values of a metric: `start` of them came before. */
export interface AddedValues {
  readonly start: number;
  readonly x: readonly number[];
  readonly y: readonly (number | null)[];
}

/** What is told while the page is open. */
export type DashboardEvent =
  | { readonly kind: "runs"; readonly runs: readonly RunSummary[] }
  | { readonly kind: "gone"; readonly ids: readonly string[] }
  | {
      readonly kind: "points";
      readonly id: string;
      readonly generation: number;
      readonly metrics: Readonly<Record<string, AddedValues>>;
    }
  /** Its curves are to be asked for again: too much has come, or it began anew. */
  | { readonly kind: "reload"; readonly ids: readonly string[] }
  /** Its checkpoints, videos or config have changed. */
  | { readonly kind: "files"; readonly id: string };

/** What comes before the numbers of curves: for each its points, the values it stands for, and its generation. */
export interface CurvesHeader {
  readonly metric: string;
  readonly curves: readonly {
    readonly id: string;
    readonly points: number;
    readonly total: number;
    readonly generation: number;
  }[];
}
