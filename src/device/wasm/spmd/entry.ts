// The program of a device's thread, of Node and of browsers.
import { hasThreads, threads } from "../../../node/index.js";
import type { Request } from "./protocol.js";
import { serve, type Port } from "./serve.js";

function portOfThread(): Port {
  if (!hasThreads()) {
    return {
      tellReady: () => postMessage("ready"),
      listen: (hear) => addEventListener("message", ({ data }: MessageEvent<Request>) => hear(data)),
    };
  }
  const { parentPort } = threads;
  if (parentPort === null) throw new Error("this is the program of a device's thread");
  return {
    tellReady: () => parentPort.postMessage("ready"),
    listen: (hear) => parentPort.on("message", hear),
  };
}

serve(portOfThread());
