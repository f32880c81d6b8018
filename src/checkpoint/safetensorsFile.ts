// Safetensors files on disk, read piece by piece.
import { fs } from "../node/index.js";
import { pieces } from "../files/index.js";
import { DamagedCheckpointError } from "./errors.js";
import { headerLength, parseHeader, tensorAt, type Refuse, type Tensor } from "./safetensors.js";

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
    const text = readExactly(file, headerLength(prefix, size, damaged), damaged);
    const { metadata, places } = parseHeader(text, size, damaged);
    const stored = places.map(({ start, end }) => readExactly(file, end - start, damaged));
    const tensors = places.map((place, at) => tensorAt(place, stored[at]));
    return {
      metadata,
      tensors: new Map(tensors.map((tensor) => [tensor.name, tensor])),
      parts: [prefix, text, ...stored],
    };
  } finally {
    fs.closeSync(file);
  }
}

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
