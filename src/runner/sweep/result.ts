// What a sweep returns: a record for each run, and all of them as a table.
import { columns } from "../../files/index.js";
import type { DivergedError } from "../finite.js";
import type { MetricsRecord } from "../gathered.js";
import { showSetting, type SweepSetting } from "./grid.js";

/** One run of a sweep. */
export interface SweepRun<A extends object = object> {
  /** The values it was trained with, by the names of the grid. */
  readonly setting: SweepSetting;
  /** The setting in words: `lr 0.001, gamma 0.99`. */
  readonly name: string;
  readonly seed: number;
  /** Everything it has logged, evaluations included. */
  readonly records: readonly MetricsRecord[];
  /** The mean return of the episodes that ended before each step. */
  readonly curve: { readonly steps: readonly number[]; readonly returns: readonly number[] };
  /** The last return of the curve; `null` if no episode ended. */
  readonly finalReturn: number | null;
  /** The return of the last evaluation; `null` if it did not come to one. */
  readonly evalReturn: number | null;
  /** The trained agent; `null` if its numbers were lost. */
  readonly agentState: A | null;
  /** Why it was stopped, if its numbers were lost; the others went on. */
  readonly error: DivergedError | null;
}

export interface SweepResult<A extends object = object> {
  /** Setting by setting, and in each seed by seed. */
  readonly runs: readonly SweepRun<A>[];
  /** Whether it was stopped before its end; then some runs are missing. */
  readonly isStopped: boolean;
  /** A line for each setting: mean and standard deviation over its seeds. */
  toString(): string;
}

/** The record of a run that has logged so much. */
export function runOf<A extends object>(
  run: Pick<SweepRun<A>, "setting" | "name" | "seed" | "agentState" | "error">,
  records: readonly MetricsRecord[],
): SweepRun<A> {
  const returns = records.filter((record) => "episode_return" in record);
  const last = (key: string) => records.findLast((record) => key in record)?.[key] ?? null;
  return {
    ...run,
    records,
    curve: {
      steps: returns.map(({ step }) => step),
      returns: returns.map(({ episode_return: value }) => value),
    },
    finalReturn: last("episode_return"),
    evalReturn: last("eval_return"),
  };
}

/** The result of some runs. Consoles show it as its table. */
export function resultOf<A extends object>(runs: readonly SweepRun<A>[], isStopped: boolean): SweepResult<A> {
  const toString = (): string => tableOf(runs).join("\n");
  return { runs, isStopped, toString, ...{ [Symbol.for("nodejs.util.inspect.custom")]: toString } };
}

function tableOf(runs: readonly SweepRun[]): string[] {
  const names = [...new Set(runs.map(({ name }) => name))];
  const groups = names.map((name) => runs.filter((run) => run.name === name));
  const settings = Object.keys(runs[0]?.setting ?? {});
  const lost = runs.some(({ error }) => error !== null);
  const heads = settings.map((name) => name.slice(name.indexOf(".") + 1));
  const rows = groups.map((group) => [
    ...settings.map((name) => showSetting(group[0].setting[name])),
    String(group.length),
    spread(group.map(({ finalReturn }) => finalReturn)),
    spread(group.map(({ evalReturn }) => evalReturn)),
    ...(lost ? [String(group.filter(({ error }) => error !== null).length)] : []),
  ]);
  return columns([[...heads, "runs", "last return", "evaluation", ...(lost ? ["diverged"] : [])], ...rows]);
}

/** `475.2 ± 31.0` of the values that there are. */
function spread(values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return "–";
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  const squares = known.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const deviation = known.length > 1 ? ` ± ${Math.sqrt(squares / (known.length - 1)).toFixed(1)}` : "";
  return `${mean.toFixed(1)}${deviation}`;
}
