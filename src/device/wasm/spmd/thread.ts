// Threads for devices, of Node and of browsers.
import { fail } from "../../../array/index.js";
import { fs, hasThreads, startWorker } from "../../../node/index.js";
import type { Request } from "./protocol.js";

export interface Thread {
  readonly post: (request: Request) => void;
  /** While it is held, the process does not end. */
  readonly hold: (isHeld: boolean) => void;
}

export interface ThreadEvents {
  readonly ready: () => void;
  /** The thread is no more. */
  readonly lost: (reason: string) => void;
}

/** Starts a thread, which does not keep the process from ending. */
export const startThread = (events: ThreadEvents): Thread =>
  hasThreads() ? startNodeThread(events) : startBrowserWorker(events);

/** The thread's program; that of the built package where this one is read from its sources, which Node cannot run. */
function entryUrl(): URL {
  // Not in one expression: bundlers would take the file along a second time.
  const here = import.meta.url;
  return new URL(here.endsWith(".ts") ? "../../../../dist/device/wasm/spmd/entry.js" : "./entry.js", here);
}

function startNodeThread({ ready, lost }: ThreadEvents): Thread {
  const url = entryUrl();
  // While the main thread waits for a thread that cannot start, it would hear of no error.
  if (url.protocol === "file:" && !fs.existsSync(url)) {
    fail(
      "spmd",
      `there is no ${url.href}, the program of threads that devices run in; if this is a bundle, leave vibe-rl ` +
        "out of it (external), or run on one device",
    );
  }
  // Loaders and the like are for other files.
  const worker = startWorker(url, []);
  worker.on("message", ready);
  worker.on("error", (error) => lost(error instanceof Error ? error.message : String(error)));
  worker.on("exit", (code) => lost(`it has ended with code ${code}`));
  // Listening holds the process, so that this comes last.
  worker.unref();
  return {
    post: (request) => worker.postMessage(request),
    hold: (isHeld) => (isHeld ? worker.ref() : worker.unref()),
  };
}

function startBrowserWorker({ ready, lost }: ThreadEvents): Thread {
  if (typeof Worker === "undefined") fail("spmd", "there are no workers here; run on one device");
  if (typeof SharedArrayBuffer === "undefined" || !globalThis.crossOriginIsolated) {
    fail(
      "spmd",
      "a page shares memory between devices only where it is cross-origin isolated: serve it with the headers " +
        "Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp, or run on one device",
    );
  }
  const worker = new Worker(new URL("./entry.js", import.meta.url), { type: "module" });
  worker.onmessage = ready;
  // A file that is not there is an event without a message.
  worker.onerror = ({ message = `cannot load ${entryUrl().href}` }: Partial<ErrorEvent>) => lost(message);
  return { post: (request) => worker.postMessage(request), hold: () => undefined };
}
