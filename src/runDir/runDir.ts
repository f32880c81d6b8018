// The directory of a run: its config, checkpoints, logs, videos and artifacts, laid out so that any tool finds them.
import { fs, path } from "../node/index.js";
import {
  bestCheckpoint,
  listCheckpoints,
  markBest,
  removeCheckpoints,
  stepName,
  type Checkpoint,
} from "../checkpoint/index.js";
import { showValue } from "../array/index.js";
import {
  explainFailure,
  failureCode,
  isRecord,
  jsonProblem,
  replaceFile,
  toCamelCase,
  toSnakeCase,
} from "../files/index.js";
import { RunDirError } from "./errors.js";
import { checkRunName, newRunId, runIdsIn } from "./runIds.js";

export interface RunDirOptions {
  /** The directory of all runs. Default "runs". */
  readonly baseDir?: string;
}

/** A run's directory. */
export interface RunDir {
  /** The directory's name, `<name>_<YYYYMMDD_HHMMSS>`. */
  readonly runId: string;
  readonly root: string;
  readonly checkpoints: string;
  readonly logs: string;
  readonly videos: string;
  readonly artifacts: string;
  /** A file of the logs, `metrics.jsonl` unless told otherwise. */
  logPath(name?: string): string;
  /** Where the video of a step goes, as `videos/step_5000.gif`. */
  videoPath(step: number, extension?: string): string;
  /** Writes `config.json`, its keys in snake_case. */
  saveConfig(config: object): void;
  /** Reads `config.json`, its keys in camelCase. */
  loadConfig(): Record<string, unknown>;
  /** The path of a step's checkpoint, whether it is there or not. */
  checkpointDir(step: number): string;
  /** The checkpoints, oldest step first. */
  listCheckpoints(): Checkpoint[];
  readonly latestCheckpoint: Checkpoint | null;
  /**
   * Marks a step as the best: the symbolic link `checkpoints/best`, or a file with the folder's name where links are
   * not allowed.
   */
  markBest(step: number): void;
  readonly bestCheckpoint: Checkpoint | null;
  /** Removes all but the newest `keep` checkpoints and the best one. Returns the steps that are gone. */
  cleanupCheckpoints(keep: number): number[];
}

const folders = ["checkpoints", "logs", "videos", "artifacts"] as const;

/** The directory of a run at a path. */
function runDirAt(root: string): RunDir {
  const [checkpoints, logs, videos, artifacts] = folders.map((folder) => path.join(root, folder));
  const configFile = path.join(root, "config.json");
  return {
    runId: path.basename(root),
    root,
    checkpoints,
    logs,
    videos,
    artifacts,
    logPath: (name = "metrics.jsonl") => path.join(logs, name),
    videoPath: (step, extension = "gif") => path.join(videos, `${stepName(step)}.${extension}`),
    saveConfig: (config) => writeConfig(configFile, config),
    loadConfig: () => readConfig(configFile),
    checkpointDir: (step) => path.join(checkpoints, stepName(step)),
    listCheckpoints: () => listCheckpoints(checkpoints),
    get latestCheckpoint() {
      return listCheckpoints(checkpoints).at(-1) ?? null;
    },
    markBest: (step) => markBest(checkpoints, step),
    get bestCheckpoint() {
      return bestCheckpoint(checkpoints);
    },
    cleanupCheckpoints: (keep) => cleanup(checkpoints, keep),
  };
}

function cleanup(checkpoints: string, keep: number): number[] {
  if (!Number.isInteger(keep) || keep < 1) {
    throw new RunDirError(
      `cleanupCheckpoints: keep must be a whole number of at least 1, got ${String(keep)}`,
    );
  }
  const best = bestCheckpoint(checkpoints)?.step;
  const old = listCheckpoints(checkpoints)
    .slice(0, -keep)
    .filter(({ step }) => step !== best);
  const left = removeCheckpoints(old);
  return old.filter((checkpoint) => !left.includes(checkpoint)).map(({ step }) => step);
}

function writeConfig(file: string, config: object): void {
  const problem = jsonProblem(config, "config");
  if (problem !== null) throw new RunDirError(`saveConfig: ${problem}`);
  try {
    replaceFile(file, `${JSON.stringify(toSnakeCase(config), null, 2)}\n`);
  } catch (error) {
    throw new RunDirError(`saveConfig: cannot write ${file}: ${explainFailure(error)}`, { cause: error });
  }
}

function readConfig(file: string): Record<string, unknown> {
  let text: string;
  try {
    text = fs.readFileSync(file, "utf8");
  } catch (error) {
    const advice = failureCode(error) === "ENOENT" ? ". Was the run's config saved with saveConfig?" : "";
    throw new RunDirError(`loadConfig: cannot read ${file}: ${explainFailure(error)}${advice}`, {
      cause: error,
    });
  }
  try {
    const config: unknown = JSON.parse(text);
    if (isRecord(config)) return toCamelCase(config) as Record<string, unknown>;
  } catch (error) {
    throw new RunDirError(`loadConfig: ${file} is not JSON: ${explainFailure(error)}`, { cause: error });
  }
  throw new RunDirError(`loadConfig: ${file} should hold a JSON object with the config's fields`);
}

/** Makes the directory `<baseDir>/<name>_<YYYYMMDD_HHMMSS>` of a new run, with its folders. */
function create(name: string, { baseDir = "runs" }: RunDirOptions = {}): RunDir {
  checkRunName("RunDir", name);
  const base = path.resolve(baseDir);
  try {
    fs.mkdirSync(base, { recursive: true });
    const run = runDirAt(path.join(base, newRunId(base, name, new Date())));
    for (const folder of folders) fs.mkdirSync(run[folder]);
    return run;
  } catch (error) {
    throw new RunDirError(`RunDir: cannot make a directory in ${base}: ${explainFailure(error)}`, {
      cause: error,
    });
  }
}

/** The directory of an earlier run, by its path or by its id in `baseDir`. Nothing is made: who writes makes folders. */
function open(run: string, { baseDir = "runs" }: RunDirOptions = {}): RunDir {
  if (typeof run !== "string" || run === "") {
    throw new RunDirError(`RunDir.open: needs a run's path or id, got ${showValue(run)}`);
  }
  const candidates = [path.resolve(baseDir, run), path.resolve(run)];
  const root = candidates.find(isRun);
  if (root === undefined) {
    const known = runIdsIn(path.resolve(baseDir)).slice(-5).reverse();
    const hint = known.length === 0 ? "has no runs" : `has ${known.join(", ")}`;
    throw new RunDirError(`RunDir.open: there is no run ${showValue(run)}; ${path.resolve(baseDir)} ${hint}`);
  }
  return runDirAt(root);
}

/** Whether a directory looks like a run's. */
const isRun = (root: string): boolean =>
  ["config.json", "checkpoints", "logs"].some((name) => fs.existsSync(path.join(root, name)));

/** The runs of an experiment in `baseDir`, oldest first; without a name all runs. */
export function findRuns(baseDir = "runs", experimentName: string | null = null): RunDir[] {
  const base = path.resolve(baseDir);
  return runIdsIn(base, experimentName).map((id) => runDirAt(path.join(base, id)));
}

/** Makes the directory of a new run; `RunDir.open` finds that of an earlier one. */
export const RunDir = Object.assign(create, { open });
