// The program of a device's thread, of Node and of browsers.
import { hasThreads, onThreadEnd, threads } from "../../../node/index.js";
import type { Request } from "./protocol.js";
import { serve, type Port } from "./serve.js";

function portOfThread(): Port {
  if (!hasThreads()) {
    return {
      tellReady: () => postMessage("ready"),
      listen: (hear) => addEventListener("message", ({ data }: MessageEvent<Request>) => hear(data)),
      // A browser's worker ends with its page, or is ended from there.
      onEnd: () => undefined,
    };
  }
  const { parentPort } = threads;
  if (parentPort === null) throw new Error("this is the program of a device's thread");
  return {
    tellReady: () => parentPort.postMessage("ready"),
    listen: (hear) => parentPort.on("message", hear),
    onEnd: onThreadEnd,
  };
}

serve(portOfThread());
