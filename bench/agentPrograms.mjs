// Whole training runs of the agents as programs: PPO and DQN on CartPole, SAC on Pendulum. limit/limit.c has the
// same loops by hand.
import { ReplayBuffer } from "vibe-rl/agent";
import { DQN, DQNConfig } from "vibe-rl/algorithms/dqn";
import { PPO, PPOConfig } from "vibe-rl/algorithms/ppo";
import { SAC, SACConfig } from "vibe-rl/algorithms/sac";
import { lax, np, random, vmap } from "vibe-rl/array";
import { AutoResetWrapper, make } from "vibe-rl/env";

/** Steps without an update at the start of DQN and SAC. */
const warmUp = 1000;
const capacity = 100_000;

/** Environment steps of one PPO update. */
const stepsPerUpdate = ({ numEnvs, nSteps }) => numEnvs * nSteps;

function playable(id) {
  const [env, params] = make(id);
  const obsShape = env.observationSpace(params).shape;
  return { env: AutoResetWrapper(env), params, obsShape, actions: env.actionSpace(params) };
}

/** Collect, estimate advantages, descend, so many times: from a key to the mean length of each update's episodes. */
const ppoRun = (ppoConfig, updates) => (key) => {
  const { env, params, obsShape, actions } = playable("CartPole-v1");
  const options = { config: ppoConfig };
  const [initKey, resetKey] = random.split(key);
  const [obs, envState] = vmap(env.reset, [0, null])(random.split(resetKey, ppoConfig.numEnvs), params);
  const start = { agent: PPO.init(initKey, obsShape, actions, ppoConfig), obs, envState };
  const [, lengths] = lax.scan(
    (run) => {
      const [played, rollout, obs, envState, lastValue] = PPO.collectRolloutBatch(
        ...[run.agent, run.obs, run.envState, env.step, params, options],
      );
      const [agent] = PPO.update(played, rollout, lastValue, options);
      const episodes = np.maximum(rollout.done.astype("float32").sum(), 1);
      return [{ agent, obs, envState }, np.divide(stepsPerUpdate(ppoConfig), episodes)];
    },
    start,
    null,
    { length: updates },
  );
  return lengths;
};

/** Act, push, draw, descend, so many times: from a key to the rewards and ends of all steps. */
function offPolicyRun({ id, agent: { init, act, update }, config, firstAction }, steps) {
  return (key) => {
    const { env, params, obsShape, actions } = playable(id);
    const [initKey, resetKey, loopKey] = random.split(key, 3);
    const [obs, envState] = env.reset(resetKey, params);
    const agent = init(initKey, obsShape, actions, config);
    const example = { obs, action: actions.sample(key), reward: 0, nextObs: obs, done: false };
    const step =
      (learns) =>
      ({ agent, buffer, obs, envState, rng }) => {
        const [nextRng, stepKey, drawKey] = random.split(rng, 3);
        const [action, acted] = learns ? act(agent, obs, { config }) : [firstAction(actions, drawKey), agent];
        const [nextObs, nextState, reward, done, info] = env.step(stepKey, envState, action, params);
        const filled = ReplayBuffer.push(buffer, {
          ...{ obs, action, reward, nextObs: info.terminalObs, done: info.terminated },
        });
        const [learned] = learns
          ? update(acted, ReplayBuffer.sample(filled, drawKey, config.batchSize), { config })
          : [acted];
        return [
          { agent: learned, buffer: filled, obs: nextObs, envState: nextState, rng: nextRng },
          { reward, done },
        ];
      };
    const start = { agent, buffer: ReplayBuffer.init(capacity, example), obs, envState, rng: loopKey };
    const [warm] = lax.scan(step(false), start, null, { length: warmUp });
    return lax.scan(step(true), warm, null, { length: steps - warmUp })[1];
  };
}

const dqnRun = (steps) =>
  offPolicyRun(
    {
      id: "CartPole-v1",
      agent: DQN,
      config: DQNConfig(),
      firstAction: (actions, key) => actions.sample(key),
    },
    steps,
  );

const sacRun = (steps) =>
  offPolicyRun(
    {
      id: "Pendulum-v1",
      agent: SAC,
      config: SACConfig({ actionLow: -2, actionHigh: 2 }),
      firstAction: (actions, key) => actions.sample(key),
    },
    steps,
  );

const average = (list) => list.reduce((sum, value) => sum + value, 0) / list.length;

/** PPO on CartPole, so many updates, as one of the runs that are measured. */
export function ppoTraining(config, count) {
  const settings = PPOConfig({ clipValueLoss: false, ...config });
  return {
    ...{
      make: (updates) => ppoRun(settings, updates),
      count,
      least: 1,
      steps: count * stepsPerUpdate(settings),
    },
    learned: (lengths) => `episodes of ${average(lengths.toArray().slice(-20)).toFixed(0)} steps at last`,
  };
}

const [dqnSteps, sacSteps] = [4000, 1600];

/** The runs that limit/limit.c has: `make(count)` is a training run, `count` its length and `least` the shortest one. */
export const trainingRuns = [
  { name: "ppo", task: "PPO on CartPole", ...ppoTraining({ numEnvs: 4 }, 195) },
  {
    name: "dqn",
    task: "DQN on CartPole",
    ...{ make: dqnRun, count: dqnSteps, least: warmUp + 1, steps: dqnSteps },
    learned: ({ done }) => `${done.astype("int32").sum().item()} episodes`,
  },
  {
    name: "sac",
    task: "SAC on Pendulum",
    ...{ make: sacRun, count: sacSteps, least: warmUp + 1, steps: sacSteps },
    learned: ({ reward }) => `reward ${average(reward.toArray().slice(-400)).toFixed(2)} a step at last`,
  },
];

const large = ({ numEnvs, hidden = [64, 64] }, count) => ({
  ...ppoTraining({ numEnvs, hiddenSizes: hidden }, count),
  peer: ["--envs", numEnvs, "--hidden", hidden.join(",")],
});

/** Runs with enough work for many cores, which JAX has too: `peer` is how jaxPeer.py is told of them. */
export const largeRuns = [
  { name: "ppo1024", task: "PPO, 1,024 environments", ...large({ numEnvs: 1024 }, 5) },
  { name: "ppo_wide", task: "PPO, 64, (256, 256)", ...large({ numEnvs: 64, hidden: [256, 256] }, 10) },
];
