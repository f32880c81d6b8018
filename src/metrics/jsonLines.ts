// metrics.jsonl: one record a line, appended, readable after a crash.
import { fs, path } from "../node/index.js";
import { explainFailure, failureCode, replaceFile, writeAll } from "../files/index.js";
import { MetricsError } from "./errors.js";
import { decodeRecord, encodeRecord, type PlainRecord } from "./record.js";

/** The lines of a file that are records, and what is left of a line that was cut. */
interface Lines {
  readonly whole: readonly string[];
  readonly records: readonly PlainRecord[];
  /** Whether the last line lacks its end or is no record. */
  readonly isCut: boolean;
}

function readLines(operation: string, file: string): Lines {
  const lines = fs.readFileSync(file, "utf8").split("\n");
  const last = lines.pop() ?? "";
  const whole: string[] = [];
  const records: PlainRecord[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "") continue;
    const record = decodeRecord(line);
    if (record === null) failAtLine(operation, file, index);
    whole.push(line);
    records.push(record);
  }
  const lastRecord = last === "" ? null : decodeRecord(last);
  // What was cut off in its first line looks like a record, or it is not ours.
  if (lines.length === 0 && last !== "" && lastRecord === null && !last.startsWith("{")) {
    failAtLine(operation, file, 0);
  }
  if (lastRecord === null) return { whole, records, isCut: last !== "" };
  return { whole: [...whole, last], records: [...records, lastRecord], isCut: true };
}

function failAtLine(operation: string, file: string, index: number): never {
  throw new MetricsError(
    `${operation}: line ${index + 1} of ${file} is not a JSON object, so this is no metrics file or a damaged one; ` +
      `it is left as it is. Mend the line or choose another file`,
  );
}

/** The records of a metrics file, in order. A last line that was cut off is left out. */
export function readMetrics(file: string): PlainRecord[] {
  try {
    return [...readLines("readMetrics", file).records];
  } catch (error) {
    if (error instanceof MetricsError) throw error;
    throw new MetricsError(`readMetrics: cannot read ${file}: ${explainFailure(error)}`, { cause: error });
  }
}

/** Makes an existing file end with a whole line, and drops the records after a step if told to. */
function repair(operation: string, file: string, keepThroughStep: number | null): void {
  let lines: Lines;
  try {
    lines = readLines(operation, file);
  } catch (error) {
    if (failureCode(error) === "ENOENT") return;
    throw error;
  }
  const isKept = ({ step }: PlainRecord) =>
    keepThroughStep === null || typeof step !== "number" || step <= keepThroughStep;
  const kept = lines.whole.filter((_, index) => isKept(lines.records[index]));
  if (!lines.isCut && kept.length === lines.whole.length) return;
  replaceFile(file, kept.map((line) => `${line}\n`).join(""));
}

/** A file that records are appended to. */
export interface JsonLines {
  append(record: PlainRecord): void;
  close(): void;
}

/** Opens a metrics file for appending, repaired. */
export function openJsonLines(file: string, keepThroughStep: number | null): JsonLines {
  const operation = "MetricsLogger";
  const failed = (error: unknown): never => {
    if (error instanceof MetricsError) throw error;
    throw new MetricsError(`${operation}: cannot write ${file}: ${explainFailure(error)}`, { cause: error });
  };
  let open: number;
  try {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    repair(operation, file, keepThroughStep);
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
