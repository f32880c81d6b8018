// The safetensors format: eight bytes with the length of a JSON header, the header (for each tensor its dtype,
// shape and place), then the elements, little-endian and without gaps.
import { crypto, fs } from "../node/index.js";
import type { DType } from "../array/index.js";
import { isRecord, pieces } from "../files/index.js";
import { DamagedCheckpointError } from "./errors.js";

/** A named tensor as bytes, row-major and little-endian. */
export interface Tensor {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

const formatNames = {
  bool: "BOOL",
  uint8: "U8",
  uint32: "U32",
  int32: "I32",
  float32: "F32",
  float64: "F64",
} as const satisfies Record<DType, string>;

const itemSizes: Readonly<Record<DType, number>> = {
  bool: 1,
  uint8: 1,
  uint32: 4,
  int32: 4,
  float32: 4,
  float64: 8,
};

const dtypeNamed = (name: unknown): DType | undefined =>
  (Object.keys(formatNames) as DType[]).find((dtype) => formatNames[dtype] === name);

/** The key under which the header holds texts of its own. */
export const metadataKey = "__metadata__";

/** A file of the format, in parts to be written one after the other. */
export function encodeSafetensors(
  tensors: readonly Tensor[],
  metadata: Readonly<Record<string, string>>,
): Uint8Array[] {
  // Wide elements first, so that every tensor lies at a multiple of its element's size.
  const ordered = [...tensors].sort((a, b) => itemSizes[b.dtype] - itemSizes[a.dtype]);
  let end = 0;
  const entries = ordered.map(({ name, dtype, shape, bytes }) => {
    const start = end;
    end += bytes.length;
    return [name, { dtype: formatNames[dtype], shape, data_offsets: [start, end] }] as const;
  });
  const header = Buffer.from(JSON.stringify(Object.fromEntries([[metadataKey, metadata], ...entries])));
  // Spaces up to a multiple of eight, as the format allows, so that the elements start at one.
  const text = Buffer.alloc(Math.ceil(header.length / 8) * 8, " ");
  header.copy(text);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return [length, text, ...ordered.map(({ bytes }) => bytes)];
}

/** The SHA-256 of parts that follow one another, as hexadecimal text. */
export function sha256(parts: readonly Uint8Array[]): string {
  const hash = crypto.createHash("sha256");
  for (const part of parts) for (const piece of pieces(part)) hash.update(piece);
  return hash.digest("hex");
}

export interface SafetensorsFile {
  readonly metadata: Readonly<Record<string, string>>;
  readonly tensors: ReadonlyMap<string, Tensor>;
  /** Everything that was read, in the order of the file. */
  readonly parts: readonly Uint8Array[];
}

/** Reads a file of the format and checks it against the format's rules. */
export function readSafetensors(path: string): SafetensorsFile {
  const damaged = (what: string): never => {
    throw new DamagedCheckpointError(`${path} is not a whole safetensors file: ${what}`);
  };
  const file = fs.openSync(path, "r");
  try {
    const { size } = fs.fstatSync(file);
    const prefix = readExactly(file, 8, damaged);
    const length = Number(new DataView(prefix.buffer).getBigUint64(0, true));
    if (length > size - 8) damaged(`its header should have ${length} bytes, the file has ${size}`);
    const text = readExactly(file, length, damaged);
    const header = parseHeader(text, damaged);
    const places = placesOf(header, damaged);
    const total = places.at(-1)?.end ?? 0;
    if (8 + length + total !== size) {
      damaged(`its header describes ${8 + length + total} bytes, the file has ${size}`);
    }
    const tensors = places.map(({ name, dtype, shape, start, end }) => {
      return { name, dtype, shape, bytes: readExactly(file, end - start, damaged) };
    });
    return {
      metadata: textsOf(header[metadataKey]),
      tensors: new Map(tensors.map((tensor) => [tensor.name, tensor])),
      parts: [prefix, text, ...tensors.map(({ bytes }) => bytes)],
    };
  } finally {
    fs.closeSync(file);
  }
}

type Refuse = (what: string) => never;

/** The next bytes of an open file, in storage of their own. */
function readExactly(file: number, length: number, damaged: Refuse): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (const piece of pieces(bytes)) {
    for (let done = 0; done < piece.length;) {
      const count = fs.readSync(file, piece, done, piece.length - done, null);
      if (count === 0) damaged("it ends too early");
      done += count;
    }
  }
  return bytes;
}

function parseHeader(text: Uint8Array, damaged: Refuse): Record<string, unknown> {
  try {
    const header: unknown = JSON.parse(Buffer.from(text).toString("utf8"));
    if (isRecord(header)) return header;
  } catch {
    damaged("its header is not JSON");
  }
  return damaged("its header is not an object");
}

interface Place {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly start: number;
  readonly end: number;
}

/** Where the tensors lie, in the order of the file. */
function placesOf(header: Record<string, unknown>, damaged: Refuse): Place[] {
  const entries = Object.entries(header).filter(([name]) => name !== metadataKey);
  const places = entries
    .map(([name, entry]) => placeOf(name, entry, damaged))
    .sort((a, b) => a.start - b.start || a.end - b.end);
  let next = 0;
  for (const { name, start, end } of places) {
    if (start !== next) damaged(`tensor ${name} starts at byte ${start} instead of ${next}`);
    next = end;
  }
  return places;
}

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const areWhole = (value: unknown): value is number[] => Array.isArray(value) && value.every(isWhole);

function placeOf(name: string, entry: unknown, damaged: Refuse): Place {
  if (!isRecord(entry)) return damaged(`tensor ${name} is not described by an object`);
  const { shape, data_offsets: offsets } = entry;
  const dtype = dtypeNamed(entry.dtype);
  if (dtype === undefined) {
    const known = Object.values(formatNames).join(", ");
    return damaged(`tensor ${name} has dtype ${JSON.stringify(entry.dtype)}; we read ${known}`);
  }
  if (!areWhole(shape) || !areWhole(offsets) || offsets.length !== 2) {
    return damaged(`tensor ${name} needs a shape and two offsets`);
  }
  const [start, end] = offsets;
  const bytes = shape.reduce((product, extent) => product * extent, itemSizes[dtype]);
  if (end - start !== bytes) damaged(`tensor ${name} takes ${bytes} bytes, its offsets say ${end - start}`);
  return { name, dtype, shape, start, end };
}

const textsOf = (value: unknown): Record<string, string> =>
  isRecord(value)
    ? Object.fromEntries(
        Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
      )
    : {};
