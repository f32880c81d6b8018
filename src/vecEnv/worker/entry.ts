// The program of a worker thread, of Node and of browsers.
import { hasThreads, threads } from "../../node/index.js";
import type { Request } from "./protocol.js";
import { serve, type Port } from "./serve.js";

function portOfThread(): Port {
  if (!hasThreads()) {
    return {
      post: (reply) => postMessage(reply),
      listen: (hear) => addEventListener("message", ({ data }: MessageEvent<Request>) => hear(data)),
    };
  }
  const { parentPort } = threads;
  if (parentPort === null) throw new Error("this is the program of a worker thread; use WorkerVecEnv");
  return {
    post: (reply) => parentPort.postMessage(reply),
    listen: (hear) => parentPort.on("message", hear),
  };
}

void serve(portOfThread());
