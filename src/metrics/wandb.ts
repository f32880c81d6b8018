// Weights & Biases, through its own package, which is loaded only when it is asked for.
import { fs, path } from "../node/index.js";
import { explainFailure, failureCode, replaceFile } from "../files/index.js";
import { MetricsError } from "./errors.js";
import type { MetricsBackend } from "./fanOut.js";
import { scalarsOf } from "./record.js";

/** The part of a run of `@wandb/sdk` that we use. */
interface WandbRun {
  readonly id: string;
  log(data: Readonly<Record<string, unknown>>, step?: number): void;
  finish(): Promise<void>;
}

interface Wandb {
  init(options: Readonly<Record<string, unknown>>): Promise<WandbRun>;
}

export interface WandbOptions {
  /** The project that the run belongs to. */
  readonly project: string;
  /** Where `wandb_id.txt` is kept, usually the run directory. Default ".". */
  readonly dir?: string;
  /** The name of the run. Default: one that Weights & Biases makes up. */
  readonly name?: string;
  /** The user or team. Default: your own. */
  readonly entity?: string;
  /** The config to show beside the curves. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly tags?: readonly string[];
}

/** The file that remembers a run's id. */
export const wandbIdFile = "wandb_id.txt";

const packageName = "@wandb/sdk";

async function loadWandb(operation: string): Promise<Wandb> {
  try {
    // A name that compilers do not know: the package is optional.
    const module = (await import(/* @vite-ignore */ /* webpackIgnore: true */ packageName)) as {
      readonly default: Wandb;
    };
    return module.default;
  } catch (error) {
    throw new MetricsError(
      `${operation}: the package ${packageName} cannot be loaded; install it with \`npm install ${packageName}\` ` +
        `or leave this backend out`,
      { cause: error },
    );
  }
}

/** Refuses what cannot be loaded; `operation` names who asks. */
export async function checkWandb(operation: string): Promise<void> {
  await loadWandb(operation);
}

const idPath = (dir: string): string => path.join(path.resolve(dir), wandbIdFile);

/** Starts a run on Weights & Biases and remembers its id in `wandb_id.txt`. */
export async function WandbBackend(options: WandbOptions): Promise<MetricsBackend & { readonly id: string }> {
  const operation = "WandbBackend";
  const run = await start(operation, options, {});
  const file = idPath(options.dir ?? ".");
  try {
    replaceFile(file, `${run.id}\n`);
  } catch (error) {
    throw new MetricsError(`${operation}: cannot write ${file}: ${explainFailure(error)}`, { cause: error });
  }
  return backendOf(run);
}

/** Goes on with the run whose id is in `wandb_id.txt`. */
export async function resumeWandb(options: WandbOptions): Promise<MetricsBackend & { readonly id: string }> {
  const operation = "resumeWandb";
  const file = idPath(options.dir ?? ".");
  let id: string;
  try {
    id = fs.readFileSync(file, "utf8").trim();
  } catch (error) {
    const advice = failureCode(error) === "ENOENT" ? ". Was the run started with WandbBackend?" : "";
    throw new MetricsError(`${operation}: cannot read ${file}: ${explainFailure(error)}${advice}`, {
      cause: error,
    });
  }
  if (id === "") throw new MetricsError(`${operation}: ${file} is empty; it should hold the id of the run`);
  return backendOf(await start(operation, options, { id, resume: "must" }));
}

async function start(
  operation: string,
  options: WandbOptions,
  more: Readonly<Record<string, string>>,
): Promise<WandbRun> {
  const wandb = await loadWandb(operation);
  try {
    return await wandb.init({ ...options, ...more });
  } catch (error) {
    throw new MetricsError(
      `${operation}: Weights & Biases did not start the run: ${explainFailure(error)}. ` +
        `Check the network and your key (\`wandb login\` or WANDB_API_KEY)`,
      { cause: error },
    );
  }
}

const backendOf = (run: WandbRun): MetricsBackend & { readonly id: string } => ({
  id: run.id,
  log: ({ step: _, wall_time: __, ...record }, step) => {
    const shown = (value: number) => (Number.isFinite(value) ? value : String(value));
    const data = scalarsOf(record).map(([tag, value]) => [tag, shown(value)] as const);
    run.log(Object.fromEntries(data), step);
  },
  close: () => run.finish(),
});
