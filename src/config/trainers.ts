// From a config to a run.
import { Array, np } from "../array/index.js";
import { make, type Environment } from "../env/index.js";
import { isRecord } from "../files/index.js";
import { trainerOf, type Trainer } from "../runner/index.js";
import type { TrainConfig } from "./presets.js";

export interface Setup {
  readonly env: Environment;
  readonly params: unknown;
  readonly trainer: Trainer<object>;
}

/** The environment of a config, with the parameters that it says. */
export function environmentOf({
  envId,
  envParams = {},
}: Pick<TrainConfig, "envId" | "envParams">): readonly [Environment, unknown] {
  const [env, usual] = make(envId);
  return [env, make(envId, likeIn(envParams, usual))[1]];
}

/** Lists of numbers as arrays of the type that a parameter has. */
function likeIn(plain: Readonly<Record<string, unknown>>, usual: unknown): Record<string, unknown> {
  const known = usual as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(plain).map(([name, value]) => {
      const like = known[name];
      if (isRecord(value)) return [name, likeIn(value, like)];
      const isList = globalThis.Array.isArray(value) && like instanceof Array;
      return [name, isList ? np.array(value as number[], { dtype: like.dtype }) : value];
    }),
  );
}

/** The environment of a config and the run that the host drives. */
export function setUp(config: TrainConfig): Setup {
  const [env, params] = environmentOf(config);
  const { algo, algoConfig, runner: runnerConfig } = config;
  const trainer = trainerOf(algo, env, params, { algoConfig, runnerConfig });
  return { env, params, trainer: trainer as unknown as Trainer<object> };
}
