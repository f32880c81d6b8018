// checkpoint.json: what a checkpoint holds, and checksums that tell whether it is still what was written.
import { fs, path } from "../node/index.js";
import { explainFailure, failureCode, isRecord, joined, type NewFile } from "../files/index.js";
import { sha256 } from "./checksum.js";
import { encodeTree, type EncodedTree } from "./codec.js";
import { DamagedCheckpointError } from "./errors.js";
import { format, manifestName, tensorsName } from "./names.js";
import { isOutline, type Outline } from "./outline.js";
import { encodeSafetensors, parseSafetensors, type Tensor } from "./safetensors.js";
import { readSafetensors } from "./safetensorsFile.js";
import { stepOfFolder } from "./steps.js";

const version = 1;

/** What the caller says about a checkpoint. */
export interface Description {
  readonly step: number | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** What `bestFn` made of the metrics; `null` without one or where it was not a finite number. */
  readonly score: number | null;
}

export interface Manifest extends Description {
  readonly format: typeof format;
  readonly version: number;
  readonly tree: Outline;
  readonly files: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>;
}

/** The checksum of a manifest: of its text without this field. */
const checksumOf = (manifest: object): string => sha256([new TextEncoder().encode(JSON.stringify(manifest))]);

/** The files of a checkpoint. */
export function checkpointFiles({ outline, tensors }: EncodedTree, description: Description): NewFile[] {
  const parts = encodeSafetensors(tensors, { format: "vibe-rl" });
  const bytes = parts.reduce((sum, part) => sum + part.length, 0);
  const manifest: Manifest = {
    format,
    version,
    ...description,
    tree: outline,
    files: { [tensorsName]: { bytes, sha256: sha256(parts) } },
  };
  const text = JSON.stringify({ ...manifest, checksum: checksumOf(manifest) }, null, 2);
  return [
    { name: tensorsName, parts },
    { name: manifestName, parts: [new TextEncoder().encode(`${text}\n`)] },
  ];
}

/** Refuses what cannot be a checkpoint; `place` is what it is called. */
const refusing =
  (place: string) =>
  (what: string): never => {
    throw new DamagedCheckpointError(`${place} is not a whole checkpoint: ${what}`);
  };

/** Reads and checks the manifest in a checkpoint's folder. */
export function readManifest(folder: string): Manifest {
  const damaged = refusing(folder);
  let text: string;
  try {
    text = fs.readFileSync(path.join(folder, manifestName), "utf8");
  } catch (error) {
    return damaged(failureCode(error) === "ENOENT" ? `it has no ${manifestName}` : explainFailure(error));
  }
  const manifest = parseManifest(text, folder);
  const named = stepOfFolder(path.basename(folder));
  if (named !== null && manifest.step !== null && named !== manifest.step) {
    damaged(`it is that of step ${manifest.step}`);
  }
  return manifest;
}

/** The manifest in a text, checked. */
function parseManifest(text: string, place: string): Manifest {
  const damaged = refusing(place);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    damaged(`${manifestName} is cut short or not JSON`);
  }
  if (!isRecord(value) || value.format !== format)
    return damaged(`${manifestName} was not written by vibe-rl`);
  if (value.version !== version) {
    damaged(`it has version ${String(value.version)} of the format, this vibe-rl reads version ${version}`);
  }
  const { checksum, ...manifest } = value;
  if (checksum !== checksumOf(manifest)) damaged(`${manifestName} was altered: its checksum differs`);
  const wrong = wrongField(manifest);
  if (wrong !== null) damaged(`${wrong} of ${manifestName} is not what vibe-rl writes`);
  return manifest as unknown as Manifest;
}

/** The first field of a manifest that cannot be right, whatever the checksum says. */
function wrongField({
  step,
  metadata,
  score,
  tree,
  files,
}: Readonly<Record<string, unknown>>): string | null {
  const tensors = isRecord(files) ? files[tensorsName] : null;
  const checks: readonly (readonly [name: string, holds: boolean])[] = [
    ["step", step === null || (Number.isSafeInteger(step) && (step as number) >= 0)],
    ["metadata", isRecord(metadata)],
    ["score", score === null || typeof score === "number"],
    ["tree", isOutline(tree)],
    ["files", isRecord(tensors) && typeof tensors.sha256 === "string"],
  ];
  return checks.find(([, holds]) => !holds)?.[0] ?? null;
}

/** A checkpoint as it lies on the disk, every file checked. */
export interface StoredCheckpoint {
  readonly manifest: Manifest;
  readonly tensors: ReadonlyMap<string, Tensor>;
}

/** Reads a checkpoint's folder. One that is incomplete or altered is a `DamagedCheckpointError`. */
export function readCheckpoint(folder: string): StoredCheckpoint {
  const manifest = readManifest(folder);
  const file = path.join(folder, tensorsName);
  try {
    const { tensors, parts } = readSafetensors(file);
    if (sha256(parts) !== manifest.files[tensorsName].sha256) {
      throw new DamagedCheckpointError(`${file} was altered: its checksum differs`);
    }
    return { manifest, tensors };
  } catch (error) {
    if (error instanceof DamagedCheckpointError) throw error;
    throw new DamagedCheckpointError(`cannot read ${file}: ${explainFailure(error)}`, { cause: error });
  }
}

/** The files of a checkpoint as bytes, by their names. */
export interface CheckpointBytes {
  readonly "checkpoint.json": Uint8Array | ArrayBuffer;
  readonly "tensors.safetensors": Uint8Array | ArrayBuffer;
}

/** A tree as the files of a checkpoint. */
export function checkpointBytes(
  tree: unknown,
  { step, metadata, score = null }: Partial<Description> & Pick<Description, "step" | "metadata">,
): Readonly<Record<keyof CheckpointBytes, Uint8Array>> {
  const files = checkpointFiles(encodeTree("checkpointBytes", tree, false), { step, metadata, score });
  const [tensors, manifest] = files.map(({ parts }) => joined(parts));
  return { [manifestName]: manifest, [tensorsName]: tensors };
}

/** Reads a checkpoint from the bytes of its files, which is all that a page has. */
export function parseCheckpoint(files: CheckpointBytes, place: string): StoredCheckpoint {
  const [text, bytes] = ([manifestName, tensorsName] as const).map((name) => {
    const given: unknown = files[name];
    if (given instanceof ArrayBuffer) return new Uint8Array(given);
    return given instanceof Uint8Array ? given : refusing(place)(`the bytes of ${name} are missing`);
  });
  const manifest = parseManifest(new TextDecoder().decode(text), place);
  if (sha256([bytes]) !== manifest.files[tensorsName].sha256) {
    throw new DamagedCheckpointError(`${tensorsName} of ${place} was altered: its checksum differs`);
  }
  return { manifest, tensors: parseSafetensors(bytes, refusing(place)).tensors };
}
