// What a run's config.json tells the dashboard; a file that cannot be read tells why.
import { explainFailure, isRecord, toCamelCase } from "../files/index.js";
import { fs, crypto } from "../node/index.js";

/** A config as plain data, keys as on the disk. */
export type PlainConfig = Readonly<Record<string, unknown>>;

export interface RunConfig {
  /** The file as it is; null if it cannot be read. */
  readonly plain: PlainConfig | null;
  readonly problem: string | null;
  readonly env: string | null;
  /** The id that `make` takes, and the parameters that differ from its own; null if `make` has not made it. */
  readonly envId: string | null;
  readonly envParams: PlainConfig;
  readonly algo: string | null;
  readonly seed: number | null;
  /** The seeds of a run that has several side by side. */
  readonly seeds: readonly number[] | null;
  readonly total: number | null;
  /** Steps of one update or less. */
  readonly unit: number;
  readonly imports: readonly string[];
  readonly hasOwnNetworks: boolean;
  /** The same for runs that differ in nothing but their seeds. */
  readonly group: string;
}

const record = (value: unknown): PlainConfig => (isRecord(value) ? value : {});
const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
const number = (value: unknown): number | null => (typeof value === "number" ? value : null);

/** Everything but what differs from run to run of one experiment. */
function groupOf(plain: PlainConfig): string {
  const { runner, seeds: _, changes: _changes, loggers: _loggers, ...rest } = plain;
  const { seed: _seed, checkpoint_dir: _dir, ...kept } = record(runner);
  return crypto
    .createHash("sha256")
    .update(JSON.stringify({ ...rest, runner: kept }))
    .digest("hex")
    .slice(0, 12);
}

/** The config in a file; `file` is null where there is none. */
export function readRunConfig(file: string | null): RunConfig {
  try {
    if (file === null) return configFrom(null, "it has no config.json inside the directory of all runs");
    const plain: unknown = JSON.parse(fs.readFileSync(file, "utf8"));
    return isRecord(plain)
      ? configFrom(plain, null)
      : configFrom(null, "its config.json holds something else than a config");
  } catch (error) {
    return configFrom(null, `its config.json cannot be read: ${explainFailure(error)}`);
  }
}

function configFrom(plain: PlainConfig | null, problem: string | null): RunConfig {
  const given = plain ?? {};
  const { env_id: envId, environment, algo, imports } = given;
  const [runner, algoConfig] = [record(given.runner), record(given.algo_config)];
  const perUpdate = (number(algoConfig.n_steps) ?? 1) * (number(algoConfig.num_envs) ?? 1);
  return {
    plain,
    problem,
    env: text(envId) ?? text(environment),
    envId: text(envId),
    envParams: toCamelCase(record(given.env_params)) as PlainConfig,
    algo: text(algo),
    seed: number(runner.seed),
    seeds: Array.isArray(given.seeds) ? (given.seeds as number[]) : null,
    total: number(runner.total_timesteps),
    unit: Math.max(perUpdate, number(runner.num_envs) ?? 1),
    imports: Array.isArray(imports) ? imports.map(String) : [],
    hasOwnNetworks: given.networks !== undefined,
    group: groupOf(given),
  };
}
