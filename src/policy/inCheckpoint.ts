// Policies in the checkpoints of training runs.
import { Array, fail } from "../array/index.js";
import type { Loaded } from "../checkpoint/index.js";
import { listEnvs, make, spaceFromData, type Space } from "../env/index.js";
import { isRecord } from "../files/index.js";
import { metadataOf, type Told } from "./metadata.js";
import { boundsOf } from "./policy.js";
import { isOf } from "./spaces.js";
import { checkedPolicy, memberOf, type StoredPolicy } from "./stored.js";

export interface MemberChoice {
  /** Which agent of a sweep over seeds. */
  readonly member?: number;
  readonly networks?: object | undefined;
}

/** What the checkpoint of a run tells of its agent. */
export function policyInCheckpoint(
  operation: string,
  { tree, metadata, step, path: folder }: Loaded<unknown>,
  { member, networks }: MemberChoice,
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
