// Policies on disk: in run directories, directories of checkpoints, single checkpoints, and files of their own.
import { fs, path } from "../node/index.js";
import { Array, fail } from "../array/index.js";
import { bestCheckpoint, listCheckpoints, loadWhole, type Loaded } from "../checkpoint/index.js";
import { explainFailure, isFolder, isRecord, startOfFile } from "../files/index.js";
import { checkedPolicy, memberOf, policyFromBytes, type StoredPolicy } from "./stored.js";

interface Choice {
  readonly step?: number;
  readonly member?: number;
  readonly networks?: object | undefined;
}

export function policyOnDisk(
  operation: string,
  place: string,
  choice: Choice,
): { readonly stored: StoredPolicy; readonly step: number | null } {
  const full = path.resolve(place);
  if (fs.statSync(full, { throwIfNoEntry: false })?.isFile() === true) {
    return { stored: policyFromBytes(operation, bytesOf(operation, full), choice.networks), step: null };
  }
  if (!isFolder(full))
    fail(operation, `${full} does not exist; give a run directory, a checkpoint or a file`);
  const loaded = chosenCheckpoint(checkpointsOf(full), choice.step);
  return { stored: storedIn(operation, loaded, choice), step: loaded.step };
}

function bytesOf(operation: string, file: string): Uint8Array {
  try {
    return fs.readFileSync(file);
  } catch (error) {
    fail(operation, `cannot read ${file}: ${explainFailure(error)}`);
  }
}

/** Where the checkpoints of a run are; a folder that is no run's is taken to hold them itself. */
function checkpointsOf(folder: string): string {
  const own = path.join(folder, "checkpoints");
  const isThere = listCheckpoints(folder).length > 0 || fs.existsSync(path.join(folder, "checkpoint.json"));
  if (isThere) return folder;
  if (listCheckpoints(own).length > 0) return own;
  // A run notes where else its checkpoints went; a directory inside its own moves with it.
  const noted = startOfFile(path.join(folder, "logs", "checkpoint_dir.txt"), 4096).trim();
  if (noted !== "") return path.resolve(folder, noted);
  return isFolder(own) ? own : folder;
}

function chosenCheckpoint(directory: string, step: number | undefined): Loaded<unknown> {
  const chosen = step ?? bestCheckpoint(directory)?.step;
  return loadWhole("loadPolicy", directory, chosen === undefined ? {} : { step: chosen });
}

/** What the checkpoint of a run tells of its agent. */
function storedIn(
  operation: string,
  { tree, metadata, path: folder }: Loaded<unknown>,
  { member, networks }: Choice,
): StoredPolicy {
  const { identity } = metadata;
  const state = isRecord(tree) ? tree : {};
  const obs = state.envObs ?? state.obs;
  if (!isRecord(identity) || typeof identity.algorithm !== "string" || !(obs instanceof Array)) {
    fail(
      operation,
      `${folder} is no checkpoint of a training run, so that it does not tell which agent it holds`,
    );
  }
  const seeds = globalThis.Array.isArray(identity.seed) ? identity.seed.length : null;
  checkMember(operation, folder, seeds, member);
  const agent = state.agentState;
  const claims = {
    ...{ algorithm: identity.algorithm.toLowerCase(), config: identity.config, networks: identity.networks },
    state: seeds === null ? agent : memberOf(agent, member ?? 0),
    bounds: null,
    // Behind the axes of environments and, in a sweep, of seeds.
    obsShape: obs.shape.slice(seeds === null ? 1 : 2),
    obsDtype: obs.dtype,
  };
  return checkedPolicy(operation, claims, networks, folder);
}

function checkMember(
  operation: string,
  folder: string,
  seeds: number | null,
  member: number | undefined,
): void {
  if (seeds === null) {
    if (member !== undefined) fail(operation, `${folder} is of one run, which has no member ${member}`);
    return;
  }
  if (Number.isSafeInteger(member) && (member as number) >= 0 && (member as number) < seeds) return;
  fail(
    operation,
    `${folder} holds ${seeds} agents, one for each seed: give member, a whole number from 0 to ${seeds - 1}` +
      (member === undefined ? "" : `, got ${String(member)}`),
  );
}
