// A policy as data: which algorithm, which settings, and the part of the agent's state that acting needs. It is what
// the file of a policy holds.
import { checkedConfig, type ConfigBuilder, type NetworkParams, type ObsStats } from "../agent/index.js";
import { DQNConfig, PPOConfig, SACConfig, type PPOParams } from "../algorithms/index.js";
import { Array, dtypes, tree, type DType, type Shape } from "../array/index.js";
import { CheckpointError, fromSafetensors, toSafetensors } from "../checkpoint/index.js";
import { isRecord } from "../files/index.js";
import type { Algorithm } from "./types.js";

/** The part of each algorithm's state that acting needs. */
interface ActingStates {
  readonly ppo: ObsStats & { readonly params: PPOParams };
  readonly dqn: ObsStats & { readonly params: NetworkParams; readonly step: Array };
  readonly sac: ObsStats & {
    readonly actorParams: NetworkParams;
    readonly actionLow: Array;
    readonly actionHigh: Array;
  };
}

interface Configs {
  readonly ppo: PPOConfig;
  readonly dqn: DQNConfig;
  readonly sac: SACConfig;
}

const builders: { readonly [K in Algorithm]: ConfigBuilder<Configs[K]> } = {
  ppo: PPOConfig,
  dqn: DQNConfig,
  sac: SACConfig,
};

const fieldsOf: { readonly [K in Algorithm]: readonly (keyof ActingStates[K] & string)[] } = {
  ppo: ["params"],
  dqn: ["params", "step"],
  sac: ["actorParams", "actionLow", "actionHigh"],
};

interface Common {
  readonly obsShape: Shape;
  readonly obsDtype: DType;
  /** What PPO's continuous actions are kept within; `null` leaves them as they are. */
  readonly bounds: { readonly low: Array; readonly high: Array } | null;
}

/** A policy as data. */
export type StoredPolicy = Common &
  {
    [K in Algorithm]: { readonly algorithm: K; readonly config: Configs[K]; readonly state: ActingStates[K] };
  }[Algorithm];

/** What is known of a policy before it is checked. */
interface Claims extends Common {
  readonly algorithm: unknown;
  readonly config: unknown;
  readonly state: unknown;
}

/** Refuses what cannot act, and completes the config. */
export function checkedPolicy(
  operation: string,
  { algorithm, config, state, ...common }: Claims,
): StoredPolicy {
  if (algorithm !== "ppo" && algorithm !== "dqn" && algorithm !== "sac") {
    throw new CheckpointError(
      `${operation}: the algorithm must be ppo, dqn or sac, got ${JSON.stringify(algorithm)}`,
    );
  }
  const checked = checkedConfig<object>(operation, "config", builders[algorithm], config);
  const fields = isRecord(state) ? state : {};
  const missing = fieldsOf[algorithm].find((name) => fields[name] === undefined);
  if (missing !== undefined) {
    throw new CheckpointError(
      `${operation}: this is no state of ${algorithm.toUpperCase()}: it has no ${missing}`,
    );
  }
  const names = [...fieldsOf[algorithm], "obsStats"].filter((name) => fields[name] !== undefined);
  const acting = Object.fromEntries(names.map((name) => [name, fields[name]]));
  return { algorithm, config: checked, state: acting, ...common } as unknown as StoredPolicy;
}

/** Under this name the metadata of a policy's file says what its arrays are for. */
const metadataName = "policy";
const version = 1;

/** The file of a policy. */
export function policyToBytes({ state, bounds, ...rest }: StoredPolicy): Uint8Array {
  const { algorithm, config, obsShape, obsDtype } = rest;
  const text = JSON.stringify({ version, algorithm, config, obsShape, obsDtype });
  return toSafetensors({ state, ...(bounds !== null && { bounds }) }, { [metadataName]: text });
}

/** The policy of a file. */
export function policyFromBytes(operation: string, bytes: Uint8Array | ArrayBuffer): StoredPolicy {
  const { tree: content, metadata } = fromSafetensors(bytes);
  const text = metadata[metadataName];
  if (text === undefined || !isRecord(content)) {
    throw new CheckpointError(
      `${operation}: these bytes are a safetensors file without a policy. Write one with policy.toSafetensors(); ` +
        "fromSafetensors gives the arrays of any other",
    );
  }
  const said: unknown = JSON.parse(text);
  if (!isRecord(said) || said.version !== version) {
    throw new CheckpointError(
      `${operation}: the file has version ${String(isRecord(said) ? said.version : said)} of the format of ` +
        `policies, this vibe-rl reads version ${version}`,
    );
  }
  const { algorithm, config, obsShape, obsDtype } = said;
  const isShape = globalThis.Array.isArray(obsShape) && obsShape.every(Number.isSafeInteger);
  if (!isShape || !dtypes.some((dtype) => dtype === obsDtype)) {
    throw new CheckpointError(
      `${operation}: what the file says about observations is not what vibe-rl writes`,
    );
  }
  const { state, bounds = null } = content as { state: unknown; bounds?: Common["bounds"] };
  return checkedPolicy(operation, {
    ...{ algorithm, config, state, bounds },
    obsShape: obsShape as Shape,
    obsDtype: obsDtype as DType,
  });
}

/** One of several agents side by side, as sweeps train them. */
export const memberOf = (state: unknown, at: number): unknown =>
  tree.map((x: unknown) => (x instanceof Array ? x.slice(at) : x), state);
