// Every algorithm solves every probe environment within a few hundred updates.
import { describe, expect, it } from "vitest";
import { ObsNetwork } from "vibe-rl/agent";
import { DQN, DQNConfig, type DQNState } from "vibe-rl/algorithms/dqn";
import { PPO, PPOConfig, type PPOState } from "vibe-rl/algorithms/ppo";
import { SAC, SACConfig, type SACState } from "vibe-rl/algorithms/sac";
import { jit, nn, random, type Array } from "vibe-rl/array";
import { dqnAgent, offPolicyLoop, ppoLoop, sacAgent } from "./loops.js";
import { bestAction, gamma, observe, probe, probes, type ProbeParams } from "./probes.js";

interface Solver<A> {
  readonly kind: "discrete" | "continuous";
  readonly train: (key: Array, params: ProbeParams) => A;
  /** What the agent expects at an observation, and what it would do there. */
  readonly judge: (agent: A, obs: Array) => { value: number; action: number };
}

function solves<A>(name: string, { kind, train, judge }: Solver<A>): void {
  describe(name, () => {
    const compiled = jit(train);
    for (const one of probes) {
      it(`learns ${one.fact}`, () => {
        const agent = compiled(random.key(1), one.params);
        for (const sign of [-1, 1]) {
          const { value, action } = judge(agent, observe(sign));
          expect(Math.abs(value - one.value(sign))).toBeLessThan(0.1);
          if (one.hasBestAction) {
            expect(Math.abs(action - bestAction(kind, one, sign))).toBeLessThan(
              kind === "discrete" ? 0.5 : 0.3,
            );
          }
        }
      });
    }
  });
}

const ppoConfig = (given: Partial<PPOConfig>) =>
  PPOConfig({
    ...{ gamma, nSteps: 12, numEnvs: 16, nMinibatches: 2, hiddenSizes: [16], lr: 1e-2, entCoef: 0 },
    ...{ lrSchedule: "linear", scheduleUpdates: 100, clipValueLoss: false, ...given },
  });

function ppo(kind: "discrete" | "continuous", given: Partial<PPOConfig>, updates = 100): Solver<PPOState> {
  const config = ppoConfig(given);
  const train = ppoLoop(probe(kind), config, updates);
  return {
    kind,
    train: (key, params) => train(key, params)[0],
    judge: (agent, obs) => {
      const [action, , value] = PPO.act(agent, obs, { config, explore: false });
      return { value: value.item(), action: action.reshape([]).item() };
    },
  };
}

solves("PPO with discrete actions", ppo("discrete", {}));
solves("PPO with continuous actions", ppo("continuous", {}));
solves(
  "PPO with a shared backbone, clipped values and a target KL",
  ppo(
    "discrete",
    {
      ...{ sharedBackbone: true, clipValueLoss: true, targetKl: 0.05, normalizeAdvantage: false },
    },
    100,
  ),
);

function dqn(given: Partial<DQNConfig>): Solver<DQNState> {
  const config = DQNConfig({
    ...{ gamma, hiddenSizes: [32], lr: 5e-3, batchSize: 32, targetUpdateFreq: 20, epsilonDecaySteps: 200 },
    ...given,
  });
  return {
    kind: "discrete",
    train: offPolicyLoop(probe("discrete"), dqnAgent(config), 300),
    judge: (agent, obs) => {
      const outputs = ObsNetwork.apply(agent.params, obs.slice(null), { activation: nn.relu });
      const [action] = DQN.act(agent, obs, { config, explore: false });
      const [value, ...advantages] = outputs.data();
      const mean = advantages.reduce((sum, x) => sum + x, 0) / advantages.length;
      return {
        value: config.dueling ? value + Math.max(...advantages) - mean : outputs.max().item(),
        action: action.item(),
      };
    },
  };
}

solves("DQN", dqn({}));
solves("DQN, double, dueling, with the Huber loss", dqn({ double: true, dueling: true, loss: "huber" }));

const sacConfig = SACConfig({
  ...{ gamma, hiddenSizes: [32, 32], batchSize: 64, actorLr: 5e-3, criticLr: 5e-3, tau: 0.1 },
  ...{ initAlpha: 0.01, autotuneAlpha: false },
});
const sac: Solver<SACState> = {
  kind: "continuous",
  train: offPolicyLoop(probe("continuous"), sacAgent(sacConfig), 300),
  judge: (agent, obs) => {
    const [action] = SAC.act(agent, obs, { config: sacConfig, explore: false });
    const { q1, q2 } = agent.criticParams;
    const values = [q1, q2].map((params) =>
      ObsNetwork.apply(params, obs.slice(null), { activation: nn.relu, extra: action.slice(null) }).item(),
    );
    return { value: Math.min(...values), action: action.item() };
  },
};
solves("SAC", sac);
