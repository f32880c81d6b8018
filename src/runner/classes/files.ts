// A class runner's files: its logs and its checkpoints. It is loaded when there are any, so that browsers can train.
import { path } from "../../node/index.js";
import { fail } from "../../array/index.js";
import { findCheckpoint, loadCheckpoint, loadWhole, saveCheckpoint } from "../../checkpoint/index.js";
import type { SpaceData } from "../../env/index.js";
import { isRecord } from "../../files/index.js";
import { MetricsLogger, TensorBoardBackend } from "../../metrics/index.js";

export interface Logs {
  readonly log: (record: Readonly<Record<string, number>>) => void;
  readonly close: () => Promise<void>;
}

/** Opens the logs; those of a run that goes on from a checkpoint forget what came after its step. */
export function openLogs(logDir: string, resumedAt: number | null): Logs {
  const folder = path.resolve(logDir);
  const backend = TensorBoardBackend(folder, { purgeStep: resumedAt === null ? null : resumedAt + 1 });
  const logger = MetricsLogger(path.join(folder, "metrics.jsonl"), {
    backends: [backend],
    keepThroughStep: resumedAt,
  });
  return { log: (record) => logger.log(record), close: () => logger.close() };
}

/** Where checkpoints go by themselves; null if nobody has said where anything goes. */
export const checkpointDir = (saveDir: string | null, logDir: string | null): string | null =>
  saveDir ?? (logDir === null ? null : path.join(logDir, "checkpoints"));

/** The folder of a checkpoint: in the runner's directory, or where a path says. */
export function placeOf(operation: string, directory: string | null, name: unknown): string {
  if (typeof name !== "string" || name === "") {
    fail(operation, `needs the name of a checkpoint, got ${name === "" ? '""' : typeof name}`);
  }
  return path.resolve(directory ?? ".", name);
}

/** What a checkpoint of a class runner holds besides arrays. */
export interface Notes {
  /** Which class saved it. */
  readonly runner: string;
  readonly identity: {
    readonly algorithm: string;
    readonly config: Readonly<Record<string, unknown>>;
  } & Readonly<Record<string, unknown>>;
  /** What actions are, for those who load the policy alone. */
  readonly spaces?: { readonly action: SpaceData };
  readonly iteration: number;
  readonly totalTimesteps: number;
  readonly learningRate: number | null;
}

/** Saves whole or not at all; returns the checkpoint's folder. */
export const writeCheckpoint = (folder: string, tree: unknown, notes: Notes): string =>
  saveCheckpoint(folder, tree, { metadata: { ...notes } });

export interface Read<A> {
  readonly agentState: A;
  /** Everything else, without a template. */
  readonly rest: Readonly<Record<string, unknown>>;
  readonly notes: Notes;
}

/** Reads a checkpoint that such a runner has saved, for an agent like this one. */
export function readCheckpoint<A>(operation: string, folder: string, runner: string, like: A): Read<A> {
  const { metadata } = findCheckpoint(folder) ?? fail(operation, `there is no checkpoint ${folder}`);
  if (metadata.runner !== runner) {
    const by = typeof metadata.runner === "string" ? `by a ${metadata.runner}` : "by something else";
    fail(operation, `${folder} was saved ${by}, not by a ${runner}`);
  }
  const { agentState } = loadCheckpoint(folder, { agentState: like }, { partial: true });
  const { tree } = loadWhole(operation, folder);
  const { agentState: _, ...rest } = isRecord(tree) ? tree : {};
  return { agentState, rest, notes: metadata as unknown as Notes };
}
