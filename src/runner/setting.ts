// What a run takes from its environment: shapes, parameters, the length of episodes.
import { Array, fail, sizeOf, tree, type Shape } from "../array/index.js";
import {
  frameCountOf,
  idOf,
  lookAtEnv,
  spaceToData,
  type Environment,
  type Space,
  type SpaceData,
} from "../env/index.js";

/** What an agent is made for. */
export interface Setting {
  readonly obsShape: Shape;
  readonly actions: Space;
}

/** How many actions, or components of an action, a space has. */
const countActions = (space: Space): number => (space.kind === "Discrete" ? space.n : sizeOf(space.shape));

/** The spaces of an environment. What the user has said about them must be true. */
export function lookAt<S, P>(
  operation: string,
  env: Environment<S, P>,
  params: P,
  obsShape: Shape | null | undefined,
  actionCount: { readonly name: string; readonly value: number | null | undefined },
  kinds: readonly Space["kind"][],
): Setting {
  lookAtEnv(operation, env, params);
  const own = env.observationSpace(params).shape;
  const actions = env.actionSpace(params);
  if (!kinds.includes(actions.kind)) {
    fail(operation, `needs actions in ${kinds.join(" or ")}, ${env.name} has ${String(actions)}`);
  }
  if (obsShape !== undefined && obsShape !== null && [obsShape].flat().join() !== own.join()) {
    fail(
      operation,
      `obsShape is [${[obsShape].flat().join()}], ${env.name} has observations of shape [${own.join()}]`,
    );
  }
  const { name } = actionCount;
  const value = actionCount.value ?? countActions(actions);
  if (value !== countActions(actions))
    fail(operation, `${name} is ${value}, ${env.name} has ${String(actions)}`);
  return { obsShape: own, actions };
}

/** The parameters of an environment as a checkpoint tells them: texts by their paths. */
export function plainParams(params: unknown): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  tree.mapWithPath((path, leaf: unknown) => {
    found[path] = leaf instanceof Array ? String(leaf.toArray()) : String(leaf);
    return 0;
  }, params);
  return found;
}

/** The spaces of an environment as checkpoints tell them. */
export interface SpacesData {
  readonly action: SpaceData;
  readonly observation: SpaceData;
  /** How many frames side by side an observation is; left out for one. */
  readonly frameStack?: number;
}

export const spacesOf = <S, P>(env: Environment<S, P>, params: P): SpacesData => ({
  action: spaceToData(env.actionSpace(params)),
  observation: spaceToData(env.observationSpace(params)),
  ...(frameCountOf(env) > 1 && { frameStack: frameCountOf(env) }),
});

/** The name of an environment to a run, which resets those that do not do it themselves. */
export const nameOf = (env: Environment): string => env.name.replace(/^AutoResetWrapper\((.*)\)$/s, "$1");

/** How `make` makes an environment again: its id, and the parameters that differ from its own. */
export interface Origin {
  readonly envId: string;
  readonly envParams: Readonly<Record<string, unknown>>;
}

/** Where an environment comes from; `null` if `make` cannot make it again. */
export function originOf<S, P>(env: Environment<S, P>, params: P): Origin | null {
  const envId = idOf(env);
  if (envId === null) return null;
  const changed = changedParams(env.defaultParams(), params);
  return changed === null ? null : { envId, envParams: changed ?? {} };
}

/** Parameters that differ, as plain data; `undefined` if none does, `null` if they cannot be told. */
function changedParams(usual: unknown, given: unknown): Record<string, unknown> | null | undefined {
  if (typeof usual !== "object" || usual === null || typeof given !== "object" || given === null) return null;
  if (Object.keys(usual).join() !== Object.keys(given).join()) return null;
  const changed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given as Readonly<Record<string, unknown>>)) {
    const before = (usual as Readonly<Record<string, unknown>>)[name];
    const difference = value instanceof Array ? changedLeaf(before, value) : changedParams(before, value);
    if (difference === null) return null;
    if (difference !== undefined) changed[name] = difference;
  }
  return Object.keys(changed).length === 0 ? undefined : changed;
}

function changedLeaf(before: unknown, now: Array): unknown {
  if (!(before instanceof Array) || before.dtype !== now.dtype || before.shape.join() !== now.shape.join()) {
    return null;
  }
  const [old, fresh] = [before.data(), now.data()];
  if (fresh.every((value, at) => Object.is(value, old[at]))) return undefined;
  return fresh.every(Number.isFinite) ? now.toArray() : null;
}

/** How long episodes of an environment can be: what its parameters say, or long enough. */
export function longestEpisode(params: unknown): number {
  const { maxSteps } = (params ?? {}) as { readonly maxSteps?: Array | number };
  const most = typeof maxSteps === "object" ? maxSteps.item() : maxSteps;
  return Number.isSafeInteger(most) && (most as number) >= 1 ? Math.min(most as number, 2 ** 31 - 1) : 10_000;
}
