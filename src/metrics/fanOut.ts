// Records handed on to any number of backends. One that fails is switched off with a warning: a run does not end because
// a dashboard is away.
import type { PlainRecord } from "./record.js";

/** Something else that records go to. */
export interface MetricsBackend {
  /** Takes a record whose arrays are numbers, and the step it belongs to. Promises are not waited for. */
  log(record: PlainRecord, step: number): unknown;
  close(): void | Promise<void>;
}

/** Backends behind one another, as one; `goesOn` is what is not switched off when one of them is. */
export function fanOut(backends: readonly MetricsBackend[], goesOn: string): Required<MetricsBackend> {
  const working = new Set(backends);

  const switchOff = (backend: MetricsBackend, error: unknown): void => {
    // Of several that were under way the first is told.
    if (!working.delete(backend)) return;
    const reason = error instanceof Error ? error.message : String(error);
    process.emitWarning(
      `a metrics backend failed and is switched off; ${goesOn} goes on: ${reason}`,
      "MetricsWarning",
    );
  };

  const closeBackend = async (backend: MetricsBackend): Promise<void> => {
    try {
      await backend.close();
    } catch (error) {
      switchOff(backend, error);
    }
  };

  return {
    log: (record, step) => {
      for (const backend of working) {
        try {
          Promise.resolve(backend.log(record, step)).catch((error: unknown) => switchOff(backend, error));
        } catch (error) {
          switchOff(backend, error);
        }
      }
    },
    close: async () => {
      await Promise.all([...working].map(closeBackend));
    },
  };
}
