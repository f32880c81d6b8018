// The safetensors format: eight bytes with the length of a JSON header, the header (for each tensor its dtype,
// shape and place), then the elements, little-endian and without gaps. Bytes only: nothing here touches a disk.
import { itemSize, sizeOf, type DType } from "../array/index.js";
import { isRecord } from "../files/index.js";
import { halfTypes, widened } from "./halfFloats.js";

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

/** How the elements of a tensor are stored, and what they become here. */
interface Storage {
  readonly name: string;
  readonly dtype: DType;
  readonly itemBytes: number;
}

const storages: readonly Storage[] = [
  ...(Object.entries(formatNames) as [DType, string][]).map(([dtype, name]) => ({
    name,
    dtype,
    itemBytes: itemSize(dtype),
  })),
  ...halfTypes.map((name): Storage => ({ name, dtype: "float32", itemBytes: 2 })),
];

/** The key under which the header holds texts of its own. */
export const metadataKey = "__metadata__";

/** A file of the format, in parts to be written one after the other. */
export function encodeSafetensors(
  tensors: readonly Tensor[],
  metadata: Readonly<Record<string, string>>,
): Uint8Array[] {
  // Wide elements first, so that every tensor lies at a multiple of its element's size.
  const ordered = [...tensors].sort((a, b) => itemSize(b.dtype) - itemSize(a.dtype));
  let end = 0;
  const entries = ordered.map(({ name, dtype, shape, bytes }) => {
    const start = end;
    end += bytes.length;
    return [name, { dtype: formatNames[dtype], shape, data_offsets: [start, end] }] as const;
  });
  const header = new TextEncoder().encode(
    JSON.stringify(Object.fromEntries([[metadataKey, metadata], ...entries])),
  );
  // Spaces up to a multiple of eight, as the format allows, so that the elements start at one.
  const text = new Uint8Array(Math.ceil(header.length / 8) * 8).fill(0x20);
  text.set(header);
  const length = new Uint8Array(8);
  new DataView(length.buffer).setBigUint64(0, BigInt(text.length), true);
  return [length, text, ...ordered.map(({ bytes }) => bytes)];
}

/** Says what is wrong with a file. */
export type Refuse = (what: string) => never;

/** The length of the header, from the first bytes of a file of so many. */
export function headerLength(start: Uint8Array, size: number, refuse: Refuse): number {
  if (start.length < 8) refuse("it ends too early");
  const length = Number(new DataView(start.buffer, start.byteOffset).getBigUint64(0, true));
  if (length > size - 8) refuse(`its header should have ${length} bytes, the file has ${size}`);
  return length;
}

/** Where a tensor lies, counted from the first element of the file, and how it is stored. */
export interface Place extends Storage {
  readonly tensor: string;
  readonly shape: readonly number[];
  readonly start: number;
  readonly end: number;
}

export interface Header {
  readonly metadata: Readonly<Record<string, string>>;
  /** In the order of the file. */
  readonly places: readonly Place[];
}

/** The header of a file of so many bytes, checked against the format's rules. */
export function parseHeader(text: Uint8Array, size: number, refuse: Refuse): Header {
  const header = parseObject(text, refuse);
  const places = placesOf(header, refuse);
  const described = 8 + text.length + (places.at(-1)?.end ?? 0);
  if (described !== size) refuse(`its header describes ${described} bytes, the file has ${size}`);
  return { metadata: textsOf(header[metadataKey]), places };
}

/** A tensor from the bytes that were stored; they must be its own and lie at a multiple of eight. */
export const tensorAt = ({ tensor, name, dtype, shape }: Place, stored: Uint8Array): Tensor => ({
  name: tensor,
  dtype,
  shape,
  bytes: name === "F16" || name === "BF16" ? widened(name, stored) : stored,
});

/** Reads the bytes of a file of the format; the tensors are copies. */
export function parseSafetensors(
  bytes: Uint8Array,
  refuse: Refuse,
): { readonly metadata: Header["metadata"]; readonly tensors: ReadonlyMap<string, Tensor> } {
  const elements = 8 + headerLength(bytes, bytes.length, refuse);
  const { metadata, places } = parseHeader(bytes.subarray(8, elements), bytes.length, refuse);
  // A Buffer of Node would share its storage with the slice.
  const copy = (start: number, end: number) => new Uint8Array(bytes.subarray(start, end));
  const tensors = places.map((place) => tensorAt(place, copy(elements + place.start, elements + place.end)));
  return { metadata, tensors: new Map(tensors.map((tensor) => [tensor.name, tensor])) };
}

function parseObject(text: Uint8Array, refuse: Refuse): Record<string, unknown> {
  try {
    const header: unknown = JSON.parse(new TextDecoder().decode(text));
    if (isRecord(header)) return header;
  } catch {
    refuse("its header is not JSON");
  }
  return refuse("its header is not an object");
}

/** Where the tensors lie, in the order of the file. */
function placesOf(header: Record<string, unknown>, refuse: Refuse): Place[] {
  const entries = Object.entries(header).filter(([name]) => name !== metadataKey);
  const places = entries
    .map(([name, entry]) => placeOf(name, entry, refuse))
    .sort((a, b) => a.start - b.start || a.end - b.end);
  let next = 0;
  for (const { tensor, start, end } of places) {
    if (start !== next) refuse(`tensor ${tensor} starts at byte ${start} instead of ${next}`);
    next = end;
  }
  return places;
}

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const areWhole = (value: unknown): value is number[] => Array.isArray(value) && value.every(isWhole);

function placeOf(tensor: string, entry: unknown, refuse: Refuse): Place {
  if (!isRecord(entry)) return refuse(`tensor ${tensor} is not described by an object`);
  const { dtype, shape, data_offsets: offsets } = entry;
  const storage = storages.find(({ name }) => name === dtype);
  if (storage === undefined) {
    const known = storages.map(({ name }) => name).join(", ");
    return refuse(`tensor ${tensor} has dtype ${JSON.stringify(dtype)}; we read ${known}`);
  }
  if (!areWhole(shape) || !areWhole(offsets) || offsets.length !== 2) {
    return refuse(`tensor ${tensor} needs a shape and two offsets`);
  }
  const [start, end] = offsets;
  const bytes = storage.itemBytes * sizeOf(shape);
  if (end - start !== bytes) refuse(`tensor ${tensor} takes ${bytes} bytes, its offsets say ${end - start}`);
  return { ...storage, tensor, shape, start, end };
}

const textsOf = (value: unknown): Record<string, string> =>
  isRecord(value)
    ? Object.fromEntries(
        Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
      )
    : {};
