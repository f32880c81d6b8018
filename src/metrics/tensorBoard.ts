// Event files for TensorBoard: TFRecord frames around protocol-buffer messages of type Event.
import { fs, os, path } from "../node/index.js";
import { explainFailure, writeAll } from "../files/index.js";
import { maskedCrc32c } from "./crc32c.js";
import { MetricsError } from "./errors.js";
import type { MetricsBackend } from "./fanOut.js";
import { doubleField, floatField, messageField, wholeField } from "./protobuf.js";
import { scalarsOf } from "./record.js";

// Field numbers of tensorflow.Event, its Summary and its SessionLog.
const event = { wallTime: 1, step: 2, fileVersion: 3, summary: 5, sessionLog: 7 } as const;
const summary = { value: 1, tag: 1, simpleValue: 2 } as const;
const sessionLog = { status: 1, start: 1 } as const;

/** A record of a TFRecord file: its length, the length's checksum, the content, the content's checksum. */
function frame(content: Uint8Array): Uint8Array {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(content.length));
  return Buffer.concat([length, checksum(length), content, checksum(content)]);
}

function checksum(bytes: Uint8Array): Uint8Array {
  const result = Buffer.alloc(4);
  result.writeUInt32LE(maskedCrc32c(bytes));
  return result;
}

const eventFrame = (wallTime: number, step: number, content: Uint8Array): Uint8Array =>
  frame(Buffer.concat([doubleField(event.wallTime, wallTime), wholeField(event.step, step), content]));

const scalarValue = ([tag, value]: readonly [string, number]): Uint8Array =>
  messageField(summary.value, [messageField(summary.tag, tag), floatField(summary.simpleValue, value)]);

export interface TensorBoardOptions {
  /** For a resumed run: TensorBoard forgets what earlier files have from this step on. Default `null`. */
  readonly purgeStep?: number | null;
}

let lastFile = 0;

/** Writes the numbers of every record to an event file in `logDir`; names within names become `group/name`. */
export function TensorBoardBackend(
  logDir: string,
  { purgeStep = null }: TensorBoardOptions = {},
): MetricsBackend & { readonly path: string } {
  const now = Date.now() / 1000;
  const seconds = Math.floor(now).toString().padStart(10, "0");
  const name = `events.out.tfevents.${seconds}.${os.hostname()}.${process.pid}.${lastFile++}`;
  const target = path.join(path.resolve(logDir), name);
  const failed = (error: unknown): never => {
    throw new MetricsError(`TensorBoardBackend: cannot write ${target}: ${explainFailure(error)}`, {
      cause: error,
    });
  };
  let open: number;
  try {
    fs.mkdirSync(path.dirname(target), { recursive: true });
    open = fs.openSync(target, "ax");
  } catch (error) {
    return failed(error);
  }
  const write = (bytes: Uint8Array): void => {
    const before = fs.fstatSync(open).size;
    try {
      writeAll(open, bytes);
    } catch (error) {
      // Half a record would hide all that follow it.
      fs.ftruncateSync(open, before);
      failed(error);
    }
  };
  write(eventFrame(now, 0, messageField(event.fileVersion, "brain.Event:2")));
  if (purgeStep !== null) {
    const start = [wholeField(sessionLog.status, sessionLog.start)];
    write(eventFrame(now, purgeStep, messageField(event.sessionLog, start)));
  }
  return {
    path: target,
    log: ({ step: _, wall_time: wallTime, ...record }, step) => {
      const scalars = scalarsOf(record);
      if (scalars.length === 0) return;
      const time = typeof wallTime === "number" ? wallTime : Date.now() / 1000;
      write(eventFrame(time, step, messageField(event.summary, scalars.map(scalarValue))));
    },
    close: () => {
      fs.fsyncSync(open);
      fs.closeSync(open);
    },
  };
}
