// A metrics file as it lies on the disk: lines that are records, and what is wrong with the others.
import { fs } from "../node/index.js";
import { MetricsError } from "./errors.js";
import { decodeRecord, type PlainRecord } from "./record.js";

/** A line that is a record. */
export interface Line {
  readonly text: string;
  readonly record: PlainRecord;
}

export interface Lines {
  readonly records: readonly Line[];
  /** Whether the last line lacks its end or is no record, as a killed process leaves it. */
  readonly isCut: boolean;
  /** Whether any other line is no record. */
  readonly isDamaged: boolean;
  /** Refuses a file with a line that is no record, unless that is the last one. */
  checkWhole(operation: string): void;
}

/** The lines of a file that are records. A file of several hundred megabytes is not made one text of. */
export function readLines(file: string): Lines {
  const bytes = fs.readFileSync(file);
  const records: Line[] = [];
  let badLine: number | null = null;
  let isCut = false;
  for (let from = 0, number = 1; from < bytes.length; number++) {
    const end = bytes.indexOf(10, from);
    const text = bytes.toString("utf8", from, end < 0 ? bytes.length : end);
    const record = decodeRecord(text);
    if (record !== null) records.push({ text, record });
    // What was cut off in its first line looks like a record, or it is not ours.
    else if (text.trim() !== "" && (end >= 0 || (number === 1 && !text.startsWith("{")))) badLine ??= number;
    if (end < 0) isCut = true;
    from = end < 0 ? bytes.length : end + 1;
  }
  return {
    records,
    isCut,
    isDamaged: badLine !== null,
    checkWhole: (operation) => {
      if (badLine === null) return;
      throw new MetricsError(
        `${operation}: line ${badLine} of ${file} is not a JSON object, so this is no metrics file or a damaged ` +
          `one; it is left as it is. Mend the line or choose another file`,
      );
    },
  };
}
