// Threads of Node and of browsers, as this package starts them.
import { hasThreads, startWorker } from "../../node/index.js";
import { fail } from "../../array/index.js";
import type { Reply, Request } from "./protocol.js";

export interface ThreadEvents {
  readonly message: (reply: Reply) => void;
  /** The thread is no more: something was thrown outside of all calls, or it has ended. */
  readonly lost: (reason: string, cause?: unknown) => void;
}

export interface Thread {
  readonly post: (request: Request) => void;
  readonly terminate: () => Promise<void>;
  /** While it is held, the process does not end. */
  readonly hold: (isHeld: boolean) => void;
}

export function startThread(operation: string, events: ThreadEvents): Thread {
  return hasThreads() ? startNodeThread(events) : startBrowserWorker(operation, events);
}

/** The worker's program; that of the built package where this one is read from its sources, which Node cannot run. */
function entryUrl(): URL {
  // Not in one expression: bundlers would take the file along a second time.
  const here = import.meta.url;
  return new URL(here.endsWith(".ts") ? "../../../dist/vecEnv/worker/entry.js" : "./entry.js", here);
}

function startNodeThread({ message, lost }: ThreadEvents): Thread {
  const worker = startWorker(entryUrl());
  worker.on("message", message);
  worker.on("messageerror", (error) => lost("its worker sent what cannot be read", error));
  worker.on("error", (error) =>
    lost(`its worker failed: ${error instanceof Error ? error.message : String(error)}`, error),
  );
  worker.on("exit", (code) => lost(`its worker has ended with code ${code}, as process.exit does`));
  return {
    post: (request) => worker.postMessage(request),
    terminate: async () => {
      await worker.terminate();
    },
    hold: (isHeld) => (isHeld ? worker.ref() : worker.unref()),
  };
}

function startBrowserWorker(operation: string, { message, lost }: ThreadEvents): Thread {
  if (typeof Worker === "undefined") fail(operation, "there are no workers here; use SyncVecEnv");
  if (typeof SharedArrayBuffer === "undefined" || !globalThis.crossOriginIsolated) {
    fail(
      operation,
      "a page shares memory with workers only where it is cross-origin isolated: serve it with the headers " +
        "Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp, or use SyncVecEnv",
    );
  }
  const worker = new Worker(new URL("./entry.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }: MessageEvent<Reply>) => message(data);
  worker.onmessageerror = () => lost("its worker sent what cannot be read");
  worker.onerror = ({ message: words, error }) =>
    lost(
      // What goes wrong while the worker's program is loaded has no message.
      words === undefined || words === ""
        ? "its worker could not load its program, vecEnv/worker/entry.js of this package: it must lie beside the bundle " +
            "where there is one, and come with the page's header Cross-Origin-Embedder-Policy"
        : `its worker failed: ${words}`,
      error,
    );
  return {
    post: (request) => worker.postMessage(request),
    terminate: () => {
      worker.terminate();
      return Promise.resolve();
    },
    hold: () => undefined,
  };
}
