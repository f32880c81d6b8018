// Node's own modules, for the layers that touch files. They are looked up when they are used and never imported, so
// that every layer loads and bundles where there is no Node, and says there what it lacks.
import type * as bufferModule from "node:buffer";
import type * as childProcessModule from "node:child_process";
import type * as cryptoModule from "node:crypto";
import type * as fsModule from "node:fs";
import type * as httpModule from "node:http";
import type * as moduleModule from "node:module";
import type * as netModule from "node:net";
import type * as osModule from "node:os";
import type * as pathModule from "node:path";
import type * as urlModule from "node:url";
import type * as threadsModule from "node:worker_threads";
import type * as zlibModule from "node:zlib";

export type { Hash } from "node:crypto";
export type { Dirent } from "node:fs";
export type { FileHandle } from "node:fs/promises";
export type { IncomingMessage, Server, ServerResponse } from "node:http";
export type { Server as TcpServer, Socket } from "node:net";
export type { MessagePort } from "node:worker_threads";

interface Host {
  readonly process?: { readonly getBuiltinModule?: (name: string) => object | undefined };
}

/** A module of Node, or `undefined` where there is none. */
function find(name: string): object | undefined {
  const { process }: Host = globalThis;
  return process?.getBuiltinModule?.(name);
}

const failWithoutFiles = (wanted: string): never => {
  throw new Error(
    `files need Node 20.16 or newer, and there is none here (for ${wanted}). In a browser, leave out run ` +
      "directories, checkpoints and loggers that write files: metrics and parameters come with what training " +
      "returns and with its callback",
  );
};

/** A module that is looked up with every use of it; where there is no Node, using it is an error. */
const nodeModule = <M extends object>(name: string): M =>
  new Proxy({} as M, {
    get: (_, property) =>
      Reflect.get(find(name) ?? failWithoutFiles(`${name}'s ${String(property)}`), property) as unknown,
  });

/** Whether there is a disk to write to. */
export const hasFiles = (): boolean => find("node:fs") !== undefined;

/** Whether there are Node's worker threads; browsers have workers of their own. */
export const hasThreads = (): boolean => find("node:worker_threads") !== undefined;

/** Refuses what ends in a file before any work is done for it. */
export const needFiles = (operation: string): void => {
  if (!hasFiles()) failWithoutFiles(operation);
};

export const buffer = nodeModule<typeof bufferModule>("node:buffer");
export const childProcess = nodeModule<typeof childProcessModule>("node:child_process");
export const crypto = nodeModule<typeof cryptoModule>("node:crypto");
export const fs = nodeModule<typeof fsModule>("node:fs");
export const http = nodeModule<typeof httpModule>("node:http");
export const module = nodeModule<typeof moduleModule>("node:module");
export const net = nodeModule<typeof netModule>("node:net");
export const os = nodeModule<typeof osModule>("node:os");
export const path = nodeModule<typeof pathModule>("node:path");
export const threads = nodeModule<typeof threadsModule>("node:worker_threads");
export const url = nodeModule<typeof urlModule>("node:url");
export const zlib = nodeModule<typeof zlibModule>("node:zlib");

/** Calls a function when this thread ends by itself: by `process.exit` or an error that nobody catches. */
export const onThreadEnd = (tell: (code: number) => void): void => void process.on("exit", tell);

const told = new Set<string>();

/** Tells a warning once in the life of this thread. */
export function warnOnce(message: string, kind: string): void {
  if (told.has(message)) return;
  told.add(message);
  process.emitWarning(message, kind);
}

/** What this process runs as: the user's number where users have one. */
export const processIdentity = (): { readonly pid: number; readonly user: number | null } => ({
  pid: process.pid,
  user: process.getuid?.() ?? null,
});

/** The environment variables that processes take over. */
export const processVariables = (): Readonly<Record<string, string | undefined>> => process.env;

/** Sets a variable of this process, for libraries that read it, unless somebody has. */
export const setDefaultVariable = (name: string, value: string): void => void (process.env[name] ??= value);

/** The system, as `linux` or `darwin`. */
export const platform = (): string => process.platform;

/** Ends all processes of a group; those that are gone already are none. */
export function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // They have ended by themselves.
  }
}

/** Flags that say where the main program comes from; a worker has a file of its own. */
const isAboutProgram = (flag: string): boolean => /^(--input-type|--eval|-e|--print|-p|-pe)\b/.test(flag);

/** The flags of this process, less those about its main program; null if that is all of them. */
function flagsForWorkers(): string[] | null {
  const { execArgv } = process;
  if (!execArgv.some(isAboutProgram)) return null;
  return execArgv.filter((flag, at) => !isAboutProgram(flag) && !isAboutProgram(execArgv[at - 1] ?? ""));
}

/** A thread of Node that runs a file, by default with the flags of this process that concern it. */
export function startWorker(
  url: URL,
  flags: string[] | null = flagsForWorkers(),
  options: Pick<threadsModule.WorkerOptions, "workerData" | "transferList"> = {},
): threadsModule.Worker {
  // Node refuses flags of the engine (--expose-gc, …) in a list, but hands them on where there is none.
  return new threads.Worker(url, flags === null ? options : { ...options, execArgv: flags });
}
