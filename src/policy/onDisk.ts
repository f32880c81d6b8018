// Policies on disk: in run directories, directories of checkpoints, single checkpoints, and files of their own.
import { fs, path } from "../node/index.js";
import { Array, fail } from "../array/index.js";
import { bestCheckpoint, listCheckpoints, loadWhole, type Loaded } from "../checkpoint/index.js";
import { explainFailure, isFolder, isRecord, startOfFile } from "../files/index.js";
import { listEnvs, make, spaceFromData, type Space } from "../env/index.js";
import type { ImportOptions } from "./imported.js";
import { metadataOf, type Told } from "./metadata.js";
import { boundsOf } from "./policy.js";
import { isOf } from "./spaces.js";
import { checkedPolicy, memberOf, policyFromBytes, type StoredPolicy } from "./stored.js";

interface Choice extends ImportOptions {
  readonly step?: number;
  readonly member?: number;
  readonly networks?: object | undefined;
}

export function policyOnDisk(operation: string, place: string, choice: Choice): StoredPolicy {
  const full = path.resolve(place);
  if (fs.statSync(full, { throwIfNoEntry: false })?.isFile() === true) {
    return policyFromBytes(operation, bytesOf(operation, full), choice);
  }
  if (!isFolder(full))
    fail(operation, `${full} does not exist; give a run directory, a checkpoint or a file`);
  return storedIn(operation, chosenCheckpoint(checkpointsOf(full), choice.step), choice);
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
  { tree, metadata, step, path: folder }: Loaded<unknown>,
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
  const algorithm = identity.algorithm.toLowerCase();
  // Behind the axes of environments and, in a sweep, of seeds.
  const obsShape = obs.shape.slice(seeds === null ? 1 : 2);
  const spaces = spacesOf(identity, metadata.spaces);
  const seen = spaces.observation;
  const claims = {
    algorithm,
    config: identity.config,
    networks: identity.networks,
    state: seeds === null ? agent : memberOf(agent, member ?? 0),
    bounds: boundsOf(spaces.action),
    obsShape,
    obsDtype: obs.dtype,
    actionSpace: spaces.action,
    observationSpace: seen !== null && isOf(seen, obsShape, obs.dtype) ? seen : null,
    metadata: metadataOf(algorithm, toldOf(metadata, identity, step, member)),
    ...(spaces.frameStack !== undefined && { frameStack: spaces.frameStack }),
  };
  return checkedPolicy(operation, claims, networks, folder);
}

/** What the environment of a run says of actions and observations; runs of earlier versions name it at least. */
function spacesOf(identity: Readonly<Record<string, unknown>>, told: unknown): Spaces {
  if (isRecord(told)) {
    const { action, observation, frameStack } = told;
    return {
      action: spaceFromData(action),
      observation: spaceFromData(observation),
      ...(typeof frameStack === "number" && { frameStack }),
    };
  }
  const id = String(identity.environment);
  if (!listEnvs().includes(id)) return { action: null, observation: null };
  const [env, params] = make(id);
  return { action: env.actionSpace(params), observation: env.observationSpace(params) };
}

interface Spaces {
  readonly action: Space | null;
  readonly observation: Space | null;
  readonly frameStack?: number;
}

/** What a checkpoint tells of where its agent comes from. */
function toldOf(
  { best, gathered, totalTimesteps }: Readonly<Record<string, unknown>>,
  { environment, seed }: Readonly<Record<string, unknown>>,
  step: number | null,
  member = 0,
): Told {
  const number = (value: unknown): number | null => (typeof value === "number" ? value : null);
  const own: unknown = globalThis.Array.isArray(seed) ? seed[member] : seed;
  const isBest = isRecord(best) && best.step === step;
  const last = isRecord(gathered) ? gathered.evalReturn : null;
  return {
    environment: typeof environment === "string" ? environment : null,
    step: step ?? number(totalTimesteps),
    seed: number(own),
    evalReturn: number(isBest ? best.evalReturn : last),
  };
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
