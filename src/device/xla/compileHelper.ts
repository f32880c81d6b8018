// Threads in which XLA compiles a program while this thread does something else.
import { openAside, startAside, threadBeside, type Aside } from "../aside.js";
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

const thread = (): URL => threadBeside(import.meta.url, "compileThread");
const settingOf = ({ plugin, handle }: Client): CompileSetting => ({ file: plugin.file, client: handle });

export const startCompileHelper = (client: Client): CompileHelper => startAside(thread(), settingOf(client));

/** The handle of what a helper has compiled; null if it cannot. */
export const compileAside = (client: Client, task: CompileTask): Promise<bigint | null> =>
  openAside<CompileSetting, CompileTask, bigint>(thread(), settingOf(client)).ask(task);
