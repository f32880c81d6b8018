// Messages for people while a run goes on, one line each: `I 2026-02-15 14:30:22.123 [vibe_rl] text`.
import { fs, path } from "../node/index.js";
import { explainFailure } from "../files/index.js";
import { MetricsError } from "./errors.js";
import { plainRecord, scalarsOf, type MetricsRecord } from "./record.js";

/** From the least to the most important. */
export const logLevels = ["debug", "info", "warning", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LoggingOptions {
  /** The least important messages to show. Default "info". */
  readonly level?: LogLevel;
  /** A file that gets the messages too, appended. Default `null`: none. */
  readonly file?: string | null;
  /** Where messages are shown. Default the standard error output, in a browser the console; `null`: nowhere. */
  readonly stream?: { write(text: string): unknown } | null;
}

/** Writes messages. */
export type Logger = Readonly<Record<LogLevel, (message: string) => void>>;

const twoDigits = (value: number): string => String(value).padStart(2, "0");

/** `2026-02-15 14:30:22.123`, local time. */
function timestamp(date: Date): string {
  const day = [date.getFullYear(), twoDigits(date.getMonth() + 1), twoDigits(date.getDate())].join("-");
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(":");
  return `${day} ${time}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

/** A message as its line. */
export const formatLine = (level: LogLevel, message: string, date: Date): string =>
  `${level[0].toUpperCase()} ${timestamp(date)} [vibe_rl] ${message}`;

/** The standard error output, or the console where there is none. */
function standardError(): { write(text: string): unknown } {
  const { process }: { readonly process?: Partial<NodeJS.Process> } = globalThis;
  // oxlint-disable-next-line no-console
  return process?.stderr ?? { write: (line) => console.info(line.trimEnd()) };
}

function makeLogger({ level = "info", file = null, stream = standardError() }: LoggingOptions): Logger {
  const least = logLevels.indexOf(level);
  if (least < 0) {
    throw new MetricsError(
      `setupLogging: level must be one of ${logLevels.join(", ")}, got ${level as string}`,
    );
  }
  if (file !== null) prepareFile(path.resolve(file));
  const write = (of: LogLevel, message: string): void => {
    if (logLevels.indexOf(of) < least) return;
    const line = `${formatLine(of, message, new Date())}\n`;
    stream?.write(line);
    if (file !== null) fs.appendFileSync(file, line);
  };
  const entries = logLevels.map((of) => [of, (message: string) => write(of, message)] as const);
  return Object.fromEntries(entries) as unknown as Logger;
}

function prepareFile(file: string): void {
  try {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.closeSync(fs.openSync(file, "a"));
  } catch (error) {
    throw new MetricsError(`setupLogging: cannot write ${file}: ${explainFailure(error)}`, { cause: error });
  }
}

let current: Logger = makeLogger({});

/** Says which messages are shown and where, for the whole process. Returns the logger. */
export function setupLogging(options: LoggingOptions = {}): Logger {
  current = makeLogger(options);
  return current;
}

/** The logger of the process; `setupLogging` changes it. */
export const getLogger = (): Logger => current;

/** A number in a few digits: whole numbers as they are, four significant digits otherwise. */
function shortNumber(value: number): string {
  if (Number.isInteger(value) || !Number.isFinite(value)) return String(value);
  return Math.abs(value) >= 1000 ? value.toFixed(1) : String(Number(value.toPrecision(4)));
}

/** Logs `step 5000/100000 (5.0%) | loss=0.42 reward=195`. */
export function logStepProgress(step: number, total: number, values: MetricsRecord = {}): void {
  const percent = total > 0 ? (100 * step) / total : 100;
  const shown = scalarsOf(plainRecord(values)).map(([name, value]) => `${name}=${shortNumber(value)}`);
  const progress = `step ${step}/${total} (${percent.toFixed(1)}%)`;
  current.info(shown.length === 0 ? progress : `${progress} | ${shown.join(" ")}`);
}
