// Loading policies: from a run, from its checkpoints, or from the bytes of a file, which is all that a browser has.
import { fail } from "../array/index.js";
import type { DQNNetworks, PPONetworks, SACNetworks } from "../algorithms/index.js";
import { loadWholeBytes, manifestName, tensorsName, type CheckpointBytes } from "../checkpoint/index.js";
import type { Space } from "../env/index.js";
import { isRecord } from "../files/index.js";
import { checkActivation, type ImportOptions } from "./imported.js";
import { actionKindOf } from "./acting.js";
import { boundsOf, checkActionSpace, checkNames, policyFrom } from "./policy.js";
import { policyFromBytes, type StoredPolicy } from "./stored.js";
import type { Policy, PolicyOptions } from "./types.js";

export interface LoadPolicyOptions extends PolicyOptions, Omit<ImportOptions, "actions"> {
  /** The step whose checkpoint to load. Default: the best by evaluations, or else the newest. */
  readonly step?: number;
  /** Which of the runs of a sweep over seeds, from 0 on. */
  readonly member?: number;
  /** How many frames side by side are an observation, as FrameStackWrapper makes them: `act` takes one at a time. */
  readonly frameStack?: number;
  /** Keeps PPO's continuous actions within the bounds of this space; others keep to theirs anyway. */
  readonly actionSpace?: Space;
  /** The networks that it was trained with, if they are not the algorithm's own. */
  readonly networks?: PPONetworks | DQNNetworks | SACNetworks | undefined;
  /**
   * What actions must be: with it their type is known, and another policy is refused. Files of other programs may not
   * say it themselves.
   */
  readonly actions?: "discrete" | "continuous";
}

/**
 * A path to a run directory, a directory of checkpoints, a checkpoint or a policy's file; a `RunDir`; the bytes of a
 * policy's file, or those of both files of a checkpoint by their names.
 */
export type PolicySource = string | { readonly root: string } | Uint8Array | ArrayBuffer | CheckpointBytes;

const optionNames = [
  ...["step", "member", "networks", "actionSpace", "actions", "frameStack", "explore", "seed"],
  ...["activation", "output", "prefix"],
];

/**
 * A policy that is ready to act, from a run, its checkpoints, or the bytes of a file: it knows its algorithm, its
 * network, how observations are normalised and what actions are bounded by.
 */
export function loadPolicy(
  source: PolicySource,
  options: LoadPolicyOptions & { readonly actions: "discrete" },
): Promise<Policy<number>>;
export function loadPolicy(
  source: PolicySource,
  options: LoadPolicyOptions & { readonly actions: "continuous" },
): Promise<Policy<Float32Array>>;
export function loadPolicy(source: PolicySource, options?: LoadPolicyOptions): Promise<Policy>;
export async function loadPolicy(source: PolicySource, options: LoadPolicyOptions = {}): Promise<Policy> {
  const operation = "loadPolicy";
  checkNames(operation, options, optionNames);
  const { actions, explore, seed } = options;
  checkActivation(operation, options.activation);
  const stored = await findPolicy(operation, source, options);
  const acting = { ...(explore !== undefined && { explore }), ...(seed !== undefined && { seed }) };
  const policy = await policyFrom(operation, stored, acting);
  if (actions !== undefined && actions !== policy.kind) {
    fail(operation, `actions should be ${actions}, those of this policy are ${policy.kind}`);
  }
  return policy;
}

/** What a policy is made of, wherever it lies. */
export async function findPolicy(
  operation: string,
  source: PolicySource,
  options: LoadPolicyOptions,
): Promise<StoredPolicy> {
  const stored = await read(operation, source, options);
  const { actionSpace, frameStack } = options;
  const known = frameStack === undefined ? stored : { ...stored, frameStack };
  if (actionSpace === undefined) return known;
  checkActionSpace(operation, actionSpace, actionKindOf(stored));
  return { ...known, actionSpace, bounds: boundsOf(actionSpace) ?? stored.bounds };
}

async function read(
  operation: string,
  source: PolicySource,
  options: LoadPolicyOptions,
): Promise<StoredPolicy> {
  if (source instanceof Uint8Array || source instanceof ArrayBuffer) {
    if (options.step !== undefined || options.member !== undefined) {
      fail(operation, "bytes hold one policy: step and member are for directories");
    }
    return policyFromBytes(operation, source, options);
  }
  if (isCheckpoint(source)) {
    if (options.step !== undefined) fail(operation, "these are the files of one checkpoint; leave out step");
    const { policyInCheckpoint } = await import("./inCheckpoint.js");
    return policyInCheckpoint(operation, loadWholeBytes(operation, source), options);
  }
  const place: unknown = isRecord(source) ? source.root : source;
  if (typeof place !== "string") {
    fail(operation, `takes a path, a RunDir or bytes, got ${source === null ? "null" : typeof source}`);
  }
  const { policyOnDisk } = await import("./onDisk.js");
  return policyOnDisk(operation, place, options);
}

/** Whether there is a file of a checkpoint at least; which one is missing is said when they are read. */
const isCheckpoint = (source: unknown): source is CheckpointBytes =>
  isRecord(source) && (manifestName in source || tensorsName in source);
