// The logger of a run: every record goes to a file of JSON lines and to any number of backends.
import { path } from "../node/index.js";
import { MetricsError } from "./errors.js";
import { openJsonLines } from "./jsonLines.js";
import { plainRecord, type MetricsRecord, type PlainRecord } from "./record.js";

/** Something else that records go to. */
export interface MetricsBackend {
  /** Takes a record whose arrays are numbers, and the step it belongs to. Promises are not waited for. */
  log(record: PlainRecord, step: number): unknown;
  close(): void | Promise<void>;
}

export interface MetricsLoggerOptions {
  /** Where records go besides the file. Default: nowhere. */
  readonly backends?: readonly MetricsBackend[];
  /** For a resumed run: drops the records of later steps that are in the file. Default `null`: none. */
  readonly keepThroughStep?: number | null;
  /** For a resumed run: records that are put back where the file has lost them. Default `null`: none. */
  readonly expected?: readonly PlainRecord[] | null;
}

export interface MetricsLogger {
  readonly path: string;
  /** Writes a record, with `wall_time` (seconds since 1970) added. Its `step` says where it belongs. */
  log(record: MetricsRecord): void;
  /** Closes the file now and the backends as soon as they can. */
  close(): Promise<void>;
}

/**
 * Logs to a file of JSON lines. An existing file is continued, and mended if its last line was cut off. A backend
 * that fails is switched off with a warning; a run does not end because a dashboard is away.
 */
export function MetricsLogger(
  file: string,
  { backends = [], keepThroughStep = null, expected = null }: MetricsLoggerOptions = {},
): MetricsLogger {
  const target = path.resolve(file);
  const lines = openJsonLines(target, { keepThroughStep, expected });
  const working = new Set(backends);
  let lastStep = 0;
  let closing: Promise<void> | null = null;

  const switchOff = (backend: MetricsBackend, error: unknown): void => {
    // Of several that were under way the first is told.
    if (!working.delete(backend)) return;
    const reason = error instanceof Error ? error.message : String(error);
    process.emitWarning(
      `a metrics backend failed and is switched off; ${path.basename(target)} goes on: ${reason}`,
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
    path: target,
    log: (record) => {
      if (closing !== null)
        throw new MetricsError(`MetricsLogger.log: ${target} is closed; make a new logger`);
      const plain = plainRecord({ ...record, wall_time: record.wall_time ?? Date.now() / 1000 });
      if (typeof plain.step === "number") lastStep = plain.step;
      lines.append(plain);
      for (const backend of working) {
        try {
          Promise.resolve(backend.log(plain, lastStep)).catch((error: unknown) => switchOff(backend, error));
        } catch (error) {
          switchOff(backend, error);
        }
      }
    },
    close: () => {
      if (closing === null) {
        // The backends are closed even if the file cannot be.
        const done = Promise.all([...working].map(closeBackend));
        closing = done.then(() => undefined);
        lines.close();
      }
      return closing;
    },
  };
}
