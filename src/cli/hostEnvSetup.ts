// From a config to a class runner: for environments that are objects, which `registerHost` has made known.
import { ArrayError } from "../array/index.js";
import type { PPOConfig } from "../algorithms/index.js";
import type { TrainConfig } from "../config/index.js";
import { checkDevices, OffPolicyRunner, OnPolicyRunner, withEnvironments } from "../runner/index.js";
import { makeHost, SyncVecEnv, type HostEnv } from "../vecEnv/index.js";
import { tell, UsageError } from "./arguments.js";
import { provideThreads } from "./devices.js";

/** Environment steps of an iteration of DQN and SAC, rounded up to whole steps of all environments. */
const replaySteps = 100;

export interface HostSetup {
  readonly runner: OnPolicyRunner | OffPolicyRunner;
  /** Steps that the run has in the end: whole iterations. */
  readonly total: number;
  readonly close: () => Promise<void>;
}

/** The environments of a config, and the runner that trains on them. `evalEnvs` are those of evaluations. */
export async function setUpHost(config: TrainConfig, evalEnvs?: readonly HostEnv[]): Promise<HostSetup> {
  const { algo, runner } = config;
  provideThreads(config);
  const { numEnvs, cfg } = checked(() => {
    checkDevices(`train ${algo}`, runner);
    if (algo !== "ppo") return { numEnvs: runner.numEnvs, cfg: config.algoConfig };
    const { numEnvs } = withEnvironments(config.algoConfig, runner);
    return { numEnvs, cfg: { ...config.algoConfig, numEnvs } };
  });
  const vectors: SyncVecEnv[] = [];
  const close = async (): Promise<void> => {
    for (const vector of vectors) await vector.close();
  };
  try {
    const env = await sideBySide(config, numEnvs);
    vectors.push(env);
    const evalEnv =
      evalEnvs === undefined
        ? await sideBySide(config, Math.min(numEnvs, runner.evalEpisodes))
        : SyncVecEnv(evalEnvs.map((one) => () => one));
    vectors.push(evalEnv);
    const { seed, bufferSize, warmupSteps: learningStarts, totalTimesteps } = runner;
    const common = { env, evalEnv, seed, device: runner.device };
    const replay = { bufferSize, learningStarts, stepsPerIteration: replaySteps };
    const stepsPerIteration =
      algo === "ppo" ? numEnvs * (cfg as PPOConfig).nSteps : numEnvs * Math.ceil(replaySteps / numEnvs);
    return {
      runner:
        algo === "ppo"
          ? new OnPolicyRunner({ ...common, cfg })
          : new OffPolicyRunner({ ...common, ...replay, algorithm: algo, cfg }),
      total: Math.floor(totalTimesteps / stepsPerIteration) * stepsPerIteration,
      close,
    };
  } catch (error) {
    await close();
    throw usage(error);
  }
}

/** New environments of a config. */
async function sideBySide(config: TrainConfig, count: number): Promise<SyncVecEnv> {
  const envs: HostEnv[] = [];
  for (let at = 0; at < count; at++) envs.push(await hostEnvOf(config));
  return SyncVecEnv(envs.map((env) => () => env));
}

/** A new environment of a config. */
export async function hostEnvOf({ envId, envParams = {} }: TrainConfig): Promise<HostEnv> {
  try {
    return await makeHost(envId, envParams);
  } catch (error) {
    throw usage(error);
  }
}

function checked<T>(body: () => T): T {
  try {
    return body();
  } catch (error) {
    throw usage(error);
  }
}

/** What the library refuses was asked for in a wrong way. */
const usage = (error: unknown): unknown =>
  error instanceof ArrayError ? new UsageError(tell(error)) : error;
