// The names of run directories: `<name>_<YYYYMMDD_HHMMSS>`, with `_2`, `_3`, … for runs of the same second.
import { showValue } from "../array/index.js";
import { explainFailure, failureCode, foldersIn } from "../files/index.js";
import { fs, path } from "../node/index.js";
import { RunDirError } from "./errors.js";

/** Refuses names that are no part of a path on every system. */
export function checkRunName(operation: string, name: unknown): void {
  if (typeof name === "string" && /^[^\\/:*?"<>|\p{Cc}.\s][^\\/:*?"<>|\p{Cc}]*$/u.test(name)) return;
  throw new RunDirError(
    `${operation}: the name of a run must be a text without / \\ : * ? " < > | and without a dot or space at its ` +
      `start, got ${showValue(name)}`,
  );
}

const twoDigits = (value: number): string => String(value).padStart(2, "0");

/** `20260215_143022`, local time. */
function compactTime(date: Date): string {
  const day = [date.getFullYear(), twoDigits(date.getMonth() + 1), twoDigits(date.getDate())].join("");
  return `${day}_${[date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join("")}`;
}

/** Makes an empty directory for a new run in `base` and returns its name. */
export function newRunId(base: string, name: string, date: Date): string {
  const first = `${name}_${compactTime(date)}`;
  for (let count = 1; ; count++) {
    const id = count === 1 ? first : `${first}_${count}`;
    try {
      // Making the directory is the test whether the name is free: two processes cannot both succeed.
      fs.mkdirSync(path.join(base, id));
      return id;
    } catch (error) {
      if (failureCode(error) !== "EEXIST") throw error;
    }
  }
}

interface ParsedId {
  readonly id: string;
  readonly name: string;
  readonly time: string;
  readonly count: number;
}

function parseRunId(id: string): ParsedId | null {
  const match = /^(.+)_(\d{8}_\d{6})(?:_(\d+))?$/.exec(id);
  return match === null ? null : { id, name: match[1], time: match[2], count: Number(match[3] ?? 1) };
}

function foldersOf(base: string): string[] {
  try {
    return foldersIn(base);
  } catch (error) {
    throw new RunDirError(`cannot look for runs in ${base}: ${explainFailure(error)}`, { cause: error });
  }
}

/** The runs in a directory, oldest first; those of one experiment if it is named. */
export function runIdsIn(base: string, experimentName: string | null = null): string[] {
  return foldersOf(base)
    .map(parseRunId)
    .filter((run) => run !== null)
    .filter(({ id, name }) => experimentName === null || name === experimentName || id === experimentName)
    .sort((a, b) => (a.time === b.time ? a.count - b.count : a.time < b.time ? -1 : 1))
    .map(({ id }) => id);
}
