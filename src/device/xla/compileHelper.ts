// A thread in which XLA compiles a program while this thread has it compile another one.
import { startAside, threadBeside, type Aside } from "../aside.js";
import type { Client } from "./client.js";

/** A module of StableHLO, and how it is compiled. */
export interface CompileTask {
  readonly text: string;
  readonly options: Uint8Array;
}

/** Which client of which plugin. */
export interface CompileSetting {
  readonly file: string;
  readonly client: bigint;
}

/** It answers with the handle of what was compiled. */
export type CompileHelper = Aside<CompileTask, bigint>;

export const startCompileHelper = ({ plugin, handle }: Client): CompileHelper =>
  startAside(threadBeside(import.meta.url, "compileThread"), {
    file: plugin.file,
    client: handle,
  } satisfies CompileSetting);
