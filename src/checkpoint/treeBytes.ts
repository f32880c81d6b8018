// A tree as the bytes of one safetensors file, for weights that travel alone: to a file, over the network, to a page.
import { arrayType, concrete, itemSize, viewBytes, type Array } from "../array/index.js";
import { joined } from "../files/index.js";
import { sha256 } from "./checksum.js";
import { decodeTree, decodeWhole, encodeTree, type DecodeOptions } from "./codec.js";
import { CheckpointError, DamagedCheckpointError } from "./errors.js";
import { isOutline, type Outline } from "./outline.js";
import { encodeSafetensors, parseSafetensors, type Tensor } from "./safetensors.js";

// The checksum is part of the file that it is of: it is taken with zeros in its own place.
const blank = "0".repeat(64);

const formatName = "vibe-rl";

/** Texts of our own in a file's metadata. */
const ownNames = ["format", "tree", "sha256"] as const;

/** Texts that travel with the tensors, as the format has them. */
export type TextMetadata = Readonly<Record<string, string>>;

/** The file of a tree, in parts to be written one after the other. */
export function encodeTreeFile(operation: string, tree: unknown, metadata: TextMetadata): Uint8Array[] {
  checkMetadata(operation, metadata);
  const { outline, tensors } = encodeTree(operation, tree, false);
  const encode = (checksum: string) =>
    encodeSafetensors(tensors, {
      ...{ format: formatName, tree: JSON.stringify(outline), sha256: checksum },
      ...metadata,
    });
  return encode(sha256(encode(blank)));
}

function checkMetadata(operation: string, metadata: TextMetadata): void {
  for (const [name, value] of Object.entries(metadata)) {
    if (typeof value !== "string") {
      throw new CheckpointError(
        `${operation}: metadata.${name} is a ${typeof value}; the format has texts only, so use String or JSON.stringify`,
      );
    }
    if (ownNames.some((own) => own === name)) {
      throw new CheckpointError(
        `${operation}: metadata.${name} belongs to the file itself (${ownNames.join(", ")} do); name it otherwise`,
      );
    }
  }
}

/** A file as it was read. */
export interface TreeFile {
  readonly metadata: TextMetadata;
  readonly tensors: ReadonlyMap<string, Tensor>;
  /** The length of the header, the header, and everything else. */
  readonly parts: readonly Uint8Array[];
}

/** What a file holds. */
export interface TreeContent {
  /** The tree that was saved; of a file that another tool has written, a record of its arrays by name. */
  readonly tree: unknown;
  readonly metadata: TextMetadata;
}

/** The tree of a file, put into the structure of `like` if that is not undefined. */
export function decodeTreeFile(
  operation: string,
  { metadata, tensors, parts }: TreeFile,
  like: unknown,
  options: DecodeOptions,
): TreeContent {
  const { tree: text, sha256: checksum, format, ...rest } = metadata;
  // Two of our three texts make it ours, so that one which was altered is noticed.
  const isOurs =
    [format === formatName, text !== undefined, checksum !== undefined].filter(Boolean).length > 1;
  if (!isOurs) {
    const record = Object.fromEntries([...tensors].map(([name, tensor]) => [name, arrayOf(tensor)]));
    if (like === undefined) return { tree: record, metadata };
    const { outline, tensors: named } = encodedRecord(operation, record);
    return { tree: decodeTree(operation, { outline, tensors: named }, like, options), metadata };
  }
  const outline = parseOutline(text);
  if (outline === null || checksumWithout(checksum ?? "", parts) !== checksum) {
    throw new DamagedCheckpointError(`${operation} was altered: its checksum differs`);
  }
  const stored = { outline, tensors };
  const tree =
    like === undefined ? decodeWhole(operation, stored) : decodeTree(operation, stored, like, options);
  return { tree, metadata: rest };
}

/** A record of arrays taken apart as our own trees are, whatever their names. */
function encodedRecord(operation: string, record: Readonly<Record<string, Array>>) {
  const { outline, tensors } = encodeTree(operation, record, false);
  return { outline, tensors: new Map(tensors.map((tensor) => [tensor.name, tensor])) };
}

function parseOutline(text: string | undefined): Outline | null {
  try {
    const outline: unknown = JSON.parse(text ?? "");
    return isOutline(outline) ? outline : null;
  } catch {
    return null;
  }
}

function checksumWithout(checksum: string, [length, header, ...elements]: readonly Uint8Array[]): string {
  const text = new TextDecoder().decode(header).replace(checksum, blank);
  return sha256([length, new TextEncoder().encode(text), ...elements]);
}

function arrayOf({ dtype, shape, bytes }: Tensor): Array {
  const elements = viewBytes(
    dtype,
    bytes.buffer as ArrayBuffer,
    bytes.byteOffset,
    bytes.length / itemSize(dtype),
  );
  return concrete(arrayType(shape, dtype), elements);
}

/** A tree as the bytes of a safetensors file. `metadata` are texts of the caller's that travel with it. */
export function toSafetensors(tree: unknown, metadata: TextMetadata = {}): Uint8Array {
  return joined(encodeTreeFile("toSafetensors", tree, metadata));
}

/**
 * The tree and the texts in the bytes of a safetensors file. What `toSafetensors` and `saveTree` have written is the
 * tree that it was; a file of another tool is a record of its arrays by name, F16 and BF16 widened to float32.
 */
export function fromSafetensors(given: Uint8Array | ArrayBuffer): TreeContent {
  const operation = "fromSafetensors";
  const isBuffer = given instanceof ArrayBuffer;
  if (!isBuffer && !(given instanceof Uint8Array)) {
    throw new CheckpointError(
      `${operation}: needs the bytes of a file, an ArrayBuffer or a Uint8Array, got ${given === null ? "null" : typeof given}`,
    );
  }
  const bytes = isBuffer ? new Uint8Array(given) : given;
  const { metadata, tensors } = parseSafetensors(bytes, (what) => {
    throw new DamagedCheckpointError(`${operation}: these bytes are not a whole safetensors file: ${what}`);
  });
  const elements = 8 + Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  const parts = [bytes.subarray(0, 8), bytes.subarray(8, elements), bytes.subarray(elements)];
  return decodeTreeFile(`${operation}: the file`, { metadata, tensors, parts }, undefined, {});
}
