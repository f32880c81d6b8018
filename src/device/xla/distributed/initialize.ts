// Several processes that XLA takes for one: who they are, and the store by which their plugins find each other.
import { check, checkOptions, fail, rules } from "../../../array/index.js";
import { hasThreads, startWorker, threads, type MessagePort } from "../../../node/index.js";
import type { ReadingTask, Ready, StoreTask } from "./protocol.js";

export interface DistributedOptions {
  /** Where the first process keeps the store, as "10.0.0.1:1234"; the same for all. */
  readonly coordinatorAddress: string;
  readonly numProcesses: number;
  /** This process, from 0. */
  readonly processId: number;
  /** How long to wait for the first process, in seconds. Default 300. */
  readonly timeout?: number;
}

/** What a client is started with. */
export interface DistributedClient {
  readonly numProcesses: number;
  readonly processId: number;
  /** Addresses of C functions. */
  readonly callbacks: { readonly get: bigint; readonly tryGet: bigint; readonly put: bigint };
}

let current: DistributedClient | null = null;
let isStarted = false;

/** What the client of this process shall know of others; null if it is alone. */
export function distributedClient(): DistributedClient | null {
  isStarted = true;
  return current;
}

/** Host and port of an address, IPv6 in brackets. */
function parseAddress(address: string): { readonly host: string; readonly port: number } {
  const match = /^(?:\[(.+)\]|([^:]+)):(\d+)$/.exec(address);
  const port = Number(match?.[3]);
  if (match !== null && port > 0 && port < 65_536) return { host: match[1] ?? match[2], port };
  return fail(
    "distributedInitialize",
    `coordinatorAddress must be a host and a port, such as "10.0.0.1:1234", got ${JSON.stringify(address)}`,
  );
}

/** A thread of this folder, and the first thing that it says. */
function startThread(file: string, workerData: object, transferList: MessagePort[]): Promise<Ready> {
  const here = import.meta.url;
  const folder = here.endsWith(".ts") ? "../../../../dist/device/xla/distributed/" : "./";
  const worker = startWorker(new URL(`${folder}${file}`, here), [], { workerData, transferList });
  worker.unref();
  return new Promise((resolve, reject) => {
    worker.once("message", (ready: Ready) => resolve(ready));
    worker.once("error", reject);
  });
}

function addressOf(ready: Ready, name: string): bigint {
  if ("problem" in ready)
    return fail("distributedInitialize", `the store cannot be reached: ${String(ready.problem)}`);
  return ready[name];
}

/**
 * Makes this process one of several that XLA runs programs on together. It comes before anything uses the device "gpu".
 * Resolves once the store of the first process is there.
 */
export async function distributedInitialize(options: DistributedOptions): Promise<void> {
  const operation = "distributedInitialize";
  checkOptions(operation, options, ["coordinatorAddress", "numProcesses", "processId", "timeout"]);
  const { coordinatorAddress, numProcesses, processId, timeout = 300 } = options;
  check(operation, "numProcesses", numProcesses, rules.whole(1));
  check(operation, "processId", processId, rules.whole(0));
  check(operation, "timeout", timeout, rules.positive);
  if (processId >= numProcesses)
    fail(
      operation,
      `processId ${processId} is none of 0 to ${numProcesses - 1}, of ${numProcesses} processes`,
    );
  const { host, port } = parseAddress(coordinatorAddress);
  if (!hasThreads()) fail(operation, "it needs Node");
  if (isStarted) fail(operation, 'the device "gpu" is in use already; call it earlier');
  if (current !== null) fail(operation, "it was called already");
  const { port1, port2 } = new threads.MessageChannel();
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const store: StoreTask = {
    ...{ host, port, isKeeper: processId === 0, timeoutMs: 1000 * timeout, requests: port1, signal },
  };
  const reading: ReadingTask = { requests: port2, signal };
  const [stored, read] = await Promise.all([
    startThread("storeThread.js", store, [port1]),
    startThread("readingThread.js", reading, [port2]),
  ]);
  const callbacks = {
    put: addressOf(stored, "put"),
    get: addressOf(read, "get"),
    tryGet: addressOf(read, "tryGet"),
  };
  current = { numProcesses, processId, callbacks };
}
