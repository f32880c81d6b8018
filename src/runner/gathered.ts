// What a run gathers on the host until the next line of its log. It is small plain data that a checkpoint holds, and
// adding up goes in order, so that it does not matter how the work was divided.
import { snakeCaseName } from "../files/index.js";

/** The metrics of an update; of a run over several seeds one number for each. */
export type UpdateMetrics = Readonly<Record<string, number | readonly number[]>>;

/** Episodes that ended, in order: what each returned, its length, and the step at which it ended. */
export interface Episodes {
  readonly returns: readonly number[];
  readonly lengths: readonly number[];
  readonly steps: readonly number[];
}

/** A line of the log in numbers: of several updates or episodes their means. */
export type MetricsRecord = Readonly<Record<string, number>>;

/** The episodes of a line of the log, where any have ended. */
export interface EpisodeLists {
  readonly episode_returns?: readonly number[];
  readonly episode_lengths?: readonly number[];
  /** The steps at which they ended. */
  readonly episode_steps?: readonly number[];
}

/** A line of the log as it is written: numbers, and every episode. */
export type LoggedRecord = MetricsRecord & EpisodeLists;

/** What has come together since the last line of the log. */
interface Since {
  readonly sums: Record<string, number>;
  /** Of metrics that are no means by nature. */
  readonly latest: Record<string, number>;
  updates: number;
  readonly episodes: { readonly [K in keyof Episodes]: number[] };
}

export interface Gathered {
  /** Units of work that are done. */
  unit: number;
  since: Since;
  /** The last ones, for the progress line. */
  episodeReturn: number | null;
  evalReturn: number | null;
}

const nothing = (): Since => ({
  sums: {},
  latest: {},
  updates: 0,
  episodes: { returns: [], lengths: [], steps: [] },
});

/** A run that has not begun. */
export const gatheredNothing = (): Gathered => ({
  unit: 0,
  since: nothing(),
  episodeReturn: null,
  evalReturn: null,
});

const sumOf = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0);

const meanOf = (value: number | readonly number[]): number =>
  typeof value === "number" ? value : sumOf(value) / value.length;

/** Metrics that are settings of their moment, such as a chance that falls: their mean says nothing, the last one does. */
const settings: ReadonlySet<string> = new Set(["epsilon", "alpha"]);

/** Whether a log has the last value of a metric rather than the mean. */
export const isSetting = (name: string): boolean => settings.has(name);

/** Adds the metrics of an update, or the means of `count` updates; several seeds count with their mean. */
export function addUpdate({ since }: Gathered, metrics: UpdateMetrics, count = 1): void {
  since.updates += count;
  for (const [name, value] of Object.entries(metrics)) {
    if (isSetting(name)) since.latest[name] = meanOf(value);
    else since.sums[name] = (since.sums[name] ?? 0) + count * meanOf(value);
  }
}

/** Adds episodes that ended. Their steps are counted from `from`. */
export function addEpisodes({ since: { episodes } }: Gathered, ended: Episodes, from: number): void {
  ended.returns.forEach((one, at) => {
    episodes.returns.push(one);
    episodes.lengths.push(ended.lengths[at]);
    episodes.steps.push(from + ended.steps[at]);
  });
}

/** The line of the log: means, or last values, of what came together since the last one, and every episode. */
export function takeRecord(gathered: Gathered, step: number): LoggedRecord {
  const { sums, latest, updates, episodes } = gathered.since;
  const { returns, lengths, steps } = episodes;
  const measured = [
    ...Object.entries(sums).map(([name, sum]) => [name, sum / updates] as const),
    ...Object.entries(latest),
  ].map(([name, value]) => [snakeCaseName(name), value] as const);
  gathered.since = nothing();
  const record: MetricsRecord = { step, ...Object.fromEntries(measured) };
  if (returns.length === 0) return record;
  gathered.episodeReturn = meanOf(returns);
  const lists: EpisodeLists = { episode_returns: returns, episode_lengths: lengths, episode_steps: steps };
  const means: MetricsRecord = { episode_return: gathered.episodeReturn, episode_length: meanOf(lengths) };
  return Object.assign({}, record, means, lists);
}

/** A record without its lists. */
export const numbersOf = (record: LoggedRecord): MetricsRecord =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => typeof value === "number"));

/** A list of a record; empty where it has none. */
export const listIn = (record: EpisodeLists, name: keyof EpisodeLists): readonly number[] =>
  record[name] ?? [];
