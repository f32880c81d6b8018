// Policies for those who only want actions: a compiled program with the parameters in it.
import {
  Array,
  check,
  fail,
  jit,
  precompile,
  random,
  rules,
  tellNearest,
  type Shape,
  type TypedArray,
} from "../array/index.js";
import {
  isAlgorithm,
  type ActionKind,
  type ActionsOf,
  type AgentStateOf,
  type ConfigOf,
  type DQNNetworks,
  type PPONetworks,
  type SACNetworks,
} from "../algorithms/index.js";
import type { Space } from "../env/index.js";
import type { NetworkParams, ObsStats } from "../agent/index.js";
import { actBatchOf, actingOf, actionKindOf, anyKey, obsShapeOf, obsSizeOf } from "./acting.js";
import { metadataOf, type Told } from "./metadata.js";
import { frameLayout, keepFrames } from "./frames.js";
import { obsReader } from "./observations.js";
import { quickAct } from "./quick.js";
import { wordsOfNetworks } from "./ownNetworks.js";
import { checkedPolicy, policySpaces, policyToBytes, type Claims, type StoredPolicy } from "./stored.js";
import type { Action, Algorithm, PlainObs, Policy, PolicyOptions } from "./types.js";

const isTraced = ({ tracer }: Array): boolean => tracer !== null;

/** A policy that is ready to act: the program for one observation is compiled. */
export async function policyFrom(
  operation: string,
  stored: StoredPolicy,
  { explore = false, seed = 0 }: PolicyOptions,
): Promise<Policy> {
  check(operation, "explore", explore, rules.flag);
  check(operation, "seed", seed, rules.whole(0));
  checkObsSize(operation, stored);
  const { obsShape, obsDtype, algorithm, metadata, frameStack = 1 } = stored;
  const { kind, size } = actionKindOf(stored);
  const reader = obsReader(obsShape, obsDtype);
  const acts = actBatchOf(stored);
  const greedy = jit((obs: Array): Array => acts(obs, anyKey(), false)[0]);
  const greedyOne = jit((obs: Array): Array => acts(obs.slice(null), anyKey(), false)[0].slice(0));
  const exploring = jit((obs: Array, key: Array) => acts(obs, key, true));
  const exploringOne = jit((obs: Array, key: Array) => {
    const [actions, next] = acts(obs.slice(null), key, true);
    return [actions.slice(0), next] as const;
  });
  let rng = random.key(seed);

  const explored = (program: typeof exploring | typeof exploringOne, obs: Array): Array => {
    if (isTraced(obs)) {
      fail(
        operation,
        "a policy that explores keeps its random key outside; a traced function needs the agent's own act",
      );
    }
    const [actions, next] = program(obs, rng);
    rng = next;
    return actions;
  };
  const actOnArray = (obs: Array): Array => (explore ? explored(exploringOne, obs) : greedyOne(obs));
  const actOnArrays = (obs: Array): Array => (explore ? explored(exploring, obs) : greedy(obs));
  const plain = (elements: TypedArray): Action =>
    kind === "discrete" ? elements[0] : (elements.slice() as Float32Array);
  const layout = frameLayout(operation, obsShape, frameStack);
  const frames = frameStack === 1 ? null : keepFrames(obsShape, obsDtype, layout);
  const quick = quickAct(acts, stored, reader, explore);
  const actOnPlain = (obs: PlainObs): Action => {
    if (quick === null) return plain(actOnArray(reader.one(obs)).data());
    const [elements, next] = quick(obs, rng);
    rng = next;
    return plain(elements);
  };

  function act(obs: Array | PlainObs): Array | Action {
    if (!(obs instanceof Array)) return actOnPlain(frames === null ? obs : frames.see(obs));
    checkShape("policy.act", obs, obsShape);
    return actOnArray(obs);
  }
  function actBatch(obs: Array | readonly PlainObs[] | Float32Array): Array | Action[] {
    if (obs instanceof Array) {
      checkShape("policy.actBatch", obs, [obs.shape[0], ...obsShape]);
      return actOnArrays(obs);
    }
    if (obs.length === 0) return [];
    const actions = actOnArrays(reader.several(obs));
    const data = actions.data();
    if (kind === "discrete") return [...data];
    return globalThis.Array.from({ length: actions.shape[0] }, (_, at) =>
      (data as Float32Array).slice(at * size, (at + 1) * size),
    );
  }

  if (quick === null) {
    const example = reader.several([new Float32Array(sizeOf(obsShape))]).slice(0);
    await (explore ? precompile(exploringOne, example, rng) : precompile(greedyOne, example));
  }
  const toSafetensors = () => policyToBytes(stored);
  const reset = (): void => frames?.reset();
  const spaces = policySpaces(stored, { kind, size });
  const policy = {
    algorithm,
    kind,
    actionSize: size,
    obsShape,
    space: spaces.action,
    observationSpace: spaces.observation,
    metadata,
    step: metadata.step,
    frameStack,
    act,
    actBatch,
    reset,
    toSafetensors,
  } as unknown as Policy;
  storedPolicies.set(policy, stored);
  return policy;
}

const storedPolicies = new WeakMap<Policy, StoredPolicy>();

/** What a policy was made of; `undefined` for objects that were not made here. */
export const storedOf = (policy: object): StoredPolicy | undefined => storedPolicies.get(policy as Policy);

/**
 * The parameters of the network that a policy sees observations with: dense layers { w, b }, or convolutions and dense
 * layers; an agent whose networks are as large can go on from them. A PPO with a shared backbone has its first part here.
 */
export function networkParamsOf(policy: Policy): NetworkParams {
  const operation = "networkParamsOf";
  const stored = storedOf(policy) ?? fail(operation, "takes a policy of loadPolicy or createPolicy");
  if (stored.networks !== null)
    fail(operation, "the policy has networks of its program's own, which knows them");
  return actingOf(stored.algorithm).firstNetwork(stored.state);
}

const sizeOf = (shape: Shape): number => shape.reduce((product, extent) => product * extent, 1);

function checkObsSize(operation: string, stored: StoredPolicy): void {
  const [told, own] = [sizeOf(stored.obsShape), obsSizeOf(stored)];
  if (own === null || own === told) return;
  fail(
    operation,
    `observations of shape [${stored.obsShape.join()}] have ${told} numbers, the network takes ${own}`,
  );
}

function checkShape(operation: string, obs: Array, wanted: Shape): void {
  if (obs.shape.join() === wanted.join()) return;
  fail(operation, `takes an array of shape [${wanted.join()}], got [${obs.shape.join()}]`);
}

export interface CreatePolicyOptions<C> extends PolicyOptions {
  /** The config that the agent was trained with, or what in it differs from the defaults. */
  readonly config?: Partial<C>;
  /** What it observes. Default: as many floats as the network takes; images must be told. */
  readonly observationSpace?: Space;
  /** What it may do: PPO's continuous actions are kept within its bounds. Default: they are left as they are. */
  readonly actionSpace?: Space;
  /** Where it comes from, for those who read its file: the environment, the step, the seed, the return. */
  readonly metadata?: Omit<Told, "version">;
  /** How many frames side by side are an observation, as FrameStackWrapper makes them. Default 1. */
  readonly frameStack?: number;
  /** The networks that the agent was made with, if they are not the algorithm's own. */
  readonly networks?: PPONetworks | DQNNetworks | SACNetworks | undefined;
}

/** Actions as plain data, by what they can be. */
interface PlainActions {
  readonly discrete: number;
  readonly continuous: Float32Array;
}

const optionNames = [
  "config",
  "observationSpace",
  "actionSpace",
  "metadata",
  "networks",
  "frameStack",
  "explore",
  "seed",
];
const toldNames = ["environment", "step", "seed", "evalReturn"];

/** The policy of an agent that was just trained. */
export async function createPolicy<K extends Algorithm>(
  algorithm: K,
  agentState: AgentStateOf<K>,
  options: CreatePolicyOptions<ConfigOf<K>> = {},
): Promise<Policy<PlainActions[ActionsOf<K>]>> {
  const operation = "createPolicy";
  checkNames(operation, options, optionNames);
  const {
    config = {},
    observationSpace,
    actionSpace,
    metadata = {},
    networks,
    frameStack,
    ...rest
  } = options;
  checkNames(`${operation}: metadata`, metadata, toldNames);
  const obsDtype = observationSpace?.dtype ?? "float32";
  const claims = {
    algorithm,
    config,
    state: agentState,
    bounds: boundsOf(actionSpace),
    obsDtype,
    actionSpace: actionSpace ?? null,
    observationSpace: observationSpace ?? null,
    metadata: metadataOf(algorithm, metadata),
    ...(frameStack !== undefined && { frameStack }),
  };
  const stored = withNetworks(operation, claims, observationSpace?.shape, networks);
  if (actionSpace !== undefined) checkActionSpace(operation, actionSpace, actionKindOf(stored));
  return (await policyFrom(operation, stored, rest)) as never;
}

/** What is known of an agent, with the networks that it was made with, for observations of a shape or what it takes. */
function withNetworks(
  operation: string,
  claims: Omit<Claims, "networks" | "obsShape">,
  given: Shape | undefined,
  networks: object | undefined,
): StoredPolicy {
  const own = { ...(claims.state as ObsStats) };
  if (networks !== undefined && isAlgorithm(claims.algorithm)) {
    const obsShape = given ?? own.obsStats?.mean.shape;
    if (obsShape === undefined) {
      fail(operation, "networks of one's own do not tell what they observe: give observationSpace");
    }
    const told = wordsOfNetworks(operation, { algorithm: claims.algorithm, state: own, obsShape }, networks);
    return checkedPolicy(operation, { ...claims, obsShape, networks: told }, networks);
  }
  const stored = checkedPolicy(operation, { ...claims, obsShape: [] });
  const obsShape = given ?? obsShapeOf(stored);
  if (obsShape === null) {
    fail(operation, "the network is for images, whose size it does not tell: give observationSpace");
  }
  return { ...stored, obsShape };
}

/** The bounds of a Box of floats. */
export const boundsOf = (space: Space | null | undefined): StoredPolicy["bounds"] =>
  space?.kind === "Box" && space.dtype === "float32" ? { low: space.low, high: space.high } : null;

/** Refuses a space that actions of a policy cannot be of. */
export function checkActionSpace(operation: string, space: Space, { kind, size }: ActionKind): void {
  const fits =
    kind === "discrete"
      ? space.kind === "Discrete" && space.n === size
      : space.kind === "Box" && space.shape.join() === String(size);
  if (fits) return;
  const wanted = kind === "discrete" ? `Discrete(${size})` : `a Box of shape [${size}]`;
  fail(operation, `actionSpace is ${String(space)}, the actions of this policy are ${wanted}`);
}

/** Refuses options that there are not. */
export function checkNames(operation: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    fail(operation, `there is no option \`${unknown}\`; ${tellNearest(unknown, known)}`);
  }
}
