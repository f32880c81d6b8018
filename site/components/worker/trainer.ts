// Training in a worker, as a page sees it: one run at a time, in a worker that is kept for the next one.
import { startLibrary, type Library } from "./library.js";
import type { TrainEvent, TrainRequest, TrainResult } from "./training.js";

export interface Run {
  /** Settles when the run is over; fails with what went wrong. */
  readonly done: Promise<TrainResult>;
  /** Asks the run to end after the work in hand; ends its worker if it does not answer. */
  stop(): void;
}

export interface Trainer {
  /** Starts the worker, so that the first run need not wait for it. */
  warm(): void;
  start(request: TrainRequest, onEvent: (event: TrainEvent) => void): Run;
}

/** How long a run may take to stop, in milliseconds; a call of the compiled program takes a quarter of a second. */
const patienceMs = 2_000;

export function createTrainer(): Trainer {
  let library: Library | null = null;
  /** How many devices the worker has; its number cannot change. */
  let devices = 0;
  let isVisitors = false;
  let hear: (event: TrainEvent) => void = () => undefined;

  const begin = (isForVisitors: boolean): Library =>
    startLibrary({ isForVisitors, onEvent: (event) => hear(event as TrainEvent) });

  /** What a visitor's module has done to its worker is gone with it. */
  function workerFor({ env, devices: wanted }: TrainRequest): Library {
    const isForVisitors = "code" in env;
    if (library?.isEnded === false && !isForVisitors && !isVisitors && [0, wanted].includes(devices)) {
      devices = wanted;
      return library;
    }
    library?.end("another worker has taken its place");
    [devices, isVisitors] = [wanted, isForVisitors];
    return (library = begin(isForVisitors));
  }

  return {
    warm: () => {
      library ??= begin(false);
    },
    start(request, onEvent) {
      const worker = workerFor(request);
      hear = onEvent;
      let isStopping = false;
      const done = worker.call("train", request).catch((error: unknown) => {
        if (isStopping && worker.isEnded) return { isStopped: true };
        throw error;
      });
      return {
        done,
        stop() {
          if (isStopping) return;
          isStopping = true;
          worker.call("stop").catch(() => undefined);
          const timer = setTimeout(() => worker.end("stopped"), patienceMs);
          void done.finally(() => clearTimeout(timer)).catch(() => undefined);
        },
      };
    },
  };
}
