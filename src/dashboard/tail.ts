// A log that is read while it is written: from where it was read to last time, whole lines only.
import { failureCode } from "../files/index.js";
import { fs } from "../node/index.js";

/** What has come since the last look. */
export interface Chunk {
  readonly lines: readonly string[];
  /** Whether the file is another one than before, or was cut: what was read so far no longer counts. */
  readonly isNew: boolean;
  /** Whether there is more to read at once. */
  readonly hasMore: boolean;
}

const newline = 10;

/** The lists of all episodes are most of a log, and no curve shows them. */
const lists = /,"episode_(?:returns|lengths|steps)":\[[^\]]*\]/g;

export class Tail {
  private offset = 0;
  private identity: string | null = null;
  private start = "";

  constructor(
    private readonly file: string,
    private readonly most = 1 << 20,
  ) {}

  /** Reads on, at most about `most` bytes; null where there is no file. */
  read(): Chunk | null {
    let open: number;
    try {
      open = fs.openSync(this.file, "r");
    } catch (error) {
      if (failureCode(error) === "ENOENT" || failureCode(error) === "ENOTDIR") return null;
      throw error;
    }
    try {
      return this.readFrom(open);
    } finally {
      fs.closeSync(open);
    }
  }

  private readFrom(open: number): Chunk {
    const { ino, dev, size } = fs.fstatSync(open);
    const identity = `${dev}:${ino}`;
    // A file that was written anew may have taken the number of the old one; its first bytes tell.
    const isNew =
      this.identity !== null &&
      (identity !== this.identity || size < this.offset || !this.startIn(open).startsWith(this.start));
    if (isNew) this.offset = 0;
    if (this.identity === null || isNew) this.start = "";
    this.identity = identity;
    let length = Math.min(this.most, size - this.offset);
    let bytes = Buffer.alloc(length);
    length = fs.readSync(open, bytes, 0, length, this.offset);
    let end = bytes.lastIndexOf(newline, length - 1) + 1;
    // A line longer than a chunk is read whole.
    while (length > 0 && end === 0 && this.offset + length < size) {
      bytes = Buffer.alloc(Math.min(length * 4, size - this.offset));
      length = fs.readSync(open, bytes, 0, bytes.length, this.offset);
      end = bytes.lastIndexOf(newline, length - 1) + 1;
    }
    const isAll = this.offset + length >= size;
    this.offset += end;
    if (this.start === "" && this.offset > 0) this.start = this.startIn(open);
    const text = bytes.toString("utf8", 0, end).replaceAll(lists, "");
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    return { lines, isNew, hasMore: end > 0 && !isAll };
  }

  private startIn(open: number): string {
    const bytes = Buffer.alloc(Math.min(256, this.offset));
    return bytes.toString("latin1", 0, fs.readSync(open, bytes, 0, bytes.length, 0));
  }
}
