// What a run takes from its surroundings: shapes from the environment, files from its directory.
import { Array, fail, tree, type Shape } from "../array/index.js";
import { lookAtEnv, type Environment, type Space } from "../env/index.js";
import type { RunDir } from "../runDir/index.js";
import type { RunnerConfig } from "./config.js";
import type { MetricsLogger } from "../metrics/index.js";
import type { RunOptions } from "./loop.js";

export interface RunFiles {
  /** Where the run keeps its metrics and checkpoints. */
  readonly runDir?: RunDir;
}

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
  if (obsShape !== undefined && obsShape.join() !== own.join()) {
    fail(
      operation,
      `obsShape is [${obsShape.join()}], ${env.name} has observations of shape [${own.join()}]`,
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
  if (maxSteps === undefined) return 10_000;
  return typeof maxSteps === "number" ? maxSteps : maxSteps.item();
}

/** Runs with the files of a run directory: metrics are logged, checkpoints saved, the log closed in the end. */
export async function withFiles<A, R>(
  runDir: RunDir | undefined,
  config: RunnerConfig,
  options: RunOptions<A>,
  body: (config: RunnerConfig, options: RunOptions<A>) => Promise<R>,
): Promise<R> {
  if (runDir === undefined) return body(config, options);
  const { MetricsLogger } = await import("../metrics/index.js");
  let file: MetricsLogger | null = null;
  try {
    return await body(
      { ...config, checkpointDir: config.checkpointDir ?? runDir.checkpoints },
      {
        ...options,
        logger: {
          log: (record) => {
            file?.log(record);
            options.logger?.log(record);
          },
        },
        onStart: (step) => {
          // What was logged after the checkpoint will be logged again; a run that begins anew keeps what is there.
          const keepThroughStep = config.resume || config.overwrite ? step : null;
          file = MetricsLogger(runDir.logPath(), { keepThroughStep });
          options.onStart?.(step);
        },
      },
    );
  } finally {
    await (file as MetricsLogger | null)?.close();
  }
}
