// The logger of a run: every record goes to a file of JSON lines and to any number of backends.
import { path } from "../node/index.js";
import { MetricsError } from "./errors.js";
import { fanOut, type MetricsBackend } from "./fanOut.js";
import { openJsonLines } from "./jsonLines.js";
import { plainRecord, type MetricsRecord, type PlainRecord } from "./record.js";

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
  const others = fanOut(backends, path.basename(target));
  let lastStep = 0;
  let closing: Promise<void> | null = null;

  return {
    path: target,
    log: (record) => {
      if (closing !== null)
        throw new MetricsError(`MetricsLogger.log: ${target} is closed; make a new logger`);
      const plain = plainRecord({ ...record, wall_time: record.wall_time ?? Date.now() / 1000 });
      if (typeof plain.step === "number") lastStep = plain.step;
      lines.append(plain);
      others.log(plain, lastStep);
    },
    close: () => {
      if (closing === null) {
        // The backends are closed even if the file cannot be.
        closing = Promise.resolve(others.close());
        lines.close();
      }
      return closing;
    },
  };
}
