// What a run takes from its environment: shapes, parameters, the length of episodes.
import { Array, fail, tree, type Shape } from "../array/index.js";
import { lookAtEnv, type Environment, type Space } from "../env/index.js";

/** What an agent is made for. */
export interface Setting {
  readonly obsShape: Shape;
  readonly actions: Space;
}

/** How many actions, or components of an action, a space has. */
const sizeOf = (space: Space): number =>
  space.kind === "Discrete" ? space.n : space.shape.reduce((product, extent) => product * extent, 1);

/** The spaces of an environment. What the user has said about them must be true. */
export function lookAt<S, P>(
  operation: string,
  env: Environment<S, P>,
  params: P,
  obsShape: Shape | undefined,
  actionCount: { readonly name: string; readonly value: number | undefined },
  kinds: readonly Space["kind"][],
): Setting {
  lookAtEnv(operation, env, params);
  const own = env.observationSpace(params).shape;
  const actions = env.actionSpace(params);
  if (!kinds.includes(actions.kind)) {
    fail(operation, `needs actions in ${kinds.join(" or ")}, ${env.name} has ${String(actions)}`);
  }
  if (obsShape !== undefined && [obsShape].flat().join() !== own.join()) {
    fail(
      operation,
      `obsShape is [${[obsShape].flat().join()}], ${env.name} has observations of shape [${own.join()}]`,
    );
  }
  const { name, value = sizeOf(actions) } = actionCount;
  if (value !== sizeOf(actions)) fail(operation, `${name} is ${value}, ${env.name} has ${String(actions)}`);
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

/** How long episodes of an environment can be: what its parameters say, or long enough. */
export function longestEpisode(params: unknown): number {
  const { maxSteps } = (params ?? {}) as { readonly maxSteps?: Array | number };
  const most = typeof maxSteps === "object" ? maxSteps.item() : maxSteps;
  return Number.isSafeInteger(most) && (most as number) >= 1 ? Math.min(most as number, 2 ** 31 - 1) : 10_000;
}
