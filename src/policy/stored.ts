// A policy as data: which algorithm, which settings, and the part of the agent's state that acting needs. It is what
// the file of a policy holds.
import { checkedConfig, type ObsStats } from "../agent/index.js";
import { algorithmNames, algorithmOf, isAlgorithm, type ActionKind } from "../algorithms/index.js";
import { Array, dtypes, fail, tree, type DType, type Shape } from "../array/index.js";
import { CheckpointError, fromSafetensors, toSafetensors } from "../checkpoint/index.js";
import { isRecord } from "../files/index.js";
import { spaceFromData, spaceToData, type Space } from "../env/index.js";
import { policyFromOnnx, policyFromWeights, type ImportOptions } from "./imported.js";
import { metadataFrom, type PolicyMetadata } from "./metadata.js";
import { checkNetwork } from "./network.js";
import { looksLikeOnnx } from "./onnx/model.js";
import { givenNetworks, type GivenNetworks } from "./ownNetworks.js";
import { actionSpaceOf, isOf, observationSpaceOf } from "./spaces.js";
import type { PolicyAlgorithm } from "./types.js";

interface Common {
  readonly obsShape: Shape;
  readonly obsDtype: DType;
  /** What PPO's continuous actions are kept within; `null` leaves them as they are. */
  readonly bounds: { readonly low: Array; readonly high: Array } | null;
  /** What it does and sees, where somebody has told. */
  readonly actionSpace: Space | null;
  readonly observationSpace: Space | null;
  readonly metadata: PolicyMetadata;
  /** How many frames side by side are an observation; 1 unless told. */
  readonly frameStack?: number;
}

/** A policy as data. */
export interface StoredPolicy extends Common {
  readonly algorithm: PolicyAlgorithm;
  readonly config: object;
  /** The part of the agent's state that acting needs. */
  readonly state: ObsStats;
  /** The networks that it acts with; `null` are the algorithm's own. */
  readonly networks: GivenNetworks | null;
}

/** What is known of a policy before it is checked. */
export interface Claims extends Common {
  readonly algorithm: unknown;
  readonly config: unknown;
  readonly state: unknown;
  /** What is told of networks that are not the algorithm's own. */
  readonly networks?: unknown;
}

/** Refuses what cannot act, and completes the config. `where` it comes from is for messages. */
export function checkedPolicy(
  operation: string,
  { algorithm, config, state, networks, ...common }: Claims,
  given?: object,
  where = "this agent",
): StoredPolicy {
  if (algorithm === "network") {
    checkNetwork(operation, config, state);
    return { algorithm, config: config as object, state: state as ObsStats, networks: null, ...common };
  }
  if (!isAlgorithm(algorithm)) {
    const known = `${algorithmNames.slice(0, -1).join(", ")} or ${algorithmNames.at(-1)}`;
    throw new CheckpointError(
      `${operation}: the algorithm must be ${known}, got ${JSON.stringify(algorithm)}`,
    );
  }
  const { config: builder, acting } = algorithmOf(algorithm);
  const checked = checkedConfig(operation, "config", builder, config);
  const needed: readonly string[] = acting.fields;
  const fields = isRecord(state) ? state : {};
  const missing = needed.find((name) => fields[name] === undefined);
  if (missing !== undefined) {
    throw new CheckpointError(
      `${operation}: this is no state of ${algorithm.toUpperCase()}: it has no ${missing}`,
    );
  }
  const names = [...needed, "obsStats"].filter((name) => fields[name] !== undefined);
  const kept = Object.fromEntries(names.map((name) => [name, fields[name]]));
  const policy = { algorithm, config: checked, state: kept, ...common };
  return { ...policy, networks: givenNetworks(operation, where, policy, networks, given) };
}

/** Under this name the metadata of a policy's file says what its arrays are for. */
const metadataName = "policy";
const version = 1;

/** The file of a policy. */
export function policyToBytes({
  state,
  bounds,
  networks,
  frameStack = 1,
  ...rest
}: StoredPolicy): Uint8Array {
  const { algorithm, config, obsShape, obsDtype, metadata, actionSpace, observationSpace } = rest;
  const text = JSON.stringify({
    ...{ version, algorithm, config, obsShape, obsDtype, metadata },
    ...(actionSpace !== null && { actionSpace: spaceToData(actionSpace) }),
    ...(observationSpace !== null && { observationSpace: spaceToData(observationSpace) }),
    ...(networks !== null && { networks: networks.told }),
    ...(frameStack > 1 && { frameStack }),
  });
  return toSafetensors({ state, ...(bounds !== null && { bounds }) }, { [metadataName]: text });
}

/**
 * The policy of a file: ours, which acts with the networks that are given where it has not the algorithm's own, or a
 * network of another program.
 */
export function policyFromBytes(
  operation: string,
  given: Uint8Array | ArrayBuffer,
  { networks: own, ...told }: ImportOptions & { readonly networks?: object | undefined } = {},
): StoredPolicy {
  const bytes = given instanceof ArrayBuffer ? new Uint8Array(given) : given;
  refuseModule(operation, bytes);
  if (looksLikeOnnx(bytes)) return policyFromOnnx(operation, bytes, told);
  const { tree: content, metadata } = fromSafetensors(bytes);
  const text = metadata[metadataName];
  if (text === undefined || !isRecord(content)) return policyFromWeights(operation, arraysIn(content), told);
  const said: unknown = JSON.parse(text);
  if (!isRecord(said) || said.version !== version) {
    throw new CheckpointError(
      `${operation}: the file has version ${String(isRecord(said) ? said.version : said)} of the format of ` +
        `policies, this vibe-rl reads version ${version}`,
    );
  }
  const { algorithm, config, obsShape, obsDtype, networks } = said;
  const isShape = globalThis.Array.isArray(obsShape) && obsShape.every(Number.isSafeInteger);
  if (!isShape || !dtypes.some((dtype) => dtype === obsDtype)) {
    throw new CheckpointError(
      `${operation}: what the file says about observations is not what vibe-rl writes`,
    );
  }
  const { state, bounds = null } = content as { state: unknown; bounds?: Common["bounds"] };
  const seen = spaceFromData(said.observationSpace);
  const observations = { obsShape: obsShape as Shape, obsDtype: obsDtype as DType };
  const claims: Claims = {
    algorithm,
    config,
    state,
    bounds,
    networks,
    ...observations,
    actionSpace: spaceFromData(said.actionSpace),
    observationSpace: seen !== null && isOf(seen, observations.obsShape, observations.obsDtype) ? seen : null,
    metadata: metadataFrom(String(algorithm), said.metadata),
    ...(typeof said.frameStack === "number" && { frameStack: said.frameStack }),
  };
  return checkedPolicy(operation, claims, own, "this policy");
}

/** The arrays of a file by name. */
const arraysIn = (content: unknown): Readonly<Record<string, Array>> =>
  isRecord(content)
    ? (Object.fromEntries(Object.entries(content).filter(([, value]) => value instanceof Array)) as never)
    : {};

/** A module that was exported as JavaScript is not loaded, but imported. */
function refuseModule(operation: string, bytes: Uint8Array): void {
  const start = new TextDecoder().decode(bytes.subarray(0, 80));
  if (!/^\/\/ A \w+ policy/.test(start)) return;
  fail(operation, "this is a JavaScript module, which acts by itself: import its function act");
}

/** What a policy does and sees: as it was told, or else as far as its arrays tell. */
export function policySpaces(
  { actionSpace, observationSpace, obsShape, obsDtype, bounds, state }: StoredPolicy,
  actions: ActionKind,
): { readonly action: Space; readonly observation: Space } {
  const { actionLow: low, actionHigh: high } = state as {
    readonly actionLow?: Array;
    readonly actionHigh?: Array;
  };
  const own = low === undefined || high === undefined ? null : { low, high };
  return {
    action: actionSpace ?? actionSpaceOf(actions, bounds ?? own),
    observation: observationSpace ?? observationSpaceOf(obsShape, obsDtype),
  };
}

/** One of several agents side by side, as sweeps train them. */
export const memberOf = (state: unknown, at: number): unknown =>
  tree.map((x: unknown) => (x instanceof Array ? x.slice(at) : x), state);
