// A thread in which the driver compiles a part of a program while this thread has it compile another one.
import { startWorker, threads, type MessagePort } from "../../node/index.js";
import type { Card } from "./card.js";

/** How far the thread has come. Whoever takes the text first compiles it. */
export const stages = { waiting: 0, working: 1, done: 2, dismissed: 3 } as const;

/** What the thread is given: the card's handle, and where to note its stage. */
export interface LinkTask {
  readonly handle: number;
  readonly stage: Int32Array;
}

/** The text of a part, and the port for its code, null where that could not be made. */
export interface LinkRequest {
  readonly name: string;
  readonly text: string;
  readonly answers: MessagePort;
}

export interface LinkHelper {
  /** Hands it a part. */
  readonly begin: (name: string, text: string) => void;
  /** The code of the part, when there is one; null if it has not come to it, or could not make it. */
  readonly finish: () => Uint8Array | null;
  readonly dismiss: () => void;
}

/** The thread's program; that of the built package where this one is read from its sources, which Node cannot run. */
function threadUrl(): URL {
  const here = import.meta.url;
  return new URL(here.endsWith(".ts") ? "../../../dist/device/cuda/linkThread.js" : "./linkThread.js", here);
}

/** Starts a helper, which takes a tenth of a second to be ready; it is for one part. */
export function startLinkHelper({ handle }: Card): LinkHelper {
  const stage = new Int32Array(new SharedArrayBuffer(4));
  const worker = startWorker(threadUrl(), undefined, { workerData: { handle, stage } satisfies LinkTask });
  worker.unref();
  // Where it cannot start, as in a bundle without its file, it never takes the part.
  worker.on("error", () => undefined);
  const { port1: here, port2: there } = new threads.MessageChannel();
  return {
    begin: (name, text) => worker.postMessage({ name, text, answers: there }, [there]),
    finish: () => {
      const before = Atomics.compareExchange(stage, 0, stages.waiting, stages.dismissed);
      if (before === stages.waiting) return null;
      Atomics.wait(stage, 0, stages.working);
      return (threads.receiveMessageOnPort(here)?.message as Uint8Array | null | undefined) ?? null;
    },
    dismiss: () => {
      Atomics.compareExchange(stage, 0, stages.waiting, stages.dismissed);
      here.close();
      void worker.terminate();
    },
  };
}
