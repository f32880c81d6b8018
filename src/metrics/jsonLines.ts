// metrics.jsonl: one record a line, appended, readable after a crash.
import { explainFailure, removeLeftovers, writeAll } from "../files/index.js";
import { fs, path } from "../node/index.js";
import { MetricsError } from "./errors.js";
import { readLines } from "./lines.js";
import { encodeRecord, type PlainRecord, type PlainValue } from "./record.js";
import { repair, type RepairOptions } from "./repair.js";

/** The records of a metrics file, in order. A last line that was cut off is left out. */
export function readMetrics(file: string): PlainRecord[] {
  const operation = "readMetrics";
  try {
    const lines = readLines(file);
    lines.checkWhole(operation);
    return lines.records.map(({ record }) => record);
  } catch (error) {
    if (error instanceof MetricsError) throw error;
    throw new MetricsError(`${operation}: cannot read ${file}: ${explainFailure(error)}`, { cause: error });
  }
}

/** The furthest step that a metrics file has a record of, as far as it can be read; `null` if there is none. */
export function lastLoggedStep(file: string): number | null {
  let steps: readonly PlainValue[];
  try {
    steps = readLines(file).records.map(({ record }) => record.step);
  } catch {
    return null;
  }
  return steps.reduce<number | null>(
    (last, step) => (typeof step === "number" && step > (last ?? -Infinity) ? step : last),
    null,
  );
}

/** A file that records are appended to. */
export interface JsonLines {
  append(record: PlainRecord): void;
  close(): void;
}

/** Opens a metrics file for appending, repaired. */
export function openJsonLines(file: string, options: RepairOptions): JsonLines {
  const operation = "MetricsLogger";
  const failed = (error: unknown): never => {
    if (error instanceof MetricsError) throw error;
    throw new MetricsError(`${operation}: cannot write ${file}: ${explainFailure(error)}`, { cause: error });
  };
  let open: number;
  try {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    removeLeftovers(path.dirname(file));
    repair(operation, file, options);
    open = fs.openSync(file, "a");
  } catch (error) {
    return failed(error);
  }
  return {
    append: (record) => {
      const before = fs.fstatSync(open).size;
      try {
        writeAll(open, Buffer.from(`${encodeRecord(record)}\n`));
      } catch (error) {
        // A full disk may have taken half a line.
        fs.ftruncateSync(open, before);
        failed(error);
      }
    },
    close: () => {
      try {
        fs.fsyncSync(open);
      } catch (error) {
        failed(error);
      } finally {
        fs.closeSync(open);
      }
    },
  };
}
