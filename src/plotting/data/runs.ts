// Runs on disk: their metrics, their configs, and which of them belong together.
import { fs, path } from "../../node/index.js";
import { explainFailure, isRecord } from "../../files/index.js";
import { readMetrics } from "../../metrics/index.js";
import { fail, listed } from "../error.js";
import { seriesOf, type Series } from "./series.js";

/** A run directory, or anything that has one, such as a `RunDir`. */
export type RunLike = string | { readonly root: string };

export interface Run {
  readonly root: string;
  /** The folder's name: `CartPole-v1_ppo_20260216_143022`. */
  readonly name: string;
  /** The name without the time: `CartPole-v1_ppo`. */
  readonly experiment: string;
  /** What `config.json` holds; empty if there is none. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

const operation = "plotRewardCurve";

/** The environment that a run's config names; "" if it names none. */
export const environmentOf = ({ config }: Run): string =>
  typeof config.env_id === "string" ? config.env_id : "";

const withoutTime = (name: string): string => name.replace(/_\d{8}_\d{6}(?:[_-]\d+)?$/, "");

function readConfig(file: string): Record<string, unknown> {
  if (!fs.existsSync(file)) return {};
  try {
    const config: unknown = JSON.parse(fs.readFileSync(file, "utf8"));
    return isRecord(config) ? config : {};
  } catch (error) {
    return fail(operation, `${file} cannot be read as JSON: ${explainFailure(error)}`);
  }
}

/** Reads one run directory. */
export function readRun(run: RunLike): Run {
  const root = path.resolve(typeof run === "string" ? run : run.root);
  const metrics = path.join(root, "logs", "metrics.jsonl");
  if (!fs.existsSync(metrics)) fail(operation, missingRun(root, metrics));
  const rows = readMetrics(metrics);
  if (rows.length === 0) fail(operation, `${metrics} is empty; nothing has been logged yet`);
  const name = path.basename(root);
  const config = readConfig(path.join(root, "config.json"));
  return { root, name, experiment: withoutTime(name), config, rows };
}

/** Why a directory is not a run, and which runs lie near it. */
function missingRun(root: string, metrics: string): string {
  const isFolder = (folder: string): boolean => fs.existsSync(folder) && fs.statSync(folder).isDirectory();
  const near = isFolder(root) ? root : path.dirname(root);
  const runs = !isFolder(near)
    ? []
    : fs.readdirSync(near).filter((name) => fs.existsSync(path.join(near, name, "logs", "metrics.jsonl")));
  const reason = isFolder(root)
    ? `${root} is not a run directory: it has no ${path.relative(root, metrics)}`
    : `${root} does not exist`;
  return `${reason}; runs in ${near}: ${listed(runs)}`;
}

/** The metrics of a run that are numbers anywhere, in the order in which they appear. */
export function keysOf({ rows }: Run): string[] {
  const keys = new Set<string>();
  for (const row of rows) {
    for (const [key, value] of Object.entries(row)) if (typeof value === "number") keys.add(key);
  }
  return [...keys];
}

const isFinite = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

/** One metric of a run over another. Times count from the start of the run. */
export function seriesIn(run: Run, xKey: string, yKey: string): Series {
  const keys = keysOf(run);
  for (const [name, key] of Object.entries({ xKey, yKey })) {
    if (!keys.includes(key)) {
      fail(
        operation,
        `${name} ${JSON.stringify(key)} is not in the metrics of ${run.name}; it has ${listed(keys)}`,
      );
    }
  }
  const times = xKey === "wall_time" ? run.rows.map((row) => row[xKey]).filter(isFinite) : [];
  const start = times.length === 0 ? 0 : times.reduce((least, time) => Math.min(least, time));
  const points = run.rows.flatMap(({ [xKey]: x, [yKey]: y }) =>
    isFinite(x) && isFinite(y) && isFinite(x - start) ? [[x - start, y] as const] : [],
  );
  if (points.length === 0) {
    fail(operation, `no line of the metrics of ${run.name} has both ${xKey} and ${yKey} as finite numbers`);
  }
  return seriesOf(points);
}

/** What a group of runs is named by: the experiment, the run, a dotted key of the config, or a function. */
export type GroupBy = "experiment" | "run" | (string & {}) | ((run: Run) => string);

/** A value in the config by its dotted name: `algo.lr`. */
const configValue = (config: unknown, key: string): unknown =>
  key.split(".").reduce<unknown>((value, part) => (isRecord(value) ? value[part] : undefined), config);

/** All dotted names in a config. */
const configKeys = (config: Readonly<Record<string, unknown>>, prefix = ""): string[] =>
  Object.entries(config).flatMap(([key, value]) =>
    isRecord(value) ? configKeys(value, `${prefix}${key}.`) : [`${prefix}${key}`],
  );

function groupName(run: Run, groupBy: GroupBy): string {
  if (typeof groupBy === "function") return groupBy(run);
  if (groupBy === "experiment") return run.experiment;
  if (groupBy === "run") return run.name;
  const value = configValue(run.config, groupBy);
  if (value === undefined) {
    const known = listed(["experiment", "run", ...configKeys(run.config)]);
    fail(
      operation,
      `groupBy ${JSON.stringify(groupBy)} is not in the config of ${run.name}; it can be ${known}`,
    );
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Runs by the names of their groups, in the order in which they were given. */
export function groupRuns(runs: readonly Run[], groupBy: GroupBy): Map<string, Run[]> {
  const groups = new Map<string, Run[]>();
  for (const run of runs) {
    const name = groupName(run, groupBy);
    groups.set(name, [...(groups.get(name) ?? []), run]);
  }
  return groups;
}
