// What the main thread and its workers say to each other: words in shared memory, and messages beside them.
import type { Failure } from "../errors.js";
import type { EnvDescription } from "../hostEnvs.js";
import type { GroupState } from "../group.js";
import type { PlainSpace } from "./plainSpace.js";

/** A worker's words in the list of control words. One cache line each, so that workers do not disturb each other. */
export const wordsPerWorker = 16;
export const word = {
  /** Counts commands; the worker sleeps on it. */
  command: 0,
  /** The count of the last command that was answered; the main thread sleeps on it. */
  answer: 1,
  /** 1: the command is a step. 0: it comes in a message. */
  isStep: 2,
  /** 1: the answer, or more of it, comes in a message. */
  hasMessage: 3,
  /** 1: the worker is in its event loop, and must be woken by a message. */
  isListening: 4,
  /** 1: the main thread is in its event loop, and must be woken by a message. */
  isAwaited: 5,
} as const;

/** Names that a worker's environments can tell figures under; each has a place in shared memory. */
export const maxNames = 128;

/** What a worker is to make. */
export interface LoadRequest {
  readonly kind: "load";
  readonly url: string;
  /** The export that makes environments; `null` where the module registers them under `id`. */
  readonly exportName: string | null;
  readonly id: string | null;
  /** Arguments for each environment. */
  readonly args: readonly (readonly unknown[])[];
  /** The index of the worker's first environment. */
  readonly first: number;
  readonly maxEpisodeSteps: number | null;
}

/** The memory that all share. */
export interface ShareRequest {
  readonly kind: "share";
  readonly memory: SharedArrayBuffer;
  readonly worker: number;
  readonly numEnvs: number;
  readonly numWorkers: number;
}

/** Commands that are no steps. */
export type Command =
  | { readonly kind: "reset"; readonly seed: number | null }
  | { readonly kind: "getState" }
  | { readonly kind: "setState"; readonly states: readonly GroupState[] }
  | { readonly kind: "render"; readonly at: number }
  | { readonly kind: "close" };

export type Request = LoadRequest | ShareRequest | Command | { readonly kind: "wake" };

/** What a worker has made. */
export interface Loaded {
  readonly environments: readonly EnvDescription[];
  readonly observationSpace: PlainSpace;
  readonly actionSpace: PlainSpace;
  readonly hasState: boolean;
  readonly hasRender: boolean;
}

/** A name that an environment of the worker has told a number under for the first time. */
export interface NewName {
  readonly kind: "component" | "figure";
  readonly name: string;
}

export type Reply =
  /** Look at the control words again. */
  | { readonly kind: "wake" }
  | { readonly kind: "result"; readonly value: unknown; readonly names: readonly NewName[] }
  | { readonly kind: "failed"; readonly failure: Failure }
  /** Nothing was made, and no single environment is to blame. */
  | { readonly kind: "refused"; readonly reason: string; readonly cause?: unknown };
