// `--logger tensorboard,wandb`: where else the records of a run go.
import * as fs from "node:fs";
import path from "node:path";
import { nearestName } from "../array/index.js";
import {
  checkWandb,
  fanOut,
  MetricsError,
  resumeWandb,
  TensorBoardBackend,
  wandbIdFile,
  WandbBackend,
  type MetricsBackend,
} from "../metrics/index.js";
import type { RunDir } from "../runDir/index.js";
import { UsageError } from "./arguments.js";

const known = ["tensorboard", "wandb"] as const;
type LoggerName = (typeof known)[number];

/** Where records go besides metrics.jsonl. */
export interface Loggers {
  readonly loggers: readonly LoggerName[];
  /** The project on Weights & Biases. */
  readonly wandbProject: string;
}

const isKnown = (name: string): name is LoggerName => known.some((one) => one === name);

/** The loggers that a flag names, or those that the run has had; `none` is none. */
export function loggersFrom(
  values: readonly string[] | undefined,
  wandbProject: string | undefined,
  saved: Readonly<Record<string, unknown>> = {},
): Loggers {
  const before = Array.isArray(saved.loggers) ? (saved.loggers as readonly unknown[]).map(String) : [];
  const words = values?.flatMap((value) => value.toLowerCase().split(/[\s,]+/)).filter((word) => word !== "");
  if (words?.length === 0) throw new UsageError(`--logger takes ${known.join(", ")} or none, got nothing`);
  const names = [...new Set(words ?? before)].filter((name) => name !== "none");
  const unknown = names.find((name) => !isKnown(name));
  if (unknown !== undefined) {
    const near = nearestName(unknown, known);
    const hint = near === null ? `there are ${known.join(", ")}, none` : `did you mean ${near}?`;
    throw new UsageError(`there is no logger ${JSON.stringify(unknown)}; ${hint}`);
  }
  const project = wandbProject ?? (typeof saved.wandbProject === "string" ? saved.wandbProject : "vibe-rl");
  return { loggers: names.filter(isKnown), wandbProject: project };
}

/** Refuses loggers that are not installed, before anything is made. */
export async function checkLoggers({ loggers }: Loggers): Promise<void> {
  if (!loggers.includes("wandb")) return;
  try {
    await checkWandb("--logger wandb");
  } catch (error) {
    throw error instanceof MetricsError ? new UsageError(error.message) : error;
  }
}

/** The loggers as `config.json` has them: nothing where there are none. */
export const plainLoggers = ({ loggers, wandbProject }: Loggers): object => ({
  ...(loggers.length === 0 ? {} : { loggers }),
  ...(loggers.includes("wandb") ? { wandbProject } : {}),
});

/** Opens the loggers of a run that starts from a step. */
export function openLoggers(
  { loggers, wandbProject: project }: Loggers,
  run: RunDir,
  step: number,
): MetricsBackend {
  const backends = {
    tensorboard: () =>
      TensorBoardBackend(path.join(run.logs, "tensorboard"), step === 0 ? {} : { purgeStep: step + 1 }),
    wandb: () => {
      const options = { project, dir: run.root, name: run.runId, config: run.loadConfig() };
      const isKnownThere = fs.existsSync(path.join(run.root, wandbIdFile));
      return eventually(step > 0 && isKnownThere ? resumeWandb(options) : WandbBackend(options));
    },
  };
  return fanOut(
    loggers.map((name) => backends[name]()),
    "the run",
  );
}

/** A backend that is not there yet. */
const eventually = (backend: Promise<MetricsBackend>): MetricsBackend => ({
  log: async (record, step) => (await backend).log(record, step),
  close: async () => (await backend).close(),
});
