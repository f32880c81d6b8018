// What a run takes from its surroundings: shapes from the environment, files from its directory.
import { fail, type Array, type Shape } from "../array/index.js";
import type { Environment, Space } from "../env/index.js";
import type { RunDir } from "../runDir/index.js";
import type { RunnerConfig } from "./config.js";
import type { MetricsLogger } from "../metrics/index.js";
import type { RunOptions } from "./loop.js";

export interface RunFiles {
  /** Where the run keeps its files: config, metrics, checkpoints. */
  readonly runDir?: RunDir;
}

/** The shapes that an agent is made for: those given, or the environment's. */
export function lookAt<S, P>(
  operation: string,
  env: Environment<S, P>,
  params: P,
  obsShape: Shape | undefined,
  actions: number | undefined,
): { readonly obsShape: Shape; readonly actions: number | Space } {
  const own = env.observationSpace(params).shape;
  if (obsShape !== undefined && obsShape.join() !== own.join()) {
    fail(
      operation,
      `obsShape is [${obsShape.join()}], ${env.name} has observations of shape [${own.join()}]`,
    );
  }
  return { obsShape: own, actions: actions ?? env.actionSpace(params) };
}

/** How long episodes of an environment can be: what its parameters say, or long enough. */
export function longestEpisode(params: unknown): number {
  const { maxSteps } = params as { readonly maxSteps?: Array };
  return maxSteps === undefined ? 10_000 : maxSteps.item();
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
  const open = (keepThroughStep: number | null) =>
    (file ??= MetricsLogger(runDir.logPath(), { keepThroughStep }));
  try {
    return await body(
      { ...config, checkpointDir: config.checkpointDir ?? runDir.checkpoints },
      {
        ...options,
        logger: {
          log: (record) => {
            open(null).log(record);
            options.logger?.log(record);
          },
        },
        // What was logged after the checkpoint will be logged again.
        onResume: (step) => {
          open(step);
          options.onResume?.(step);
        },
      },
    );
  } finally {
    await (file as MetricsLogger | null)?.close();
  }
}
