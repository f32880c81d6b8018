// A metrics file made fit to be continued: whole lines, nothing of steps that will be logged again, and whatever of
// the steps before has got lost put back.
import { fs } from "../node/index.js";
import { failureCode, replaceFile } from "../files/index.js";
import { readLines, type Line, type Lines } from "./lines.js";
import { encodeRecord, type PlainRecord } from "./record.js";

export interface RepairOptions {
  /** Drops the records of later steps. `null`: none. */
  readonly keepThroughStep: number | null;
  /** What must be there, in order. `null`: what is there. */
  readonly expected: readonly PlainRecord[] | null;
}

const nothing: Lines = { records: [], isCut: false, isDamaged: false, checkWhole: () => undefined };

function readOrNothing(file: string): Lines {
  try {
    return readLines(file);
  } catch (error) {
    if (failureCode(error) === "ENOENT") return nothing;
    throw error;
  }
}

/** Makes a file end with a whole line, and hold what it should. */
export function repair(operation: string, file: string, { keepThroughStep, expected }: RepairOptions): void {
  const lines = readOrNothing(file);
  // What can be put back may be unreadable; otherwise the file is somebody's to mend.
  if (expected === null || expected.length === 0) lines.checkWhole(operation);
  const isKept = ({ record: { step } }: Line) =>
    keepThroughStep === null || typeof step !== "number" || step <= keepThroughStep;
  const kept = lines.records.filter(isKept);
  const wanted = expected === null ? kept : withExpected(kept, expected);
  const isSame =
    wanted.length === lines.records.length && wanted.every((line, at) => line === lines.records[at]);
  if (isSame && !lines.isCut && !lines.isDamaged) return;
  if (lines.isDamaged) keepDamaged(file);
  replaceFile(file, [Buffer.concat(wanted.map(({ text }) => Buffer.from(`${text}\n`)))]);
}

/** What a record is known by: its step and the names of its fields. */
const identityOf = (record: PlainRecord): string =>
  JSON.stringify([record.step ?? null, ...Object.keys(record).sort()]);

/** The lines as they are, if what is expected is among them in order; otherwise with it put in their place, by step. */
function withExpected(lines: readonly Line[], expected: readonly PlainRecord[]): readonly Line[] {
  const known = new Set(expected.map(identityOf));
  const ours = lines.filter(({ record }) => known.has(identityOf(record)));
  const isThere =
    ours.length === expected.length &&
    ours.every(({ record }, at) => encodeRecord(record) === encodeRecord(expected[at]));
  if (isThere) return lines;
  const others = lines.filter(({ record }) => !known.has(identityOf(record)));
  const restored = expected.map((record) => ({ text: encodeRecord(record), record }));
  const stepOf = ({ record: { step } }: Line) => (typeof step === "number" ? step : -Infinity);
  return [...restored, ...others].sort((a, b) => stepOf(a) - stepOf(b));
}

/** Keeps a file that has more in it than could be read. */
function keepDamaged(file: string): void {
  let copy = `${file}.damaged`;
  for (let count = 2; fs.existsSync(copy); count++) copy = `${file}.damaged-${count}`;
  fs.copyFileSync(file, copy);
  process.emitWarning(
    `${file} had lines that could not be read; what a checkpoint knows of it was restored, and the file as it was ` +
      `is kept as ${copy}`,
    "MetricsWarning",
  );
}
