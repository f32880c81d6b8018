// Training loops as pure functions, to be compiled: what a runner does, without the host.
/* oxlint-disable typescript/unbound-method -- environments are plain functions */
import { ReplayBuffer, type Transition } from "vibe-rl/agent";
import { DQN, type DQNConfig, type DQNState } from "vibe-rl/algorithms/dqn";
import { PPO, type PPOConfig, type PPOMetrics, type PPOState } from "vibe-rl/algorithms/ppo";
import { SAC, type SACConfig, type SACState } from "vibe-rl/algorithms/sac";
import { lax, np, random, vmap, type Array } from "vibe-rl/array";
import type { Environment } from "vibe-rl/env";

/** PPO for so many updates; metrics and episode lengths have the updates as their first axis. */
export function ppoLoop<S, P>(
  env: Environment<S, P>,
  config: PPOConfig,
  updates: number,
): (key: Array, params: P) => [PPOState, PPOMetrics & { episodeLength: Array }] {
  return (key, params) => {
    const [initKey, resetKey] = random.split(key);
    const [obs, envState] = vmap(env.reset, [0, null])(random.split(resetKey, config.numEnvs), params);
    const agent = PPO.init(initKey, env.observationSpace(params).shape, env.actionSpace(params), config);
    const [last, metrics] = lax.scan(
      (run) => {
        const [played, rollout, nextObs, nextState, lastValue] = PPO.collectRolloutBatch(
          run.agent,
          run.obs,
          run.envState,
          env.step,
          params,
          { config },
        );
        const [learned, measured] = PPO.update(played, rollout, lastValue, { config });
        const episodes = np.maximum(rollout.done.astype("float32").sum(), 1);
        const episodeLength = np.divide(rollout.done.size, episodes);
        return [
          { agent: learned, obs: nextObs, envState: nextState },
          { ...measured, episodeLength },
        ];
      },
      { agent, obs, envState },
      null,
      { length: updates },
    );
    return [last.agent, metrics];
  };
}

interface OffPolicyAgent<A> {
  readonly init: (key: Array, env: { obsShape: readonly number[]; actions: never }) => A;
  readonly actBatch: (agent: A, obs: Array) => [Array, A];
  readonly update: (agent: A, batch: Transition) => readonly [A, unknown];
  readonly batchSize: number;
}

export const dqnAgent = (config: DQNConfig): OffPolicyAgent<DQNState> => ({
  init: (key, { obsShape, actions }) => DQN.init(key, obsShape, actions, config),
  actBatch: (agent, obs) => DQN.actBatch(agent, obs, { config }),
  update: (agent, batch) => DQN.update(agent, batch, { config }),
  batchSize: config.batchSize,
});

export const sacAgent = (config: SACConfig): OffPolicyAgent<SACState> => ({
  init: (key, { obsShape, actions }) => SAC.init(key, obsShape, actions, config),
  actBatch: (agent, obs) => SAC.actBatch(agent, obs, { config }),
  update: (agent, batch) => SAC.update(agent, batch, { config }),
  batchSize: config.batchSize,
});

/** An off-policy agent for so many updates, each after a step of `environments` environments. */
export function offPolicyLoop<A, S, P>(
  env: Environment<S, P>,
  { init, actBatch, update, batchSize }: OffPolicyAgent<A>,
  updates: number,
  { environments = 8, capacity = 1000 } = {},
): (key: Array, params: P) => A {
  return (key, params) => {
    const [initKey, resetKey, loopKey] = random.split(key, 3);
    const [obs, envState] = vmap(env.reset, [0, null])(random.split(resetKey, environments), params);
    const actions = env.actionSpace(params);
    const agent = init(initKey, { obsShape: env.observationSpace(params).shape, actions: actions as never });
    const one = obs.slice(0);
    const example: Transition = {
      obs: one,
      action: actions.sample(key),
      reward: np.float32(0),
      nextObs: one,
      done: np.bool(false),
    };
    const steps = vmap(env.step, [0, 0, 0, null]);
    const [last] = lax.scan(
      (run) => {
        const [rng, stepKey, drawKey] = random.split(run.rng, 3);
        const [action, acted] = actBatch(run.agent, run.obs);
        const keys = random.split(stepKey, environments);
        const [nextObs, nextState, reward, , info] = steps(keys, run.envState, action, params);
        const buffer = ReplayBuffer.pushBatch(run.buffer, {
          ...{ obs: run.obs, action, reward, nextObs: info.terminalObs as Array, done: info.terminated },
        });
        const [learned] = update(acted, ReplayBuffer.sample(buffer, drawKey, batchSize));
        return [{ agent: learned, buffer, obs: nextObs, envState: nextState, rng }, null];
      },
      { agent, buffer: ReplayBuffer.init(capacity, example), obs, envState, rng: loopKey },
      null,
      { length: updates },
    );
    return last.agent;
  };
}
