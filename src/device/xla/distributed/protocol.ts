// What the threads of the store tell each other and the process.
import type { MessagePort } from "../../../node/index.js";

/** What the store's thread is started with. */
export interface StoreTask {
  readonly host: string;
  readonly port: number;
  /** Whether this process keeps the store. */
  readonly isKeeper: boolean;
  readonly timeoutMs: number;
  /** Where requests of the other thread come from, and whose first word changes with each answer. */
  readonly requests: MessagePort;
  readonly signal: Int32Array;
}

/** What the thread is started with in which a plugin's calls wait for values. */
export interface ReadingTask {
  readonly requests: MessagePort;
  readonly signal: Int32Array;
}

/** A value that is asked for; without a time, what is there now. */
export interface ValueRequest {
  readonly key: string;
  readonly timeoutMs: number | null;
}

/** What a thread says once it is ready: addresses of C functions, or what went wrong. */
export type Ready = Readonly<Record<string, bigint>> | { readonly problem: string };
