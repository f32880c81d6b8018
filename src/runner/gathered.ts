// What a run gathers on the host until the next line of its log. It is small plain data that a checkpoint holds, and
// adding up goes in order, so that it does not matter how the work was divided.

/** The metrics of an update; of a run over several seeds one number for each. */
export type UpdateMetrics = Readonly<Record<string, number | readonly number[]>>;

/** Returns and lengths of some episodes, summed, and how many they were. */
export interface Episodes {
  readonly returns: number;
  readonly lengths: number;
  readonly count: number;
}

/** A line of the log. */
export type MetricsRecord = Readonly<Record<string, number>>;

/** What has come together since the last line of the log. */
interface Since {
  readonly sums: Record<string, number>;
  /** Of metrics that are no means by nature. */
  readonly latest: Record<string, number>;
  updates: number;
  episodes: Episodes;
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
  episodes: { returns: 0, lengths: 0, count: 0 },
});

/** A run that has not begun. */
export const gatheredNothing = (): Gathered => ({
  unit: 0,
  since: nothing(),
  episodeReturn: null,
  evalReturn: null,
});

const meanOf = (value: number | readonly number[]): number =>
  typeof value === "number" ? value : value.reduce((sum, one) => sum + one, 0) / value.length;

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

/** Adds episodes that ended. */
export function addEpisodes({ since }: Gathered, { returns, lengths, count }: Episodes): void {
  const before = since.episodes;
  since.episodes = {
    returns: before.returns + returns,
    lengths: before.lengths + lengths,
    count: before.count + count,
  };
}

/** The line of the log: means, or last values, of what came together since the last one, which is forgotten. */
export function takeRecord(gathered: Gathered, step: number): MetricsRecord {
  const { sums, latest, updates, episodes } = gathered.since;
  const { returns, lengths, count } = episodes;
  const means = Object.entries(sums).map(([name, sum]) => [name, sum / updates] as const);
  const metrics = [...means, ...Object.entries(latest)].map(([name, value]) => [diskName(name), value]);
  if (count > 0) gathered.episodeReturn = returns / count;
  gathered.since = nothing();
  return {
    step,
    ...(Object.fromEntries(metrics) as MetricsRecord),
    ...(count > 0 ? { episode_return: returns / count, episode_length: lengths / count } : {}),
  };
}

/** `totalLoss` as `total_loss`. */
const diskName = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
