// How a stored policy acts: the algorithms' own functions, with the parameters as constants of the program.
import { ObsNetwork, type NetworkParams } from "../agent/index.js";
import { DQN, PPO, SAC, type DQNState, type PPOState, type SACState } from "../algorithms/index.js";
import { np, random, type Array, type Shape } from "../array/index.js";
import type { StoredPolicy } from "./stored.js";

/** Actions for a batch of observations, and the key moved on. */
export type ActBatch = (obs: Array, rng: Array, explore: boolean) => readonly [actions: Array, rng: Array];

/** What a policy does with a batch of observations. */
export function actBatchOf(policy: StoredPolicy): ActBatch {
  switch (policy.algorithm) {
    case "ppo": {
      const { config, state, bounds } = policy;
      return (obs, rng, explore) => {
        const [action, , , next] = PPO.actBatch({ ...state, rng } as PPOState, obs, { config, explore });
        const kept = bounds === null ? action : np.clip(action, bounds.low, bounds.high);
        return [kept, next.rng];
      };
    }
    case "dqn": {
      const { config, state } = policy;
      return (obs, rng, explore) => {
        const [action, next] = DQN.actBatch({ ...state, rng } as DQNState, obs, { config, explore });
        return [action, next.rng];
      };
    }
    case "sac": {
      const { config, state } = policy;
      return (obs, rng, explore) => {
        const [action, next] = SAC.actBatch({ ...state, rng } as SACState, obs, { config, explore });
        return [action, next.rng];
      };
    }
  }
}

/** Any key: what acts greedily has no use for it. */
export const anyKey = (): Array => random.key(0);

/** What actions are. */
export interface ActionKind {
  readonly kind: "discrete" | "continuous";
  /** The number of choices, or of components. */
  readonly size: number;
}

export function actionKindOf(policy: StoredPolicy): ActionKind {
  const { obsShape } = policy;
  switch (policy.algorithm) {
    case "ppo": {
      const { params } = policy.state;
      const head = params.policy ?? params.actor;
      const size = params.logStd?.shape[0] ?? ObsNetwork.outputSize(head, obsShape);
      return { kind: params.logStd === undefined ? "discrete" : "continuous", size };
    }
    case "dqn": {
      const outputs = ObsNetwork.outputSize(policy.state.params, obsShape);
      return { kind: "discrete", size: outputs - (policy.config.dueling ? 1 : 0) };
    }
    case "sac":
      return { kind: "continuous", size: policy.state.actionLow.size };
  }
}

/** The network that sees observations first. */
function firstNetwork({ algorithm, state }: Pick<StoredPolicy, "algorithm" | "state">): NetworkParams {
  if (algorithm === "sac") return (state as SACState).actorParams;
  if (algorithm === "dqn") return (state as DQNState).params;
  const { params } = state as PPOState;
  if (params.backbone === undefined) return params.actor;
  const isEmpty = "length" in params.backbone && params.backbone.length === 0;
  return isEmpty ? params.policy : params.backbone;
}

/** How many numbers an observation has, as far as the network tells: not for images. */
export function obsSizeOf(policy: Pick<StoredPolicy, "algorithm" | "state">): number | null {
  const network = firstNetwork(policy);
  return "cnn" in network ? null : network[0].w.shape[0];
}

/** The shape of observations as far as the agent's state tells: not for images. */
export function obsShapeOf(policy: Pick<StoredPolicy, "algorithm" | "state">): Shape | null {
  const size = obsSizeOf(policy);
  return policy.state.obsStats?.mean.shape ?? (size === null ? null : [size]);
}
