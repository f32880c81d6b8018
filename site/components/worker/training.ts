// A training run in a worker: the page is told of every record, of progress, and of the agent now and then.
import { setCpuDevices } from "vibe-rl/array";
import type { TrainConfig } from "vibe-rl/config";
import type { Environment } from "vibe-rl/env";
import { createPolicy } from "vibe-rl/policy";
import {
  trainDQN,
  trainPPO,
  trainPPOMultiGPU,
  trainSAC,
  type CheckpointFiles,
  type LoggedRecord,
  type Progress,
} from "vibe-rl/runner";
import { tellPage } from "./calls.js";
import { findEnv, type EnvSource } from "./environments.js";
import { configOf, type Settings } from "./settings.js";

export interface TrainRequest {
  readonly env: EnvSource;
  readonly settings: Settings;
  /** Devices to train on; more than one needs a page that is isolated. */
  readonly devices: number;
}

/** What a page hears of a run. */
export type TrainEvent =
  | { readonly kind: "start" }
  | { readonly kind: "record"; readonly record: LoggedRecord }
  | { readonly kind: "progress"; readonly progress: Progress }
  /** The policy as the bytes of its file; `isBest` by evaluation so far. */
  | { readonly kind: "agent"; readonly step: number; readonly bytes: Uint8Array; readonly isBest: boolean }
  /** A checkpoint, from which the run can go on elsewhere. */
  | ({ readonly kind: "checkpoint" } & CheckpointFiles);

/** An agent is told at most so often, in milliseconds: making its file compiles a program. */
const agentEveryMs = 500;
/** Progress is told at most so often. */
const progressEveryMs = 50;

type Listeners = Pick<
  NonNullable<Parameters<typeof trainPPO>[2]>,
  "logger" | "onProgress" | "signal" | "onStart" | "onCheckpoint"
> & { readonly callback: (step: number, agentState: object) => Promise<void> };

/** Trains with an algorithm, and returns the agent. */
async function trainWith(
  config: TrainConfig,
  env: Environment,
  params: unknown,
  devices: number,
  listeners: Listeners,
): Promise<object> {
  const { totalTimesteps } = config.runner;
  // At the end, or where the run is stopped, and of the best agents: nobody looks at more of them.
  const runnerConfig = {
    ...{ ...config.runner, checkpointInterval: totalTimesteps },
    numDevices: devices > 1 ? devices : null,
  };
  const common = { runnerConfig, ...listeners };
  switch (config.algo) {
    case "ppo": {
      const train = devices > 1 ? trainPPOMultiGPU : trainPPO;
      const [{ agentState }] = await train(env, params, { ppoConfig: config.algoConfig, ...common });
      return agentState;
    }
    case "dqn":
      return (await trainDQN(env, params, { dqnConfig: config.algoConfig, ...common })).agentState;
    case "sac":
      return (await trainSAC(env, params, { sacConfig: config.algoConfig, ...common })).agentState;
  }
}

let stopping: AbortController | null = null;

/** Ends the run that is under way, after the work in hand. */
export const stop = (): void => stopping?.abort();

/** Whether the page asked for the end of the run. */
export interface TrainResult {
  readonly isStopped: boolean;
}

/** Trains; the page is told how it goes. */
export async function train({ env: source, settings, devices }: TrainRequest): Promise<TrainResult> {
  if (stopping !== null) throw new Error("a run is under way in this worker already");
  stopping = new AbortController();
  try {
    return await run(source, configOf(settings), devices, stopping.signal);
  } finally {
    stopping = null;
  }
}

async function run(
  source: EnvSource,
  config: TrainConfig,
  devices: number,
  signal: AbortSignal,
): Promise<TrainResult> {
  if (devices > 1) setCpuDevices(devices);
  const [env, params] = await findEnv(source);
  const tell = (event: TrainEvent, transfer: Transferable[] = []): void => tellPage(event, transfer);
  const told = { agentAt: -Infinity, progressAt: -Infinity };
  let [latest, latestStep, best] = [null as object | null, 0, -Infinity];
  let [evalStep, evalReturn] = [-1, 0];
  let bestTold = Promise.resolve();

  const tellAgent = async (step: number, agent: object, isBest: boolean): Promise<void> => {
    const policy = await createPolicy(config.algo, agent as never, {
      config: config.algoConfig as never,
      observationSpace: env.observationSpace(params),
      actionSpace: env.actionSpace(params),
      metadata: {
        environment: "id" in source ? source.id : env.name,
        step,
        seed: config.runner.seed,
        evalReturn: evalStep === step ? evalReturn : null,
      },
    });
    const bytes = policy.toSafetensors();
    told.agentAt = performance.now();
    tell({ kind: "agent", step, bytes, isBest }, [bytes.buffer as ArrayBuffer]);
  };

  const agent = await trainWith(config, env, params, devices, {
    signal,
    onStart: () => tell({ kind: "start" }),
    onCheckpoint: ({ step, files }) =>
      tell(
        { kind: "checkpoint", step, files },
        Object.values(files).map(({ buffer }) => buffer as ArrayBuffer),
      ),
    callback: async (step, agentState) => {
      [latest, latestStep] = [agentState, step];
      if (performance.now() - told.agentAt > agentEveryMs) await tellAgent(step, agentState, false);
    },
    logger: {
      log: (record: LoggedRecord) => {
        tell({ kind: "record", record });
        const result = record.eval_return as number | undefined;
        if (result === undefined) return;
        [evalStep, evalReturn] = [record.step, result];
        if (result <= best || latest === null || latestStep !== record.step) return;
        best = result;
        bestTold = tellAgent(latestStep, latest, true);
      },
    },
    onProgress: (progress) => {
      const now = performance.now();
      const isLast = progress.step >= progress.total;
      if (!isLast && now - told.progressAt < progressEveryMs) return;
      told.progressAt = now;
      tell({ kind: "progress", progress });
    },
  });
  await bestTold;
  await tellAgent(latestStep, agent, false);
  return { isStopped: signal.aborted };
}
