// checkpoint.json: what a checkpoint holds, and checksums that tell whether it is still what was written.
import { fs, path } from "../node/index.js";
import { explainFailure, failureCode, isRecord, type NewFile } from "../files/index.js";
import { sha256 } from "./checksum.js";
import type { EncodedTree } from "./codec.js";
import { DamagedCheckpointError } from "./errors.js";
import { format, manifestName, tensorsName } from "./names.js";
import { isOutline, type Outline } from "./outline.js";
import { encodeSafetensors, type Tensor } from "./safetensors.js";
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
const checksumOf = (manifest: object): string => sha256([Buffer.from(JSON.stringify(manifest))]);

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
    { name: manifestName, parts: [Buffer.from(`${text}\n`)] },
  ];
}

/** Reads and checks the manifest in a checkpoint's folder. */
export function readManifest(folder: string): Manifest {
  const file = path.join(folder, manifestName);
  const damaged = (what: string): never => {
    throw new DamagedCheckpointError(`${folder} is not a whole checkpoint: ${what}`);
  };
  let value: unknown;
  try {
    value = JSON.parse(fs.readFileSync(file, "utf8"));
  } catch (error) {
    if (failureCode(error) === "ENOENT") damaged(`it has no ${manifestName}`);
    damaged(
      error instanceof SyntaxError ? `${manifestName} is cut short or not JSON` : explainFailure(error),
    );
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
  const checked = manifest as unknown as Manifest;
  const named = stepOfFolder(path.basename(folder));
  if (named !== null && checked.step !== null && named !== checked.step) {
    damaged(`it is that of step ${checked.step}`);
  }
  return checked;
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
